#!/usr/bin/env python3
"""Runs the test of a reader's rung and says in a few lines what is wrong with it.

    yours.py PROGRAM SOURCE

PROGRAM is a chapter's test, for instance build/cpu/01_elu_test; SOURCE is the name of the reader's
file, for the messages. The test tries hundreds of sizes, pointers and inputs; a rung with one mistake
fails many of them for one reason. So the messages are sorted by reason; for each reason it prints
the first cases, how many more there are, and where to look.

Exits with 0 if the rung passes, 1 if it does not, 2 if the test could not be run.
"""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

CASES = "*your rung*"

# What the test says; in the reader's words; where to look.
REASONS = (
    (r"was not written", "Some elements are never written.",
     "Does the kernel handle the tail, when n is not a multiple of per_thread? Does each thread begin "
     "where the previous one ends, at (block * threads + thread) * per_thread?"),
    (r"byte \d+ is 255, expected", "Some answers are never written, or are neither 0 nor 1.",
     "The output starts as 255, and a mask of ones is 255 too. Does the kernel handle the tail? Is each "
     "mask reduced to its lowest bit?"),
    (r"byte \d+ is \d+, expected", "Some answers are wrong.",
     "Are they in the order of their elements? Does a comparison with NaN give 0?"),
    (r"output was (written .* (past|before)|damaged)|(written|writes) .*byte\(s\) (past|before)",
     "The kernel writes outside its output.",
     "Does the check cover the last element of an access as well as the first: i + per_thread <= n?"),
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
    (r"(?i)nan.*expected|= -?nan|got -?nan", "The result is NaN where a number is expected.",
     "Which step produces it: infinity minus infinity, 0 times infinity, infinity over infinity?"),
    (r"= -?inf|got -?inf", "The result is infinity where a number is expected.",
     "Which step overflows its type?"),
    (r"expected .*(ULP\)|inputs\))", "Some values are wrong.",
     "A few ULP: precision is lost, in a difference of nearly equal numbers or in an intermediate "
     "rounding. Millions of ULP or more: the function or the element is another one."),
    (r"", "The test failed.", ""),
)


def run(program, order):
    """(exit code, what the program printed as XML, its errors) of one thread order."""
    environment = dict(os.environ)
    if order:
        environment["TUTORIAL_CPU_ORDER"] = order
    done = subprocess.run([program, CASES, "-r", "xml"], env=environment, text=True, errors="replace",
                          capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


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


def reason_of(line):
    return next(number for number, reason in enumerate(REASONS) if re.search(reason[0], line))


def worst_first(line):
    """The largest error in front; lines that name none stay in their order."""
    ulp = re.search(r"\(?([\d.e+]+|inf) ULP", line)
    return -float(ulp.group(1)) if ulp else 0.0


def report(lines, where):
    """Prints what is wrong, a reason at a time."""
    by_reason = {}
    known = [line for line in lines if reason_of(line) < len(REASONS) - 1]
    lines = known or lines  # the other lines only name the place
    if any(reason_of(line) == 0 for line in lines):
        # In place, an element that is not written holds the input, which looks like a wrong value.
        lines = [line for line in lines if "in place" not in line]
    for line in lines:
        by_reason.setdefault(reason_of(line), []).append(line)
    for number in sorted(by_reason):
        _, reason, advice = REASONS[number]
        same = sorted(by_reason[number], key=worst_first)
        print(f"\n  {reason}{where}")
        for line in same[:2]:
            print(f"    {line}")
        if len(same) > 2:
            print(f"    ... and {len(same) - 2} more of this kind")
        if advice:
            print(f"    Look: {advice}")


def crash(code, errors, source):
    """Prints what a program that crashed wrote to stderr."""
    interesting = [line for line in errors.splitlines() if line.strip()][:12]
    print(f"\n  The kernel crashed (exit code {code}), so its results could not be checked.")
    for line in interesting:
        print(f"    {line}")
    print(f"    Look: is `alignment` in {source} the width of the widest access in bytes (128 bits: 16)? "
          "Does every thread begin at a multiple of that? Is every index checked before the access?")


def main():
    if len(sys.argv) != 3:
        print(__doc__.split("\n\n")[1].strip(), file=sys.stderr)
        return 2
    program, source = sys.argv[1:]
    cuda = os.environ.get("TUTORIAL_YOURS_BACKEND") == "cuda"
    orders = {"": ""} if cuda else {"forward": "the threads of a block in order",
                                    "reverse": "the threads of a block in reverse"}
    seen, failed = set(), False
    for order, words in orders.items():
        try:
            code, text, errors = run(program, order)
        except OSError as error:
            print(f"yours.py: {error}", file=sys.stderr)
            return 2
        if code == 0:
            continue
        if code == 4:
            print("yours: skipped, there is no GPU")
            return 0
        lines, cases = complaints(text)
        new = [line for line in lines if line not in seen]
        if not failed:
            print(f"yours: {source} is not right yet.")
        where = f" (With {words}.)" if failed else ""
        if code < 0 or not (lines or cases):
            crash(code, errors, source)
        elif new:
            if errors.strip() and not failed:
                print("\n" + "\n".join(f"    {line}" for line in errors.splitlines()[:12]))
            report(new, where)
        seen.update(lines)
        failed = True
        if code < 0:
            break
    if failed:
        return 1
    print(f"yours: {source} passes: every size, every pointer, every input that the chapter tries"
          + ("." if cuda else ", with the threads of a block in order and in reverse."))
    return 0


if __name__ == "__main__":
    sys.exit(main())
