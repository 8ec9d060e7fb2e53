#!/usr/bin/env python3
"""Regenerates what READMEs show of recorded runs and of the source.

    python3 common/tools/maintain/report.py [CHAPTER ...] [--check]

Without a chapter every Markdown file of the repository is done. --check writes nothing, names each
part that is stale and exits 1 if there is one. Exit code 2: a marker or a file is wrong.

A README marks a generated part by two comments, each on a line of its own, and what stands between
them is replaced:

    <!-- report:results dtype=f16 regime=cold,warm shape=16384x16384 -->
    <!-- /report -->

FILE is looked for in the folder results/ of the page's chapter; with a slash in it, in the chapter's
own folder. A page in notes/ writes its files like the README one folder above. main and second in its
name stand for the GPUs of common/results/shown.json: main_ncu.json is h200_ncu.json. A marker without
FILE shows main.json; those of torch, accuracy and ncu main_torch.json and so on.
Several runs of one GPU can be read as one: main.json+main_torch.json.
Where a recorded file does not exist the part says "No run recorded yet."; no number is made up.

Parts made from a benchmark run (Google Benchmark JSON)
    context FILE                  one line: GPU, driver, CUDA, commit, date. Also of accuracy
                                  and ncu files
    results FILE [ladder=NAME] [dtype=f16] [regime=cold,warm] [shape=SxK] [kinds=rung,peer,copy] [rungs=a,b]
                                  a row per rung: GB/s and % of copy per regime, and the step over
                                  the rung below in the first regime; last=spread: its spread in place of
                                  the step, for rows that are no ladder
    grid FILE [dtype=f16] [regime=cold,warm] [value=GBps] [shapes=a,b] [kinds=...] [rungs=...]
                                  rungs x shapes; value: GBps, copy_pct, median_us or spread_pct
    gpus [FILES] [rungs=a,b] [dtype=f16] [regime=cold] [shape=SxK] [kinds=...] [accuracy=FILE] [brief=yes]
                                  a row per rung; GB/s and % of copy on each GPU whose file, of a list
                                  a.json,b.json (main and second), is recorded, the larger spread of the row, and the
                                  largest error. brief, as lessons have it: no spread, of the second GPU % of copy alone
    matrix FILE ladder=NAME rows=a,b columns=c,d dtype=f16 [shape=..] [regime=cold] [value=both]
                                  a line per row name, a column per column name, out of the rungs
                                  COLUMN_DTYPE_ROW (packed_f16_1C11); default: the shape at which
                                  that ladder has most. TITLE:NAME gives a name another title; several columns'
                                  names joined by | fill one column, whichever the row has. value:
                                  both (GB/s and % of copy) or one that grid knows
    ladder_figure FILE out=NAME.svg [title=..] [dtype=] [regime=cold] [shape=] [kinds=] [rungs=]
                                  bars, the copy kernel as a reference line
    sizes_figure FILE out=NAME.svg dtype=f16 [title=..] [regime=cold,warm] [kinds=] [rungs=]
                                  GB/s over the number of elements, a panel per regime
    torch FILE [dtype=] [regime=] [ladder=] [shape=]
                                  a run of common/torch/table.py: how often our operators' times go
                                  into PyTorch's and torch.compile's, over the shapes
    views FILE [of=times] [regime=cold] [size=2^28] [cases=text,text]
                                  a run of common/torch/views.py: microseconds and GB/s of each case with one of these
                                  texts in its name, percent of the same operation on aligned arrays, and how often ours
                                  goes into PyTorch's and torch.compile's time; of=summary: over all cases of a size, in how many
                                  cells the faster peer is ahead; of=below: the cases below 0.99; of=ncu: what FILE_ncu.json
                                  counts of each at its lowest
    behind [of=summary]           where a peer is faster than our operator, of both shown GPUs and all chapters
                                  that have results/GPU.json or GPU_torch.json: a row per GPU and peer;
                                  of=ncu: of those below 0.99 beside PyTorch, what
                                  results/GPU_behind_ncu.json says. behind.py says which rows are compared
    headline_figure [FILE] out=NAME.svg [title=..]
                                  percent of a copy of the best rung, PyTorch, torch.compile and cub, cold,
                                  over the chapters that have a results/headline.json;
                                  with FILE, a file of that form, over its rows alone
Defaults: the largest shape, the regime cold, every dtype, kinds rung,peer,copy (sizes_figure: all
regimes, kind rung).

Parts made from the folders: what is in no list by hand
    chapters                      a line per chapter: its name and subtitle, from its page's title
    neighbours                    the line below a chapter's title: overview, previous, next
    next                          the last line of a chapter

Parts made from other recorded files
    accuracy FILE [rungs=a,b] [order=main.json]
                                  the largest error in ULP per rung; order= takes the rungs' order from a run
    ncu FILE [rungs=a,b] [of=counts,pipes,stalls,memory]
                                  what Nsight Compute counted; FILE from ncu.py. of=counts alone is the default; pipes: how busy each
                                  unit is; stalls: the three reasons for which most warps wait; memory:
                                  megabytes between L1 and L2, hits, local memory, bank conflicts
    controls [SPEC.json] [runs=FILE,FILE] [group=NAME]
                                  the control experiments' questions beside what each run says, and
                                  whether the expectation held; SPEC (controls/questions.json) is
                                  described in controls.py; runs: main_controls.json,second_controls.json
    model of=curve|fewer_threads|residency|predictors|sensitivity|far|again|clock|ten_seconds|counted|counted_far|answers|operations
                                  the fill curve's points, and where an SM holds fewer threads; how long a thread lives; the
                                  share of rungs that each predictor is close to; those that the model is not; rows timed
                                  again; three readings of the clock; launches after ten seconds; the errors of the
                                  tool's own counts; its list of operations
    model of=curve_figure|curves_figure|law_figure|scatter out=NAME.svg title=..
                                  the curve; both curves; the law of latency; predicted against recorded
    mutations FILE                what mutate.py recorded of the faults that there are now, a line per test program
    table FILE [of=LIST] [columns=a,b] [rungs=a,b]
                                  any recorded list as it is: what codegen.py and the fuzz programs recorded
    trace_figure FILE out=NAME.svg [title=..]
                                  one warp's accesses; FILE from ./tutorial trace --json
    plot FILE out=NAME.svg        a line plot of a JSON object:
        {"title": "..", "subtitle": "..", "desc": "..", "height": 280,
         "x": {"label": "x", "scale": "linear" or "log", "min": -4, "max": 2, "ticks": [..]},
         "y": as x,
         "series": [{"name": "..", "points": [[x, y], ..], "style": "line", "dashed" or "dots"}],
         "lines": [{"y": 0.51, "label": "bound", "side": "left" or "right"}, {"x": 0, ..}]}
        A point whose y is null breaks its line. Only title and series are needed. Series that share their x
        may have "y": [..] in place of points, and the object "at": [x, ..].
Figures are written to results/NAME.svg (with a slash in out=: in the chapter's folder).

A single number within a sentence, both comments on one line:

    runs at <!-- report:value of=copy_pct rung=f16x8_pack -->..<!-- /report --> of a copy
    value [FILE] of=NAME rung=RUNG [dtype=] [regime=cold] [shape=] [over=RUNG2] [digits=N] [unit=TEXT]
                                  benchmark: of= GBps, copy_pct, median_us, spread_pct, step or any
                                  counter; over= divides by the same number of another rung.
                                  accuracy, ncu, codegen: of= any field (max_ulp, registers, ...)

Excerpts of the source, between two lines `//! [NAME]` of FILE, which is in the chapter's folder:

    <!-- excerpt:elu_kernels.cuh f32x4 -->
    <!-- /excerpt -->

Where FILE is a table of faults, proof/faults.json, NAME is one of them, and the excerpt what it does to the source.

Markers inside code fences and inline code are left alone.
"""

import itertools
import re
import sys
import textwrap
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reader"))
import chapters
import computed
import front
import links
import mutate
import pictures
import runs
import tables
from marker import NotRecorded, home_of, Part

NO_RUN = "No run recorded yet."
OPEN = re.compile(r"^\s*<!--\s*(report|excerpt):(.*?)\s*-->\s*$")
INLINE = re.compile(r"(<!--\s*report:(value\b.*?)\s*-->)(.*?)(<!--\s*/report\s*-->)")
FENCES = {".cu": "cuda", ".cuh": "cuda", ".h": "cpp", ".cpp": "cpp", ".py": "python",
          ".cmake": "cmake", ".sh": "bash", ".json": "json"}
#: The kinds of block, and who makes their lines.
MAKERS = {name[len("make_"):]: make for module in (chapters, pictures, tables) for name, make in vars(module).items()
          if name.startswith("make_")}


# -------------------------------------------------------------------------------------------------
# Excerpts

def make_excerpt(text, readme, where):
    """The code fence of a region of a source file."""
    words = text.split()
    if len(words) != 2:
        raise runs.ToolError(f"{where}: write it as <!-- excerpt:FILE NAME -->")
    path = home_of(readme) / words[0]
    language, lines = ("diff", difference) if path.name == "faults.json" else (FENCES.get(path.suffix, ""), region)
    return [f"```{language}", *lines(path, words[1], where), "```"]


def region(path, name, where):
    """The lines between the two lines `//! [name]`, dedented, without other such lines."""
    lines = runs.read_text(path).splitlines()
    mark = re.compile(r"^\s*(?://!|#!)\s*\[(\w+)\]\s*$")
    marks = runs.grouped([i for i, line in enumerate(lines) if mark.match(line)], lambda i: mark.match(lines[i]).group(1))
    ends = marks.get(name, [])
    if len(ends) != 2:
        known = ", ".join(marks) or "none"
        raise runs.ToolError(f"{where}: {path.name} has {len(ends)} lines `//! [{name}]`, not 2; "
                             f"regions there: {known}")
    inside = [line for line in lines[ends[0] + 1:ends[1]] if not mark.match(line)]
    # clang-format puts "#pragma" into the first column, where it would keep the rest from moving left
    level = textwrap.dedent("\n".join(re.sub("^#pragma.*", "", line) for line in inside)).split("\n")
    shown = [line if line.startswith("#pragma") else moved for line, moved in zip(inside, level)]
    return "\n".join(shown).strip("\n").splitlines()


def difference(path, name, where):
    """The line that a fault breaks, before and after, with up to two lines of its paragraph above and below."""
    faults = [fault for fault in mutate.load_table(path) if fault.id == name]
    if not faults:
        raise runs.ToolError(f"{where}: {path.name} has no fault {name}")
    text = runs.read_text(runs.ROOT / faults[0].file)
    old, new = text.splitlines(), faults[0].apply(text).splitlines()
    at = next(i for i, (line, other) in enumerate(zip(old, new)) if line != other)
    above, below = itertools.takewhile(str.strip, reversed(old[:at])), itertools.takewhile(str.strip, old[at + 1:])
    shown = [(" ", line) for line in reversed([*itertools.islice(above, 2)])] + [("-", old[at]), ("+", new[at])]
    shown += [(" ", line) for line in itertools.islice(below, 2)]
    level = min(len(line) - len(line.lstrip()) for _, line in shown)
    return [sign + line[level:] for sign, line in shown]


# -------------------------------------------------------------------------------------------------
# Pages

def generate(kind, text, readme, where, outcome):
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
            text = tables.value(part)
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
    """What a README should be: its new lines, its figures, and which parts changed."""
    lines = runs.read_text(readme).splitlines()
    outcome, in_code, index = types.SimpleNamespace(lines=[], files={}, stale=[]), list(links.fence_flags(lines)), 0
    while index < len(lines):
        line, where = lines[index], f"{shown}:{index + 1}"
        block = None if in_code[index] else OPEN.match(line)
        if not block:
            outcome.lines.append(line if in_code[index] else replace_values(line, readme, where, outcome))
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


def readmes_of(names):
    """The Markdown files to do, all of them or those of the named chapters."""
    every = [Path(name) for name in runs.tracked_files() if name.endswith(".md")]
    if not names:
        return every
    folders = [runs.find_chapter(name).name for name in names]
    return [path for path in every if path.parts[0] in folders]


def main():
    parser = runs.Parser(prog=front.command("report"), description="Regenerates the generated parts of READMEs.")
    parser.add_argument("chapter", nargs="*", help="01_elu, elu or 1 (default: everything)")
    parser.add_argument("--check", action="store_true", help="write nothing, name what is stale")
    arguments, stale = parser.parse_args(), 0
    for relative in readmes_of(arguments.chapter):
        readme = runs.ROOT / relative
        outcome = renew(readme, relative)
        if arguments.check:
            problems = outcome.stale + [
                f"{relative}: {path.name}: " + ("differs from what the recorded run gives" if path.exists() else "is missing")
                for path in computed.stale(outcome.files)]
            for line in problems:
                print(f"stale: {line}")
            stale += len(problems)
        else:
            files = {readme: "\n".join(outcome.lines) + "\n", **outcome.files}
            for path in computed.stale(files):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(files[path], encoding="utf-8")
                print(f"wrote {path.relative_to(runs.ROOT)}")
    if stale:
        print("report.py: stale parts; renew them with: ./tutorial report", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    runs.run_tool(main, "tutorial")
