"""Tables and figures of a recorded comparison with PyTorch (rows of common/torch/table.py).

In such a run a name has one of three words in it for who computes: bound (the chapter's operator,
called from PyTorch), torch (PyTorch's own), compile (torch.compile): elu/bound_f16, elu/torch_f16.
"""

import re
import statistics
from pathlib import Path

import runs

WHO = ("bound", "torch", "compile")


class Cell:
    """One operation at one shape in one regime: who -> Row."""

    def __init__(self, row):
        self.ladder, self.dtype, self.shape, self.regime = row.ladder, row.dtype, row.shape, row.regime
        self.operation = in_words(row, who_of(row)[1])
        self.rows = {}

    def ratio(self, who):
        """Their time divided by the chapter's; None where one of them is missing."""
        ours, theirs = (self.rows.get(name) for name in ("bound", who))
        is_known = all(row and row.median_us and not row.failed for row in (ours, theirs))
        return theirs.median_us / ours.median_us if is_known else None


def who_of(row):
    """(bound, torch or compile; the name without it), or None for a row of the chapter's ladder."""
    words = row.rung.split("_")
    for who in WHO:
        if who in words and (who != "bound" or row.kind == "bound"):
            words.remove(who)
            return who, "_".join(words)
    return None


def in_words(row, name):
    """What a row computes, by its ladder and its name, which is given without who computes: elu; gelu tanh; arithmetic
    broadcast 1C11; relation greater row."""
    words = [word for word in name.split("_") if word != row.dtype]
    ladder = row.ladder.split("_")
    return " ".join(ladder + words[1 if words[:1] == ladder[-1:] else 0:])


def cells(run):
    """The cells of a run in which PyTorch has a row, in file order."""
    found = {}
    for row in run.rows:
        who = who_of(row)
        if who:
            key = (row.ladder, who[1], row.shape, row.regime)
            found.setdefault(key, Cell(row)).rows[who[0]] = row
    return [cell for cell in found.values() if "torch" in cell.rows]


def summary_table(chosen, version):
    """(titles, rows, alignment): per operation, type and regime the ratios of the times, over its shapes, and in the last row
    over all cells; the version is PyTorch's, or None."""
    groups = runs.grouped(chosen, lambda cell: (cell.operation, cell.dtype, cell.regime))
    if len(groups) > 1:
        groups["all", "", ""] = chosen
    titles = ["Operation", "Type", "Regime", "Shapes", f"PyTorch {version} / ours" if version else "PyTorch / ours", "least", "most",
              "torch.compile / ours", "least", "most"]
    body = []
    for key, members in groups.items():
        row = [*key, str(len(members))]
        for who in ("torch", "compile"):
            ratios = [ratio for cell in members if (ratio := cell.ratio(who))]
            spread = (statistics.geometric_mean(ratios), min(ratios), max(ratios)) if ratios else ()
            row += [f"{value:.2f}\u00d7" for value in spread] or ["\u2013"] * 3
        body.append(row)
    return titles, body, "lll" + "r" * 7


# -------------------------------------------------------------------------------------------------
# The figure of all chapters

MARKS = (("best", "best rung"), ("torch", "PyTorch"), ("compile", "torch.compile"), ("cub", "cub"))


def headline(spec, root, regime):
    """(GPU, [(heading, [(type, {mark: percent of copy}, copy GB/s)])]) of the chapters that have runs.

    spec: a list of {"title", "chapter", "types", "shape", and for each mark the row's name up to
    the shape, as a regular expression with {} for the type; of several rows the fastest counts}.
    The ladder's rows come from results/main.json, PyTorch's from results/main_torch.json; what is not
    recorded is left out.
    """
    gpu, groups = None, []
    for entry in spec:
        paths = [Path(root, entry["chapter"], "results", runs.shown_name(name)) for name in ("main.json", "main_torch.json")]
        own, theirs = (runs.load_run(path) if path.exists() else None for path in paths)
        if not own:
            continue
        gpu = gpu or own.device
        lines = []
        for dtype in entry["types"]:
            best = fastest(own, entry, "best", dtype, regime)
            if not best or not best.copy_pct:
                continue
            copy = best.gbps / best.copy_pct * 100
            rows = {mark: fastest(theirs if mark in ("torch", "compile") else own, entry, mark, dtype, regime)
                    for mark, _ in MARKS}
            lines.append((dtype, {mark: row.gbps / copy * 100 for mark, row in rows.items() if row}, copy))
        if lines:
            groups.append((entry["title"], lines))
    return gpu, groups


def fastest(run, entry, mark, dtype, regime):
    """The fastest row of a run that the entry's pattern names; None if there is none, or no run."""
    if not run or mark not in entry:
        return None
    pattern = re.compile(entry[mark].replace("{}", dtype))
    rows = [row for row in run.select(shape=entry["shape"], regime=regime, dtype=dtype)
            if pattern.fullmatch(f"{row.ladder}/{row.rung}") and row.gbps and not row.failed
            and (mark != "best" or row.kind == "rung")]
    return max(rows, key=lambda row: row.gbps, default=None)
