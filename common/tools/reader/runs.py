#!/usr/bin/env python3
"""Reads recorded runs; ladder.py, compare.py, report.py and ncu.py share it.

A *run* is one JSON file: what a chapter's benchmark wrote, or the short form of it that results/ keeps. recorded.py
reads and describes both; see `Row` for what a row has.

As a program:

    python3 common/tools/reader/runs.py compact FILE...    rewrites recorded files in their short form
"""

import argparse
import errno
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import recorded

KINDS = ("rung", "sweep", "yours", "peer", "copy", "bound")
ABSENT = (None, "", "none", "unknown")  # what a context has for an unknown value
ROOT = Path(__file__).resolve().parents[3]


class ToolError(Exception):
    """A mistake that the user can fix; its text is one line that says what to do."""


class Parser(argparse.ArgumentParser):
    """Its mistakes are one sentence."""

    def error(self, message):
        words = self.prog.split()[-1]
        where = "" if words == self.prog else f"{words}: "
        raise ToolError(f"{where}{message} ({self.prog} --help says what it takes)")


def run_tool(main, name=None):
    """Calls main() and turns every ToolError into one line on stderr and exit code 2. name: the program's, if another."""
    try:
        sys.exit(main() or 0)
    except BrokenPipeError:  # the reader closed the pipe, as `| head` does
        sys.stderr.close()
        sys.exit(0)
    except (ToolError, OSError) as error:
        print(f"{name or Path(sys.argv[0]).name}: {mended(error) if isinstance(error, OSError) else error}", file=sys.stderr)
        sys.exit(2)


def mended(error):
    """What the system refuses, and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        what = "make room on this disk, and run it again"
    elif error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        what = "clone it to where you can write, or change who may"
    else:
        what = "check that it is there"
    return f"{error.filename or 'a file could not be written'}: {error.strerror}: {what}"


def call(command, stderr=subprocess.STDOUT, **options):
    """The finished process; its stdout has what it wrote to both."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, errors="replace", check=False, **options)


# -------------------------------------------------------------------------------------------------
# Files


def read_text(path, errors="strict"):
    """The text of a file; ToolError when it is not there or is no text."""
    try:
        return Path(path).read_text(encoding="utf-8", errors=errors)
    except (OSError, UnicodeDecodeError) as error:
        known = {FileNotFoundError: "no such file; check the path", IsADirectoryError: "is a folder; name a file inside it",
                 UnicodeDecodeError: "is not a text file"}
        raise ToolError(f"{path}: {known.get(type(error)) or f'cannot be read ({error.strerror})'}") from None


def load_json(path):
    """The JSON object in a file, its tables as lists of objects; ToolError when there is none."""
    return recorded.expanded(load_as_written(path))


def load_as_written(path):
    """The JSON object in a file; ToolError when there is none."""
    text = read_text(path)
    if not text.strip():
        raise ToolError(f"{path}: is empty; the run that should have written it did not finish")
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ToolError(
            f"{path}: is not valid JSON (line {error.lineno}: {error.msg}); record the run again"
        ) from None
    if not isinstance(data, dict):
        raise ToolError(f"{path}: holds JSON, but not a recorded run; name a file that a run wrote")
    return data


def write_json(path, data):
    """Writes data so that the same data always gives the same bytes."""
    text = recorded.text(data) + "\n"
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ToolError(f"{path}: cannot be written ({error.strerror})") from None


def write_recorded(path, data):
    """Writes data in the short form, in which recordings are kept."""
    write_json(path, recorded.short(data))


def number(value):
    """A float from JSON (Google Benchmark and our tests may write "nan" or null), else None."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def positive(value):
    """number(value) if it is finite and above zero, else None."""
    result = number(value)
    return result if result is not None and math.isfinite(result) and result > 0 else None


# -------------------------------------------------------------------------------------------------
# Benchmark runs


class Row:
    """One row of a run.

    ladder, rung, shape, regime   as in its name: elu/f16x8_pack/4096x4096/cold
    dtype, kind                   f16, rung (kinds: rung sweep yours peer copy; bound: ours, called from PyTorch)
    form                          the form of the problem, 1C11 of packed_f16_1C11, or nothing; steps go from kernel
                                  to kernel within a form
    gbps                          10^9 bytes per second, or None
    copy_pct                      percent of the copy kernel's GB/s in the same run, or None
    median_us                     microseconds per launch
    spread_pct                    (p90 - p10) / median, in percent; 0 when not recorded
    error                         why the row failed, or None
    counters                      every other number in the row, by name
    """

    def __init__(self, data):
        self.ladder, self.rung, self.shape, self.regime, self.dtype, self.kind, self.form = (
            data[part] for part in recorded.PARTS)
        self.name = "/".join((self.ladder, self.rung, self.shape, self.regime))
        self.error = data.get("error")
        self.gbps = positive(data.get("GBps"))
        self.copy_pct = positive(data.get("copy_pct"))
        self.median_us = positive(data.get("median_us"))
        self.spread_pct = positive(data.get("spread_pct")) or 0.0
        self.counters = {key: float(value) for key, value in data.items()
                         if key not in recorded.PARTS and isinstance(value, (int, float)) and not isinstance(value, bool)}

    @property
    def elements(self):
        """How many elements the shape has."""
        return recorded.elements_of(self.shape)

    @property
    def kernel(self):
        """The rung's name without dtype and form: packed of packed_f16_1C11."""
        end = f"_{self.dtype}_{self.form}"
        return self.rung[:-len(end)] if self.form and self.rung.endswith(end) else self.rung

    @property
    def failed(self):
        return self.error is not None


class Run:
    """A recorded run: its context and its rows in file order."""

    def __init__(self, path, data):
        self.path = str(path)
        self.context = data["context"]
        rows, self.others = recorded.rows_of(data)
        self.rows = [Row(row) for row in rows]

    @property
    def on_cpu(self):
        """True when the CPU executor ran the kernels, so that times say nothing about a GPU."""
        return on_cpu(self.context)

    @property
    def device(self):
        """Where the kernels ran, in words."""
        if self.on_cpu:
            return "the CPU executor"
        return str(self.context.get("gpu") or "an unnamed GPU")

    def ladders(self):
        return unique(row.ladder for row in self.rows)

    def dtypes(self):
        return unique(row.dtype for row in self.rows)

    def shapes(self):
        """All shapes, fewest elements first; equal sizes stay in file order."""
        return sorted(unique(row.shape for row in self.rows), key=recorded.elements_of)

    def regimes(self):
        return unique(row.regime for row in self.rows)

    def default_shape(self, ladder=None):
        """The largest shape of the run; of one ladder, the largest of those with the most rows."""
        if ladder is None:
            return self.shapes()[-1]
        rows = [row.shape for row in self.rows if row.ladder == ladder]
        most = max(rows.count(shape) for shape in set(rows))
        return [shape for shape in self.shapes() if rows.count(shape) == most][-1]

    def default_regime(self):
        """cold if the run has it, else its first regime."""
        names = self.regimes()
        return "cold" if "cold" in names else names[0]

    def select(self, **wanted):
        """Rows in file order whose attributes equal the wanted ones; None means any."""
        wanted = {key: value for key, value in wanted.items() if value is not None}
        return [r for r in self.rows if all(getattr(r, k) == v for k, v in wanted.items())]


def unique(items):
    """The items without repeats, in the order of their first appearance."""
    return list(dict.fromkeys(items))


def grouped(items, key):
    """{key(item): the items that have it}, in the order of their first appearance."""
    groups = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def on_cpu(context):
    return str(context.get("backend", "")).lower().startswith("cpu")


def load_run(path):
    """The run in a file; ToolError when the file holds none."""
    data = load_json(path)
    if not isinstance(data.get("context"), dict) or not any(
            isinstance(data.get(key), list) for key in ("ladders", "benchmarks")):
        raise ToolError(
            f"{path}: is not a benchmark result (no context and no rows in it); "
            "make one with --benchmark_out=FILE.json --benchmark_out_format=json"
        )
    if not all(isinstance(row, dict) and "name" in row for row in data.get("benchmarks", [])):
        raise ToolError(f"{path}: has a benchmark row without a name; record the run again")
    run = Run(path, data)
    if not run.rows:
        raise ToolError(
            f"{path}: has no row named ladder/rung/SxK/regime; name a chapter's benchmark result"
        )
    return run


def steps(rows):
    """row -> GB/s over the rung below it, for the rungs among rows of one shape and regime.

    "Below" is the rung before it in the file with the same ladder, dtype and form. The first rung,
    and a rung beside a failed one, has no step.
    """
    result, below = {}, {}
    for row in rows:
        if row.kind != "rung":
            continue
        group = (row.ladder, row.dtype, row.form)
        last = below.get(group)
        if last is not None and last.gbps and row.gbps and not (last.failed or row.failed):
            result[row] = row.gbps / last.gbps
        below[group] = row
    return result


def context_line(context):
    """One line: where a run was made, with which versions, from which commit, and when."""
    parts = ["CPU executor", context.get("cpu")] if on_cpu(context) else [context.get("gpu")]
    words = {"driver": "driver", "cuda": "CUDA", "nvcc": "nvcc", "cub": "CUB", "commit": "commit"}
    if on_cpu(context):
        del words["driver"]
    parts += [f"{word} {context[key]}" for key, word in words.items() if context.get(key) not in ABSENT]
    parts.append(str(context.get("date") or "")[:10])
    return ", ".join(str(part) for part in parts if part not in ABSENT)


# -------------------------------------------------------------------------------------------------
# Accuracy files


def merged_accuracy(folder):
    """What the tests recorded of each rung's largest error, in every accuracy*.json of a folder, with the context."""
    files = [load_json(file) for file in sorted(Path(folder).glob("accuracy*.json"))]
    if not files:
        raise ToolError(f"{folder}: holds no accuracy*.json; run the tests with TUTORIAL_RECORD_DIR")
    entries = {(one.get("chapter"), one.get("rung"), one.get("dtype")): one for data in files for one in data["accuracy"]}
    return {"context": files[0].get("context") or {}, "accuracy": [
        {name: value for name, value in one.items() if name not in ("expected", "actual")} for one in entries.values()]}


# -------------------------------------------------------------------------------------------------
# The repository


def tracked_files(root=None):
    """All files under git in root, as sorted relative paths; without git, or in a clone of somebody else, which
    git refuses to read, all files there are.

    Files that are new and not ignored count too, so that a chapter can be checked before its first
    commit.
    """
    root = root or ROOT
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others",
               "--exclude-standard"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        names = sorted(set(done.stdout.split("\0")) - {""})
    except (OSError, subprocess.CalledProcessError):
        skip = {"build", "__pycache__", ".git", ".deps", ".exercises", ".cache"}
        names = sorted(str(path.relative_to(root)) for path in Path(root).rglob("*")
                       if path.is_file() and not skip & set(path.relative_to(root).parts[:-1]))
    return [name for name in names if Path(root, name).is_file()]


def find_chapters(root=None):
    """The chapters' folders (01_elu, ...), in order."""
    return sorted(path for path in Path(root or ROOT).iterdir() if path.is_dir() and re.match(r"\d\d_\w", path.name))


def commit():
    """Which commit this is; where there is no .git, TUTORIAL_COMMIT says it."""
    named = os.environ.get("TUTORIAL_COMMIT")
    try:
        return named or subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True,
                                       text=True, check=False).stdout.strip() or "unknown"
    except OSError:
        return "unknown"


def lessons_of(folder):
    """The pages at a chapter's root, which are its lessons: README.md first."""
    return sorted(Path(folder).glob("*.md"))


def rooms(folder, pattern):
    """The files of this name in a chapter's rooms, by their names: claims and tables stand in proof/ or with their topic."""
    return sorted(Path(folder).glob(f"*/{pattern}"), key=lambda path: path.name)


def launches(folder, without="$^"):
    """[(function, size, alignment, (blocks, threads), kernel)] of a chapter's launches*.txt, each line with one launch; without:
    a pattern of files' names."""
    rows = [re.split("  +", line.strip()) for path in rooms(folder, "launches*.txt") if not re.search(without, path.name)
            for line in read_text(path).splitlines()]
    return [(*row[:3], tuple(int(one.replace(",", "")) for one in row[3].split(" x ")), row[4])
            for row in rows if len(row) == 5 and re.fullmatch(r"[\d,]+ x [\d,]+", row[3])]


def headers(folder):
    """The headers of a chapter's kernels and arithmetic."""
    return [path for room in (".", "ladders", "int8") for path in sorted((Path(folder) / room).glob("*.cuh"))]


def find_chapter(name, root=None):
    """The folder of a chapter named 01_elu, elu, 1 or by a path; ToolError if there is none."""
    wanted = str(name).rstrip("/").split("/")[-1]
    for folder in find_chapters(root):
        digits, word = folder.name.split("_", 1)
        if wanted in (folder.name, word, digits, str(int(digits))):
            return folder
    names = ", ".join(p.name for p in find_chapters(root)) or "none yet"
    raise ToolError(f"there is no chapter {name}; the chapters are: {names}")


def shown(root=None):
    """Which recordings the pages show: {"main": "h200", "second": "h100"}."""
    return load_json(Path(root or ROOT) / "common" / "results" / "shown.json")


def shown_name(name):
    """A recorded file's name with the GPU that the pages show in it: main_ncu.json is h200_ncu.json."""
    return re.sub(r"(^|/)(main|second)(?=[_.][^/]*$)", lambda found: found.group(1) + shown()[found.group(2)], name)


def main_first(names, root=None):
    """GPUs' names in the order in which pages show them."""
    order = list(shown(root).values())
    return sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name))


def ladder_of_chapter(folder):
    """01_elu -> elu."""
    return Path(folder).name.split("_", 1)[-1]


def rung_of_kernel(kernel, ladder):
    """The rung of a kernel: elu_f16x8_pack_kernel<4> is f16x8_pack<4> on the ladder elu."""
    name = re.sub(r"_kernel\b", "", kernel)
    return name[len(ladder) + 1:] if ladder and name.startswith(ladder + "_") else name


def plain_name(name):
    """A kernel's name without what ncu and c++filt write differently: blanks, namespaces, the type
    before an enumerator or an integer, true and false."""
    name = re.sub(r"\s|\(anonymous namespace\)::|<unnamed>::|\b\w+::", "", name)
    name = re.sub(r"\(\w+\)(?=\d)", "", name)
    return re.sub(r"\bfalse\b", "0", re.sub(r"\btrue\b", "1", name))


def has_name(kernel, part):
    """Is part in a kernel's name?"""
    return plain_name(part) in plain_name(kernel)


def entry_for(kernel, entries):
    """The entry of a codegen spec whose "kernel" is in the name, the longest one, or None."""
    fitting = [entry for entry in entries if has_name(kernel, entry["kernel"])]
    return max(fitting, key=lambda entry: len(entry["kernel"])) if fitting else None


def short_kernel_name(name):
    """A kernel's name without return type, namespaces and parameters: elu_kernel<float, 4>."""
    name = name.replace("(anonymous namespace)::", "").replace("<unnamed>::", "")
    name = re.sub(r"\((?:int|bool|unsigned int|long)\)", "", name)  # ncu writes <(int)64>
    depth, end = 0, len(name)
    for place, letter in enumerate(name):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "(" and depth == 0:
            end = place
            break
    head, bracket, arguments = name[:end].partition("<")
    return head.strip().split(" ")[-1].split("::")[-1] + bracket + arguments


def main():
    if sys.argv[1:2] != ["compact"] or len(sys.argv) < 3:
        raise ToolError("write: runs.py compact FILE...")
    for path in sys.argv[2:]:
        write_recorded(path, load_as_written(path))


if __name__ == "__main__":
    run_tool(main)
