#!/usr/bin/env python3
"""Breaks the kernels one line at a time, and shows that the tests notice.

common/notes/faults.md says what for and how, --help has the options.

The faults of a folder's files stand in its proof/faults.json, one to a line:

    id      its name
    file    what is broken, from the root of the repository
    old     a piece of one line, and
    new     what replaces it
    after   (optional) a text that occurs once in the file: `old` is looked for from there on, in at
            most 40 lines. Without it, `old` occurs once in the file
    kind    what sort of mistake it is; KINDS below
    test    the test program that must fail: 01_elu_test, common_test, ...; `01_elu_see trace`
            is what a chapter's rungs ask of memory, by trace_proof.py; `01_elu_see check` judges it, and
            common_moved and 06_primitives_moved say what kernels move
    equivalent  (optional) why the result is the same all the same; such a fault must survive
    gpu         (optional) why only a GPU shows it; left out unless --backend cuda

A fault that does not fit the source (any more) stops the program: a table that drifts proves nothing. --check is one of
CTest's tests for that reason. Of the copy in build/mutants each test program is built as it is first, and must pass. A
program that hangs counts as failing: it is given five times as long as the unbroken one, and half a minute. The build
has little optimization, because compiling takes longer than the tests: -O1, no -Werror; and it checks the alignment of
every access (-fsanitize=alignment), as CI's sanitizers do. Exit code: 0 if every fault that ran was noticed and every
equivalent was not, 1 otherwise, 2 if nothing could be run.
"""

import argparse
import fnmatch
import hashlib
import html
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reader"))
import runs
import verdicts

RECORD = runs.ROOT / "common/results/mutations.json"
WITHIN_LINES = 40
FIELDS = {"id", "file", "after", "old", "new", "kind", "test", "equivalent", "gpu"}
KINDS = {
    "alignment": "an alignment is not checked",
    "arithmetic": "a wrong formula or constant",
    "barrier": "threads do not wait for each other, or leave too soon",
    "guard": "a bound that is off",
    "identity": "a reduction or scan starts from the wrong value",
    "index": "the wrong place, stride or lane",
    "mask": "the wrong bits of a word",
    "nan": "a NaN, an infinity or the sign of a zero is lost",
    "operands": "operands exchanged, or the wrong one",
    "range": "integers that do not fit, or have no quotient",
    "refusal": "bad input is accepted, or good input is not",
    "rounding": "digits are lost",
    "saturation": "a limit that is missing or in the wrong place",
    "shape": "extents, strides or the launch shape are wrong",
    "tail": "elements at the end are left out",
    "width": "the wrong number of bytes or elements",
}


# -------------------------------------------------------------------------------------------------
# The table


class Fault:
    """One line of the table."""

    def __init__(self, entry):
        self.id = entry.get("id", "(a fault without an id)")
        unknown = sorted(set(entry) - FIELDS)
        missing = sorted({"id", "file", "old", "new", "kind", "test"} - set(entry))
        if unknown or missing:
            raise runs.ToolError(f"{self.id}: " + (f"has no {missing[0]}" if missing else
                                                   f"unknown field {unknown[0]}"))
        self.file, self.old, self.new = entry["file"], entry["old"], entry["new"]
        self.after, self.kind, self.test = entry.get("after"), entry["kind"], entry["test"]
        self.equivalent, self.gpu = entry.get("equivalent"), entry.get("gpu")
        if self.kind not in KINDS:
            raise runs.ToolError(f"{self.id}: unknown kind {self.kind}; known: {', '.join(KINDS)}")
        if "\n" in self.old + self.new or not self.old or self.old == self.new:
            raise runs.ToolError(f"{self.id}: old and new are two pieces of one line")
        text = "\0".join([self.file, self.after or "", self.old, self.new])
        self.digest = hashlib.sha1(text.encode()).hexdigest()[:8]

    def place(self, text):
        """Where `old` begins in the file's text; ToolError unless that is one place."""
        begin = 0
        if self.after:
            if text.count(self.after) != 1:
                raise runs.ToolError(f"{self.id}: {self.file} has {text.count(self.after)} times "
                                     f"the text that it begins after, once is needed: {self.after}")
            begin = text.index(self.after)
            stretch = "\n".join(text[begin:].split("\n")[:WITHIN_LINES])
            if self.old not in stretch:
                raise runs.ToolError(f"{self.id}: {self.file} does not have it within "
                                     f"{WITHIN_LINES} lines after '{self.after}': {self.old}")
        elif text.count(self.old) != 1:
            raise runs.ToolError(f"{self.id}: {self.file} has {text.count(self.old)} times, and "
                                 f"once is needed (or say after what): {self.old}")
        return text.index(self.old, begin)

    def apply(self, text):
        at = self.place(text)
        return text[:at] + self.new + text[at + len(self.old):]


def tables(root=None):
    """The chapters' tables of faults, in order, and common's."""
    root = Path(root or runs.ROOT)
    return [path for path in sorted(root.glob("*/proof/faults.json"))
            if path.parts[-3] == "common" or re.match(r"\d\d_", path.parts[-3])]


def load_table(*paths):
    """The faults of these tables; without any, of all."""
    faults = [Fault(entry) for path in paths or tables()
              for entry in runs.load_json(path).get("faults", [])]
    ids = [fault.id for fault in faults]
    if twice := [name for name in ids if ids.count(name) > 1]:
        raise runs.ToolError(f"{twice[0]}: two faults have this name")
    return faults


def check(faults, root):
    """Every reason why a fault does not fit the source."""
    problems = []
    for fault in faults:
        try:
            fault.place(runs.read_text(Path(root, fault.file)))
        except runs.ToolError as error:
            problems.append(str(error))
    return problems


# -------------------------------------------------------------------------------------------------
# A copy of the working tree


class Copy:
    """A copy of the working tree with its build, and what the build is when nothing is broken."""

    def __init__(self, folder, options):
        self.tree, self.build, self.kept = folder / "tree", folder / "build", folder / "kept"
        self.options = options
        self.sources = verdicts.Sources(self.tree)
        self.built = set()
        self.stamps = {}

    def prepare(self):
        """Copies the files that differ from the working tree, and configures the build."""
        self.restore_sources()
        wanted = set(runs.tracked_files())
        for name in wanted:
            source, target = runs.ROOT / name, self.tree / name
            if not target.exists() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
                shutil.copymode(source, target)
        for path in list(self.tree.rglob("*")):
            if path.is_file() and str(path.relative_to(self.tree)) not in wanted:
                path.unlink()
        headers = runs.ROOT / ".deps"  # NVIDIA's headers, where there is no toolkit
        if headers.is_dir() and not (self.tree / ".deps").exists():
            (self.tree / ".deps").symlink_to(headers, target_is_directory=True)
        # A CPU accepts misaligned 16-byte accesses; this check refuses them, as a GPU does.
        sanitize = "" if self.options.backend == "cuda" else "-fsanitize=alignment -fno-sanitize-recover=alignment"
        command = ["cmake", "-S", str(self.tree), "-B", str(self.build),
                   f"-DTUTORIAL_BACKEND={self.options.backend}", "-DTUTORIAL_WERROR=OFF",
                   "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_FLAGS_RELEASE=-O1 {sanitize}",
                   f"-DCMAKE_EXE_LINKER_FLAGS={sanitize}"]
        if shutil.which("ninja") and not (self.build / "Makefile").exists():
            command += ["-G", "Ninja"]
        done = runs.call(command)
        if done.returncode != 0:
            raise runs.ToolError(f"{self.build} cannot be configured:\n{last_lines(done.stdout)}")

    def restore_sources(self):
        """Takes back a fault that a run which was stopped has left. Its objects may be there too: the
        source must be newer than they are."""
        for path in self.kept.glob("source/**/*"):
            if path.is_file():
                shutil.copyfile(path, self.tree / path.relative_to(self.kept / "source"))
                path.unlink()

    def make(self, target):
        return runs.call(["cmake", "--build", str(self.build), "--target", target.split()[0], "--parallel",
                          str(os.cpu_count() or 1)])

    def prepare_target(self, target):
        """Builds a test program from the sources as they are."""
        if target in self.built:
            return
        done = self.make(target)
        if done.returncode != 0:
            raise runs.ToolError(f"{target} does not build as it is:\n{last_lines(done.stdout)}")
        self.built.add(target)
        self.keep()

    def files(self):
        for folder, _, names in os.walk(self.build):
            for name in names:
                path = Path(folder, name)
                state = path.stat()
                yield path, (state.st_mtime_ns, state.st_size)

    def keep(self):
        """Remembers the build as it is: what is compiled from broken sources is put back from here,
        which is faster than to compile it again."""
        for path, stamp in self.files():
            if self.stamps.get(path) != stamp:
                target = self.kept / "build" / path.relative_to(self.build)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target)
                self.stamps[path] = stamp

    def put_back(self):
        for path, stamp in self.files():
            if stamp != self.stamps.get(path):
                path.unlink()  # not written over: a program that was stopped may still be ending
        for path in self.stamps:
            if not path.exists():
                shutil.copy2(self.kept / "build" / path.relative_to(self.build), path)

    def breaks(self, fault, limits, last=None):
        """Applies a fault, builds and tests, `last` first; returns the outcome for the record."""
        began = time.monotonic()
        source, saved = self.tree / fault.file, self.kept / "source" / fault.file
        saved.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, saved)
        try:
            source.write_text(fault.apply(saved.read_text(encoding="utf-8")), encoding="utf-8")
            done = self.make(fault.test)
            if done.returncode != 0:
                error = re.search(r"error: (.*)", done.stdout)
                result = {"outcome": "not built", "why": error.group(1) if error else None}
            else:
                result = self.tests(fault.test, limits[fault.test], last)
        finally:
            shutil.copy2(saved, source)
            saved.unlink()
            self.put_back()
        return {"id": fault.id, "fault": fault.digest, "belongs": self.sources.digest(fault, result.get("by")), **result,
                "seconds": round(time.monotonic() - began, 1)}

    def tests(self, target, limit, last=None):
        """By which case it failed. The case that noticed a fault the last time goes first: the others may take minutes."""
        for case in [last, None] if last and has_cases(target) else [None]:
            for order in orders_of(target, self.options.backend):
                failed = self.test(target, order, limit, case)
                if failed:
                    return {"outcome": "killed", **failed, "order": order}
        return {"outcome": "survived"}

    def proof(self, target, limit):
        """Traces every rung of a chapter: by which rung's claim it failed, or None."""
        program, _, kind = target.partition(" ")
        command = [str(self.build / program), *([kind] if kind else [])]
        if kind == "trace":
            command = [sys.executable, str(self.tree / "common/tools/maintain/trace_proof.py"), command[0]]
        try:
            done = runs.call(command, timeout=limit)
        except subprocess.TimeoutExpired:
            return {"by": kind or "moved", "how": "timeout"}
        if done.returncode == 0:
            return None
        first = (done.stdout.splitlines() or ["nothing is said"])[0]
        where = first.split(":")[0] if kind == "trace" else program.rsplit("_", 1)[0]
        return {"by": f"{kind or 'moved'} of {where}", "how": "check"}

    def test(self, target, order, limit=None, case=None):
        """Runs a test program, or one case, until its first failure: by which case and how it failed, or None."""
        if not has_cases(target):
            return self.proof(target, limit)
        chosen = [re.sub(r"([\\,\[])", r"\\\1", case)] if case else []
        environment = {**os.environ, "TUTORIAL_CPU_ORDER": order,
                       "UBSAN_OPTIONS": "abort_on_error=1"}  # so that Catch2 names the test case
        timeout = ["timeout", "--foreground", "--kill-after=5", str(limit or 0)]
        # Terminated, Catch2 names the test case.
        done = runs.call([*timeout, str(self.build / target), *chosen, "--abort", "--reporter", "xml"],
                         stderr=subprocess.DEVNULL, env=environment, cwd=self.build)
        if done.returncode in (0, 4):  # 4: every test case was skipped
            return None
        late = done.returncode in (124, 137)
        cases = re.findall(r'<TestCase name="([^"]*)"', done.stdout)
        if case and not cases:
            return None  # it has another name now
        crashed = done.returncode < 0 or "<FatalErrorCondition" in done.stdout
        return {"by": html.unescape(cases[-1]) if cases else None,
                "how": "timeout" if late else "crash" if crashed else "check"}


def has_cases(target):
    """Whether it is a test program, and none that traces, checks or counts."""
    return " " not in target and not target.endswith("_moved")


def orders_of(target, backend):
    """The thread orders that a program is run in; a tracing or checking program has but one."""
    if " " in target:
        return ["forward"]
    return ["cuda"] if backend == "cuda" else ["forward", "reverse"]


def last_lines(text):
    return "\n".join(text.splitlines()[-30:])


# -------------------------------------------------------------------------------------------------
# All faults


class Work:
    """Faults, tried one after the other, those of one test program together."""

    def __init__(self, faults, options, copy, last=None):
        self.left, self.last = sorted(faults, key=lambda fault: fault.test), last or {}
        self.total, self.options, self.copy = len(faults), options, copy
        self.limits = {}   # test program -> seconds
        self.results = {}
        self.problems = []

    def run(self):
        """Until none is left, or the time is up; but one is tried, or a run would bring nothing."""
        began = time.monotonic()
        while self.left and not (self.results and self.options.minutes is not None
                                 and time.monotonic() > began + 60 * self.options.minutes):
            fault = self.left.pop(0)
            try:
                self.copy.prepare_target(fault.test)
                self.test_unbroken(fault.test)
            except runs.ToolError as error:
                print(error, flush=True)
                self.problems.append(error)
                self.left = [other for other in self.left if other.test != fault.test]
                continue
            result = self.results[fault.id] = self.copy.breaks(fault, self.limits, self.last.get(fault.id))
            print(f"{len(self.results)}/{self.total} {fault.id}: {told(fault, result)}, {result['seconds']} s", flush=True)
            if self.options.json:  # at once, for a run may be stopped
                record(self.options.json, self.results, self.options)

    def test_unbroken(self, test):
        """Checks that the unbroken program passes; its time sets the limit for the broken ones."""
        if test in self.limits:
            return
        orders = orders_of(test, self.options.backend)
        began = time.monotonic()
        for order in orders:
            failed = self.copy.test(test, order)
            if failed:
                raise runs.ToolError(f"{test} fails as it is: {failed['by']} ({order})")
        seconds = (time.monotonic() - began) / len(orders)
        self.limits[test] = 5 * seconds + 30
        print(f"{test} passes as it is, in {seconds:.1f} s", flush=True)


def together(old, new):
    """The context of a record that was made in parts: values that differ are joined."""
    return {key: value if value in old.get(key, "") else
            ", ".join(filter(None, [old.get(key), value])) for key, value in new.items()}


def record(path, results, options):
    """Adds results to a record; the results of other faults stay."""
    old = runs.load_json(path) if Path(path).exists() else {}
    merged = {entry["id"]: entry for entry in old.get("results", [])}
    merged.update(results)
    context = {**old.get("context", {}), options.backend: together(
        old.get("context", {}).get(options.backend, {}), options.context)}
    kept = [merged[fault.id] for fault in load_table() if fault.id in merged]
    runs.write_recorded(path, {"context": context, "results": kept})


# -------------------------------------------------------------------------------------------------
# Reports


def outcomes(faults, results):
    """[(fault, its result or None)]; a result of a fault that has changed since counts as none."""
    known = {(entry["id"], entry["fault"]): entry for entry in results}
    return [(fault, known.get((fault.id, fault.digest))) for fault in faults]


def owed(faults, results, sources):
    """[(fault, why)] of those without a verdict for the sources as they are."""
    known = {entry["id"]: entry for entry in results}

    def why(fault):
        entry = known.get(fault.id)
        if entry is None:
            return "not run"
        if entry["fault"] != fault.digest:
            return "another fault than it was"
        if entry.get("belongs") != sources.digest(fault, entry.get("by")):
            return f"{fault.file}, or what noticed it, is not what it was"
        return None

    return [(fault, reason) for fault in faults if (reason := why(fault))]


def summary(faults, results):
    """An entry for each test program: faults, killed, how, equivalents, survivors."""
    every = outcomes(faults, results)
    tests = runs.unique(fault.test for fault in faults)
    return [summary_of(test, [pair for pair in every if pair[0].test == test]) for test in tests] + [summary_of("together", every)]


def summary_of(title, pairs):
    def count(test):
        return sum(1 for fault, result in pairs if result and test(fault, result))

    outcome = lambda name: count(lambda f, r: r["outcome"] == name and not f.equivalent)
    how = lambda name: count(lambda f, r: r.get("how") == name and not f.equivalent)
    return {"test_program": title, "faults": len(pairs), "noticed": outcome("killed"),
            "in_reverse_order_only": count(lambda f, r: r.get("order") == "reverse" and not f.equivalent),
            "by_a_crash": how("crash"), "by_a_timeout": how("timeout"),
            "equivalent": count(lambda f, r: bool(f.equivalent) and r["outcome"] == "survived"),
            "not_built": outcome("not built"), "survived": outcome("survived"),
            "not_run": sum(1 for _, result in pairs if result is None)}


def told(fault, result):
    """What a fault's result was, in words."""
    if result is None:
        return "not run" + (f": {fault.gpu}" if fault.gpu else "")
    if result["outcome"] == "not built":
        return "does not compile"
    if result["outcome"] == "survived":
        return f"nothing notices: {fault.equivalent or 'a test is missing'}"
    extra = [{"crash": "crashes", "timeout": "does not end"}.get(result["how"]),
             {"reverse": "in reverse order", "cuda": "on a GPU"}.get(result["order"])]
    return (result["by"] or "the program as a whole") + "".join(f", {word}" for word in extra if word)


# -------------------------------------------------------------------------------------------------


def parse_arguments():
    parser = argparse.ArgumentParser(
        description="Breaks the kernels one line at a time, and shows that the tests notice.")
    parser.add_argument("--check", action="store_true",
                        help="say which faults do not fit the source, and run nothing")
    parser.add_argument("--table", action="store_true",
                        help="say what noticed each fault, as recorded, and run nothing")
    parser.add_argument("--owed", action="store_true",
                        help="only the faults without a verdict for the sources as they are; they run with "
                        "--minutes, --part or --json, and are listed without")
    parser.add_argument("--part", metavar="K/N", help="only the K-th of N parts of the faults")
    parser.add_argument("--minutes", type=float, metavar="M", help="begin no fault after so many minutes")
    parser.add_argument("--only", action="append", default=[], metavar="ID",
                        help="only these faults: an id or a pattern such as 'elu_*'; repeatable")
    parser.add_argument("--backend", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--folder", default=str(runs.ROOT / "build/mutants"))
    parser.add_argument("--json", metavar="FILE", help="record the results in this file")
    return parser.parse_args()


def chosen(faults, options):
    for pattern in options.only:
        if not any(fnmatch.fnmatchcase(fault.id, pattern) for fault in faults):
            raise runs.ToolError(f"no fault is called {pattern}; --table names them")
    if options.only:
        faults = [fault for fault in faults
                  if any(fnmatch.fnmatchcase(fault.id, pattern) for pattern in options.only)]
    # On a GPU only the faults that need one run, unless others are named.
    on_gpu = options.backend == "cuda"
    return [fault for fault in faults if fault.id in options.only or bool(fault.gpu) == on_gpu]


def part_of(faults, part):
    """The K-th of N stretches of the table, which keep the faults of a test program together."""
    found = re.fullmatch(r"(\d+)/(\d+)", part)
    k, n = map(int, found.groups()) if found else (0, 0)
    if not 1 <= k <= n:
        raise runs.ToolError(f"--part is one of several, as in 2/4, not '{part}'")
    faults = sorted(faults, key=lambda fault: fault.test)
    return faults[len(faults) * (k - 1) // n:len(faults) * k // n]


def context():
    compiler = runs.call([os.environ.get("CXX") or "c++", "--version"]).stdout.split("\n")[0]
    return {"compiler": compiler, "commit": runs.commit()}


def run_all(faults, options, recorded):
    options.context = context()
    began = time.monotonic()
    copy = Copy(Path(options.folder), options)
    copy.prepare()
    work = Work(faults, options, copy, {entry["id"]: entry["by"] for entry in recorded})
    work.run()
    if work.left:
        print(f"{len(work.left)} faults are left for another time: {' '.join(fault.id for fault in work.left)}")
    faults = [fault for fault in faults if fault.id in work.results]
    wrong = [fault for fault in faults
             if (work.results[fault.id]["outcome"] == "survived") != bool(fault.equivalent)
             and work.results[fault.id]["outcome"] != "not built"]
    for fault in faults:
        if work.results[fault.id]["outcome"] == "not built":
            print(f"does not compile: {fault.id}: {work.results[fault.id]['why']}")
    for fault in wrong:
        print(f"{'noticed, and said to be equivalent' if fault.equivalent else 'survived'}: "
              f"{fault.id} ({fault.file}: {fault.old} -> {fault.new})")
    killed = sum(1 for result in work.results.values() if result["outcome"] == "killed")
    print(f"{killed} of {len(faults)} faults were noticed, in {time.monotonic() - began:.0f} s")
    if work.problems:
        raise runs.ToolError("\n".join(str(problem) for problem in work.problems))
    return 1 if wrong else 0


def main():
    options = parse_arguments()
    faults = load_table()
    problems = check(faults, runs.ROOT)
    if problems:
        raise runs.ToolError("faults that do not fit the source:\n  " + "\n  ".join(problems))
    if options.check:
        print(f"{len(faults)} faults fit the source")
        return 0
    faults = chosen(faults, options)
    recorded = runs.load_json(options.json if options.json and Path(options.json).exists() else RECORD)["results"]
    if options.owed:
        reasons = owed(faults, recorded, verdicts.Sources(runs.ROOT))
        faults = [fault for fault, _ in reasons]
    if options.part:
        faults = part_of(faults, options.part)
    if options.table:
        for fault, result in outcomes(faults, recorded):
            print(f"{fault.id:34} {fault.file}: {fault.old}  ->  {fault.new}  |  {told(fault, result)}")
        return 0
    if options.owed and not (options.part or options.minutes or options.json):
        for fault, why in reasons:
            print(f"{fault.id:34} {fault.test}: {why}")
        print(f"{len(reasons)} faults are owed")
        return 0
    if not faults:
        print("no fault is owed" if options.owed else "there is no fault to try")
        return 0
    return run_all(faults, options, recorded)


if __name__ == "__main__":
    runs.run_tool(main)
