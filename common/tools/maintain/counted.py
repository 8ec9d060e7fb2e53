#!/usr/bin/env python3
"""Counts every rung and answer as `./tutorial test --yours` counts a reader's, for the table of common/notes/counts.md.

    python3 common/tools/maintain/counted.py [CHAPTER...]

It needs nvcc, nvdisasm, and the programs 01_elu_see of a CPU build (target tutorial_see_programs). It compiles all sources
of a chapter for sm_90, traces its rungs, and writes common/results/counted.json: of each rung what the model takes of it,
or why it is not judged. The speeds are predicted when the page is made. Answers, which have no row of a benchmark, are
counted in the same way from their programs (answers/), and stand beside results/<gpu>_answers.json.
"""

import dataclasses
import functools
import os
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reader"))
import counts
import front
import model
import predict
import runs
import speed
import trace
from marker import table
from source import nvcc

FILE = runs.ROOT / "common/results/counted.json"


def machines_of(folder):
    """The kernels of a chapter, as its library instantiates them."""
    sources = [path for path in folder.rglob("*.cu") if not {"museum", "answers", "peers", "proof"} & set(path.relative_to(folder).parts)]

    def compiled(source):
        compiling = speed.Compiling(nvcc(), [source])
        try:
            return compiling.machines()
        finally:
            compiling.stop()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list({one.name: one for found in pool.map(compiled, sorted(sources)) for one in found}.values())


def as_record(counted, moved, elements):
    """What a verdict needs of a kernel."""
    return {"elements": elements, "bytes": moved, "launches": [{**dataclasses.asdict(one.launch), "asked": one.asked} for one in counted]}


def rungs_of(folder):
    machines = machines_of(folder)
    for traced in trace.ask(front.program("cpu", f"{folder.name}_see"), ["--all"]):
        entry = {"chapter": folder.name, "ladder": traced["ladder"], "rung": traced["rung"], "shape": traced["shape"]}
        try:
            yield {**entry, **as_record(*speed.counted_rung(machines, traced), traced["elements"])}
        except counts.Unjudged as reason:
            yield {**entry, "unjudged": str(reason)}


def main(arguments):
    chapters = [runs.find_chapter(name) for name in arguments] or runs.find_chapters()
    known = runs.load_json(FILE)["rungs"] if FILE.exists() else []
    kept = [one for one in known if one["chapter"] not in {folder.name for folder in chapters}]
    found = [one for folder in chapters for one in rungs_of(folder)]
    runs.write_recorded(FILE, {"context": {"arch": counts.ARCHITECTURE, "commit": runs.commit()},
                           "rungs": sorted(kept + found, key=lambda one: (one["chapter"], one["ladder"], one["rung"]))})
    print(f"{front.here(FILE)}: {len(found)} rungs, {sum('unjudged' in one for one in found)} not judged")


# -------------------------------------------------------------------------------------------------
# The page


@functools.lru_cache(None)
def entries():
    return runs.load_json(FILE)["rungs"]


def predicted(entry, gpu, elements, copy_us):
    """What the model gives, in percent of a copy, by the counts of the tool alone."""
    counted = [counts.Count("", 0, {}, {}, model.Launch(**{key: value for key, value in one.items() if key != "asked"}), one["asked"], 1)
               for one in entry["launches"]]
    gbps = entry["bytes"] * elements / entry["elements"] / copy_us / 1e3
    return speed.Speed(counted, elements / entry["elements"], entry["bytes"], entry["elements"],
                       speed.Target(model.device(gpu), gbps)).percent


def columns(shape):
    return int(shape.rpartition("x")[2])


def outcomes(gpu):
    """[(chapter, rung, percent predicted or why not, percent recorded)] of the rungs that the model judges too."""
    found, by_name = [], {(one["chapter"], one["ladder"], one["rung"]): one for one in entries()}
    for chapter in runs.find_chapters():
        try:
            kernels, _ = model.kernels(chapter.name, runs.shown()["main"])
            recorded = predict.recorded_target(gpu, chapter.name)
        except runs.ToolError:
            continue  # a chapter of which nothing is recorded
        for kernel in kernels:
            row, copy_us = kernel.row, recorded.copy_us(kernel)
            entry = by_name.get((chapter.name, row.ladder, row.rung))
            if not copy_us:
                continue
            value = "it is not traced" if entry is None else entry.get("unjudged")
            if not value and "x" in row.shape and "1024x1024" != entry["shape"] and columns(entry["shape"]) != columns(row.shape) \
                    and row.shape.count("x") == 1:
                value = "it was traced with other rows"
            found.append((chapter.name, row.rung, value or predicted(entry, gpu, row.elements, copy_us), recorded.reached(kernel)))
    return found


def error_rows(gpus):
    """A line for each GPU: how many rungs are judged, and how close."""
    lines = []
    for gpu in gpus:
        found = outcomes(gpu)
        off = [abs(value - reached) for *_, value, reached in found if not isinstance(value, str)]
        lines.append([gpu.upper(), str(len(found)), str(len(off)), f"{100 * sum(one <= model.CLOSE for one in off) / len(off):.1f} %",
                      f"{statistics.mean(off):.1f}"])
    return lines


def answers_table(gpus):
    """Predicted beside measured of the worked answers, and a line that says how close."""
    body, off = [], {gpu: [] for gpu in gpus}
    for one in runs.load_json(runs.ROOT / "common/results/answers.json")["answers"]:
        cells = [f"`{one['answer']}`"]
        for gpu in gpus:
            time = one["times"][gpu]
            if one.get("unjudged"):
                cells += ["not judged", f"{time['copy_pct']:.0f} %"]
                continue
            value = predicted(one, gpu, one["times"]["elements"], time["copy_us"])
            off[gpu].append(abs(value - time["copy_pct"]))
            far = off[gpu][-1] > model.CLOSE
            cells += [f"{value:.0f} %", f"**{time['copy_pct']:.0f} %**" if far else f"{time['copy_pct']:.0f} %"]
        body.append(cells)
    close = [f"{gpu.upper()}: {sum(one <= model.CLOSE for one in off[gpu])} of {len(off[gpu])} judged answers within {model.CLOSE:g} points, mean "
             f"distance {statistics.mean(off[gpu]):.1f}" for gpu in gpus]
    return table(["Answer", *(f"{gpu.upper()}, {word}" for gpu in gpus for word in ("predicted", "measured"))], body,
                 "l" + "rr" * len(gpus)) + ["", "; ".join(close) + "."]


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except runs.ToolError as error:
        sys.exit(f"counted: {error}")
