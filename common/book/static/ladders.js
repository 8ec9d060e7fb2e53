// Reading ladders: a run in the short form of common/tools/reader/recorded.py, or several in the one file that
// ./tutorial bench --share writes. All become {gpu, cpu, chapters: Map(name -> {context, places, rows})}, where a
// row is {name, ladder, rung, type, kind, form, values}, and a value [GB/s, percent of copy or null, spread] or null.

export const elements = (size) => size.split("x").reduce((product, part) => product * Number(part), 1);

const TYPE = /^(?:bf|f|i|u|s)\d+/;

function positive(value) {
  const result = Number(value);
  return Number.isFinite(result) && result > 0 ? result : null;
}

function measurement(row) {
  const speed = positive(row.GBps);
  if (row.error || !speed) return null;
  return [speed, positive(row.copy_pct), positive(row.spread_pct) ?? 0];
}

function chapterOf(context, ladders, chapters) {
  const program = /(\d\d_\w+)_bench/.exec(String(context.executable ?? "").split("/").at(-1));
  if (chapters.some((chapter) => chapter.chapter === program?.[1])) return program[1];
  return chapters.find((chapter) => chapter.ladders.some((ladder) => ladders.has(ladder)))?.chapter;
}

// [{ladder, rung, place, type, kind, form, value}] of a run.
function rowsOfLadders(ladders) {
  return ladders.flatMap(({ ladder, places, rungs }) => rungs.flatMap(({ rung, dtype, kind, form = "", ...columns }) =>
    places.map((place, number) => {
      const row = Object.fromEntries(Object.entries(columns).map(([key, value]) => [key, Array.isArray(value) ? value[number] : value]));
      row.bytes ??= row.bytes_per_element * elements(place[0]);
      row.GBps ??= row.bytes / row.median_us / 1e3;
      return { ladder, rung, place: place.join("/"), type: dtype, kind, form, value: measurement(row) };
    })));
}

function ofRun(data, chapters) {
  const found = rowsOfLadders(data.ladders);
  if (!found.length) {
    throw new Error("has no row named ladder/rung/size/regime; drop a chapter's benchmark result.");
  }
  const places = [...new Set(found.map(({ place }) => place))];
  const rows = new Map();
  for (const { place, value, ...row } of found) {
    const name = `${row.ladder}/${row.rung}`;
    if (!rows.has(name)) rows.set(name, { name, ...row, values: places.map(() => null) });
    rows.get(name).values[places.indexOf(place)] = value;
  }
  const cpu = String(data.context.backend ?? "").toLowerCase().startsWith("cpu");
  const chapter = chapterOf(data.context, new Set(found.map((row) => row.ladder)), chapters);
  if (!chapter) throw new Error("is the run of no chapter of this book.");
  const entry = { context: data.context, places, rows: [...rows.values()] };
  return { gpu: cpu ? "CPU executor" : String(data.context.gpu || "an unnamed GPU"), cpu, chapters: new Map([[chapter, entry]]) };
}

const isRun = (data) => data?.context && typeof data.context === "object" && Array.isArray(data.ladders)
  && data.ladders.every((ladder) => Array.isArray(ladder?.rungs) && Array.isArray(ladder.places));

// A file's content as ladders, of a run or of several; an Error whose message goes on behind the file's name if it holds none.
export function openFile(data, chapters) {
  const runs = Array.isArray(data?.runs) ? data.runs : [data];
  if (!runs.length || !runs.every(isRun)) {
    throw new Error("is no benchmark result; drop a file that ./tutorial bench wrote, as build/results/01_elu.cuda.json.");
  }
  const opened = runs.map((run) => ofRun(run, chapters));
  return { ...opened[0], chapters: new Map(opened.flatMap((one) => [...one.chapters])) };
}

// ---------------------------------------------------------------------------------------------------------
// Operations: what a ladder's rungs compute, read from their names, or the forms that they are timed on

// What stands before the type in a rung's name: not_equal of not_equal_f16x8_pack.
function firstWord(row) {
  const at = row.rung.search(/(?:^|_)(?:bf|f|i|u|s|e\d)\d+/);
  return at > 0 ? row.rung.slice(0, at) : row.rung.split("_")[0];
}

// Map(operation -> test of a row) of one ladder; a ladder of one operation has one, named "".
function operationsOf(ladder, rows) {
  const own = rows.filter((row) => row.ladder === ladder);
  const rungs = own.filter((row) => row.kind === "rung");
  const formed = rungs.map((row) => row.form).filter(Boolean);
  const forms = new Set(formed);
  if (2 * formed.length > rungs.length) {
    return new Map([...forms].map((form) => [form, (row) => row.ladder === ladder && row.form === form]));
  }
  const found = [...new Set(rungs.map(firstWord))];
  const word = (row) => found.find((other) => firstWord(row).startsWith(`${other}_`)) ?? firstWord(row);
  const words = new Set(rungs.map(word));
  if (words.size < 2 || [...words].some((one) => TYPE.test(one))) return new Map([["", (row) => row.ladder === ladder]]);
  return new Map([...words].map((op) => [op, (row) => row.ladder === ladder
    && (word(row) === op || (!words.has(word(row)) && row.kind !== "rung"))]));
}

// [[value, text]] of a chapter's operations.
export function operations(entry) {
  const ladders = [...new Set(entry.rows.map((row) => row.ladder))];
  return ladders.flatMap((ladder) => [...operationsOf(ladder, entry.rows).keys()].map((op) => {
    const text = op ? (ladders.length > 1 ? `${ladder.replaceAll("_", " ")}: ${op.replaceAll("_", " ")}` : op) : ladder;
    return [op ? `${ladder}.${op}` : ladder, text.replaceAll("_", " ")];
  }));
}

export function rowsOf(entry, operation) {
  const [ladder, op = ""] = operation.split(".");
  const test = operationsOf(ladder, entry.rows).get(op);
  return test ? entry.rows.filter(test) : [];
}
