#!/usr/bin/env python3
"""Reads recorded runs; ladder.py, compare.py, report.py and ncu.py share it.

A *run* is one JSON file that a chapter's benchmark wrote (Google Benchmark's format). Its rows are
named `ladder/rung/SxK/regime` and labelled `dtype kind`; see `Row` for what is read from them.

As a program:

    python3 common/tools/reader/runs.py merge-accuracy DIRECTORY OUT.json    the tests' files, one per rung
    python3 common/tools/reader/runs.py chapter elu                          prints 01_elu
    python3 common/tools/reader/runs.py compact FILE...    rewrites recorded files in their short form
    python3 common/tools/reader/runs.py compact --check FILE...    names those that are not in it

The short form of a recorded run has a line per rung and number of rows S: its shapes SxK, cold and
warm, side by side; other recorded files have an entry per line. It leaves out what Google Benchmark notes for itself (FORGOTTEN
below), the machine's name and the program's folder. Google Benchmark's own compare.py still reads it.
"""

import argparse
import itertools
import json
import math
import re
import subprocess
import sys
from pathlib import Path

#: What Google Benchmark appends to a row's name, which is no part of it.
SUFFIX = re.compile(
    r"/(?:iterations:\d+|repeats:\d+|min_time:[\d.]+s?|min_warmup_time:[\d.]+s?|threads:\d+"
    r"|manual_time|real_time|process_time)$"
)
SHAPE = re.compile(r"^\d+(?:x\d+)*$")
KINDS = ("rung", "sweep", "yours", "peer", "copy", "bound")
ABSENT = (None, "", "none", "unknown")  # what a context has for an unknown value
#: What no tool reads of a run, ours or Google Benchmark's compare.py: in its rows, in its context.
FORGOTTEN = {"family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads"}
FORGOTTEN_CONTEXT = {"host_name", "mhz_per_cpu", "cpu_scaling_enabled", "caches", "load_avg",
                     "library_build_type", "library_version"}
NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
ROOT = Path(__file__).resolve().parents[3]


class ToolError(Exception):
    """A mistake that the user can fix; its text is one line that says what to do."""


def run_tool(main):
    """Calls main() and turns every ToolError into one line on stderr and exit code 2."""
    try:
        sys.exit(main() or 0)
    except ToolError as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # the reader closed the pipe, as `| head` does
        sys.stderr.close()
        sys.exit(0)


# -------------------------------------------------------------------------------------------------
# Files


def read_text(path):
    """The text of a file; ToolError when it is not there or is no text."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ToolError(f"{path}: no such file; check the path") from None
    except IsADirectoryError:
        raise ToolError(f"{path}: is a folder; name a file inside it") from None
    except UnicodeDecodeError:
        raise ToolError(f"{path}: is not a text file") from None
    except OSError as error:
        raise ToolError(f"{path}: cannot be read ({error.strerror})") from None


def load_json(path):
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


def json_text(data, indent=""):
    """data as JSON: a list of objects has one object on a line (or those that line_of() joins), an
    object around such a list has one field on a line, and everything else is on one line."""
    if is_list_of_objects(data):
        lines = [", ".join(json.dumps(item, ensure_ascii=False) for item in items)
                 for _, items in itertools.groupby(data, line_of)]
        marks = "[]"
    elif isinstance(data, dict) and (not indent or any(map(is_list_of_objects, data.values()))):
        lines = [f"{json.dumps(key, ensure_ascii=False)}: {json_text(value, indent + '  ')}"
                 for key, value in data.items()]
        marks = "{}"
    else:
        return json.dumps(data, ensure_ascii=False)
    inside = (",\n" + indent + "  ").join(lines)
    return f"{marks[0]}\n{indent}  {inside}\n{indent}{marks[1]}"


def line_of(item):
    """Equal for neighbours in a list that share a line: the rows of one rung, and in a comparison with
    PyTorch those of one operation, at shapes with one number of rows."""
    parts = split_name(str(item.get("name", "")))
    if not parts:
        return id(item)  # a line of its own
    ladder, rung, shape, _ = parts
    return ladder, re.sub("(^|_)(bound|torch|compile)(?=_|$)", "", rung), shape.split("x")[0]


def is_list_of_objects(value):
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def write_json(path, data):
    """Writes data so that the same data always gives the same bytes."""
    text = json_text(data) + "\n"
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ToolError(f"{path}: cannot be written ({error.strerror})") from None


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

    ladder, rung, shape, regime   the parts of its name: elu/f16x8_pack/4096x4096/cold
    dtype, kind                   its label: "f16 rung" (kinds: rung sweep yours peer copy; bound: ours, called
                                  from PyTorch)
    gbps                          10^9 bytes per second, or None
    copy_pct                      percent of the copy kernel's GB/s in the same run, or None
    median_us                     microseconds per launch (Google's time when there is no median)
    spread_pct                    (p90 - p10) / median, in percent; 0 when not recorded
    error                         why the row failed, or None
    counters                      every other number in the row, by name
    """

    STANDARD = {
        "family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads",
        "iterations", "real_time", "cpu_time",
    }

    def __init__(self, data, parts):
        self.name = "/".join(parts)
        self.ladder, self.rung, self.shape, self.regime = parts
        label = str(data.get("label", "")).split()
        self.dtype = label[0] if label else ""
        self.kind = label[1] if len(label) > 1 and label[1] in KINDS else "rung"
        self.error = None
        if data.get("error_occurred"):
            self.error = str(data.get("error_message") or "failed without a message")
        self.gbps = positive(data.get("GBps"))
        self.copy_pct = positive(data.get("copy_pct"))
        self.median_us = positive(data.get("median_us")) or google_time_us(data)
        self.spread_pct = positive(data.get("spread_pct")) or 0.0
        self.counters = {
            key: number(value) for key, value in data.items()
            if key not in self.STANDARD and isinstance(value, (int, float))
            and not isinstance(value, bool)
        }

    @property
    def elements(self):
        """How many elements the shape has."""
        return math.prod(int(part) for part in self.shape.split("x"))

    @property
    def form(self):
        """The form of the problem that ends a rung's name: 1C11 of packed_f16_1C11, else nothing.

        A form names the shape of the operand that is broadcast, in capitals and digits, or is
        `scalar`; steps go from kernel to kernel within a form.
        """
        found = re.search(rf"_{re.escape(self.dtype)}_(scalar|[0-9A-Z_]+)$", self.rung)
        return found.group(1) if found and self.dtype else ""

    @property
    def kernel(self):
        """The rung's name without dtype and form: packed of packed_f16_1C11."""
        return self.rung[:-len(f"_{self.dtype}_{self.form}")] if self.form else self.rung

    @property
    def failed(self):
        return self.error is not None


def google_time_us(data):
    """Google Benchmark's own mean time in microseconds, or None."""
    time = positive(data.get("real_time"))
    if time is None:
        return None
    return time * NANOSECONDS.get(data.get("time_unit", "ns"), 1.0) / 1e3


def row_name(text):
    """The row's own name, without what Google Benchmark appends."""
    while SUFFIX.search(text):
        text = SUFFIX.sub("", text)
    return text


def split_name(text):
    """(ladder, rung, shape, regime) of a ladder row's name, or None for another benchmark."""
    parts = row_name(text).split("/")
    if len(parts) == 4 and SHAPE.match(parts[2]):
        return parts
    return None


class Run:
    """A recorded run: its context and its rows in file order."""

    def __init__(self, path, data):
        self.path = str(path)
        self.context = data["context"]
        self.rows, self.others = [], []
        for name, group in group_repetitions(data["benchmarks"]).items():
            parts = split_name(name)
            if parts:
                self.rows.append(Row(middle(group), parts))
            else:
                self.others.append((name, middle(group)))
        self.lend_labels()

    def lend_labels(self):
        """A row that failed before it got its label takes that of the same rung in another size."""
        known = {(row.ladder, row.rung): row for row in self.rows if row.dtype}
        for row in self.rows:
            twin = known.get((row.ladder, row.rung))
            if not row.dtype and twin:
                row.dtype, row.kind = twin.dtype, twin.kind

    @property
    def on_cpu(self):
        """True when the CPU executor ran the kernels, so that times say nothing about a GPU."""
        return str(self.context.get("backend", "")).lower().startswith("cpu")

    @property
    def device(self):
        """Where the kernels ran, in words."""
        if self.on_cpu:
            return "the CPU executor"
        return str(self.context.get("gpu") or "an unnamed GPU")

    def ladders(self):
        return unique(row.ladder for row in self.rows)

    def dtypes(self, ladder=None):
        return unique(r.dtype for r in self.rows if ladder is None or r.ladder == ladder)

    def shapes(self):
        """All shapes, fewest elements first; equal sizes stay in file order."""
        names = unique(row.shape for row in self.rows)
        return sorted(names, key=lambda s: math.prod(int(part) for part in s.split("x")))

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


def group_repetitions(rows):
    """name -> the rows of that name that are measurements (aggregates of Google's are left out)."""
    groups = {}
    for row in rows:
        if row.get("run_type", "iteration") == "iteration":
            groups.setdefault(row_name(str(row["name"])), []).append(row)
    return groups


def middle(rows):
    """The row with the median time; a failed repetition wins, so that no failure is hidden."""
    failed = [row for row in rows if row.get("error_occurred")]
    if failed:
        return failed[0]
    return sorted(rows, key=lambda row: google_time_us(row) or 0.0)[(len(rows) - 1) // 2]


def load_run(path, need_rows=True):
    """The run in a file; ToolError when the file holds none."""
    data = load_json(path)
    rows = data.get("benchmarks")
    if not isinstance(data.get("context"), dict) or not isinstance(rows, list):
        raise ToolError(
            f"{path}: is not a Google Benchmark result (no context and benchmarks in it); "
            "make one with --benchmark_out=FILE.json --benchmark_out_format=json"
        )
    if not all(isinstance(row, dict) and "name" in row for row in rows):
        raise ToolError(f"{path}: has a benchmark row without a name; record the run again")
    run = Run(path, data)
    if need_rows and not run.rows:
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


def describe_context(run):
    """One line: where the run was made, with which versions, from which commit, and when."""
    return context_line(run.context)


def context_line(context):
    """As describe_context, of a context that another tool recorded."""
    parts = []
    if str(context.get("backend", "")).lower().startswith("cpu"):
        parts.append("CPU executor")
        parts.append(context.get("cpu"))
    elif context.get("gpu") not in ABSENT:
        parts.append(context["gpu"])
    for key, word in (("driver", "driver"), ("cuda", "CUDA"), ("nvcc", "nvcc"),
                      ("commit", "commit")):
        if context.get(key) not in ABSENT and not (key == "driver" and "CPU executor" in parts):
            parts.append(f"{word} {context[key]}")
    if context.get("date"):
        parts.append(str(context["date"])[:10])
    return ", ".join(str(part) for part in parts if part not in ABSENT)


# -------------------------------------------------------------------------------------------------
# Accuracy files


def load_accuracy(path):
    """The accuracy entries in a file, or in every accuracy*.json of a folder, with the context."""
    path = Path(path)
    files = sorted(path.glob("accuracy*.json")) if path.is_dir() else [path]
    if not files:
        raise ToolError(f"{path}: holds no accuracy*.json; run the tests with TUTORIAL_RECORD_DIR")
    context, entries = {}, {}
    for file in files:
        data = load_json(file)
        if not isinstance(data.get("accuracy"), list):
            raise ToolError(f"{file}: has no list named accuracy; run the tests again to record it")
        context = context or data.get("context") or {}
        for entry in data["accuracy"]:
            key = (entry.get("chapter"), entry.get("rung"), entry.get("dtype"))
            entries[key] = entry
    return {"context": context, "accuracy": list(entries.values())}


# -------------------------------------------------------------------------------------------------
# The repository


def tracked_files(root=None):
    """All files under git in root, as sorted relative paths; without git, all files there are.

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
        skip = {"build", "__pycache__"}
        names = sorted(
            str(path.relative_to(root)) for path in Path(root).rglob("*")
            if path.is_file() and not any(part.startswith(".") or part in skip
                                          for part in path.relative_to(root).parts[:-1])
        )
    return [name for name in names if Path(root, name).is_file()]


def find_chapters(root=None):
    """The chapters' folders (01_elu, ...), in order."""
    folders = [path for path in Path(root or ROOT).iterdir() if path.is_dir()]
    return sorted(path for path in folders if re.match(r"\d\d_\w", path.name))


def find_chapter(name, root=None):
    """The folder of a chapter named 01_elu, elu, 1 or by a path; ToolError if there is none."""
    wanted = str(name).rstrip("/").split("/")[-1]
    for folder in find_chapters(root):
        digits, word = folder.name.split("_", 1)
        if wanted in (folder.name, word, digits, str(int(digits))):
            return folder
    names = ", ".join(p.name for p in find_chapters(root)) or "none yet"
    raise ToolError(f"there is no chapter {name}; the chapters are: {names}")


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


def compacted(data):
    """A recorded file's data without what nobody reads, the machine's name and the program's folder."""
    data = dict(data)
    if isinstance(data.get("context"), dict):
        data["context"] = {key: value for key, value in data["context"].items()
                           if key not in FORGOTTEN_CONTEXT}
        if "executable" in data["context"]:
            data["context"]["executable"] = Path(data["context"]["executable"]).name
    if isinstance(data.get("benchmarks"), list):
        data["benchmarks"] = [
            {key: value for key, value in row.items() if key not in FORGOTTEN
             and not (key == "run_name" and value == row.get("name"))}
            for row in data["benchmarks"]]
    return data


def compact(paths, check):
    """Rewrites the files, or with check names those that would change; 1 if it named one."""
    loaded = {path: compacted(load_json(path)) for path in paths}
    stale = [path for path, data in loaded.items() if read_text(path) != json_text(data) + "\n"]
    for path in stale:
        if check:
            print(f"{path}: is not in the short form: run python3 common/tools/reader/runs.py compact {path}")
        else:
            write_json(path, loaded[path])
    return 1 if check and stale else 0


def parse_arguments():
    parser = argparse.ArgumentParser(description="Small jobs on recorded runs.")
    commands = parser.add_subparsers(dest="command", required=True)
    merge = commands.add_parser("merge-accuracy", help="merges the tests' files, one per rung, into one")
    merge.add_argument("directory", help="the tests' TUTORIAL_RECORD_DIR")
    merge.add_argument("out", help="the file to write")
    shorten = commands.add_parser("compact", help="rewrites recorded files in their short form")
    shorten.add_argument("files", nargs="+", help="recorded files (JSON)")
    shorten.add_argument("--check", action="store_true", help="change nothing; name the files that are not in the short form")
    chapter = commands.add_parser("chapter", help="prints the folder of a chapter: elu -> 01_elu")
    chapter.add_argument("name")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if arguments.command == "chapter":
        print(find_chapter(arguments.name).name)
    elif arguments.command == "compact":
        return compact(arguments.files, arguments.check)
    else:
        write_json(arguments.out, load_accuracy(arguments.directory))
    return 0


if __name__ == "__main__":
    run_tool(main)
