#!/usr/bin/env python3
"""Regenerates what READMEs show of recorded runs and of the source.

    python3 common/tools/maintain/report.py [CHAPTER ...] [--check]

Without a chapter every Markdown file of the repository is done. --check writes nothing, names each
part that is stale and exits 1 if there is one. Exit code 2: a marker or a file is wrong.

A README marks a generated part by two comments, each on a line of its own, and what stands between
them is replaced:

    <!-- report:results h200.json dtype=f16 regime=cold,warm shape=16384x16384 -->
    <!-- /report -->

FILE is looked for in the folder results/ of the page's chapter; with a slash in it, in the chapter's
own folder. A page in notes/ writes its files like the README one folder above.
Several runs of one GPU can be read as one: h200.json+h200_torch.json.
Where a recorded file does not exist the part says "No run recorded yet."; no number is made up.

Parts made from a benchmark run (Google Benchmark JSON)
    context FILE                  one line: GPU, driver, CUDA, commit, date. Also of accuracy, ncu
                                  and codegen files
    results FILE [dtype=f16] [regime=cold,warm] [shape=SxK] [kinds=rung,peer,copy] [rungs=a,b]
                                  a row per rung: GB/s and % of copy per regime, and the step over
                                  the rung below in the first regime; last=spread: its spread in place of
                                  the step, for rows that are no ladder
    grid FILE [dtype=f16] [regime=cold] [value=GBps] [shapes=a,b] [kinds=...] [rungs=...]
                                  rungs x shapes; value: GBps, copy_pct, median_us or spread_pct
                                  by=n: shapes of one number of elements are one column, as they are
                                  one launch of an elementwise kernel (torch of=times takes it too).
                                  Warm, a size at which no row's data fits into the L2 is left out
    gpus FILES [rungs=a,b] [dtype=f16] [regime=cold] [shape=SxK] [kinds=...] [accuracy=FILE]
                                  a row per rung; GB/s and % of copy on each GPU whose file, of a list
                                  a.json,b.json, is recorded, the larger spread of the row, and the
                                  largest error
    matrix FILE ladder=NAME rows=a,b columns=c,d dtype=f16 [shape=..] [regime=cold] [value=both]
                                  a line per row name, a column per column name, out of the rungs
                                  COLUMN_DTYPE_ROW (packed_f16_1C11); default: the shape at which
                                  that ladder has most. TITLE:NAME gives a name another title; several columns'
                                  names joined by | fill one column, whichever the row has. value:
                                  both (GB/s and % of copy) or one that grid knows
    headline [FILES]              a row per chapter with a results/headline.json: its first and last
                                  rung on each GPU of h200.json,h100.json that is recorded
    counters FILE names=ratio,ns [rows=TEXT]
                                  any benchmark: a row per benchmark (with TEXT in its name) with
                                  its time and the named counters
    ladder_figure FILE out=NAME.svg [title=..] [dtype=] [regime=cold] [shape=] [kinds=] [rungs=]
                                  bars, the copy kernel as a reference line
    sizes_figure FILE out=NAME.svg dtype=f16 [title=..] [regime=cold,warm] [kinds=] [rungs=]
                                  GB/s over the number of elements, a panel per regime
    torch FILE [of=summary] [dtype=] [regime=] [ladder=] [shape=]
                                  a run of common/torch/table.py: how often our operators' times go
                                  into PyTorch's and torch.compile's, over the shapes; of=times: the
                                  microseconds of each at each shape. Takes all that there is
    behind GPUS [of=summary]      where a peer is faster than our operator, of GPUs h200,h100 and all chapters
                                  that have results/GPU.json or GPU_torch.json: a row per GPU and peer;
                                  of=cells: every such cell; of=ncu: of those below 0.99 beside PyTorch, what
                                  results/GPU_behind_ncu.json says. behind.py says which rows are compared
    headline_figure [FILE] out=NAME.svg [title=..] [regime=cold] [best=, torch=, compile=, cub=NAME]
                                  percent of a copy of the best rung, PyTorch, torch.compile and cub,
                                  over the chapters that have a results/headline.json;
                                  with FILE, a file of that form, over its rows alone; cub= and the
                                  others: their names in the legend
Defaults: the largest shape, the regime cold, every dtype, kinds rung,peer,copy (sizes_figure: all
regimes, kind rung).

Parts made from the folders: what is in no list by hand
    chapters                      a line per chapter: its name and subtitle, from its page's title
    neighbours                    the line below a chapter's title: overview, previous, next
    next                          the last line of a chapter

Parts made from other recorded files
    accuracy FILE [dtype=f16] [rungs=a,b] [order=h200.json]
                                  the largest error in ULP per rung; FILE is accuracy.json or a
                                  folder of accuracy*.json; order= takes the rungs' order from a run
    ncu FILE [rungs=a,b] [of=pipes|stalls|memory]
                                  what Nsight Compute counted; FILE from ncu.py. of=pipes: how busy each
                                  unit is; stalls: the three reasons for which most warps wait; memory:
                                  megabytes between L1 and L2, hits, local memory, bank conflicts
    codegen FILE [rungs=a,b]      registers and widest accesses; FILE from codegen.py --json
    fuzz [FILE]                   a row per chapter that has recorded results/FILE (default fuzz.json, from a
                                  fuzz program) and operation: the inputs tried, the calls that went ahead,
                                  those that were refused
    controls SPEC.json runs=FILE[,FILE] [group=NAME]
                                  the control experiments' questions beside what each run says, and
                                  whether the expectation held; SPEC is described in controls.py
    half_functions FILE           {"half_functions": [{"function", "inputs", "differ", "max_ulp"}]}
    mutations FILE [of=faults] [test=01_elu_test]
                                  what mutate.py recorded of the faults in proof/faults.json: a line
                                  per test program, or with of=faults one per fault
    machines [dtype=f16]          a row per GPU whose ladders there are, the readers' own included; the
                                  last column is the fastest rung of its first chapter at the largest size
    trace                         the accesses that trace_proof.py --record counted beside what Nsight
                                  Compute counted: a row per kernel of every chapter's h200_ncu*.json
    trace_figure FILE out=NAME.svg [title=..] [rungs=a,b] [tail=yes]
                                  one warp's accesses; FILE from ./tutorial trace --json
    plot FILE out=NAME.svg        a line plot of a JSON object:
        {"title": "..", "subtitle": "..", "desc": "..", "height": 280,
         "x": {"label": "x", "scale": "linear" or "log", "min": -4, "max": 2, "ticks": [..]},
         "y": as x,
         "series": [{"name": "..", "points": [[x, y], ..], "style": "line", "dashed" or "dots"}],
         "lines": [{"y": 0.51, "label": "bound", "side": "left" or "right"}, {"x": 0, ..}]}
        A point whose y is null breaks its line. Only title and series are needed.
Figures are written to results/NAME.svg (with a slash in out=: in the chapter's folder).

A single number within a sentence, both comments on one line:

    runs at <!-- report:value h200.json of=copy_pct rung=f16x8_pack -->..<!-- /report --> of a copy
    value FILE of=NAME rung=RUNG [dtype=] [regime=cold] [shape=] [over=RUNG2] [digits=N] [unit=TEXT]
                                  benchmark: of= GBps, copy_pct, median_us, spread_pct, step or any
                                  counter; over= divides by the same number of another rung.
                                  accuracy, ncu, codegen: of= any field (max_ulp, registers, ...)

Excerpts of the source, between two lines `//! [NAME]` of FILE, which is in the chapter's folder:

    <!-- excerpt:elu_kernels.cuh f32x4 -->
    <!-- /excerpt -->

Markers inside code fences and inline code are left alone.
"""

import argparse
import copy
import functools
import math
import os
import re
import shlex
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reader"))
import behind
import beside_torch
import controls
import figures
import mutate
import runs
import share
import trace_figures
import trace_proof

NO_RUN = "No run recorded yet."
OPEN = re.compile(r"^\s*<!--\s*(report|excerpt):(.*?)\s*-->\s*$")
INLINE = re.compile(r"(<!--\s*report:(value\b.*?)\s*-->)(.*?)(<!--\s*/report\s*-->)")
FENCE = re.compile(r"^\s{0,3}(```+|~~~+)")
FENCES = {".cu": "cuda", ".cuh": "cuda", ".h": "cpp", ".cpp": "cpp", ".py": "python",
          ".cmake": "cmake", ".sh": "bash", ".json": "json"}
DASH = "\u2013"
VALUE_UNITS = {"copy_pct": " %", "spread_pct": " %", "GBps": " GB/s", "median_us": " \u00b5s",
               "step": "\u00d7", "dram_pct": " %", "occupancy_pct": " %", "issue_pct": " %",
               "dram_gbps": " GB/s", "duration_us": " \u00b5s", "max_ulp": " ULP"}


class NotRecorded(Exception):
    """The recorded file that a part is made from does not exist yet."""


def remembered(load):
    """load(path) that reads a file once for as long as it stays the same: pages quote one many times.
    Nobody may change what it returns."""
    known = functools.lru_cache(maxsize=None)(lambda path, when, size, **options: load(path, **options))

    def loaded(path, **options):
        path = Path(path)
        if not path.is_file():
            return load(path, **options)  # which says what is wrong with it
        status = path.stat()
        return known(path, status.st_mtime_ns, status.st_size, **options)
    return loaded


load_run, load_json = remembered(runs.load_run), remembered(runs.load_json)


def home_of(page):
    """The folder whose files a page shows: its own, or for a page in notes/ the one above."""
    return page.parent.parent if page.parent.name == "notes" else page.parent


class Part:
    """One marker's request: its file, its options, and where it stands."""

    def __init__(self, text, readme, where):
        self.where, self.folder, self.page = where, home_of(readme), readme
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise runs.ToolError(f"{where}: {error} in: {text}") from None
        self.kind = words[0] if words else ""
        self.names = [word for word in words[1:] if "=" not in word]
        self.options = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        self.used = set()
        self.files = {}

    def fail(self, text):
        raise runs.ToolError(f"{self.where}: {self.kind}: {text}")

    def option(self, name, default=None):
        self.used.add(name)
        return self.options.get(name, default)

    def listed(self, name, default=None):
        """An option's comma-separated words, or the default."""
        text = self.option(name)
        return text.split(",") if text else default

    def link(self, path):
        """How the page names a file of the repository."""
        return os.path.relpath(path, self.page.parent)

    def path(self, name):
        return self.folder / name if "/" in name else self.folder / "results" / name

    def file(self, name=None):
        """The recorded file; NotRecorded when it is not there."""
        if name is None:
            if len(self.names) != 1:
                self.fail("needs exactly one file")
            name = self.names[0]
        path = self.path(name)
        if not path.exists():
            raise NotRecorded(str(path))
        return path

    def run(self, name=None):
        """The run in a file, or in several joined by +, which must be of one GPU."""
        if name is None and len(self.names) == 1:
            name = self.names[0]
        names = name.split("+") if name else [None]
        first, *more = [load_run(self.file(one)) for one in names]
        for run in more:
            if run.device != first.device:
                self.fail(f"{run.path} was recorded on {run.device}, {first.path} on "
                          f"{first.device}; name runs of one GPU")
        joined = copy.copy(first)
        joined.rows = [row for run in (first, *more) for row in run.rows]
        return joined

    def check_options(self):
        unknown = sorted(set(self.options) - self.used)
        if unknown:
            self.fail(f"unknown option {unknown[0]}=; the kinds are described in report.py")


# -------------------------------------------------------------------------------------------------
# Numbers and tables


def table(titles, rows, align):
    """A Markdown table; align is a text of l and r, one letter per column."""
    marks = {"l": ":--", "r": "--:"}
    lines = ["| " + " | ".join(titles) + " |", "|" + "|".join(marks[a] for a in align) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def significant(value, digits=4):
    """A number with that many significant digits, thousands separated; a dash for None."""
    if value is None:
        return DASH
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "\u221e" if value > 0 else "\u2212\u221e"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size < -4:
        return f"{value:.{digits - 1}e}".replace("-", "\u2212")
    return f"{value:,.{max(digits - 1 - size, 0)}f}".replace("-", "\u2212")


def gbps(value):
    if value is None:
        return DASH
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def percent(value):
    return f"{value:.1f} %" if value is not None else DASH


def times(value):
    return f"{value:.2f}\u00d7" if value else ""


def count(value):
    return DASH if value is None else f"{int(value):,}"


def argument(value):
    """An input at which something happened, exactly enough to find it again."""
    value = runs.number(value)
    if value is None:
        return DASH
    if math.isfinite(value):
        return f"{value:.9g}".replace("-", "\u2212")
    return significant(value)


def code(text):
    return f"`{text}`"


def chosen(rows, part, kinds):
    """The rows that rungs= and kinds= and dtype= leave, in the order of rungs= or of the file."""
    kinds = part.listed("kinds", kinds)
    unknown = [kind for kind in kinds if kind not in runs.KINDS]
    if unknown:
        part.fail(f"unknown kind {unknown[0]}; known: {', '.join(runs.KINDS)}")
    dtypes, rungs = part.listed("dtype"), part.listed("rungs")
    rows = [r for r in rows if dtypes is None or r.dtype in dtypes]
    if rungs is None:
        return [row for row in rows if row.kind in kinds]
    missing = [name for name in rungs if name not in {row.rung for row in rows}]
    if missing:
        part.fail(f"the run has no rung {missing[0]}")
    return sorted((r for r in rows if r.rung in rungs), key=lambda r: rungs.index(r.rung))


def one_shape(run, part):
    shape = part.option("shape", run.default_shape())
    if shape not in run.shapes():
        part.fail(f"{run.path} has no shape {shape}; it has {', '.join(run.shapes())}")
    return shape


def regimes_of(run, part, default=None):
    names = part.listed("regime", default or [run.default_regime()])
    for name in names:
        if name not in run.regimes():
            part.fail(f"{run.path} has no regime {name}; it has {', '.join(run.regimes())}")
    return names


def labelled(row):
    """The rung's name in a table; peers are said to be peers."""
    return code(row.rung) + (" (peer)" if row.kind in ("peer", "copy") else "")


def cpu_note(run):
    """A CPU run never stands in a README without its label."""
    if run.on_cpu:
        return ["Ran on the CPU executor: these times say nothing about a GPU.", ""]
    return []


# -------------------------------------------------------------------------------------------------
# Parts from benchmark runs


def make_context(part):
    path = part.file()
    if path.is_dir():
        context = runs.load_accuracy(path)["context"]
    else:
        context = load_json(path).get("context", {})
    line = runs.context_line(context)
    return [f"Recorded on {line}." if line else "Recorded without a context."]


def make_results(part):
    run = part.run()
    shape, regimes = one_shape(run, part), regimes_of(run, part)
    rows = chosen(run.select(shape=shape, regime=regimes[0]), part, ["rung", "peer", "copy"])
    steps = runs.steps(rows)
    last = part.option("last", "step")
    if last not in ("step", "spread"):
        part.fail(f"unknown last={last}; known: step, spread")
    titles, align = ["Rung", "Type"], "ll"
    for regime in regimes:
        titles += [f"GB/s, {regime}", f"% of copy, {regime}"]
        align += "rr"
    shown = last == "spread" or any(steps.get(row) for row in rows)  # a column of nothing is left out
    body = []
    for row in rows:
        cells = [labelled(row), row.dtype]
        for regime in regimes:
            same = run.select(ladder=row.ladder, rung=row.rung, dtype=row.dtype, shape=shape,
                              regime=regime)
            cells += result_cells(same[0] if same else None)
        body.append(cells + [times(steps.get(row)) if last == "step" else percent(row.spread_pct)] * shown)
    return cpu_note(run) + table(titles + [last.capitalize()] * shown, body, align + "r" * shown)


def result_cells(row):
    if row is None:
        return [DASH, DASH]
    return ["failed", DASH] if row.failed else [gbps(row.gbps), percent(row.copy_pct)]


def make_grid(part):
    run = part.run()
    regime = regimes_of(run, part)[0]
    value = part.option("value", "GBps")
    shapes = part.listed("shapes", run.shapes())
    rows = chosen(run.select(regime=regime), part, ["rung", "peer", "copy"])
    by_n = sizes_once(shapes, part)
    if by_n:
        shapes = [s for s in by_n if regime != "warm" or fits_in_cache(run, rows, s)]
    several = len({row.dtype for row in rows}) > 1
    titles = ["Rung"] + (["Type"] if several else [])
    body = []
    for key in runs.unique((r.ladder, r.rung, r.dtype) for r in rows):
        mine = {r.shape: r for r in rows if (r.ladder, r.rung, r.dtype) == key}
        first = next(iter(mine.values()))
        cells = [labelled(first)] + ([first.dtype] if several else [])
        body.append(cells + [grid_cell(mine.get(shape), value, part) for shape in shapes])
    shown = [by_n[shape] if by_n else shape.replace("x", "\u00d7") for shape in shapes]
    align = "l" * len(titles) + "r" * len(shapes)
    return cpu_note(run) + table(titles + shown, body, align)


def elements_of(shape):
    return math.prod(int(part) for part in shape.split("x"))


def sizes_once(shapes, part):
    """{shape: how many elements} with one shape for each number, if by=n asks for it."""
    by = part.option("by")
    if by not in (None, "n"):
        part.fail(f"unknown by={by}; known: n")
    found = {}
    for shape in sorted(shapes, key=elements_of) if by else []:
        n = elements_of(shape)
        if n not in (elements_of(other) for other in found):
            found[shape] = n
    return {shape: f"{n >> 20} M" if n % (1 << 20) == 0 else f"{n:,}" for shape, n in found.items()}


def fits_in_cache(run, rows, shape):
    """Does some row's data fit into the L2? Without a recorded size of the L2: yes."""
    l2 = runs.number(run.context.get("gpu_l2_mib"))
    moved = [row.counters["bytes"] for row in rows if row.shape == shape and "bytes" in row.counters]
    return not (l2 and moved) or min(moved) <= l2 * 2**20


def make_gpus(part):
    """A row per rung, its speed on each GPU that has been recorded."""
    if len(part.names) != 1:
        part.fail("needs a list of files, as h200.json,h100.json")
    found = [load_run(part.path(name)) for name in part.names[0].split(",") if part.path(name).exists()]
    if not found:
        raise NotRecorded(part.names[0])
    regime, shape = part.option("regime", "cold"), part.option("shape", found[0].default_shape())
    rows = chosen(found[0].select(shape=shape, regime=regime), part, ["rung"])
    errors = part.option("accuracy")
    known = {}
    if errors and part.path(errors).exists():
        known = {(e.get("rung"), e.get("dtype")): e for e in runs.load_accuracy(part.path(errors))["accuracy"]}
    several = len({row.dtype for row in rows}) > 1
    titles = ["Rung"] + (["Type"] if several else [])
    for run in found:
        name = run.device.replace("NVIDIA ", "").split(" ")[0]
        titles += [f"{name}: GB/s", "% of copy"]
    titles += ["spread"] + (["largest error, ULP"] if known else [])
    body = []
    for row in rows:
        same = [next(iter(run.select(ladder=row.ladder, rung=row.rung, dtype=row.dtype, shape=shape,
                                     regime=regime)), None) for run in found]
        cells = [labelled(row)] + ([row.dtype] if several else [])
        for one in same:
            cells += result_cells(one)
        cells.append(percent(max(one.spread_pct for one in same if one)))
        if known:
            entry = known.get((row.rung, row.dtype))
            cells.append(worst_ulp(entry) if entry else DASH)
        body.append(cells)
    left = 2 if several else 1
    return table(titles, body, "l" * left + "r" * (len(titles) - left))


def grid_cell(row, value, part):
    if row is None:
        return DASH
    if row.failed:
        return "failed"
    shown = {"GBps": lambda: gbps(row.gbps), "copy_pct": lambda: percent(row.copy_pct),
             "median_us": lambda: significant(row.median_us),
             "spread_pct": lambda: percent(row.spread_pct)}
    if value not in shown:
        part.fail(f"unknown value={value}; known: {', '.join(shown)}")
    return shown[value]()


def make_matrix(part):
    run = part.run()
    ladder, dtype, value = part.option("ladder"), part.option("dtype"), part.option("value", "both")
    rows, columns = titled(part.listed("rows")), titled(part.listed("columns"))
    if not (ladder and dtype and rows and columns):
        part.fail("needs ladder=, rows=, columns= and dtype=")
    if ladder not in run.ladders():
        part.fail(f"the run has no ladder {ladder}; it has {', '.join(run.ladders())}")
    shape = part.option("shape", run.default_shape(ladder))
    regime = regimes_of(run, part)[0]
    cells = {row.rung: row for row in run.select(ladder=ladder, dtype=dtype, shape=shape,
                                                 regime=regime)}
    for title, names in columns:
        if not any(f"{name}_{dtype}_{form}" in cells for name in names for _, forms in rows
                   for form in forms):
            part.fail(f"the run has nothing for the column {title} at {shape} {regime}")
    body = []
    for title, forms in rows:
        found = [[cells[rung] for name in names for form in forms
                  if (rung := f"{name}_{dtype}_{form}") in cells] for _, names in columns]
        if not any(found):
            part.fail(f"the run has nothing for the row {title} at {shape} {regime}")
        body.append([title] + [matrix_cell(rows[0] if rows else None, value, part)
                               for rows in found])
    titles = [""] + [title for title, _ in columns]
    return cpu_note(run) + table(titles, body, "l" + "r" * len(columns))


def titled(words):
    """[(title, [names])] of words like NAME, NAME|NAME and TITLE:NAME."""
    result = []
    for word in words or []:
        title, colon, names = word.rpartition(":")
        result.append((title if colon else code(names.replace("|", ", ")), names.split("|")))
    return result


def matrix_cell(row, value, part):
    if value != "both" or row is None or row.failed:
        return grid_cell(row, "GBps" if value == "both" else value, part)
    return f"{gbps(row.gbps)} ({percent(row.copy_pct)})"


def headlines():
    """{chapter's folder: its results/headline.json}, in order: which rungs the front page compares
    ("climb": ladder, dtype, first, last, shape), which rows the figure against the peers shows
    ("against": as beside_torch.headline takes them), which rows are the operators ("operators": behind.py)."""
    paths = ((folder, folder / "results" / "headline.json") for folder in runs.find_chapters(runs.ROOT))
    return {folder: load_json(path) for folder, path in paths if path.exists()}


def make_headline(part):
    """A row per chapter, its first and last rung on every GPU that is recorded."""
    names = part.names[0].split(",") if part.names else ["h200.json"]
    gpus, body = {}, []
    for folder, spec in headlines().items():
        climb, cells = spec["climb"], {}
        for name in names:
            path = folder / "results" / name
            if path.exists():
                run = load_run(path)
                gpus.setdefault(name, run.device.replace("NVIDIA ", "").split(" ")[0])
                cells[name] = climb_cells(run, climb, part)
        if cells:
            title = next((title[1] for title in titles() if title[0].parent == folder), folder.name)
            link = part.link(folder / "README.md")
            body.append(([f"[{title}]({link})", code(climb["first"]), code(climb["last"])], cells))
    if not body:
        raise NotRecorded(names[0])
    heads = ["Chapter", "From", "to"]
    for name in gpus:
        heads += [f"{gpus[name]}: GB/s", "% of copy"]
    rows = [left + [cell for name in gpus for cell in cells.get(name, [DASH, DASH])]
            for left, cells in body]
    return table(heads, rows, "lll" + "rr" * len(gpus))


def climb_cells(run, climb, part):
    """["849 to 4,290", "19.8 to 100.1"] of a climb."""
    shape = climb.get("shape", run.default_shape(climb["ladder"]))
    ends = []
    for rung in (climb["first"], climb["last"]):
        found = run.select(ladder=climb["ladder"], rung=rung, dtype=climb["dtype"], shape=shape,
                           regime="cold")
        if not found or found[0].failed:
            part.fail(f"{run.path} has no {climb['ladder']}/{rung} at {shape}, cold; mend headline.json")
        ends.append(found[0])
    return [" \u2192 ".join(gbps(row.gbps) for row in ends),
            " \u2192 ".join(f"{row.copy_pct:.0f}" for row in ends)]


def make_counters(part):
    run = load_run(part.file(), need_rows=False)
    names, wanted = part.listed("names"), part.option("rows", "")
    if not names:
        part.fail("needs names=counter,...")
    every = [(row.name, row.median_us, row.counters, row.error) for row in run.rows]
    every += [(name, runs.google_time_us(data), data, data.get("error_message"))
              for name, data in run.others]
    body = []
    for name, time, counters, error in every:
        if wanted in name:
            cells = ["failed"] if error else [significant(time)]
            values = [runs.number(counters.get(key)) for key in names]
            body.append([code(name)] + cells + [significant(value) for value in values])
    if not body:
        part.fail(f"no benchmark has {wanted} in its name")
    return table(["Benchmark", "Time, \u00b5s"] + names, body, "lr" + "r" * len(names))


def copy_reference(run, dtype, shape, regime):
    """GB/s of the copy kernel for this dtype: its own row, else from a row's percent of it."""
    rows = run.select(dtype=dtype, shape=shape, regime=regime)
    for row in rows:
        if row.kind == "copy" and row.gbps and not row.failed:
            return row.gbps
    for row in rows:
        if row.gbps and row.copy_pct and not row.failed:
            return row.gbps / row.copy_pct * 100.0
    return None


def subtitle_of(run, *words):
    where = "CPU executor (says nothing about a GPU)" if run.on_cpu else run.device
    return " \u00b7 ".join([word for word in words if word] + [where])


def make_ladder_figure(part):
    run = part.run()
    shape, regime = one_shape(run, part), regimes_of(run, part)[0]
    rows = chosen(run.select(shape=shape, regime=regime), part, ["rung", "peer", "copy"])
    if not rows:
        part.fail("the run has no such rows")
    steps = runs.steps(rows)  # over the bar above, not over a rung that is not drawn
    dtypes = runs.unique(row.dtype for row in rows)
    groups = []
    for dtype in dtypes:
        bars = [{"name": r.rung, "kind": r.kind, "gbps": None if r.failed else r.gbps,
                 "copy_pct": r.copy_pct, "step": steps.get(r)} for r in rows if r.dtype == dtype]
        bars.sort(key=lambda bar: bar["kind"] in ("peer", "copy"))
        peak = copy_reference(run, dtype, shape, regime)
        groups.append((dtype if len(dtypes) > 1 else None, bars, peak))
    title = part.option("title", f"The ladder of {rows[0].ladder}")
    subtitle = subtitle_of(run, dtypes[0] if len(dtypes) == 1 else "", shape.replace("x", "\u00d7"),
                           regime)
    return picture(part, title, figures.ladder_chart(title, subtitle, groups))


def make_sizes_figure(part):
    run = part.run()
    regimes = regimes_of(run, part, run.regimes())
    if len(run.dtypes()) > 1 and "dtype" not in part.options:
        part.fail(f"needs dtype=, one of {', '.join(run.dtypes())}")
    dtype = part.option("dtype", run.dtypes()[0])
    panels = []
    for regime in regimes:
        rows = chosen(run.select(regime=regime), part, ["rung"])
        series = [(name, curve([r for r in rows if r.rung == name]))
                  for name in runs.unique(row.rung for row in rows)]
        reference, timed = [], {row.shape for row in rows}
        for shape in [shape for shape in run.shapes() if shape in timed]:
            one = run.select(shape=shape)[0].elements
            peak = copy_reference(run, dtype, shape, regime)
            if peak and one not in dict(reference):
                reference.append((one, peak))
        panels.append((regime, series, reference))
    if not any(points for _, series, _ in panels for _, points in series):
        part.fail("the run has no such rows")
    title = part.option("title", "GB/s over the size")
    subtitle = subtitle_of(run, dtype, "read and written bytes per second")
    return picture(part, title, figures.sizes_chart(title, subtitle, panels))


def curve(rows):
    """[(elements, GB/s)] of one rung; of shapes with equally many elements the first counts."""
    points = {}
    for row in rows:
        if row.gbps and not row.failed:
            points.setdefault(row.elements, row.gbps)
    return sorted(points.items())


def make_torch(part):
    run = part.run()
    wanted = {name: part.listed(name) for name in ("ladder", "dtype", "regime", "shape")}
    chosen = [cell for cell in beside_torch.cells(run) if "bound" in cell.rows
              and all(getattr(cell, name) in words for name, words in wanted.items() if words)]
    if not chosen:
        raise NotRecorded(f"{run.path} has nothing of ours beside PyTorch")
    of = part.option("of", "summary")
    if of not in ("summary", "times"):
        part.fail(f"unknown of={of}; known: summary, times")
    made = (beside_torch.summary_table(chosen, run.context.get("torch")) if of == "summary"
            else beside_torch.times_table(one_each(chosen, part), significant))
    return cpu_note(run) + table(*made)


def make_behind(part):
    """Where a peer is faster than our operator, in the chapters' runs on the named GPUs."""
    of, cells, recorded, gpus = part.option("of", "summary"), [], {}, []
    if len(part.names) != 1 or of not in ("summary", "cells", "ncu"):
        part.fail("needs a list of GPUs, as h200,h100" if len(part.names) != 1 else f"unknown of={of}; known: summary, cells, ncu")
    for name in part.names[0].split(","):
        gpus.append(name.upper())
        for folder in runs.find_chapters(runs.ROOT):
            for path in (folder / "results" / f"{name}.json", folder / "results" / f"{name}_torch.json"):
                if not path.exists():
                    continue
                run, beside = load_run(path), path.stem.endswith("_torch")
                operators = headlines().get(folder, {}).get("operators", {})
                cells += (behind.torch_cells(run, name.upper(), folder.name) if beside
                          else behind.cub_cells(run, name.upper(), folder.name, operators))
                words = f"{name.upper()}, beside PyTorch {run.context.get('torch')}" if beside else name.upper()
                recorded.setdefault(words, {}).setdefault(run.context.get("commit"), []).append(folder.name[:2])
    if not cells:
        raise NotRecorded(part.names[0])
    if of == "cells":
        return table(*behind.cells_table(cells, lambda name: f"[{name[:2]}]({part.link(runs.ROOT / name / 'README.md')})"))
    if of == "ncu":
        return behind_profiles(part, cells)
    commits = [f"{words}: " + ", ".join(f"{commit} ({', '.join(names)})" for commit, names in by.items())
               for words, by in recorded.items()]
    return table(*behind.summary_table(cells, gpus)) + ["", f"Recorded at these commits (chapters). {'; '.join(commits)}."]


def behind_profiles(part, cells):
    """ncu's figures of the kernels in the cells below 0.99, of the GPUs that have a profile."""
    entries, commits = {}, []
    for name in part.names[0].split(","):
        path = part.path(f"{name}_behind_ncu.json")
        if path.exists():
            found = entries.setdefault(name.upper(), {})
            for one in load_json(path)["ncu"]:
                found.setdefault(one["rung"], []).append(one)
            commits.append(f"{name.upper()} {load_json(path)['context'].get('commit')}")
    if not entries:
        raise NotRecorded(part.names[0])
    made, missing = behind.profile_table(cells, entries, significant)
    return table(*made) + ["", f"Profiled at these commits: {', '.join(commits)}."
                           + (f" Not profiled: {'; '.join(missing)}." if missing else "")]


def one_each(cells, part):
    """The cells, or with by=n those of one shape for each number of elements."""
    by_n = sizes_once(runs.unique(cell.shape for cell in cells), part)
    return [cell for cell in cells if not by_n or cell.shape in by_n]


def make_headline_figure(part):
    regime = part.option("regime", "cold")
    specs = {home_of(part.page): load_json(part.file())} if part.names else headlines()
    rows = [{**row, "chapter": folder.name} for folder, spec in specs.items()
            for row in spec["against"]]
    try:
        groups = beside_torch.headline(rows, runs.ROOT, regime)
    except (KeyError, re.error) as error:
        part.fail(f"{part.names[0] if part.names else 'a headline.json'} is no list of rows ({error!r})")
    if not groups:
        raise NotRecorded("h200.json")
    title = part.option("title", "Every chapter against a plain copy")
    subtitle = f"NVIDIA H200, {regime}, at the largest recorded shape of each operation"
    marks = [(mark, part.option(mark, words)) for mark, words in beside_torch.MARKS]
    return picture(part, title, figures.dot_chart(title, subtitle, groups, marks))


# -------------------------------------------------------------------------------------------------
# The chapters' order


def titles():
    """[(page, name, subtitle)] of the chapters, from `# 01 · ELU: from one element ...`."""
    found = []
    for folder in runs.find_chapters(runs.ROOT):
        page = folder / "README.md"
        if not page.exists():
            continue
        heading = re.match(r"# (.*?): (.*)\n", page.read_text(encoding="utf-8"))
        if not heading:
            raise runs.ToolError(f"{page}: begin it with a line like '# 07 · ReLU: what it teaches'")
        found.append((page, *heading.groups()))
    return found


def around(part):
    """The titles before and after the page's own, each None at an end."""
    every = titles()
    place = next((i for i, title in enumerate(every) if title[0] == part.page.resolve()), None)
    if place is None:
        part.fail("stands on a chapter's README.md alone")
    return (every[place - 1] if place else None,
            every[place + 1] if place + 1 < len(every) else None)


def make_chapters(part):
    return [f"- [{name}]({part.link(page)}): {subtitle}" for page, name, subtitle in titles()]


def make_neighbours(part):
    before, after = around(part)
    pages = [("Overview", "README.md"), ("The machinery", "common/README.md"),
             ("Glossary", "common/GLOSSARY.md")]
    words = [f"[{name}]({part.link(runs.ROOT / page)})" for name, page in pages]
    words += [f"previous: [{before[1]}]({part.link(before[0])})"] if before else []
    words += [f"next: [{after[1]}]({part.link(after[0])})" if after else "the last chapter"]
    return [" · ".join(words)]


def make_next(part):
    _, after = around(part)
    if after:
        return [f"Next: [{after[1]}]({part.link(after[0])}): {after[2]}."]
    return [f"This is the last chapter. Back to [the overview]({part.link(runs.ROOT / 'README.md')})."]


def make_plot(part):
    data = load_json(part.file())
    try:
        text = figures.line_plot(data)
    except (KeyError, TypeError, ValueError) as error:
        part.fail(f"{part.file()} is no plot ({error!r}); its fields are described in report.py")
    return picture(part, data["title"], text)


def picture(part, title, text):
    """The Markdown of a figure, and its file on the side."""
    out = part.option("out")
    if not out or not out.endswith(".svg"):
        part.fail("needs out=NAME.svg")
    path = part.path(out)
    part.files[path] = text
    return [f"![{title}]({part.link(path)})"]


# -------------------------------------------------------------------------------------------------
# Parts from other recorded files


def entries_of(part, key):
    """The list named key in the part's file, as rungs= wants it."""
    path = part.file()
    data = runs.load_accuracy(path) if key == "accuracy" else load_json(path)
    entries = data.get(key)
    if not isinstance(entries, list):
        part.fail(f"{path}: holds no list named {key}; record it again")
    return pick_rungs(entries, part)


def pick_rungs(entries, part):
    rungs = part.listed("rungs")
    if rungs is None:
        return entries
    missing = [name for name in rungs if name not in {e.get("rung") for e in entries}]
    if missing:
        part.fail(f"nothing is recorded for the rung {missing[0]}")
    return sorted((e for e in entries if e.get("rung") in rungs),
                  key=lambda e: rungs.index(e["rung"]))


def in_run_order(entries, part):
    """The entries in the order of the run that order= names; others follow as they are."""
    name = part.option("order")
    if not name or not part.path(name).exists():
        return entries
    order = {key: i for i, key in
             enumerate(runs.unique((r.dtype, r.rung) for r in part.run(name).rows))}
    rank = lambda e: order.get((e.get("dtype"), e.get("rung")), len(order))
    return sorted(entries, key=rank)


def make_accuracy(part):
    entries = in_run_order(entries_of(part, "accuracy"), part)
    dtypes = part.listed("dtype")
    entries = [e for e in entries if dtypes is None or e.get("dtype") in dtypes]
    body = [[code(e.get("rung")), str(e.get("dtype", DASH)), count(runs.number(e.get("inputs"))),
             worst_ulp(e), argument(e.get("at")),
             significant(runs.number(e.get("bound")), 3)] for e in entries]
    titles = ["Rung", "Type", "Inputs", "Largest error, ULP", "at x =", "Bound, ULP"]
    return table(titles, body, "llrrrr")


def worst_ulp(entry):
    """The largest error; the tests write null for one that is not finite."""
    value = runs.number(entry.get("max_ulp"))
    return "not finite" if value is None else significant(value)


NCU_COLUMNS = {
    None: (("dram_gbps", "DRAM GB/s", gbps), ("dram_pct", "% of DRAM peak", percent),
           ("instructions_per_element", "Instructions per element", significant),
           ("issue_pct", "Issue slots busy", percent), ("registers", "Registers", count),
           ("sectors_per_load", "Sectors per load", significant),
           ("sectors_per_store", "Sectors per store", significant),
           ("occupancy_pct", "Occupancy", percent)),
    "pipes": (("issue_pct", "Issue slots", percent), ("pipes.alu", "ALU", percent),
              ("pipes.fma", "FMA", percent), ("pipes.fma_heavy", "FMA heavy", percent),
              ("pipes.fp16", "FP16", percent), ("pipes.xu", "XU", percent),
              ("pipes.lsu", "LSU", percent), ("pipes.cbu", "CBU", percent), ("sm_mhz", "SM MHz", gbps)),
    "stalls": (("stalls", "Warps that wait, per instruction issued", None),
               ("stalls.selected", "that issue", significant), ("occupancy_pct", "Occupancy", percent)),
    "memory": (("l2_read_sectors", "L2 to L1, MB", None), ("l2_write_sectors", "L1 to L2, MB", None),
               ("l1_hit_pct", "L1 hits", percent), ("l2_hit_pct", "L2 hits", percent),
               ("local_sectors", "Local memory, MB", None),
               ("shared_load.conflicts", "Bank conflicts, loads", count),
               ("shared_store.conflicts", "stores", count)),
}


def field(entry, path):
    """entry["pipes"]["alu"] of pipes.alu, or None."""
    for name in path.split("."):
        entry = entry.get(name) if isinstance(entry, dict) else None
    return entry


def ncu_cell(entry, path, show):
    value = field(entry, path)
    if path == "stalls":
        waits = sorted(((number, name) for name, number in (value or {}).items() if name != "selected"),
                       reverse=True)
        return ", ".join(f"{name.replace('_', ' ')} {significant(number, 3)}" for number, name in waits[:3]) or DASH
    if path.endswith("_sectors"):
        return DASH if value is None else significant(value * 32 / 1e6, 4)
    return show(runs.number(value))


def make_ncu(part):
    of = part.option("of")
    if of not in NCU_COLUMNS:
        part.fail(f"of={of}: known are pipes, stalls, memory")
    columns = NCU_COLUMNS[of]
    body = [[code(entry.get("rung"))] + [ncu_cell(entry, path, show) for path, _, show in columns]
            for entry in entries_of(part, "ncu")]
    align = "l" + "".join("l" if path == "stalls" else "r" for path, _, _ in columns)
    return table(["Kernel"] + [title for _, title, _ in columns], body, align)


def make_controls(part):
    spec, where = load_json(part.file()), part.names[0]
    names = part.listed("runs")
    if not names:
        part.fail("needs runs=FILE,...")
    recorded = [(controls.gpu_of(name), load_run(part.file(name))) for name in names]
    try:
        asked = controls.questions(spec, where, part.option("group"))
    except runs.ToolError as error:
        part.fail(str(error))
    body, several = [], False
    for question in asked:
        answers = [controls.Answer(question, run, gpu) for gpu, run in recorded]
        several = several or question.paired
        unit = controls.UNITS.get(question.data["of"], question.data["of"])
        variants = [code(question.variant(key)[0]) for key in ("a", "b") if key in question.data]
        expected = " / ".join(runs.unique(expected_range(*question.expected(gpu)) for gpu, _ in recorded))
        cells = [cell for answer in answers for cell in answer_cells(question, answer, unit)]
        body.append([question.data["question"], ", ".join(variants)] + cells
                    + [expected + ("" if question.paired else f" {unit}".rstrip())])
    titles = ["Question", "Kernel"]
    for gpu, _ in recorded:
        titles += [gpu.upper(), "Ratio", "Spread", "As expected?"] if several else [
            gpu.upper(), "Spread", "As expected?"]
    if not several:
        body = [[cell for cell in row if cell is not SKIPPED] for row in body]
    else:
        body = [["" if cell is SKIPPED else cell for cell in row] for row in body]
    return table(titles + ["Expected"], body, "ll" + "rrrl"[0 if several else 1:] * len(recorded) + "l")


#: A cell of a table of single values, which need no column for ratios.
SKIPPED = object()


def expected_range(low, high):
    """A narrow range about 1 to the tenth of a percent, any other to three digits."""
    narrow = high - low < 0.02 and 0.5 < low < 2
    return f"{low:.3f} to {high:.3f}" if narrow else f"{significant(low, 3)} to {significant(high, 3)}"


def answer_cells(question, answer, unit):
    """What a run says: the values, their ratio, the spread, and whether that was expected."""
    if not answer.complete:
        return [DASH, SKIPPED if not question.paired else DASH, DASH, DASH]
    values = ", ".join(significant(value, 4) for value in answer.values) + (f" {unit}" if unit else "")
    ratio = SKIPPED
    if question.paired:
        ratio = f"{answer.value:.3f}\u00d7" + (" =" if answer.same else "")
    return [values, ratio, percent(answer.spread), "yes" if answer.held else "**no**"]


def make_codegen(part):
    entries = [entry for entry in entries_of(part, "codegen") if entry.get("rung")]
    titles = ["Kernel", "Registers", "Widest load", "Widest store", "Local memory",
              "FP64 instructions"]
    with_sass = any("sass_instructions" in entry for entry in entries)
    body = []
    for e in entries:
        local = runs.number(e.get("stack_bytes", 0)) + runs.number(e.get("spill_bytes", 0))
        cells = [code(e["rung"]), count(e.get("registers")), f"{e.get('load_bits')} bits",
                 f"{e.get('store_bits')} bits", f"{int(local)} bytes", count(e.get("fp64"))]
        body.append(cells + ([count(e.get("sass_instructions"))] if with_sass else []))
    titles += ["Machine instructions"] if with_sass else []
    return table(titles, body, "l" + "r" * (len(titles) - 1))


def make_fuzz(part):
    name = part.names[0] if part.names else "fuzz.json"
    body, recorded = [], []
    for folder in runs.find_chapters(runs.ROOT):
        path = folder / "results" / name
        if not path.exists():
            continue
        data = load_json(path)
        context, fuzz = data.get("context", {}), data.get("fuzz", {})
        recorded.append((f"seed {fuzz.get('seed')}", context.get("compiler"),
                         f"sanitizers: {context.get('sanitizers')}", context.get("cpu"),
                         f"commit {context.get('commit')}", context.get("date")))
        first = [folder.name, count(fuzz.get("inputs")), count(fuzz.get("seconds"))]
        for entry in fuzz.get("operations", []):
            body.append(first + [entry.get("operation"), count(entry.get("succeeded")),
                                 count(entry.get("refused"))])
            first = ["", "", ""]
    if not body:
        raise NotRecorded(name)
    words = [" and ".join(runs.unique(word for word in words if word)) for words in zip(*recorded)]
    note = "Recorded on one core: " + ", ".join(word for word in words if word) + "."
    titles = ["Chapter", "Inputs", "Seconds", "Operation", "Went ahead", "Refused"]
    return [note, ""] + table(titles, body, "lrrlrr")


def make_half_functions(part):
    """How many functions agree with the GPU on every input, and a row for each that does not."""
    entries = entries_of(part, "half_functions")
    apart = [e for e in entries if runs.number(e.get("differ"))]
    inputs = {runs.number(e.get("inputs")) for e in entries}
    lines = [f"{len(entries) - len(apart)} of {len(entries)} functions agree on every input"
             + (f" ({count(inputs.pop())} each)." if len(inputs) == 1 else ".")]
    if not apart:
        return lines
    body = [[code(e.get("function")), count(runs.number(e.get("differ"))),
             significant(runs.number(e.get("max_ulp")))] for e in apart]
    return lines + ["", *table(["Function", "Inputs that differ", "Largest difference, ULP"], body, "lrr")]


def make_mutations(part):
    data = load_json(part.file())
    faults = mutate.load_table(*mutate.tables(runs.ROOT))
    of, test = part.option("of", "summary"), part.option("test")
    if test:
        faults = [fault for fault in faults if fault.test == test]
    if of not in ("summary", "faults") or not faults:
        part.fail(f"of={of}: known are summary and faults" if faults else f"no fault is of {test}")
    make = mutate.summary_table if of == "summary" else mutate.fault_table
    return table(*make(faults, data, lambda name: part.link(runs.ROOT / name)))


def make_machines(part):
    """A row per GPU that has ladders: those of the chapters, and those that readers have added."""
    body = []
    for path, data in share.machines():
        first = data["chapters"][0]
        context, label = first["context"], f"{part.option('dtype', 'f16')} rung"
        cold = [place for place in first["places"] if place.endswith("/cold")]
        largest = first["places"].index(max(cold, key=lambda place: elements_of(place.split("/")[0])))
        fastest = max((row[2][largest] for row in first["rows"] if row[1] == label and row[2][largest]), default=None)
        body.append([data["gpu"], f"[{path.name}]({part.link(path)})" if path else "the chapters",
                     ", ".join(entry["chapter"][:2] for entry in data["chapters"]), context.get("driver", DASH),
                     context.get("cuda", DASH), context["date"][:10], gbps(fastest[0]) if fastest else DASH])
    return table(["GPU", "From", "Chapters", "Driver", "CUDA", "Recorded", "Cold, GB/s"], body, "llllllr")


def trace_cells(entry, traced, rule):
    """ncu's number and the trace's."""
    cells = []
    for source in (entry, traced):
        value = source.get(rule)
        if isinstance(value, dict):
            value = value.get("passes", value.get("wavefronts"))
            value = None if value is None else value / trace_proof.blocks_of(source)
        cells.append(significant(value) if value is not None else DASH)
    return cells


def request_cells(entry, traced):
    """Loads and stores of a warp: ncu's and the trace's."""
    warps = trace_proof.warps_of(entry)
    theirs, ours, broken = trace_proof.requests(entry, traced)
    def text(pair):
        return " + ".join(f"{round(count / warps, 2):g}" for count in pair)
    least = broken and entry.get("load_requests") is None and entry.get("l1_hit_pct")
    return [DASH if theirs is None else ("≥ " if least else "") + text(theirs),
            text(ours)]


def kind_of_requests(entry, traced):
    """How the trace's requests stand to ncu's."""
    theirs, _, broken = trace_proof.requests(entry, traced)
    if broken or theirs is None:
        return "differs" if broken else "open"
    return "equal" if "load_requests" in entry or entry["l1_hit_pct"] == 0 else "whole"


def make_trace(part):
    exceptions = trace_proof.load_exceptions()
    body, notes, kinds = [], [], []
    for folder in runs.find_chapters(runs.ROOT):
        recorded = folder / "results" / "trace.json"
        if not recorded.exists():
            continue
        summaries = load_json(recorded)["traced"]
        for path in trace_proof.ncu_files(folder):
            if path.name not in summaries:
                continue
            for entry in trace_proof.entries_of(path):
                traced = None if trace_proof.is_peer(entry) else trace_proof.traced_as(entry, summaries[path.name])
                if traced is None:
                    continue
                kinds.append(kind_of_requests(entry, traced))
                differ = trace_proof.differences(entry, traced)
                reasons = [e["reason"] for e in exceptions if e["chapter"] == folder.name
                           and entry["rung"] in e["rungs"] and any(d[0] in e["rules"] for d in differ)]
                notes += reasons
                cells = [cell for rule in ("sectors_per_load", "sectors_per_store", "shared_load", "shared_store")
                         for cell in trace_cells(entry, traced, rule)]
                mark = ", ".join(str(runs.unique(notes).index(r) + 1) for r in runs.unique(reasons))
                body.append([folder.name, code(entry["rung"]), *request_cells(entry, traced), *cells,
                             mark or ("differs" if differ else "")])
    if not body:
        raise NotRecorded("trace.json")
    titles = ["Chapter", "Rung", "Loads + stores a warp: ncu", "trace", "Sectors a load: ncu", "trace",
              "a store: ncu", "trace", "Shared passes a block, loads: ncu", "trace", "stores: ncu", "trace", "Note"]
    same = sum(not row[-1] for row in body)
    unknown = f", and does not follow for {kinds.count('open')}" if "open" in kinds else ""
    lines = [f"{same} of {len(body)} kernels agree in all that was recorded. The number of requests is equal for "
             f"{kinds.count('equal') + kinds.count('whole')} and differs for {kinds.count('differs')}{unknown}."]
    lines += [""] + [f"{number}. {note if note.startswith('nvcc') else note[0].upper() + note[1:]}." for number, note in
                     enumerate(runs.unique(notes), 1)] if notes else []
    return lines + [""] + table(titles, body, "ll" + "r" * 10 + "l")


def make_trace_figure(part):
    data = load_json(part.file())
    names = part.listed("rungs", [rung["rung"] for rung in data.get("rungs", [])])
    known = {rung["rung"]: rung for rung in data.get("rungs", [])}
    missing = [name for name in names if name not in known]
    if missing or not names:
        part.fail(f"{part.file()} has no rung {missing[0]}" if missing else f"{part.file()} holds no trace")
    title = part.option("title", "What one warp asks for")
    text = trace_figures.figure([(name, known[name]) for name in names], title,
                                part.option("tail") == "yes")
    return picture(part, title, text)


def make_value(part):
    """The text of one number."""
    path, of, rung = part.file(), part.option("of"), part.option("rung")
    if not of or not rung:
        part.fail("needs of= and rung=")
    data = runs.load_accuracy(path) if path.is_dir() else load_json(path)
    if "benchmarks" in data:
        pick = benchmark_value
    else:
        pick = entry_value
    value = pick(part, data, of, rung)
    other = part.option("over")
    if other:
        below = pick(part, data, of, other)
        value = value / below if value is not None and below else None
    if value is None:
        part.fail(f"{path} has no {of} for {rung}")
    digits = part.option("digits")
    shown = f"{value:,.{int(digits)}f}" if digits else default_text(value, of, other)
    unit = part.option("unit", "\u00d7" if other else VALUE_UNITS.get(of, ""))
    return shown.replace("-", "\u2212") + unit


def default_text(value, of, is_ratio):
    if is_ratio or of == "step":
        return f"{value:.2f}"
    if of.endswith("_pct"):
        return f"{value:.1f}"
    if of in ("GBps", "dram_gbps"):
        return gbps(value)
    return f"{value:,.0f}" if value == int(value) else significant(value)


def benchmark_value(part, _, of, rung):
    run = part.run()
    shape, regime = one_shape(run, part), regimes_of(run, part)[0]
    rows = run.select(rung=rung, shape=shape, regime=regime, dtype=part.option("dtype"))
    rows = [row for row in rows if row.ladder == part.option("ladder", row.ladder)]
    if len(rows) != 1:
        part.fail(f"{len(rows)} rows are called {rung} at {shape} {regime}"
                  + ("; say which dtype= or ladder=" if rows else ""))
    row = rows[0]
    if row.failed:
        part.fail(f"{row.name} failed in the recorded run: {row.error}")
    if of == "step":
        return runs.steps(run.select(shape=shape, regime=regime)).get(row)
    if of == "median_us":
        return row.median_us
    return row.counters.get(of)


def entry_value(part, data, of, rung):
    dtype = part.option("dtype")
    lists = [value for value in data.values() if isinstance(value, list)]
    found = [e for e in lists[0] if isinstance(e, dict) and e.get("rung", e.get("function")) == rung
             and (dtype is None or e.get("dtype") == dtype)] if lists else []
    if len(found) != 1:
        part.fail(f"{len(found)} entries are called {rung}"
                  + ("; say which dtype=" if found else ""))
    return runs.number(field(found[0], of))


MAKERS = {
    "context": make_context, "results": make_results, "grid": make_grid, "matrix": make_matrix,
    "headline": make_headline, "counters": make_counters, "ladder_figure": make_ladder_figure,
    "sizes_figure": make_sizes_figure, "plot": make_plot, "accuracy": make_accuracy,
    "trace": make_trace, "trace_figure": make_trace_figure,
    "torch": make_torch, "behind": make_behind, "headline_figure": make_headline_figure, "ncu": make_ncu,
    "codegen": make_codegen, "fuzz": make_fuzz, "half_functions": make_half_functions,
    "gpus": make_gpus, "mutations": make_mutations, "controls": make_controls, "chapters": make_chapters,
    "machines": make_machines, "neighbours": make_neighbours, "next": make_next,
}


# -------------------------------------------------------------------------------------------------
# Excerpts


def make_excerpt(text, readme, where):
    """The code fence of a region of a source file."""
    words = text.split()
    if len(words) != 2:
        raise runs.ToolError(f"{where}: write it as <!-- excerpt:FILE NAME -->")
    path = home_of(readme) / words[0]
    language = FENCES.get(path.suffix, "")
    return [f"```{language}"] + region(path, words[1], where) + ["```"]


def region(path, name, where):
    """The lines between the two lines `//! [name]`, dedented, without other such lines."""
    lines = runs.read_text(path).splitlines()
    mark = re.compile(r"^\s*(?://!|#!)\s*\[(\w+)\]\s*$")
    marks = [(i, mark.match(line).group(1)) for i, line in enumerate(lines) if mark.match(line)]
    ends = [i for i, found in marks if found == name]
    if len(ends) != 2:
        known = ", ".join(runs.unique(found for _, found in marks)) or "none"
        raise runs.ToolError(f"{where}: {path.name} has {len(ends)} lines `//! [{name}]`, not 2; "
                             f"regions there: {known}")
    inside = [line for line in lines[ends[0] + 1:ends[1]] if not mark.match(line)]
    # clang-format puts "#pragma" into the first column, where it would keep the rest from moving left
    level = textwrap.dedent("\n".join(re.sub("^#pragma.*", "", line) for line in inside)).split("\n")
    shown = [line if line.startswith("#pragma") else moved for line, moved in zip(inside, level)]
    return "\n".join(shown).strip("\n").splitlines()


# -------------------------------------------------------------------------------------------------
# README files


class Outcome:
    """What a README should be: its new lines, its figures, and which parts changed."""

    def __init__(self):
        self.lines, self.files, self.stale = [], {}, []


def generate(kind, text, readme, where, outcome):
    """The lines of one block."""
    if kind == "excerpt":
        return make_excerpt(text, readme, where)
    part = Part(text, readme, where)
    if part.kind not in MAKERS:
        known = ", ".join(sorted(MAKERS) + ["value (within a line)"])
        raise runs.ToolError(f"{where}: unknown kind {part.kind or '(none)'}; known: {known}")
    try:
        lines = MAKERS[part.kind](part)
    except NotRecorded:
        return [NO_RUN]
    part.check_options()
    outcome.files.update(part.files)
    return lines


def replace_values(line, readme, where, outcome):
    """The line with each number in it made new; a marker within inline code is left alone."""
    def fresh(match):
        if line[:match.start()].count("`") % 2:
            return match.group(0)
        part = Part(match.group(2), readme, where)
        if not line[:match.start()].strip():
            part.fail("must not begin its line: Markdown would end the paragraph there")
        try:
            text = make_value(part)
            part.check_options()
        except NotRecorded:
            text = "(no run recorded yet)"
        if text != match.group(3):
            outcome.stale.append(f"{where}: {match.group(2)}")
        return match.group(1) + text + match.group(4)

    return INLINE.sub(fresh, line)


def closing(lines, start, kind, where):
    """The index of the line that closes a block."""
    for index in range(start, len(lines)):
        if re.match(rf"^\s*<!--\s*/{kind}\s*-->\s*$", lines[index]):
            return index
        if OPEN.match(lines[index]):
            break
    raise runs.ToolError(f"{where}: has no <!-- /{kind} --> after it")


def renew(readme, shown):
    """The Outcome of one README."""
    lines = runs.read_text(readme).splitlines()
    outcome, fence, index = Outcome(), None, 0
    while index < len(lines):
        line, where = lines[index], f"{shown}:{index + 1}"
        mark = FENCE.match(line)
        if fence or mark:
            fence = next_fence(fence, mark, line)
            outcome.lines.append(line)
            index += 1
            continue
        block = OPEN.match(line)
        if not block:
            outcome.lines.append(replace_values(line, readme, where, outcome))
            index += 1
            continue
        end = closing(lines, index + 1, block.group(1), where)
        body = generate(block.group(1), block.group(2), readme, where, outcome)
        new = body if block.group(1) == "excerpt" else ["", *body, ""]
        if lines[index + 1:end] != new:
            outcome.stale.append(f"{where}: {block.group(1)} {block.group(2)}")
        outcome.lines += [line, *new, lines[end]]
        index = end + 1
    return outcome


def next_fence(fence, mark, line):
    """The fence that is open after this line."""
    if fence is None:
        return mark.group(1)
    closes = mark and mark.group(1).startswith(fence) and line.strip() == mark.group(1)
    return None if closes else fence


def readmes_of(names):
    """The Markdown files to do, all of them or those of the named chapters."""
    every = [Path(name) for name in runs.tracked_files() if name.endswith(".md")]
    if not names:
        return every
    folders = [runs.find_chapter(name).name for name in names]
    return [path for path in every if path.parts[0] in folders]


def write(readme, outcome):
    """Writes what differs from the files there are; returns the written paths."""
    text = "\n".join(outcome.lines) + "\n"
    written = []
    for path, content in [(readme, text), *outcome.files.items()]:
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
            written.append(path)
    return written


def stale_figures(outcome):
    for path, content in outcome.files.items():
        if not path.exists():
            yield f"{path.name}: is missing"
        elif path.read_text(encoding="utf-8") != content:
            yield f"{path.name}: differs from what the recorded run gives"


def parse_arguments():
    parser = argparse.ArgumentParser(description="Regenerates the generated parts of READMEs.")
    parser.add_argument("chapter", nargs="*", help="01_elu, elu or 1 (default: everything)")
    parser.add_argument("--check", action="store_true", help="write nothing, name what is stale")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    stale = 0
    for relative in readmes_of(arguments.chapter):
        readme = runs.ROOT / relative
        outcome = renew(readme, relative)
        if arguments.check:
            problems = outcome.stale + [f"{relative}: {line}" for line in stale_figures(outcome)]
            for line in problems:
                print(f"stale: {line}")
            stale += len(problems)
        else:
            for path in write(readme, outcome):
                print(f"wrote {path.relative_to(runs.ROOT)}")
    if stale:
        print("report.py: stale parts; renew them with: ./tutorial report", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    runs.run_tool(main)
