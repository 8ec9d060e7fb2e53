"""./tutorial test CHAPTER --yours: judges a reader's rung, and says in a few lines what is wrong with it.

The verdict has a line for each question: is it right, how large is the error beside the claim, what
does it ask of memory, does anything idle, what of the exercises is done, how fast will it be. Two programs answer:
01_elu_test tries hundreds of sizes, pointers and inputs, and records what fails (reasons.py);
01_elu_see_your_elu judges every access, and counts them. Where nvcc is installed, it is asked too, and
its machine code is counted (speed.py).
"""

import functools
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path

import asked
import exercises
import front
import reasons
import runs
import speed
import trace
from running import Running
from source import (FrontEnd, Source, body_of, claims_of, content_of, functions_of, impossible, not_for_the_device, nvcc,
                    unaligned, without_comments)

CASES = "*your rung*"
SECONDS = 10  # of the processor: a test that takes more has a loop without an end; those of the chapters take 1 or 2
CHECKED_SECONDS = 2  # the same for one block under the checks, which are asked first where they are built
PATIENCE = 60  # of the processor, for a test whose blocks all have an end


# -------------------------------------------------------------------------------------------------
# What the programs say


class Tested:
    """What the chapter's test says of the rung, with the threads of a block in one order. is_endless(): whether
    something else has found that out."""

    def __init__(self, program, order, seconds, is_endless):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report"
            running = Running([program, CASES, "-r", "compact", "-o", report], seconds=seconds, environment={
                "TUTORIAL_RECORD_DIR": folder, **({"TUTORIAL_CPU_ORDER": order} if order else {})})
            self.code = running.end(stop_when=is_endless)
            self.errors, self.printed, self.ending = running.complained, running.printed, running.ending
            self.endless = running.was_stopped
            self.accuracy = [one for path in sorted(Path(folder).glob("accuracy.*.json"))
                             for one in runs.load_json(path)["accuracy"]]
            failures = (content_of(Path(folder) / "failures.jsonl") or b"").decode("utf-8", errors="replace")
            self.failures = [json.loads(line) for line in failures.splitlines()]  # a dictionary each
            said = content_of(report) or b""
        self.crashed = not self.endless and (self.code < 0 or self.code > 0 and self.code != 4 and not (self.failures or said))
        if self.code > 0 and not self.failures and not self.crashed:
            self.failures = [{"kind": "other", "sentence": line} for line in said.decode(errors="replace").splitlines()
                             if "failed: " in line][:2]


class Checked:
    """What the instrumented executor notices; it runs beside the test."""

    def __init__(self, *words):
        self.is_rung = len(words) > 1
        self.begun, self.took = time.monotonic(), None
        try:
            self.running = Running(words, environment={"TUTORIAL_CHECK_SECONDS": str(CHECKED_SECONDS)})
        except OSError as error:
            self.running, self.failure = None, error.strerror

    @property
    def is_endless(self):
        """Whether it has been found, until now, that a block has no end: that takes its time."""
        if self.running is None or self.running.process.poll() is None:
            return False
        self.took = self.took or time.monotonic() - self.begun
        return self.running.process.returncode == 3 and self.took >= CHECKED_SECONDS

    @functools.cached_property
    def lines(self):
        """(problems, remarks, why it did not end as it should or None). An exit code above 0 that is not the checks' is that of
        a program of the reader's."""
        if self.running is None:
            return [], [], self.failure
        code = self.running.end()
        said = self.running.complained
        found, remarks = (runs.unique(re.findall(rf"(?m)^{kind}: (.*:\d+: .*)$", said)) for kind in ("check", "remark"))
        known = code in (1, 3) if found else code == 0 or code not in (2, 3) and code > 0 and not self.is_rung
        return found, remarks, None if known else f"it {self.running.ending}"


# -------------------------------------------------------------------------------------------------
# What the code shows


def has_word(code, word):
    return re.search(rf"(?<!\w){re.escape(word)}" + ("" if word.endswith("(") else r"(?!\w)"), code) is not None


def products(code):
    """Multiplications of floats, a multiply-add counted as one; not those that find a thread's place."""
    lines = [line for line in code.splitlines() if not re.search(r"\b(blockIdx|threadIdx|blockDim)\b", line)]
    text = re.sub(r"\b(?:half2?|float[24]?|int|void|__nv_bfloat16)\s*\*", "", "\n".join(lines))
    return len(re.findall(r"\*=|[\w)\]]\s*\*\s*[\w(]|\b(?:fma|fmaf|__fmaf_rn|__fmul_rn|__hfma|__hmul|__hfma2|__hmul2)\(", text))


def names_of(code):
    """Of functions and structs that it defines."""
    return {one[0] for one in functions_of(code)} | set(re.findall(r"\bstruct (\w+) *\{", code))


def main_of(code):
    """The words of a program's main()."""
    found = re.search(r"\bint main\([^)]*\)\s*\{", code)
    return body_of(code, found.end()).split() if found else None


# -------------------------------------------------------------------------------------------------
# The verdict


class Saved(Exception):
    """The file is another one than the verdict began with."""


class Facts:
    """All that is known of a version of the file."""

    def __init__(self, source, claims, frame=""):
        self.source, self.claims, self.right, self.frame = source, claims, False, frame
        self.accuracy, self.traced, self.says_right, self.launches = None, {}, None, 0
        self.rung = None  # as the trace wrote it

    @property
    def code(self):
        """What the reader wrote: of a program, the lines that its frame does not have."""
        given = {line.strip() for line in self.frame.splitlines()}
        return "\n".join(line for line in self.source.code.splitlines() if line.strip() not in given)

    def meets(self, name, goal):
        """(whether it meets a goal, what there is instead)."""
        yours = self.traced.get("yours")
        if name == "max_ulp":
            return self.claimed_ulp is not None and self.claimed_ulp <= goal, f" (you claim {self.claimed_ulp:g})" \
                if self.claimed_ulp is not None else ""
        if name == "per_thread":
            return self.claims[0] == goal, f" (now {self.claims[0]})"
        if name in ("with", "without"):
            found = [words for words in goal if any(has_word(self.code, word) for word in words.split("|"))]
            return (len(found) == len(goal) if name == "with" else not found), ""
        if name == "products":
            count = products(self.code)
            return count <= goal, f" (now {count})"
        if name == "program":
            if main_of(self.source.code) != main_of(without_comments(self.frame)):
                return False, ": its main(), which checks, is not the one that --start writes"
            missing = names_of(without_comments(self.frame)) - names_of(self.source.code)
            if missing:
                return False, f": there is no {' and no '.join(sorted(missing))}"
        if name in ("program", "answers"):
            return self.says_right is True, ""
        if name == "launches":
            return self.launches == goal, f" (now {self.launches})"
        if yours is None:
            return False, " (not counted)"
        if name in ("load_bytes", "store_bytes"):
            widths = yours.widths(name.partition("_")[0])
            return widths == (goal if isinstance(goal, list) else [goal]), f" (now {' and '.join(map(str, widths)) or 'none'})"
        if name == "atomics_a_warp":
            return 0 < yours.atomics <= goal * yours.warps, f" (now {yours.atomics:,} in {front.plural(yours.warps, 'warp')})"
        if name == "moves":
            moved = [yours.moved(kind) for kind in ("load", "store")]
            return all(is_ <= most for is_, most in zip(moved, goal)), f" (now {moved[0]:,} and {moved[1]:,})"
        other = self.traced.get(goal)
        if other is None:
            return False, " (not counted)"
        if name == "blocks_as":
            return yours.blocks <= other.blocks, f" (now {yours.blocks:,}, there {other.blocks:,})"
        more = [kind for kind in ("load", "store") if yours.requests(kind) > other.requests(kind) + 0.01]
        return not more, " (" + ", ".join(f"{kind}s: now {yours.requests(kind):.3g}, there {other.requests(kind):.3g}"
                                          for kind in more) + ")"

    def twice(self, may):
        """What of its work is done twice, a phrase; "" if nothing is, or it was not counted. may: arrays for which that is right."""
        return self.traced["yours"].twice(may) if "yours" in self.traced else ""

    @property
    def claimed_ulp(self):
        if self.accuracy and self.accuracy.get("bound") is not None:
            return self.accuracy["bound"]
        return self.claims[2]


class Verdict:
    """Judges the file of one chapter, and prints as it goes."""

    def __init__(self, folder, backend, target=None, said=None):
        self.folder, self.backend, self.target = Path(folder), backend, target
        self.said = {} if said is None else said  # the same for programs
        self.said["chapter"] = self.folder.name
        self.chapter = exercises.Chapter(folder)
        self.name = runs.ladder_of_chapter(folder)
        self.watching = trace.small_program(folder)  # counts and judges accesses; always on the CPU, and with g++
        self.path = self.chapter.file
        self.launcher = self.folder / "launchers" / f"{self.path.stem}.cu"
        self.here, self.built, self.could_build = front.here(self.path), False, True
        self.stopped = ""  # why the executor ended the kernel: told once, first
        self.endless = False  # it has a loop without an end
        self.explained = False  # the checks have been told, before what the test says
        self.checks = self.front_end = None

    # ---- The programs ----

    def build_first(self):
        """The test; and the other with it, if it is there and only the reader's file has to be compiled."""
        test, rest = f"{self.folder.name}_test", []
        if self.backend == "cpu" and front.program("cpu", self.watching).exists():
            rest = [self.watching]
        try:
            front.build(self.backend, test, *rest, known=True)
            self.built = bool(rest)
        except front.BuildFailed:
            found = tell_build(self.backend, [self.folder])
            if found or not rest:
                raise
            front.build(self.backend, test, known=True)
        tell_warnings(self.backend, self.path.name)

    def build_rest(self):
        if self.built:
            return
        if not front.program("cpu", self.watching).exists():
            front.say(f"build: {self.watching}, once")
        self.could_build, self.built = build_seen(self.watching, errors=True), True
        if not self.source.is_on_disk:
            raise Saved
        self.begin_checks()

    def begin_checks(self):
        if self.could_build:
            self.checks = Checked(front.program("cpu", self.watching), "check", "yours")

    def build_beside(self, backend, name, errors):
        """A rung beside the reader's: built once, and again when a source other than the reader's has changed."""
        program = front.program(backend, name)
        sources = [path for path in self.folder.rglob("*.*") if path.suffix in (".cu", ".cuh", ".h") and path != self.path]
        sources.append(trace.named_source(self.folder))
        if not program.exists():
            front.say(f"build: {name}, once")
        elif program.stat().st_mtime > max(path.stat().st_mtime for path in sources):
            return
        front.build(backend, name, known=True, quiet=True, errors=errors)

    def run(self):
        """True if the rung is right."""
        while True:  # until the programs are of the text that is there
            self.source = Source(self.path)
            claims = claims_of(self.source)
            wrong = impossible(claims)
            if wrong:
                raise runs.ToolError(f"{self.here}: {wrong}")
            self.build_first()
            if self.source.is_on_disk:
                break
        try:
            return self.judge(Facts(self.source, claims))
        finally:
            for one in (self.front_end, self.checks and self.checks.running):
                if one:
                    one.stop()

    def judge(self, facts):
        compiler = nvcc()
        self.front_end = FrontEnd(compiler, [self.launcher]) if compiler and self.launcher.exists() else None
        if self.built:
            self.begin_checks()
        tested = self.test()
        if tested is None:
            return True
        failures = [failure for one in tested.values() for failure in one.failures]
        facts.right = not any(one.code for one in tested.values())
        self.endless = any(one.endless for one in tested.values())
        facts.accuracy = next((one for order in tested.values() for one in order.accuracy if "your" in one["rung"]), None)
        if facts.right:
            self.tell_right()
        else:
            self.tell_wrong(tested, failures, facts)
        tell_printed(next((one.printed for one in tested.values()), []))
        self.tell_error(facts, failures)
        self.build_rest()
        if not self.explained:
            self.tell_checks()
        facts.right = facts.right and not self.flaws
        if not self.stopped and not self.endless and not any(one.crashed for one in tested.values()):
            self.tell_accesses(facts)
        self.tell_exercises(facts)
        if facts.right and facts.rung:
            self.said["speed"] = tell_speed(self.front_end, functools.partial(speed.of_rung, traced=facts.rung, home=self.path.name),
                                            self.target)
            self.tell_timed(facts.rung["rung"])
        self.said.update(
            file=self.here, right=facts.right, starter=not self.chapter.edited,
            failures=runs.unique(map(reasons.reason_of, failures)), checks=list(self.flaws),
            error=facts.accuracy and {key: facts.accuracy.get(key) for key in ("max_ulp", "bound", "at")},
            accesses=facts.traced["yours"].json() if "yours" in facts.traced else None)
        if not self.source.is_on_disk:
            front.say(f"\n{self.here} has been saved since: this is the verdict of the text before.")
        return facts.right

    # ---- Is it right? ----

    def test(self):
        """{order: Tested}; None if there is no GPU to run it."""
        program = front.program(self.backend, f"{self.folder.name}_test")
        orders = [""] if self.backend == "cuda" else ["forward", "reverse"]
        found = {}
        for order in orders:
            try:
                found[order] = Tested(program, order, PATIENCE if self.checks else SECONDS,
                                      lambda: self.checks is not None and self.checks.is_endless)
            except OSError as error:
                raise runs.ToolError(f"{front.here(program)}: {error.strerror}") from None
            if found[order].code == 4:
                front.say("yours: skipped, there is no GPU")
                return None
            if found[order].endless or found[order].crashed:
                break  # the other order would do the same
        return found

    def tell_right(self):
        if self.flaws:
            words = "gives the right results here, and is not right yet."
        elif not self.chapter.edited:
            words = "is right, and is still the starter: no exercise is begun."
        else:
            words = "is right." if self.built else "gives the right results."  # the checks come when they are built
        front.say(f"\n{self.here} {words}")
        orders = "" if self.backend == "cuda" else ", with the threads of a block in order and in reverse"
        tell("right", f"every size, every pointer, every input that the chapter tries{orders}")

    def tell_wrong(self, tested, failures, facts):
        front.say(f"\n{self.here} is not right yet.")
        self.build_rest()
        if self.flaws and not any(reasons.reason_of(one) == "stopped" for one in failures):
            self.tell_checks()  # the cause: what the test says then is its effect, and needs no advice
            self.explained = True
        seen, first = set(), True
        for order, one in tested.items():
            if one.endless:
                front.say("\n  The kernel does not end: is there a loop whose variable does not move on?")
                return
            if one.crashed:
                tell_crash(one, self.here, not self.explained)
                return
            failures = [failure for failure in one.failures if failure["sentence"] not in seen]
            seen.update(failure["sentence"] for failure in failures)
            if not failures:
                continue
            stopped = [failure for failure in failures if reasons.reason_of(failure) == "stopped"]
            failures = stopped or failures  # what is not written then is so for this reason
            if one.errors.strip() and first:
                said = dict.fromkeys(line.replace(f"{runs.ROOT}/", "") for line in one.errors.splitlines() if line.strip())
                self.stopped = next(iter(said)) if stopped else ""
                front.say("\n" + "\n".join(front.filled(line, "    ") for line in ([self.stopped] if stopped else list(said)[:12])))
            words = {"forward": "in order", "reverse": "in reverse"}.get(order)
            reasons.report(failures, "" if first or not words else f" (With the threads of a block {words}.)", facts.accuracy,
                           not self.explained)
            first = False
            if self.stopped or self.explained:
                break
        front.say()

    # ---- How large is the error? ----

    def tell_error(self, facts, failures):
        one = facts.accuracy
        if one is None or set(reasons.by_reason(failures)) & set(reasons.NOT_COMPUTED):
            return
        x = "a" if re.search(r"\(const (\w+)\* \w+, *const \1\* ", self.source.code) else "x"  # of pairs the first
        if one["max_ulp"] is None:  # the record has no NaN and no infinity; what failed has
            worst = next((failure for failure in failures if failure["kind"] == "error"), {})
            at, expected, got = (number(worst.get(name, one.get(name))) for name in ("at", "expected", "actual"))
            got = "+0" if got == "0" and expected == "-0" else got
            tell("error", f"{got} where {expected} is expected, at {x} = {at}; you claim {number(one['bound'])} ULP")
            return
        ulp, claim = one["max_ulp"], one["bound"]
        text = f"at most {ulp:.4g} ULP, at {x} = {number(one['at'])} (expected {number(one['expected'])}, got " \
               f"{number(one['actual'])}); you claim {claim:g}"
        if one.get("over"):
            text += f". {one['over']:,} of {one['inputs']:,} inputs exceed it, {x} from {number(one['over_from'])} to " \
                    f"{number(one['over_to'])}"
        elif claim > 1.1 * max(ulp, 0.5):
            text += f", more than it needs: {rounded_up(ulp)} would do"
        tell("error", text)

    # ---- What does it ask for? ----

    def tell_accesses(self, facts):
        wanted = [one.goals.get(key) for one in self.chapter.exercises for key in ("requests_as", "blocks_as")]
        beside = runs.unique(name for name in [self.chapter.beside, *wanted] if name)
        if not self.could_build:
            tell("accesses", f"cannot be counted: {self.watching} could not be built")
            return
        try:
            mine = next(one["rung"] for one in trace.names_of(front.program("cpu", self.watching)) if one["kind"] == "yours")
            rungs = trace.count(self.folder, [mine, *beside], build=self.build_beside)
            facts.rung = rungs[0]
        except (runs.ToolError, StopIteration, front.BuildFailed) as failure:
            tell("accesses", f"could not be counted ({failure})")
            return
        facts.traced = {one["rung"]: trace.Traced(one) for one in rungs[1:]}
        facts.traced["yours"] = yours = trace.Traced(rungs[0])
        other = facts.traced.get(self.chapter.beside)
        for kind, label in (("load", "accesses"), ("store", "")):
            text = yours.phrase(kind)
            if other:
                same = (yours.widths(kind), round(yours.requests(kind), 2)) == (other.widths(kind), round(other.requests(kind), 2))
                text += f", as {other.name}" if same else f" ({other.name} has {other.phrase(kind).split(': ')[1]})"
            tell(label, text)
        idle = yours.threads - yours.busy
        if yours.idle_blocks:
            tell("idle", f"{yours.idle_blocks:,} of {yours.blocks:,} blocks touch no memory: does per_thread say how "
                              "many elements a thread takes?")
        elif idle:
            tell("idle", f"{idle:,} of {yours.threads:,} threads touch no memory; no block of the {yours.blocks:,} is idle")
        else:
            tell("idle", f"none: all {yours.blocks:,} blocks and all their threads have work")

    # ---- What does the instrumented executor notice, and what does nvcc? ----

    @functools.cached_property
    def flaws(self):
        """What is found: by the checks, as far as they are built, in the source, by nvcc."""
        found = self.checks.lines[0] if self.checks else []
        return [*found, *unaligned(self.source), *self.refused]

    @functools.cached_property
    def refused(self):
        kernels = re.findall(r"\b(your_\w+_kernel)\b", (content_of(self.launcher) or b"").decode())
        return refused(self.source, set(kernels), None if self.endless else self.front_end)  # its answer can wait

    def tell_checks(self):
        self.__dict__.pop("flaws", None)  # the checks may have come since
        found = self.flaws
        notes, failure = self.checks.lines[1:] if self.checks else ([], "it could not be built")
        if self.stopped:
            found = [one for one in found if one.partition(": ")[2].partition("; n = ")[0] not in self.stopped]
        if found or failure or not self.stopped:
            tell_found(self.watching, found, failure)
        tell_lines("note", notes[:4])

    # ---- What is left? ----

    def tell_exercises(self, facts):
        judged = [one for one in self.chapter.exercises if one.judged and not one.is_program]
        if not judged:
            return
        tell_lines("exercises", [ticked(one, facts) for one in judged])
        self.said["exercises"] = [one.json(facts) for one in judged]
        first_left = next((one for one in judged if not one.done), None)
        if first_left and first_left.hints:
            tell("", f"  {front.command(f'exercises {self.name} {first_left.name} --hint 1')} helps")

    # ---- How fast will it be, and how fast was it? ----

    def tell_timed(self, rung):
        """What a benchmark here has timed of this text."""
        path = front.RESULTS / f"{self.folder.name}.cuda.json"
        if self.backend == "cuda" and path.exists() and path.stat().st_mtime > self.path.stat().st_mtime:
            rows = [row for row in runs.load_run(path).select(rung=rung, regime="cold") if row.copy_pct]
            if rows:
                tell("", f"timed here: {rows[-1].copy_pct:.0f} % of a copy at {rows[-1].shape}")


def tell_speed(compiling, judge, target):
    """The speed to expect, last of all; the same for programs. judge: from machine code and a GPU to a speed.Speed."""
    try:
        if compiling is None or speed.missing(compiling.nvcc):
            raise speed.Unjudged(speed.missing(None))
        found = judge(compiling.machines(), target=target or speed.recorded(runs.shown()["main"]))
    except speed.Unjudged as reason:
        tell("speed", f"{reason}" if "not predicted" in str(reason) else f"not predicted: {reason}")
        return {"unjudged": str(reason)}
    for label, text in found.lines():
        tell(label, text)
    tell("speed", found.sentence())
    return found.json()


def tell(label, text):
    """A line of the verdict."""
    front.say(front.filled(text, f"  {label:<10} ", " " * 13))


def tell_lines(label, lines):
    for i, line in enumerate(lines):
        tell("" if i else label, line)


def tell_printed(lines):
    """What kernels print, as it came."""
    for i, line in enumerate(lines):
        front.say(f"  {'' if i else 'printed':<10} {line}")


def refused(source, kernels, front_end):
    """What nvcc would not take: by itself where it is installed, by a look at the source where not."""
    found = not_for_the_device(source, kernels)
    return [*(one for one in found if "__global__" in one), *front_end.refused(source)] if front_end else found


def tell_found(program, found, failure):
    """What checked() says."""
    lines = [*found[:4], *([f"... and {len(found) - 4} more"] if len(found) > 4 else [])]
    if failure:
        lines.append(f"{program} could not say more: {failure}")
    elif not found:
        lines = ["no access outside an array, no race in shared memory"]
    tell_lines("checks", lines)


def ticked(exercise, facts):
    """An exercise with its tick, which it has from now on if nothing is left. A program is of one exercise: what it lacks is told
    after an earlier tick too."""
    left = exercise.left(facts)
    if not left:
        exercise.keep(facts.source.content)
    text = ("\u2713" if exercise.done else "\u00b7") + f" {exercise.number} {exercise.name}"
    if left and exercise.done:
        text += f" (by an earlier version, kept as {front.here(exercise.kept)})"
        return text + (f"; this version: {'; '.join(left)}" if exercise.is_program else "")
    return text + (f": left: {'; '.join(left)}" if left else "")


def number(value):
    return "NaN or infinity" if value is None else f"{value:.6g}"


def rounded_up(ulp):
    """A claim that the error keeps, with two digits behind the point or three in all."""
    ulp = max(ulp, 0.5)
    step = 0.01 if ulp < 10 else 0.1 if ulp < 100 else 1
    return f"{-(-ulp // step) * step:.10g}"


def tell_crash(tested, source, advise):
    """Prints what a program that crashed wrote to stderr."""
    front.say(front.filled(f"The kernel {tested.ending}, so its results could not be checked.", "\n  ", "  "))
    for line in [line for line in tested.errors.splitlines() if line.strip()][:12]:
        front.say(front.filled(line, "    "))
    if not advise or "of its own" in tested.ending:
        return
    front.say(front.filled(f"Look: is `alignment` in {source} the width of the widest access in bytes (128 bits: 16)? "
                           "Does every thread begin at a multiple of that? Is every index checked before the access?",
                           "    ", "      "))


# -------------------------------------------------------------------------------------------------
# What the compiler says of the reader's file


def tell_build(backend, folders):
    """After a build that failed: which reader's file is to blame, and for what. True if one is."""
    log, blamed = front.build_log(backend), False
    for folder in folders:
        path = front.your_file(folder)
        missing = re.search(r"['\u2018](your_\w+_kernel)['\u2019] was not declared|undeclared identifier '(your_\w+_kernel)'|"
                            r'identifier "(your_\w+_kernel)" is undefined', log)
        if missing and path.exists():
            kernel, code = next(filter(None, missing.groups())), Source(path).code
            has = re.findall(r"__global__\s+void\s+(?:__launch_bounds__\(.*?\)\s+)?(\w+)", code)
            if has and kernel not in code:
                print(f"tutorial: {front.here(path)}: the launcher calls {kernel}, and it has {', '.join(has)}: give the kernel "
                      "its name back", file=sys.stderr)
                blamed = True
                continue
        blamed = tell_compile_error(path, log) or blamed
    return blamed


def tell_compile_error(path, log):
    """The first error in a reader's file; True if there is one."""
    found = re.search(rf"{re.escape(path.name)}:(\d+)(?::\d+)?: error: (.*)", log)
    if found:
        print(f"tutorial: {front.here(path)}: line {found.group(1)} does not compile: {found.group(2)}", file=sys.stderr)
    return bool(found)


def tell_warnings(backend, name):
    for line, text in dict.fromkeys(re.findall(rf"{re.escape(name)}:(\d+)(?::\d+)?: warning: (.*)", front.build_log(backend))):
        front.say(f"warning: {name}, line {line}: {re.sub(r' *.-W.*?]$', '', text)}")


# -------------------------------------------------------------------------------------------------
# The commands


def judge_program(exercise, backend, target=None, said=None):
    """Builds and runs a program that the reader has begun; True if it says that it is right. said: what it says, for programs."""
    name, said = f"{exercise.chapter.folder.name}_{exercise.file.stem}", said if said is not None else {}
    here, source = front.here(exercise.file), Source(exercise.file)
    said.update(chapter=exercise.chapter.folder.name, file=here, right=False)
    if exercise.is_frame(source):
        front.say(f"\n{here} is still the starter: what is missing is marked in it")
        return False
    build_program(exercise, backend, name)
    can_see = build_seen(f"{name}_see")
    if not source.is_on_disk:
        return judge_program(exercise, backend, target, said)
    if exercise.asks:
        return judge_asked(exercise, backend, name, source, said)
    compiler = nvcc()
    front_end = FrontEnd(compiler, [exercise.file]) if compiler else None
    checks = Checked(front.program("cpu", f"answers/{name}_see")) if can_see else None
    running = Running([front.program(backend, f"answers/{name}")], seconds=PATIENCE if checks else SECONDS)
    begun = time.monotonic()  # a program's block may be long, and the checks are slower
    code = running.end(stop_when=lambda: checks is not None and checks.is_endless and time.monotonic() > begun + CHECKED_SECONDS + 1)
    found, notes, failure = checks.lines if checks else ([], [], "it could not be built")
    kernels = set(re.findall(r"(\w+)\s*(?:<[^;()]*>)?\s*<<<|\blaunch\w*\(\s*(\w+)", source.code))
    found = [*found, *unaligned(source), *refused(source, {name for pair in kernels for name in pair if name}, front_end)]
    facts = Facts(source, (None, None, None), exercise.frame)
    facts.right = facts.says_right = code == 0 and not found
    printed, words = running.before_the_last
    words = "\n".join(part for part in (words, running.complained.strip()) if part)
    words = "it did not end: is there a loop without an end?" if running.was_stopped else words
    front.say(f"\n{here}: {words or f'it {running.ending}'}"
              + (" (and is not: the checks found something)" if code == 0 and found else ""))
    tell_printed(printed)
    tell_found(f"{name}_see", found, failure)
    tell_lines("note", notes[:4])
    if code < 0 and not running.was_stopped and not found:
        front.say("  Look: is every index checked before the access, for the last element of a wide access too? Does\n"
                  "  every access of 128 bits begin at a multiple of 16 bytes?")
    launches = counted(name) if facts.right and can_see else []
    if launches:
        facts.traced, facts.launches = {"yours": trace.Traced({"rung": name, **launches[-1], "launches": launches[-1:]})}, len(launches)
        tell_lines("accesses", map(facts.traced["yours"].phrase, ("load", "store")))
    tell_exercise(exercise, facts, found, said)
    if launches or facts.right and not front_end:
        said["speed"] = tell_speed(front_end, functools.partial(speed.of_program, launches=launches, home=exercise.file.name), target)
    return facts.right


def judge_asked(exercise, backend, name, source, said):
    """The same of a program that answers what it reads: under the checks, and on a GPU its time."""
    environment = {**os.environ, "TUTORIAL_CHECK_SECONDS": str(CHECKED_SECONDS)}
    wrong, complained = asked.wrong(exercise.asks, asked.runner([front.program("cpu", f"answers/{name}_see")], environment))
    found, time_ = runs.unique(re.findall(r"(?m)^check: (.*:\d+: .*)$", complained)), ""
    if not wrong and not found and backend == "cuda":
        time_, wrong = asked.time_of(asked.runner([front.program(backend, f"answers/{name}")]))
    facts = Facts(source, (None, None, None))
    facts.right = facts.says_right = not wrong and not found
    words = f"wrong: {wrong}" if wrong else f"right: the {exercise.asks} of every input" + (f"; {time_}" if time_ else "")
    front.say(front.filled(words, f"\n{front.here(exercise.file)}: "))
    tell_found(f"{name}_see", found, None)
    tell_exercise(exercise, facts, found, said)
    return facts.right


def tell_exercise(exercise, facts, checks, said):
    """What of it is done, to the reader and to programs."""
    tell("exercise", ticked(exercise, facts))
    said.update(right=facts.right, checks=checks, exercises=[exercise.json(facts)],
                accesses=facts.traced["yours"].json() if facts.traced else None)


def build_program(exercise, backend, target):
    """The program, and with it the one that is checked if that is there: then both are compiled at the same time."""
    beside, targets = f"{target}_see", front.program(backend, "CMakeFiles/TargetDirectories.txt")
    rest = [beside] if backend == "cpu" and front.program("cpu", f"answers/{beside}").exists() else []
    try:  # CMake may have been configured without the file
        front.build(backend, target, *rest, known=targets.exists() and f"/{target}.dir" in targets.read_text(encoding="utf-8"))
    except front.BuildFailed:
        tell_compile_error(exercise.file, front.build_log(backend))
        raise
    tell_warnings(backend, exercise.file.name)


def build_seen(name, errors=False):
    """The same program, whose accesses are seen; always on the CPU, and with g++. Whether it could be built."""
    try:
        front.build("cpu", name, known=True, quiet=True, errors=errors)
    except front.BuildFailed:
        return False
    return True


def counted(target):
    """The program's launches as the trace writes them, on the CPU; none where that cannot be counted."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "counts.json"
        try:
            Running([front.program("cpu", f"answers/{target}_see")],
                    environment={"TUTORIAL_SEE": "trace", "TUTORIAL_COUNTS": str(path)}).end()
            return runs.load_json(path)["launches"]
        except (OSError, runs.ToolError):
            return []


def judge_rung(folder, backend, target=None, said=None):
    while True:
        try:
            return Verdict(folder, backend, target, said).run()
        except Saved:
            front.say(f"\n{front.here(front.your_file(folder))} was saved meanwhile, and is judged again:")


def judge(folder, backend, target=None, said=None):
    """All that the reader has written in a chapter; True if it is right. What does not compile hides no other verdict.
    said: a list of verdicts for programs, which grows."""
    chapter = exercises.Chapter(folder)
    judges = [(judge_program, exercise, {}) for exercise in chapter.programs()]
    if chapter.edited or not judges:
        judges.append((judge_rung, folder, {}))
    if said is not None:
        said += [mine for *_, mine in judges]
    right, failure = True, None
    for judge_it, what, mine in sorted(judges, key=lambda one: one[0] is judge_program):  # the rung first
        try:
            right = judge_it(what, backend, target, mine) and right
        except front.BuildFailed as failed:
            failure = failure or failed
    if not chapter.edited and chapter.programs() and all(one.is_frame(Source(one.file)) for one in chapter.programs()):
        front.say(f"{front.here(chapter.file)} is the starter too")
    if failure:
        raise failure
    return right


def judge_all(folders, arguments):
    target = speed.target(arguments, runs.shown()["main"]) if arguments.gpu or arguments.sms else None
    if not folders:
        folders = [one.folder for one in exercises.all_chapters() if one.edited or one.programs()]
        if not folders:
            front.say("No your_*.cuh has been edited yet.")
            exercises.tell_next(next((one.next for one in exercises.all_chapters() if one.next), None))
            return 0
    backend, said = front.choose_backend(arguments.backend, "test"), []
    try:
        verdicts = [judge(folder, backend, target, said) for folder in folders]
    finally:
        if arguments.json:
            runs.write_json(arguments.json, {"verdicts": said})
    return 0 if all(verdicts) else 1


def watch(folder, wanted):
    """Judges at each save, until Ctrl-C."""
    backend, last = front.choose_backend(wanted, "test"), None
    try:
        while True:
            chapter = exercises.Chapter(folder)
            now = {path: content_of(path) for path in (chapter.file, *(one.file for one in chapter.programs()))}
            if now != last and now[chapter.file] is not None:  # an editor may be replacing it
                last = now
                front.say(f"\n---- {time.strftime('%H:%M:%S')} " + "-" * 60)
                try:
                    judge(folder, backend)
                except runs.ToolError as error:
                    print(f"tutorial: {error}", file=sys.stderr)
                except front.BuildFailed:
                    pass
                front.say(f"\nwatching {front.here(chapter.file)}: save it to be judged again, Ctrl-C ends this")
            time.sleep(0.3)
    except KeyboardInterrupt:
        front.say()
    return 0
