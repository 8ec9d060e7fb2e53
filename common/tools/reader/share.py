#!/usr/bin/env python3
"""The ladders of one machine in one file: the runs of its chapters in the short form of recorded.py, without what names
the machine.

    ./tutorial bench all --share                               runs every chapter and writes the file
    python3 common/tools/reader/share.py check FILE.json...    is it one that can be added?

The book's explorer opens such a file; common/results/shared/README.md says how to add yours.
"""

import re
import sys
from pathlib import Path

import recorded
import runs

#: What the file keeps of a run's context: nothing that names a person or a machine.
CONTEXT = ("gpu", "backend", "date", "commit", "driver", "cuda", "nvcc", "compiler", "gpu_clock_mhz",
           "gpu_l2_mib", "gpu_multiprocessors", "executable")
#: And of a row.
NUMBERS = ("GBps", "copy_pct", "spread_pct")
#: A chapter's ladders on one GPU; results/ holds other recordings too, as h200_ncu.json.
LADDERS = re.compile(r"[a-z0-9]+\.json")


def recorded_ladders(root):
    """(chapter's folder, file) of every recorded ladder run on a GPU."""
    for folder in runs.find_chapters(root):
        for path in sorted((folder / "results").glob("*.json")):
            try:
                if LADDERS.fullmatch(path.name) and not runs.load_run(path).on_cpu:
                    yield folder, path
            except runs.ToolError:  # recorded, and no ladder
                continue


def added(root=runs.ROOT):
    """(file, content) of what readers have added."""
    for path in sorted((Path(root) / "common" / "results" / "shared").glob("*.json")):
        data = runs.load_json(path)
        wrong = problems(data)
        if wrong:
            raise runs.ToolError(f"{path}: cannot be drawn: {wrong}")
        yield path, data


def chapter_of(run):
    """The chapter's folder of a run, from the program that made it or from its ladders."""
    found = re.fullmatch(r"(\d\d_\w+)_bench", Path(str(run.context.get("executable", ""))).name)
    if found:
        return found.group(1)
    for folder in runs.find_chapters():
        if runs.ladder_of_chapter(folder) in run.ladders():
            return folder.name
    raise runs.ToolError(f"{run.path}: is the run of no chapter here; make one with ./tutorial bench CHAPTER")


def small(path):
    """A chapter's run with nothing but its ladders. The reader's own rung is left out: it is another one on every machine;
    and so is a row that failed or has no speed."""
    data = runs.load_as_written(path)
    rows = [{key: row[key] for key in (*recorded.PARTS, *NUMBERS) if row.get(key) is not None}
            for row in recorded.rows_of(data)[0] if row["kind"] != "yours" and row.get("GBps") and not row.get("error")]
    context = {key: str(data["context"][key]) for key in CONTEXT if data["context"].get(key) not in runs.ABSENT}
    return {"context": {**context, "executable": f"{chapter_of(runs.load_run(path))}_bench"}, "ladders": recorded.ladders_of(rows)}


def ladders(paths):
    """The file's content for these runs, one a chapter and all of one GPU."""
    for run in map(runs.load_run, paths):
        if run.on_cpu:
            raise runs.ToolError(f"{run.path}: was run by the CPU executor, whose times say nothing about a GPU; "
                                 "share the run of a GPU")
    made = sorted(map(small, paths), key=lambda run: run["context"]["executable"])
    data = {"gpu": made[0]["context"].get("gpu", ""), "runs": made}
    wrong = problems(data)
    if wrong:
        raise runs.ToolError(f"these runs do not make a file that can be shared: {wrong}")
    return data


def problems(data):
    """What is wrong first with such a file's content, in a sentence; "" if nothing is."""
    if set(data) != {"gpu", "runs"} or not isinstance(data["runs"], list) or not data["runs"]:
        return "it is not what ./tutorial bench all --share writes"
    programs = []
    for run in data["runs"]:
        try:
            wrong = wrong_of(run, data["gpu"])
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            wrong = f"one of its runs is damaged ({error!r})"
        if wrong:
            return wrong
        programs.append(run["context"]["executable"])
    twice = [name for name in programs if programs.count(name) > 1]
    return f"there are two runs of one chapter, {twice[0]}" if twice else ""


def wrong_of(run, gpu):
    """The same of one run."""
    context = run["context"]
    loose = sorted({*context, *run} - {*CONTEXT, "context", "ladders"})
    if loose:
        return f"{loose[0]} does not belong there"
    if not all(isinstance(value, str) and len(value) <= 80 for value in [gpu, *context.values()]):
        return "of the machine it has something that is no short text"
    if context["gpu"] != gpu or context["backend"] != "cuda" or not re.fullmatch(r"\d\d_\w+_bench", context["executable"]):
        return f"{context['executable']} ran on {context['gpu']} ({context['backend']}), and the file is of {gpu}"
    rows = recorded.rows_of_ladders(run["ladders"])
    for row in rows:
        numbers = [row[name] for name in row if name not in recorded.PARTS]
        if set(row) - {*recorded.PARTS, *NUMBERS} or not all(isinstance(one, (int, float)) and 0 <= one < 1e12 for one in numbers):
            return f"{row['ladder']}/{row['rung']} has something that is none of {', '.join(NUMBERS)}"
        if row["kind"] not in runs.KINDS or row["kind"] == "yours" or not runs.positive(row["GBps"]) or not re.fullmatch(
                r"[\w./<>,]+", "/".join(row[part] for part in recorded.PARTS if part != "form")):
            return f"{row['ladder']}/{row['rung']} at {row['shape']}, {row['regime']} is no row of a ladder"
        recorded.elements_of(row["shape"])
    return "" if rows else f"{context['executable']} has no row"


def file_name(data):
    """nvidia-h200.json"""
    return re.sub(r"[^a-z0-9]+", "-", data["gpu"].lower()).strip("-") + ".json"


def write(folder, files):
    data = ladders(files)
    out = Path(folder) / file_name(data)
    runs.write_json(out, data)
    print(f"share: {out}: {len(data['runs'])} chapters on {data['gpu']}, {out.stat().st_size / 1e3:.0f} kB")
    print("share: the book opens it (./tutorial read, the explorer); to add it for everybody, copy it to "
          f"common/results/shared/{out.name} and open a pull request")


def check(files):
    failed = 0
    for file in files:
        wrong = problems(runs.load_json(file))
        failed += bool(wrong)
        print(f"{file}: {wrong or 'can be added'}", file=sys.stderr if wrong else sys.stdout)
    return 1 if failed else 0


def main():
    if sys.argv[1:2] != ["check"] or len(sys.argv) < 3:
        raise runs.ToolError("write: share.py check FILE.json...")
    return check(sys.argv[2:])


if __name__ == "__main__":
    runs.run_tool(main)
