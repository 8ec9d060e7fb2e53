#!/usr/bin/env python3
"""Counts every rung and answer as `./tutorial test --yours` counts a reader's, for the table of common/notes/counts.md.

    python3 common/tools/maintain/counted.py [CHAPTER...]

It needs nvcc, nvdisasm, and the programs 01_elu_see of a CPU build (target tutorial_see_programs). It compiles all sources
of a chapter for sm_90, traces its rungs, and writes common/results/counted.json: of each rung what the model takes of it,
or why it is not judged. The speeds are predicted when the page is made. Where a launcher chooses its kernel by the shape,
that is the shape that was timed, of which the first blocks are traced. answers.py counts the worked answers.
"""

import dataclasses
import functools
import math
import os
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reader"))
import counts
import front
import model
import model_report
import runs
import speed
import trace
from marker import table
from source import nvcc

FILE = runs.ROOT / "common/results/counted.json"
PARTS = 64  # of a tensor that was timed: the blocks of so many parts are alike, and one is traced


def machines_of(folder):
    """The kernels of a chapter, as its library instantiates them."""
    sources = [path for path in folder.rglob("*.cu") if not {"museum", "answers", "peers", "proof"} & set(path.relative_to(folder).parts)]

    def compiled(source):
        with speed.Compiling(nvcc(), [source]) as compiling:
            return compiling.machines()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list({one.name: one for found in pool.map(compiled, sorted(sources)) for one in found}.values())


def as_record(counted, moved, elements):
    """What a verdict needs of a kernel."""
    return {"elements": elements, "bytes": moved, "launches": [{**dataclasses.asdict(one.launch), "asked": one.asked} for one in counted]}


def rungs_of(folder):
    machines, program = machines_of(folder), front.program("cpu", f"{folder.name}_see")
    traced = [one for one in trace.ask(program, ["--all"]) if not is_tensor(one["shape"])]
    kernels, _ = model.kernels(folder.name, runs.shown()["main"])
    for shape in sorted({one.row.shape for one in kernels if is_tensor(one.row.shape)}):
        traced += [first_part(one) for one in trace.ask(program, ["--all", "--gpu-sizes", f"--shape={shape}", f"--part={PARTS}"])]
    for one in traced:
        entry = {"chapter": folder.name, "ladder": one["ladder"], "rung": one["rung"], "shape": one["shape"]}
        try:
            yield {**entry, **as_record(*speed.counted_rung(machines, one), one["elements"])}
        except counts.Unjudged as reason:
            yield {**entry, "unjudged": str(reason)}


def is_tensor(shape):
    """(N, C, H, W), which has kernels for some of its shapes; "1024x1024" is a list or rows."""
    return shape.count("x") > 1


def first_part(traced):
    """A rung of which the first blocks alone were traced, as if no others had been launched."""
    launches = [{**one, "grid": [-(-math.prod(one["grid"]) // PARTS), 1, 1]} for one in traced["launches"]]
    share = launches[0]["grid"][0] / math.prod(traced["launches"][0]["grid"])
    buffers = [{**one, **{f"{kind}_{often}": 0 for kind in ("loads", "stores") for often in ("once", "again")},
                ("stores" if one is traced["buffers"][-1] else "loads") + "_once": round(one["bytes"] * share)}
               for one in traced["buffers"]]
    return {**traced, "launches": launches, "buffers": buffers, "elements": round(traced["elements"] * share)}


def main(arguments):
    chapters = [runs.find_chapter(name) for name in arguments] or runs.find_chapters()
    before = runs.load_json(FILE) if FILE.exists() else {"rungs": [], "context": {"commits": {}}}
    names = {folder.name for folder in chapters}
    kept = [one for one in before["rungs"] if one["chapter"] not in names]
    found = [one for folder in chapters for one in rungs_of(folder)]
    commits = {**before["context"]["commits"], **dict.fromkeys(names, runs.commit())}  # each chapter's
    runs.write_recorded(FILE, {"context": {"arch": counts.ARCHITECTURE, "commits": dict(sorted(commits.items()))},
                               "rungs": sorted(kept + found, key=lambda one: (one["chapter"], one["ladder"], one["rung"]))})
    print(f"{front.here(FILE)}: {len(found)} rungs, {sum('unjudged' in one for one in found)} not judged")


# -------------------------------------------------------------------------------------------------
# The page


@functools.lru_cache(None)
def entries():
    return runs.load_json(FILE)["rungs"]


def predicted(entry, gpu, elements, copy_us):
    """What the model gives, in percent of a copy, by the counts of the tool alone."""
    counted = [counts.Count(0, {}, {}, model.Launch(**{key: value for key, value in one.items() if key != "asked"}), one["asked"], 1)
               for one in entry["launches"]]
    gbps = entry["bytes"] * elements / entry["elements"] / copy_us / 1e3
    return speed.Speed(counted, elements / entry["elements"], entry["bytes"], entry["elements"],
                       speed.Target(model.device(gpu), gbps)).percent


def columns(shape):
    return int(shape.rpartition("x")[2])


def entry_of(row, chapter):
    """(what was counted of a row's rung, why that does not hold for the row or None)."""
    alike = [one for one in entries() if (one["chapter"], one["ladder"], one["rung"]) == (chapter, row.ladder, row.rung)]
    entry = next((one for one in alike if one["shape"] == row.shape), alike[0] if alike else None)
    if entry is None:
        return None, "it is not traced"
    if "x" in row.shape and entry["shape"] not in ("1024x1024", row.shape) and columns(entry["shape"]) != columns(row.shape):
        return entry, "it was traced with other rows"
    return entry, entry.get("unjudged")


def outcomes(gpu):
    """[(chapter, rung, percent predicted or why not, percent recorded)] of the rungs that the model judges too."""
    found = []
    for chapter, kernel, _, copy_us, reached in model_report.recorded_rungs(gpu, runs.shown()["main"]):
        entry, reason = entry_of(kernel.row, chapter)
        found.append((chapter, kernel.row.rung, reason or predicted(entry, gpu, kernel.row.elements, copy_us), reached))
    return found


def error_rows(gpus):
    """A line for each GPU: how many rungs are judged, and how close."""
    lines = []
    for gpu in gpus:
        found = outcomes(gpu)
        off = [abs(value - reached) for *_, value, reached in found if not isinstance(value, str)]
        lines.append([gpu.upper(), str(len(found)), str(len(off)), model_report.share(off), f"{statistics.mean(off):.1f}"])
    return lines


def far_rows(gpus):
    """A row for each rung that is farther off on one of the GPUs, and why."""
    found, by_ncu = {}, {}
    for gpu in gpus:
        for chapter, rung, value, reached in outcomes(gpu):
            if not isinstance(value, str):
                found.setdefault((chapter, rung), {})[gpu] = (value, reached)
        for chapter, kernel, prediction, reached in model_report.outcomes(gpu, gpus[0]):
            by_ncu.setdefault((chapter, kernel.row.rung), (kernel, []))[1].append(model_report.is_close(prediction.percent, reached))

    def known(chapter, rung):
        kernel, close = by_ncu[chapter, rung]
        return other_count(kernel, entry_of(kernel.row, chapter)[0]) if all(close) else model_report.known_of(rung)
    return model_report.lines_of_far(found, known)


def other_count(kernel, entry):
    """What the tool counts otherwise than ncu, whose counts the model predicts a rung from; "–" if nothing."""
    whole, ours, scale = kernel.whole, entry["launches"], kernel.row.elements / entry["elements"]

    def each(part):
        return sum(one[part] for one in ours) / entry["elements"], getattr(whole, part) / kernel.row.elements
    slots = [model.WARP * count for count in each("instructions")]
    kinds = {"slots of an element": slots, "bytes stored of an element": each("stored"),
             "bytes of an element that have to move": (entry["bytes"] / entry["elements"], kernel.moved / kernel.row.elements),
             "blocks": (scale * sum(one["blocks"] for one in ours), whole.blocks)}
    what = max(kinds, key=lambda kind: max(kinds[kind]) / min(kinds[kind]))
    mine, its = kinds[what]
    return f"The tool counts {number(mine)} {what}, ncu {number(its)}." if max(mine, its) > 1.1 * min(mine, its) else "–"


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def answers_table(gpus):
    """Predicted beside measured of the worked answers, and a line that says how close."""
    answers = runs.load_json(runs.ROOT / "common/results/answers.json")["answers"]
    gpus = [gpu for gpu in gpus if gpu in answers[0]["times"]]  # a command of its own times them: answers.py
    body, off = [], {gpu: [] for gpu in gpus}
    for one in answers:
        cells = [f"`{one['answer']}`"]
        for gpu in gpus:
            time = one["times"][gpu]
            if one.get("unjudged"):
                cells += ["not judged", f"{time['copy_pct']:.0f} %"]
                continue
            value = predicted(one, gpu, one["times"]["elements"], time["copy_us"])
            off[gpu].append(abs(value - time["copy_pct"]))
            cells += model_report.pair(value, time["copy_pct"])
        body.append(cells)
    close = [f"{gpu.upper()}: {sum(one <= model.CLOSE for one in off[gpu])} of {len(off[gpu])} judged answers within {model.CLOSE:g} points, mean "
             f"distance {statistics.mean(off[gpu]):.1f}" for gpu in gpus]
    return table(["Answer", *(f"{gpu.upper()}, {word}" for gpu in gpus for word in ("predicted", "measured"))], body,
                 "l" + "rr" * len(gpus)) + ["", "; ".join(close) + "."]


if __name__ == "__main__":
    runs.run_tool(lambda: main(sys.argv[1:]))
