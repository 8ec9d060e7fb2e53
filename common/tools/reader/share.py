#!/usr/bin/env python3
"""The ladders of one machine in one small file: GB/s, percent of copy and spread of every rung.

    ./tutorial bench all --share                               runs every chapter and writes the file
    python3 common/tools/reader/share.py check FILE.json...    is it one that can be added?

FILE below says what such a file holds; the book's explorer opens it, and
common/results/shared/README.md says how to add yours.
"""

import json
import re
import sys
from pathlib import Path

import runs

FOLDER = runs.ROOT / "common" / "results" / "shared"
#: What the file keeps of a run's context: nothing that names a person or a machine.
CONTEXT = ("gpu", "backend", "date", "commit", "driver", "cuda", "nvcc", "compiler", "gpu_clock_mhz",
           "gpu_l2_mib", "gpu_multiprocessors")


#: A chapter's ladders on one GPU; results/ holds other recordings too, as h200_ncu.json.
RECORDED = re.compile(r"[a-z0-9]+\.json")


def recorded(root=runs.ROOT):
    """(chapter's folder, run) of every recorded ladder run on a GPU."""
    for folder in runs.find_chapters(root):
        for path in sorted((folder / "results").glob("*.json")):
            if not RECORDED.fullmatch(path.name):
                continue
            try:
                run = runs.load_run(path)
            except runs.ToolError:  # recorded, and no ladder
                continue
            if not run.on_cpu:
                yield folder, run


def added(root=runs.ROOT):
    """(file, content) of what readers have added."""
    for path in sorted((Path(root) / "common" / "results" / "shared").glob("*.json")):
        data = runs.load_json(path)
        wrong = problems(data)
        if wrong:
            raise runs.ToolError(f"{path}: cannot be drawn: {wrong[0]}")
        yield path, data


def chapter_of(run):
    """The chapter's folder of a run, from the program that made it or from its ladders."""
    program = Path(str(run.context.get("executable", ""))).name
    found = re.fullmatch(r"(\d\d_\w+)_bench", program)
    if found:
        return found.group(1)
    for folder in runs.find_chapters():
        if runs.ladder_of_chapter(folder) in run.ladders():
            return folder.name
    raise runs.ToolError(f"{run.path}: is the run of no chapter here; make one with ./tutorial bench CHAPTER")


def measurement(row):
    """[GB/s, percent of copy or None, spread in percent], or None for a row that failed."""
    if row.failed or not row.gbps:
        return None
    return [round(row.gbps, 1), round(row.copy_pct, 2) if row.copy_pct else None, round(row.spread_pct, 2)]


def chapter_entry(run):
    """One chapter's ladders. The reader's own rung is left out: it is another one on every machine."""
    places = runs.unique(f"{row.shape}/{row.regime}" for row in run.rows)
    where = {place: number for number, place in enumerate(places)}
    rows = {}
    for row in run.rows:
        if row.kind == "yours":
            continue
        key = (f"{row.ladder}/{row.rung}", f"{row.dtype} {row.kind} {row.form}".rstrip())
        rows.setdefault(key, [None] * len(places))[where[f"{row.shape}/{row.regime}"]] = measurement(row)
    context = {key: str(run.context[key]) for key in CONTEXT if run.context.get(key) not in runs.ABSENT}
    return {"chapter": chapter_of(run), "context": context, "places": places,
            "rows": [[*key, values] for key, values in rows.items()]}


def ladders(recorded):
    """The file's content for these runs, one a chapter and all of one GPU."""
    for run in recorded:
        if run.on_cpu:
            raise runs.ToolError(f"{run.path}: was run by the CPU executor, whose times say nothing about a GPU; "
                                 "share the run of a GPU")
    gpus = runs.unique(run.device for run in recorded)
    if len(gpus) != 1:
        raise runs.ToolError(f"these runs are of several GPUs ({', '.join(gpus)}); share one at a time")
    chapters = sorted((chapter_entry(run) for run in recorded), key=lambda entry: entry["chapter"])
    names = [entry["chapter"] for entry in chapters]
    if len(set(names)) != len(names):
        raise runs.ToolError("there are two runs of one chapter; name one of each")
    return {"format": "elementwise-ladders", "version": 1, "gpu": gpus[0], "chapters": chapters}


def text_of(data):
    """The file's text: a rung on each line, so that a change can be read."""
    parts = []
    for entry in data["chapters"]:
        rows = ",\n".join("   " + compact(row) for row in entry["rows"])
        parts.append(f'  {{"chapter": {compact(entry["chapter"])}, "context": {compact(entry["context"])},\n'
                     f'   "places": {compact(entry["places"])},\n   "rows": [\n{rows}]}}')
    return (f'{{"format": {compact(data["format"])}, "version": {data["version"]}, "gpu": {compact(data["gpu"])},\n'
            ' "chapters": [\n' + ",\n".join(parts) + "]}\n")


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_measurement(value):
    """[GB/s, percent of the copy kernel in the same run or None, spread in percent], or None."""
    if value is None:
        return True
    if not isinstance(value, list) or len(value) != 3 or any(isinstance(one, bool) for one in value):
        return False
    speed, copy, spread = value
    return (isinstance(speed, (int, float)) and 0 < speed <= 1e6 and isinstance(spread, (int, float)) and 0 <= spread <= 1e5
            and (copy is None or isinstance(copy, (int, float)) and 0 < copy <= 1e5))


#: What such a file holds: a text is a regular expression, a list has any number of entries of its one form, a tuple is
#: a list of exactly these; an object has these fields and no other, and those with ? may be missing.
FILE = {"format": "elementwise-ladders", "version": lambda value: value == 1, "gpu": ".{2,80}", "chapters": [{
    "chapter": "[0-9]{2}_[a-z0-9_]+",
    # Of the machine, what explains a speed; nothing that names it.
    "context": {"gpu": ".{2,80}", "backend": "cuda", "date": "[0-9]{4}-[0-9]{2}-[0-9]{2}.*",
                **{f"?{name}": ".{0,80}" for name in CONTEXT if name not in ("gpu", "backend", "date")}},
    "places": ["[0-9]+(x[0-9]+)*/[a-z0-9_]+"],  # each size and regime in which rungs were timed
    # ladder/rung, "type kind" or "type kind form", and for each place the measurement
    "rows": [("[A-Za-z0-9_]+/[A-Za-z0-9_.<>,]+", "[a-z0-9_]+ (rung|sweep|peer|copy|bound)( [A-Za-z0-9_]+)?", [is_measurement])]}]}


def misfits(value, form, place="the file"):
    """Where a value is not of a form, one sentence each."""
    if callable(form):
        if not form(value):
            yield f"{place} cannot be {json.dumps(value)}"
    elif isinstance(form, str):
        if not isinstance(value, str) or not re.fullmatch(form, value):
            yield f"{place}, {json.dumps(value)}, does not look like {form}"
    elif isinstance(form, dict):
        if not isinstance(value, dict):
            yield f"{place} is no object"
            return
        known = {name.lstrip("?"): one for name, one in form.items()}
        yield from (f"{place} has no {name!r}" for name in form if name[0] != "?" and name not in value)
        for name, item in value.items():
            yield from misfits(item, known[name], f"{name!r} of {place}") if name in known else [
                f"{place} has {name!r}, which does not belong there"]
    elif not isinstance(value, list) or not value or isinstance(form, tuple) and len(value) != len(form):
        yield f"{place} is not a list as it should be"
    else:
        for number, (item, one) in enumerate(zip(value, form if isinstance(form, tuple) else form * len(value)), 1):
            yield from misfits(item, one, f"entry {number} of {place}")


def problems(data):
    """What is wrong with such a file's content; an empty list if nothing is."""
    found = list(misfits(data, FILE))
    if found:
        return found
    for entry in data["chapters"]:
        if entry["context"]["gpu"] != data["gpu"]:
            found.append(f"{entry['chapter']} was run on another GPU, {entry['context']['gpu']}")
        for name, _, values in entry["rows"]:
            if len(values) != len(entry["places"]):
                found.append(f"{name} of {entry['chapter']} has {len(values)} values for {len(entry['places'])} places")
    names = [entry["chapter"] for entry in data["chapters"]]
    return found + [f"{name} is there twice" for name in runs.unique(names) if names.count(name) > 1]


def file_name(data):
    """nvidia-h200.json"""
    return re.sub(r"[^a-z0-9]+", "-", data["gpu"].lower()).strip("-") + ".json"


def write(folder, files):
    data = ladders([runs.load_run(file) for file in files])
    wrong = problems(data)
    if wrong:
        raise runs.ToolError(f"these runs do not make a file that can be shared: {wrong[0]}")
    out = Path(folder) / file_name(data)
    try:
        out.write_text(text_of(data), encoding="utf-8")
    except OSError as error:
        raise runs.ToolError(f"{out}: cannot be written ({error.strerror})") from None
    print(f"share: {out}: {len(data['chapters'])} chapters on {data['gpu']}, {out.stat().st_size / 1e3:.0f} kB")
    print("share: the book opens it (./tutorial read, the explorer); to add it for everybody, copy it to "
          f"common/results/shared/{file_name(data)} and open a pull request")


def check(files):
    failed = 0
    for file in files:
        wrong = problems(runs.load_json(file))
        failed += bool(wrong)
        print(f"{file}: " + (wrong[0] if wrong else "can be added"), file=sys.stderr if wrong else sys.stdout)
    return 1 if failed else 0


def main():
    if sys.argv[1:2] != ["check"] or len(sys.argv) < 3:
        raise runs.ToolError("write: share.py check FILE.json...")
    return check(sys.argv[2:])


if __name__ == "__main__":
    runs.run_tool(main)
