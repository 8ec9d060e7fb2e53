#!/usr/bin/env python3
"""Faults in the worked answers, and whether ./tutorial test CHAPTER --yours ticks the exercise all the same.

    python3 common/tools/test/faulty_answers.py FOLDER [--only 04_arithmetic/ends] [--list]

FOLDER is a clone that may be changed (planted.py makes one there). Each answer is put in the place of its reader's file, once
as it is, and once with each fault that FAULTS makes of the lines that are the reader's to write: of each kind the one in the middle.
A fault is noticed if its version gets no tick; EQUIVALENT says which must get one, and why. First the test or the program runs
alone; what it does not refuse is judged as a reader's.
"""

import argparse
import difflib
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import folders  # noqa: F401

import exercises
import runs
from planted import UNKNOWN, Clone, restored
from source import without_comments

SECONDS = 300
INDEX = r"(?<=[\w)])\[(?!\w+\] = \{)([^\[\]]+)\](?! *\()"
DECLARED = r"^\s*(?:extern |alignas\(\d+\) |__shared__ |const |constexpr |inline )*[\w:]+(?:<[^=;]*>)? [\w, ]+\[|\) \{$"


def off_by_one(line):
    return None if re.search(DECLARED, line) else re.sub(INDEX, r"[\1 + 1]", line, count=1)


def larger(found):
    text = found.group()
    if "." in text:
        return f"{float(text.rstrip('f')) * 1.04:.9g}".replace("+", "") + ("f" if text.endswith("f") else "")
    return str(int(text) + 1)


def again(line):
    return f"for (int again = 0; again < 2; ++again) {{ {line.strip()} }}"


#: kind: a line -> the line with the fault, or the same or None where it has no place for one.
FAULTS = {
    "guard": lambda line: re.sub(r"\bif \([^;]*?(?:<|>|>=|<=) [^;]*?\)(?= |$)", "if (true)", line, count=1),
    "tail": lambda line: re.sub(r"^(\s*)for \(std::int64_t k = i; k < n;", r"\1for (std::int64_t k = i; k < n - 1;", line),
    "bound": lambda line: re.sub(r" (<|<=|>|>=) (?!>)", lambda one: {"<": " <= ", "<=": " < ", ">": " >= ", ">=": " > "}[one.group(1)], line, count=1)
    if "template" not in line and "<<<" not in line else None,
    "barrier": lambda line: line.replace("__syncthreads();", ";"),
    "index": off_by_one,
    "constant": lambda line: None if re.search(r"RungClaims|#|template|<<<", line) else re.sub(
        r"(?<![\w.\[])(?:\d+\.\d+(?:e-?\d+)?f?|(?<=[/%*+-] )\d+)(?![\w.])", larger, line, count=1),
    "statement": lambda line: ";" if re.match(r"(?!return|const|alignas|float |half2? |int |unsigned |auto |using |if|for|__shared__|\})[^{}]*\(.*;$|[\w.]+(\[.*\])? [+|]?= .*;$", line.strip()) else None,
    "type": lambda line: line.replace("std::int64_t{", "int{", 1).replace("int{blockIdx", "int(blockIdx").replace("int(blockIdx.x}", "int(blockIdx.x)")
    if "std::int64_t{blockIdx.x}" in line else re.sub(r"\bfloat (?=\w+ =)", "half ", line, count=1),
    "operator": lambda line: re.sub(r" (\+|-|&|\||>>|<<) ", lambda one: {"+": " - ", "-": " + ", "&": " | ", "|": " & ", ">>": " << ", "<<": " >> "}[one.group(1)],
                                    line, count=1) if "<<<" not in line else None,
    "operands": lambda line: None if re.search(r"void |RungClaims|struct |\boperator\b", line) else re.sub(r"\(([a-z]\w*), ([a-z]\w*)\)", r"(\2, \1)", line, count=1),
    "twice": lambda line: again(line) if re.match(r"^\s*(LDST\w+\(y|y\[i|WriteData|LDST\w+\(out|\*reinterpret_cast)[^{}]*;$", line)
    or re.match(r"^\s*\w*kernel\w*<<<[^{}]*;$", line) else None,
    "sizes": lambda line: line + f" if ({UNKNOWN}) return;"
    if re.search(r"std::int64_t n\) \{$", line) and "wrong(" not in line else None,
}

#: (answer, kind, a piece of the line): why the fault changes nothing that can be judged.
EQUIVALENT = {
    ("01_elu/save", "bound", "v > -0.125f"): "at -0.125 both formulas are right to 0.51",
    ("01_elu/save", "constant", "v > -0.125f"): "at -0.13, too",
    ("01_elu/poly", "bound", "x < 0.0f"): "both are 0 at 0",
    ("01_elu/poly", "constant", "x > -0.25f"): "at -0.26 both formulas are right to 0.51",
    ("02_gelu/mish", "constant", "x < -40.0f"): "any bound from which on the result is 0 will do",
    ("02_gelu/mish", "bound", "x < -40.0f"): "both sides give -40 there",
    ("03_swish/range", "bound", "x < 0.0f"): "q is 1 at 0",
    ("03_swish/squareplus", "bound", "x < 0.0f"): "both formulas give 1 at 0",
    ("04_arithmetic/broadcast", "operator", "packs + 31"): "smaller blocks, and more of them",
    ("04_arithmetic/pairs", "operands", "__hmul2"): "a product is the same either way",
    ("05_logical_relation/same", "twice", "reinterpret_cast"): "compilers make one store of both",
    ("05_logical_relation/count", "constant", "threadIdx.x % 32 == 0"): "of each warp of 128 threads one has a number that 33 divides",
    ("06_primitives/rows", "twice", "softmax_kernel<<<"): "a program that takes its time may launch once before",
    ("05_logical_relation/merge", "constant", "i + 8 <= n"): "the last pack is left to the loop of the tail",
}


def lines_of(exercise):
    """Which lines of an answer are the reader's to write."""
    text = answer_of(exercise)
    given = (exercise.frame if exercise.is_program else runs.read_text(exercise.chapter.file)).splitlines()
    if not exercise.is_program:
        given = [line for line in given if not line.strip().startswith(("y[", "if", "for", "return", "const"))]
    matcher, lines = difflib.SequenceMatcher(None, given, text.splitlines(), autojunk=False), []
    for tag, _, _, begin, end in matcher.get_opcodes():
        lines += range(begin, end) if tag != "equal" else ()
    return [number for number in lines if without_comments(text.splitlines()[number]).strip()]


def answer_of(exercise):
    return runs.read_text(exercise.chapter.folder / "answers" / exercise.answer)


def faults(exercise):
    """[(kind, number of the line, its text, the answer's text with the fault)]."""
    lines, own, found = answer_of(exercise).splitlines(), lines_of(exercise), []
    for kind, broken in FAULTS.items():
        those = []
        for number in own if kind != "sizes" else [i for i in range(len(lines)) if i + 1 in own or not exercise.is_program]:
            line, _, remark = lines[number].partition("  //")
            new = broken(line)
            is_short = kind == "type" and exercise.is_program and "blockIdx" in line  # its arrays are: 32 bits hold every index
            if new is not None and new != line and not is_short:
                those.append((kind, number + 1, lines[number].strip(), "\n".join([*lines[:number], new, *lines[number + 1:]]) + "\n"))
        found += those[len(those) // 2:][:1]
    return found


class Judge:
    """One exercise, in a clone."""

    def __init__(self, clone, exercise):
        self.root, self.exercise = clone.root, exercise
        self.path = self.root / exercise.file.relative_to(runs.ROOT)
        self.folder = exercise.chapter.folder.name
        self.target = f"{self.folder}_{self.path.stem}" if exercise.is_program else f"{self.folder}_test"

    def call(self, words, **more):
        try:
            return subprocess.run([str(one) for one in words], cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=SECONDS, check=False, **more)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, -1, "it did not end")

    def refused_at_once(self):
        """By the compiler or by the program alone."""
        build = self.root / "build/cpu"
        if self.exercise.asks or f"/{self.target}.dir" not in runs.read_text(build / "CMakeFiles/TargetDirectories.txt"):
            return ""
        done = self.call(["cmake", "--build", build, "--target", self.target, "-j2"])
        if done.returncode:
            return "does not compile"
        program = [build / "answers" / self.target] if self.exercise.is_program else [build / self.target, "*your rung*"]
        with tempfile.TemporaryDirectory() as folder:
            for order in ("forward", "reverse"):
                done = self.call(program, env={**os.environ, "TUTORIAL_CPU_ORDER": order, "TUTORIAL_RECORD_DIR": folder})
                if done.returncode:
                    return done.stdout.strip().splitlines()[-1][:60] if self.exercise.is_program and done.stdout.strip() else "the test"
        return ""

    def ticked(self, text):
        """(whether a version gets the tick, why not)."""
        self.path.write_text(text, encoding="utf-8")
        refused = self.refused_at_once()
        if refused:
            return False, refused
        with tempfile.TemporaryDirectory() as folder:
            told = Path(folder, "verdict.json")
            self.call(["./tutorial", "test", self.folder, "--yours", "--backend", "cpu", "--json", told])
            verdicts = json.loads(told.read_text(encoding="utf-8"))["verdicts"] if told.exists() else []
        for one in (one for verdict in verdicts for one in verdict.get("exercises", []) if one["name"] == self.exercise.name):
            return not one["left"], ", ".join(one["left"])
        return False, "no verdict"


def reason_of(name, kind, line):
    return next((reason for (answer, its, piece), reason in EQUIVALENT.items() if (answer, its) == (name, kind) and piece in line), "")


def judge(clone, exercise):
    """How many of an answer's faults are not as they should be."""
    name, wrong, judge_ = f"{exercise.chapter.folder.name}/{exercise.name}", 0, Judge(clone, exercise)
    with restored(judge_.path):
        for kind, number, line, text in [("none", 0, "", answer_of(exercise)), *faults(exercise)]:
            began = time.monotonic()
            ticked, why = judge_.ticked(text)
            reason = "the answer" if kind == "none" else reason_of(name, kind, line)
            bad = ticked != bool(reason)
            wrong += bad
            print(f"{name:<26}{kind:<10}{number:>4} {'ticked' if ticked else 'noticed':<8}{time.monotonic() - began:>6.1f}  "
                  + ("NOT AS IT SHOULD BE: " if bad else "") + (reason or why) + (f"  {line}" if bad else ""), flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--only", default="*", help="of these exercises alone")
    parser.add_argument("--list", action="store_true", help="say which, and try none")
    options = parser.parse_args()
    clone, wrong = None if options.list else Clone(options.folder), 0
    if clone:  # which targets there are
        subprocess.run(["cmake", "--preset", "cpu"], cwd=clone.root, stdout=subprocess.DEVNULL, check=True)
    for chapter in exercises.all_chapters():
        for exercise in chapter.exercises:
            if not exercise.judged or not exercise.answer or not fnmatch.fnmatch(f"{chapter.folder.name}/{exercise.name}", options.only):
                continue
            if options.list:
                for kind, number, line, _ in faults(exercise):
                    print(f"{chapter.folder.name}/{exercise.name:<18}{kind:<10}{number:>4}  {line}")
            else:
                wrong += judge(clone, exercise)
    print(f"{wrong} not as they should be" if clone else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
