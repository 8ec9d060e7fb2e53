// The order of search results among pages that match alike: a definition, then lessons, and tables last.
var Scorer = {
  score: ([page, , , , score]) => {
    if (page === "common/GLOSSARY") return score + 4;
    if (/^\d\d_\w+\/index$/.test(page)) return score + 3;
    return /\/results(\/|$)/.test(page) ? score - 2 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
