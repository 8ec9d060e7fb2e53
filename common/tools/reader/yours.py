"""./tutorial test CHAPTER --yours: judges a reader's rung, and says in a few lines what is wrong with it.

The verdict has a line for each question: is it right, how large is the error beside the claim, what
does it ask of memory, does anything idle, what of the exercises is done. Three programs answer:
01_elu_test tries hundreds of sizes, pointers and inputs; 01_elu_see_your_elu judges every access, and
counts them. A rung with one mistake fails many trials for one reason, so the test's
messages are sorted by reason.
"""

import functools
import math
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import exercises
import front
import runs
import trace

CASES = "*your rung*"
SECONDS = 10  # of the CPU: a test that takes more has a loop without an end; those of the chapters take 1 or 2
LONGEST = 300  # seconds by the clock, on a machine that is busy with other things
WIDTH = 100

# What the test says; in the reader's words; where to look.
REASONS = (
    (r"was not written", "Some elements are never written, or computed from memory that nobody wrote.",
     "Does the kernel handle the tail, when n is not a multiple of per_thread? Does each thread begin "
     "where the previous one ends, at (block * threads + thread) * per_thread?"),
    (r"byte \d+ is 255, expected", "Some answers are never written, or are neither 0 nor 1.",
     "The output starts as 255, and a mask of ones is 255 too. Does the kernel handle the tail? Is each "
     "mask reduced to its lowest bit?"),
    (r"byte \d+ is \d+, expected", "Some answers are wrong.",
     "Are they in the order of their elements? Does a comparison with NaN give 0?"),
    (r"output was (written (past|before)|damaged)|writes .*(past|before)",
     "The kernel writes outside its output.",
     "Does the check cover the last element of an access, or of a tile, as well as the first?"),
    (r"input( \w)? was written", "The kernel writes to its input, or past its output into the input.",
     "Which pointer does it store to, and with which index?"),
    (r"answers cudaErrorMisalignedAddress, expected cudaSuccess",
     "The launcher refuses pointers that it should accept.",
     "`alignment` must be the number of bytes of the widest access, no more."),
    (r"answers cudaErrorInvalidConfiguration", "The launch configuration is invalid.",
     "Is per_thread above 0?"),
    (r"answers cudaErrorLaunchFailure", "The executor stopped the kernel.",
     "Its report above says which threads wait where, or which lane a shuffle reads."),
    (r"misaligned|cudaErrorMisalignedAddress", "The kernel accesses a misaligned address.",
     "Is `alignment` the width of the widest access in bytes? 128 bits need 16."),
    (r"expected -?nan", "The result is not NaN where NaN is expected.",
     "Does fmaxf, fminf or a comparison replace the NaN? max_nan and min_nan keep it, in half __hmax_nan and __hmin_nan."),
    (r"(?i)nan.*expected|= -?nan|got -?nan", "The result is NaN where a number is expected.",
     "Which step produces it: infinity minus infinity, 0 times infinity, infinity over infinity?"),
    (r"= -?inf|got -?inf", "The result is infinity where a number is expected.",
     "Which step overflows its type?"),
    (r"expected .*(ULP\)|inputs|pairs|pixels\))", "Some values are wrong.", ""),
    (r"", "The test failed.", ""),
)
VALUES = len(REASONS) - 2  # "Some values are wrong": the advice depends on how wrong


# -------------------------------------------------------------------------------------------------
# The claims


CLAIMS = re.compile(r"RungClaims\s+(\w+)\s*\{([^{}]*)\}")


def claims_of(path):
    """(per_thread, alignment, max_ulp) as the file claims them; None for what is no plain number."""
    found = CLAIMS.search(exercises.code_of(path))
    words = [word.strip() for word in found.group(2).split(",")] if found else []
    values = []
    for word in (words + ["", "", ""])[:3]:
        size = re.fullmatch(r"(?:alignof|sizeof)\((\w+)\)", word)
        number = {"half": 2, "float": 4, "Byte": 1}.get(size.group(1)) if size else None
        try:
            number = float(word.rstrip("fF")) if word and not size else number
        except ValueError:
            number = None
        values.append(int(number) if number is not None and number == int(number) and len(values) < 2 else number)
    return tuple(values)


def impossible(claims):
    """Why no kernel can keep these claims, in a sentence; None if one can."""
    per_thread, alignment, max_ulp = claims
    if per_thread is not None and (per_thread < 1 or per_thread != int(per_thread)):
        return f"per_thread is {per_thread}: a thread takes at least 1 element"
    if alignment is not None and alignment not in (1, 2, 4, 8, 16):
        return f"alignment is {alignment}: the accesses here are 1, 2, 4, 8 or 16 bytes wide, and none needs another"
    if max_ulp is not None and not 0 <= max_ulp:
        return f"max_ulp is {max_ulp:g}: an error is never below 0; a value that is rounded once is off by up to 0.5"
    return None


# -------------------------------------------------------------------------------------------------
# What the programs say


class Tested:
    """What the chapter's test says of the rung, with the threads of a block in one order."""

    def __init__(self, program, order):
        environment = {**os.environ, **({"TUTORIAL_CPU_ORDER": order} if order else {})}
        self.endless, self.accuracy = False, []
        with tempfile.TemporaryDirectory() as folder:
            environment["TUTORIAL_RECORD_DIR"] = folder
            try:
                done = subprocess.run([str(program), CASES, "-r", "xml"], env=environment, text=True, errors="replace",
                                      capture_output=True, check=False, timeout=LONGEST, preexec_fn=limit)
                self.endless = done.returncode == -signal.SIGXCPU
            except subprocess.TimeoutExpired:
                self.endless = True
            if self.endless:
                self.code, self.lines, self.errors, self.crashed = 1, [], "", False
                return
            for path in sorted(Path(folder).glob("accuracy.*.json")):
                self.accuracy += runs.load_json(path)["accuracy"]
        self.code, self.errors = done.returncode, done.stderr
        self.lines, cases = complaints(done.stdout)
        self.crashed = done.returncode < 0 or done.returncode > 0 and not (self.lines or cases)


def limit():
    """In the child: so much of the CPU and no more."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))


def complaints(text):
    """Every line that the failed assertions carry, once; and the number of cases that ran."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return [], 0
    found = []
    for case in root.iter("TestCase"):
        for parent in case.iter():
            infos = []
            for child in parent:
                if child.tag in ("Info", "Failure", "Exception", "FatalErrorCondition"):
                    infos.append((child.text or "").strip())
                elif child.tag == "Expression":
                    if child.get("success") == "false":
                        found += infos or [expression_of(child)]
                    infos = []
            if infos and parent.tag not in ("Expression",):
                found += infos
    lines = [" ".join(part.split()) for info in found for part in sentences(info)]
    return list(dict.fromkeys(line for line in lines if line)), len(list(root.iter("TestCase")))


def expression_of(element):
    return " ".join((element.findtext(tag) or "").strip() for tag in ("Original", "Expanded"))


def sentences(info):
    """A list of broken promises as its lines, without the line that announces it."""
    lines = [line for line in info.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].rstrip().endswith(":"):
        return lines[1:]
    return lines


#: How many bytes each takes at once, and those of an element of an array that it may be given.
WIDE = {"LDST128BITS": 16, "FLOAT4": 16, "INT4": 16, "LDST64BITS": 8, "FLOAT2": 8, "INT2": 8, "LDST32BITS": 4, "HALF2": 4,
        "BFLOAT162": 4}
ELEMENTS = {"half": 2, "__nv_bfloat16": 2, "float": 4, "half2": 4, "float2": 8, "int": 4, "unsigned": 4, "Byte": 1,
            "std::uint8_t": 1, "std::uint32_t": 4, "std::int64_t": 8}


def unaligned(path):
    """A sentence for each array of the kernels' own that is accessed wider than its declaration aligns it. The executor
    cannot notice: g++ aligns every array of 16 bytes to 16."""
    declared, found = {}, {}
    for number_, line in enumerate(runs.read_text(path).splitlines(), 1):
        line = line.partition("//")[0]
        kind = re.match(r"\s*(?:(?:__shared__|const) +|(?:alignas|__align__)\((\d+)\) +)*([\w:]+) +\w+ *\[", line)
        if kind and kind[2] in ELEMENTS:
            align = int(kind[1] or ELEMENTS[kind[2]])
            declared.update({name: (number_, align) for name in re.findall(r"(\w+) *\[", line)})
        for word, name in re.findall(rf"\b({'|'.join(WIDE)})\(\s*(\w+) *\[", line):
            where, align = declared.get(name, (0, 16))
            if align < WIDE[word]:
                found[name, where] = found.get((name, where)) or (
                    f"{front.here(path)}:{number_}: {word} needs a multiple of {WIDE[word]} bytes, and line {where} aligns "
                    f"{name} to {align}: write alignas({WIDE[word]}) before it")
    return list(found.values())


def checked(program, *arguments, endless=False):
    """(sentences, why it did not end as it should or None): what the instrumented executor noticed. endless: that there
    is a loop without an end is known, and is not waited for as long again."""
    environment = {**os.environ, **({"TUTORIAL_CHECK_SECONDS": "3"} if endless else {})}
    try:
        done = subprocess.run([str(program), *arguments], capture_output=True, text=True, errors="replace", check=False,
                              timeout=LONGEST, env=environment)
    except OSError as error:
        return [], error.strerror
    except subprocess.TimeoutExpired:
        return [], f"it did not end within {LONGEST} seconds"
    said = done.stdout + done.stderr
    clean = done.returncode == 0 or "Nothing was found in" in said  # a program's exit code may be its own
    found = [line[len("check: "):] for line in said.splitlines() if re.match(r"check: .*:\d+: ", line)]
    known = found and done.returncode in (1, 3) or not found and clean
    return runs.unique(found), None if known else f"it {ending(done.returncode)}"


def ending(code):
    """"crashed (bus error)", "ended with exit code 3": what became of a program, in words."""
    if code == -signal.SIGXCPU:
        return f"did not end within {SECONDS} seconds of the CPU: is there a loop without an end?"
    return f"crashed ({signal.strsignal(-code).lower()})" if code < 0 else f"ended with exit code {code}"


class Traced:
    """What one launch of a rung asks for."""

    def __init__(self, rung):
        self.name, launches = rung["rung"], rung["launches"]
        self.blocks = sum(math.prod(one["grid"]) for one in launches)
        self.threads = sum(math.prod(one["grid"]) * math.prod(one["block"]) for one in launches)
        self.idle_blocks = self.blocks - sum(one["busy_blocks"] for one in launches)
        self.busy = sum(one["busy_threads"] for one in launches)
        self.kinds = {kind: trace.summed_totals(rung, kind, "global") for kind in ("load", "store")}
        self.shared = any(trace.summed_totals(rung, kind, "shared") for kind in ("load", "store", "atomic"))

    def widths(self, kind):
        return self.kinds[kind]["widths"] if self.kinds[kind] else []

    def requests(self, kind):
        """Of a warp that does anything."""
        warps = -(-self.busy // 32)
        return self.kinds[kind]["requests"] / warps if self.kinds[kind] and warps else 0

    def moved(self, kind):
        """Bytes, in whole sectors."""
        return self.kinds[kind]["sectors"] * trace.SECTOR if self.kinds[kind] else 0

    def phrase(self, kind):
        """"loads: 16 bytes a lane, 1 request a warp"."""
        if not self.kinds[kind]:
            return f"{kind}s: none"
        total = self.kinds[kind]
        used = 100 * total["used"] / (total["sectors"] * trace.SECTOR) if total["sectors"] else 100
        waste = f", {used:.3g} % of what a request moves is used" if used < 95 else ""
        count = f"{self.requests(kind):.3g}"
        unit = "byte" if self.widths(kind) == [1] else "bytes"
        return f"{kind}s: {' and '.join(map(str, self.widths(kind)))} {unit} a lane, {count} " \
               f"{'request' if count == '1' else 'requests'} a warp{waste}"


# -------------------------------------------------------------------------------------------------
# The verdict


class Facts:
    """All that is known of a version of the file."""

    def __init__(self, path, claims):
        self.path, self.claims, self.right = path, claims, False
        self.accuracy, self.traced, self.says_right = None, {}, None

    def meets(self, name, goal):
        """(whether it meets a goal, what there is instead)."""
        yours = self.traced.get("yours")
        if name == "max_ulp":
            return self.claimed_ulp is not None and self.claimed_ulp <= goal, f" (you claim {self.claimed_ulp:g})" \
                if self.claimed_ulp is not None else ""
        if name == "per_thread":
            return self.claims[0] == goal, f" (now {self.claims[0]})"
        if name in ("with", "without"):
            code = exercises.code_of(self.path)
            found = [word for word in goal if re.search(rf"(?<!\w){re.escape(word)}" + ("" if word.endswith("(") else r"(?!\w)"), code)]
            return (len(found) == len(goal) if name == "with" else not found), ""
        if name == "program":
            return self.says_right is True, ""
        if yours is None:
            return False, " (not counted)"
        if name in ("load_bytes", "store_bytes"):
            widths = yours.widths(name.partition("_")[0])
            return widths == (goal if isinstance(goal, list) else [goal]), f" (now {' and '.join(map(str, widths)) or 'none'})"
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

    @property
    def claimed_ulp(self):
        if self.accuracy and self.accuracy.get("bound") is not None:
            return self.accuracy["bound"]
        return self.claims[2]


class Verdict:
    """Judges the file of one chapter, and prints as it goes."""

    def __init__(self, folder, backend):
        self.folder, self.backend = Path(folder), backend
        self.chapter = exercises.Chapter(folder)
        self.name = runs.ladder_of_chapter(folder)
        self.path = self.chapter.file
        self.source, self.built, self.missing = front.here(self.path), False, set()
        self.stopped = ""  # why the executor ended the kernel: told once, first
        self.endless = False  # it has a loop without an end
        self.explained = False  # the checks have been told, before what the test says

    # ---- The programs ----

    @property
    def watching(self):
        """The program that counts and judges accesses; always on the CPU, and with g++."""
        return trace.small_program(self.folder)

    def build_first(self):
        """The test; and the others with it, if they are there and only the reader's file has to be compiled."""
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
        for name in [] if self.built else [self.watching]:
            try:
                if not front.program("cpu", name).exists():
                    front.say(f"build: {name}, once")
                front.build("cpu", name, known=True, quiet=True)
            except front.BuildFailed:
                self.missing.add(name)
        self.built = True

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
        claims = claims_of(self.path)
        wrong = impossible(claims)
        if wrong:
            raise runs.ToolError(f"{self.source}: {wrong}")
        facts = Facts(self.path, claims)
        self.build_first()
        tested = self.test()
        if tested is None:
            return True
        facts.right = not any(one.code for one in tested.values())
        self.endless = any(one.endless for one in tested.values())
        facts.accuracy = next((one for order in tested.values() for one in order.accuracy if "your" in one["rung"]), None)
        if facts.right:
            self.tell_right()
        else:
            self.tell_wrong(tested, facts)
        self.tell_error(facts, "\n".join(line for one in tested.values() for line in one.lines))
        self.build_rest()
        if not self.explained:
            self.tell_checks()
        facts.right = facts.right and not self.flaws
        if not self.stopped and not self.endless and not any(one.crashed for one in tested.values()):
            self.tell_accesses(facts)
        self.tell_exercises(facts)
        return facts.right

    # ---- Is it right? ----

    def test(self):
        """{order: Tested}; None if there is no GPU to run it."""
        program = front.program(self.backend, f"{self.folder.name}_test")
        orders = [""] if self.backend == "cuda" else ["forward", "reverse"]
        found = {}
        for order in orders:
            try:
                found[order] = Tested(program, order)
            except OSError as error:
                raise runs.ToolError(f"{front.here(program)}: {error.strerror}") from None
            if found[order].code == 4:
                front.say("yours: skipped, there is no GPU")
                return None
            if found[order].endless or found[order].crashed:
                break  # the other order would do the same
        return found

    def tell_right(self):
        if self.built and self.flaws:
            words = "gives the right results here, and is not right yet: the checks found something."
        elif not self.chapter.edited:
            words = "is right, and is still the starter: no exercise is begun."
        else:
            words = "is right." if self.built else "gives the right results."  # the checks come when they are built
        front.say(f"\n{self.source} {words}")
        orders = "" if self.backend == "cuda" else ", with the threads of a block in order and in reverse"
        tell("right", f"every size, every pointer, every input that the chapter tries{orders}")

    def tell_wrong(self, tested, facts):
        front.say(f"\n{self.source} is not right yet.")
        self.build_rest()
        if self.found[0] and not any("cudaErrorLaunchFailure" in line for one in tested.values() for line in one.lines):
            self.tell_checks()  # the cause: what the test says then is its effect, and needs no advice
            self.explained = True
        seen, first = set(), True
        for order, one in tested.items():
            if one.endless:
                front.say(f"\n  The kernel did not end within {SECONDS} seconds of the CPU: is there a loop whose variable does "
                          "not move on?")
                return
            if one.crashed:
                tell_crash(one, self.source, not self.explained)
                return
            lines = [line for line in one.lines if line not in seen]
            seen.update(lines)
            if not lines:
                continue
            stopped = [line for line in lines if "cudaErrorLaunchFailure" in line]
            lines = stopped or lines  # what is not written then is so for this reason
            if one.errors.strip() and first:
                said = dict.fromkeys(line.replace(f"{runs.ROOT}/", "") for line in one.errors.splitlines() if line.strip())
                self.stopped = next(iter(said)) if stopped else ""
                front.say("\n" + "\n".join(f"    {line}" for line in ([self.stopped] if stopped else list(said)[:12])))
            words = {"forward": "in order", "reverse": "in reverse"}.get(order)
            report(lines, "" if first or not words else f" (With the threads of a block {words}.)", facts.accuracy,
                   not self.explained)
            first = False
            if self.stopped or self.explained:
                break
        front.say()

    # ---- How large is the error? ----

    @functools.cached_property
    def operand(self):
        """What the record of the errors names an input by: of pairs the first."""
        return "a" if re.search(r"\(const (\w+)\* \w+, *const \1\* ", exercises.code_of(self.path)) else "x"

    def tell_error(self, facts, lines):
        one = facts.accuracy
        if one is None:
            return
        at = f"{self.operand} = {number(one['at'])}"
        if one["max_ulp"] is None:  # the record has no NaN and no infinity; the test's own line has
            found = re.search(r"is off by inf ULP at (.+?): expected (\S+), got (\S+)", lines)
            at, expected, got = found.groups() if found else (at, number(one["expected"]), "NaN or infinity")
            tell("error", f"{got} where {expected} is expected, at {at}; you claim {number(one['bound'])} ULP")
            return
        ulp, claim = one["max_ulp"], one["bound"]
        text = f"at most {ulp:.4g} ULP, at {at} (expected {number(one['expected'])}, got {number(one['actual'])}); " \
               f"you claim {claim:g}"
        if one.get("over"):
            text += f". {one['over']:,} of {one['inputs']:,} inputs exceed it, {self.operand} from {number(one['over_from'])} to " \
                    f"{number(one['over_to'])}"
        elif claim > 1.1 * max(ulp, 0.5):
            text += f", more than it needs: {rounded_up(ulp)} would do"
        tell("error", text)

    # ---- What does it ask for? ----

    def tell_accesses(self, facts):
        wanted = [one.goals.get(key) for one in self.chapter.exercises for key in ("requests_as", "blocks_as")]
        beside = runs.unique(name for name in [self.chapter.beside, *wanted] if name)
        program = trace.small_program(self.folder)
        if program in self.missing:
            tell("accesses", f"cannot be counted: {program} could not be built")
            return
        try:
            mine = next(one["rung"] for one in trace.names_of(front.program("cpu", program)) if one["kind"] == "yours")
            rungs = trace.count(self.folder, [mine, *beside], build=self.build_beside)
        except (runs.ToolError, StopIteration, front.BuildFailed) as failure:
            tell("accesses", f"could not be counted ({failure})")
            return
        facts.traced = {one["rung"]: Traced(one) for one in rungs[1:]}
        facts.traced["yours"] = yours = Traced(rungs[0])
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

    # ---- What does the instrumented executor notice? ----

    @functools.cached_property
    def found(self):
        """What checked() says."""
        if self.watching in self.missing:
            return [], "it could not be built"
        return checked(front.program("cpu", self.watching), "check", "yours", endless=self.endless)

    @property
    def flaws(self):
        """What is found, and what the executor cannot notice."""
        return [*self.found[0], *unaligned(self.path)]

    def tell_checks(self):
        found, failure = self.flaws, self.found[1]
        if self.stopped:
            found = [one for one in found if one.partition(": ")[2].partition("; n = ")[0] not in self.stopped]
        if found or failure or not self.stopped:
            tell_found(self.watching, found, failure)

    # ---- What is left? ----

    def tell_exercises(self, facts):
        judged = [one for one in self.chapter.exercises if one.judged and not one.is_program]
        if not judged:
            return
        label, first_left = "exercises", None
        for one in judged:
            left = one.left(facts)
            if not left:
                one.keep()
            if left and not one.done:
                first_left = first_left or one
            tell(label, ticked(one, left))
            label = ""
        if first_left and first_left.hints:
            tell("", f"  {front.command(f'exercises {self.name} {first_left.name} --hint 1')} helps")


def tell(label, text):
    """A line of the verdict."""
    front.say(textwrap.fill(text, WIDTH, initial_indent=f"  {label:<10} ", subsequent_indent=" " * 13))


def tell_found(program, found, failure):
    """What checked() says."""
    lines = [*found[:4], *([f"... and {len(found) - 4} more"] if len(found) > 4 else [])]
    if failure:
        lines.append(f"{program} could not say more: {failure}")
    elif not found:
        lines = ["no access outside an array, no race in shared memory"]
    for number_, sentence in enumerate(lines):
        tell("" if number_ else "checks", sentence)


def ticked(exercise, left):
    """An exercise with its tick. A program is of one exercise: what it lacks is told after an earlier tick too."""
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


def reason_of(line):
    return next(number_ for number_, reason in enumerate(REASONS) if re.search(reason[0], line))


def worst_first(line):
    """The largest error in front; lines that name none stay in their order."""
    ulp = re.search(r"\(?([\d.e+]+|inf) ULP", line)
    return -float(ulp.group(1)) if ulp else 0.0


def element_of(line):
    """Which element, at which input, an example is about."""
    index, inputs = re.search(r"y\[(\d+)\]", line), re.search(r"for (.+?) \(", line)
    return (index.group(1) if index else "", inputs.group(1) if inputs else line if not index else "")


def examples(lines):
    """At most two, about two different elements."""
    chosen = []
    for line in lines:
        if all(element_of(line)[0] != element_of(one)[0] or not element_of(line)[0] for one in chosen):
            chosen.append(line)
    return chosen[:2]


def report(lines, where, accuracy, advise):
    """Prints what is wrong, a reason at a time, and where to look."""
    by_reason = {}
    known = [line for line in lines if reason_of(line) < len(REASONS) - 1]
    lines = known or lines  # the other lines only name the place
    if any(reason_of(line) == 0 for line in lines):
        # In place, an element that is not written holds the input, which looks like a wrong value.
        lines = [line for line in lines if "in place" not in line]
        lines = [line for line in lines if reason_of(line) != VALUES or "is off by" not in line]
    for line in lines:
        by_reason.setdefault(reason_of(line), []).append(line)
    for number_ in sorted(by_reason):
        _, reason, advice = REASONS[number_]
        same = sorted(by_reason[number_], key=worst_first)
        front.say(f"\n  {reason}{where}")
        shown = examples(same)
        for line in shown:
            front.say(f"    {line}")
        if len(same) > len(shown):
            front.say(f"    ... and {len(same) - len(shown)} more of this kind")
        if number_ == VALUES:
            advice = how_wrong(accuracy)
        if advice and advise:
            front.say(textwrap.fill(f"Look: {advice}", WIDTH, initial_indent="    ", subsequent_indent="      "))


def how_wrong(accuracy):
    """What the size and the number of the errors suggest, whatever the type."""
    if not accuracy:
        return "Is each element computed from its own inputs?"
    if not accuracy.get("over"):
        return "With some lengths or pointers alone: is each element computed from its own input?"
    share = accuracy["over"] / accuracy["inputs"]
    ulp = accuracy["max_ulp"]
    if ulp is not None and ulp <= 8:
        return "Precision is lost in an intermediate rounding: compute in float, round once at the end."
    if share > 0.4:
        return "Nearly half of all inputs or more are far off: another function, or another element than its own."
    return "Some inputs are far off, the others are right: at the largest error, is a difference taken of nearly equal " \
           "numbers, or does a step leave the range of its type?"


def tell_crash(tested, source, advise):
    """Prints what a program that crashed wrote to stderr."""
    interesting = [line for line in tested.errors.splitlines() if line.strip()][:12]
    front.say(f"\n  The kernel {ending(tested.code)}, so its results could not be checked.")
    for line in interesting:
        front.say(f"    {line}")
    if not advise:
        return
    front.say(textwrap.fill(f"Look: is `alignment` in {source} the width of the widest access in bytes (128 bits: 16)? "
                            "Does every thread begin at a multiple of that? Is every index checked before the access?",
                            WIDTH, initial_indent="    ", subsequent_indent="      "))


# -------------------------------------------------------------------------------------------------
# What the compiler says of the reader's file


def tell_build(backend, folders):
    """After a build that failed: which reader's file is to blame, and for what. True if one is."""
    log, blamed = front.build_log(backend), False
    for folder in folders:
        path = front.your_file(folder)
        kernel = f"{path.stem}_kernel"
        missing = re.search(r"['\u2018](your_\w+_kernel)['\u2019] was not declared|undeclared identifier '(your_\w+_kernel)'|"
                            r'identifier "(your_\w+_kernel)" is undefined', log)
        if missing and path.exists():
            kernel = next(name for name in missing.groups() if name)
            if kernel not in exercises.code_of(path):
                has = re.findall(r"__global__\s+void\s+(?:__launch_bounds__\(.*?\)\s+)?(\w+)", exercises.code_of(path))
                found = f"it has {', '.join(has)}" if has else "it has none"
                if has:
                    print(f"tutorial: {front.here(path)}: the launcher calls {kernel}, and {found}: give the kernel "
                          "its name back", file=sys.stderr)
                    blamed = True
                    continue
        blamed = tell_error(path, log) or blamed
    return blamed


def tell_error(path, log):
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


#: What takes a program that counts.
COUNTED = {"load_bytes", "store_bytes", "moves"}


def judge_program(exercise, backend):
    """Builds and runs a program that the reader has begun; True if it says that it is right."""
    target = f"{exercise.chapter.folder.name}_{exercise.file.stem}"
    if exercise.is_untouched:
        front.say(f"\n{front.here(exercise.file)} is still the starter: what is missing is marked in it")
        return False
    build_program(exercise, backend, target)
    try:
        done = subprocess.run([str(front.program(backend, f"answers/{target}"))], capture_output=True, text=True,
                              errors="replace", check=False, timeout=LONGEST, preexec_fn=limit)
        said, code = (done.stdout + done.stderr).strip(), done.returncode
    except subprocess.TimeoutExpired:
        said, code = f"it did not end within {LONGEST} seconds: is there a loop without an end?", 1
    found, failure = program_checked(f"{target}_see", code == -signal.SIGXCPU)
    found += unaligned(exercise.file)
    facts = Facts(exercise.file, (None, None, None))
    facts.right = facts.says_right = code == 0 and not found
    front.say(f"\n{front.here(exercise.file)}: {said or f'it {ending(code)}'}"
              + (" (and is not: the checks found something)" if code == 0 and found else ""))
    tell_found(f"{target}_see", found, failure)
    if code in (-signal.SIGSEGV, -signal.SIGBUS) and not found:
        front.say("  Look: is every index checked before the access, for the last element of a wide access too? Does\n"
                  "  every access of 128 bits begin at a multiple of 16 bytes?")
    if facts.right and set(exercise.goals) & COUNTED:
        facts.traced = counted(target)
        for label, kind in (("accesses", "load"), ("", "store")) if facts.traced else ():
            tell(label, facts.traced["yours"].phrase(kind))
    left = exercise.left(facts)
    if not left:
        exercise.keep()
    tell("exercise", ticked(exercise, left))
    return facts.right


def build_program(exercise, backend, target):
    """The program, and with it the one that is checked if that is there: then both are compiled at the same time."""
    beside, targets = f"{target}_see", front.program(backend, "CMakeFiles/TargetDirectories.txt")
    rest = [beside] if backend == "cpu" and front.program("cpu", f"answers/{beside}").exists() else []
    try:  # CMake may have been configured without the file
        front.build(backend, target, *rest, known=targets.exists() and f"/{target}.dir" in targets.read_text(encoding="utf-8"))
    except front.BuildFailed:
        tell_error(exercise.file, front.build_log(backend))
        raise
    tell_warnings(backend, exercise.file.name)


def program_checked(name, endless):
    """checked() of a reader's program; always on the CPU, and with g++."""
    try:
        front.build("cpu", name, known=True, quiet=True, errors=False)
    except front.BuildFailed:
        return [], "it could not be built"
    return checked(front.program("cpu", f"answers/{name}"), endless=endless)


def counted(target):
    """{"yours": what the program's last launch asks for}, on the CPU; empty where that cannot be counted."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "counts.json"
        try:
            subprocess.run([str(front.program("cpu", f"answers/{target}_see"))], capture_output=True, check=False,
                           timeout=LONGEST, env={**os.environ, "TUTORIAL_SEE": "trace", "TUTORIAL_COUNTS": str(path)})
            launches = runs.load_json(path)["launches"]
        except (OSError, subprocess.TimeoutExpired, runs.ToolError):
            return {}
    return {"yours": Traced({"rung": target, "launches": launches[-1:]})}


def judge(folder, backend):
    """All that the reader has written in a chapter; True if it is right. What does not compile hides no other verdict."""
    chapter = exercises.Chapter(folder)
    judges = [functools.partial(judge_program, exercise, backend) for exercise in chapter.programs()]
    if chapter.edited or not judges:
        judges.insert(0, Verdict(folder, backend).run)
    right, failure = True, None
    for one in judges:
        try:
            right = one() and right
        except front.BuildFailed as failed:
            failure = failure or failed
    if not chapter.edited and chapter.programs() and all(one.is_untouched for one in chapter.programs()):
        front.say(f"{front.here(chapter.file)} is the starter too")
    if failure:
        raise failure
    return right


def judge_all(folders, wanted):
    if not folders:
        folders = [one.folder for one in exercises.all_chapters() if one.edited or one.programs()]
        if not folders:
            front.say("No your_*.cuh has been edited yet.")
            exercises.tell_next(next((one.next for one in exercises.all_chapters() if one.next), None))
            return 0
    backend = front.choose_backend(wanted, "test")
    verdicts = [judge(folder, backend) for folder in folders]
    return 0 if all(verdicts) else 1


def watch(folder, wanted):
    """Judges at each save, until Ctrl-C."""
    backend = front.choose_backend(wanted, "test")
    try:
        judge_each_save(folder, backend)
    except KeyboardInterrupt:
        front.say()
    return 0


def judge_each_save(folder, backend):
    last = None
    while True:
        chapter = exercises.Chapter(folder)
        files = [chapter.file, *(one.file for one in chapter.programs())]
        now = [(path, path.stat().st_mtime_ns) for path in files if path.exists()]
        if now != last:
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
