"""What a failed test means: the kinds that common/proof/complaint.h names, in a reader's words.

A failure is what the tests record: a kind, a sentence, and numbers. A rung with one mistake fails many trials
for one reason, so failures are told by reason, and of each the two that say most.
"""

import math

import front
import runs

SUCCESS, INVALID_CONFIGURATION, MISALIGNED, LAUNCH_FAILURE = 0, 9, 716, 719  # of cudaError_t

# What is told first stands first: the reason, and where to look.
REASONS = {
    "stopped": ("The executor stopped the kernel.",
                "Its report above says which threads wait where, or which lane a shuffle reads."),
    "unwritten": ("Some elements are never written.",
                  "Does the kernel handle the tail, when n is not a multiple of per_thread? Does each thread begin "
                  "where the previous one ends, at (block * threads + thread) * per_thread?"),
    "reads_output": ("Some elements are computed from what the output held before.",
                     "Does the kernel read from y where it should read from its input?"),
    "unset": ("Some elements are computed from memory that nobody wrote.",
              "Is all shared memory written before it is read, with a barrier between?"),
    "mask": ("Some answers are neither 0 nor 1.", "A mask of ones is 255. Is each mask reduced to its lowest bit?"),
    "answers": ("Some answers are wrong.",
                "Are they in the order of their elements? Does a comparison with NaN give 0?"),
    "outside": ("The kernel writes outside its output.",
                "Does the check cover the last element of an access, or of a tile, as well as the first?"),
    "input": ("The kernel writes to its input, or past its output into the input.",
              "Which pointer does it store to, and with which index?"),
    "refuses": ("The launcher refuses pointers that it should accept.",
                "`alignment` must be the number of bytes of the widest access, no more."),
    "accepts": ("The launcher accepts pointers that it should refuse.",
                "Is `alignment` the width of the widest access in bytes? 128 bits need 16."),
    "configuration": ("The launch configuration is invalid.", "Is per_thread above 0?"),
    "no_nan": ("The result is not NaN where NaN is expected.",
               "Does fmaxf, fminf or a comparison replace the NaN? max_nan and min_nan keep it, in half __hmax_nan and "
               "__hmin_nan."),
    "nan": ("The result is NaN where a number is expected.",
            "Which step produces it: infinity minus infinity, 0 times infinity, infinity over infinity?"),
    "limit": ("The result is infinity at an infinite input, where a number is expected.",
              "The formula tends to a number there: is the input passed on as it is?"),
    "infinity": ("The result is infinity where a number is expected.", "Which step overflows its type?"),
    "sign": ("The result is a zero of the wrong sign.",
             "+0 and -0 are different results. Which step loses the sign: a maximum with 0, an addition of +0, a "
             "comparison that takes -0 for 0?"),
    "value": ("Some values are wrong.", ""),  # the advice depends on how wrong
    "other": ("The test failed.", ""),
}
#: Where these are told, what a wrong value says is their effect.
NOT_COMPUTED = ("unwritten", "reads_output", "unset")


def reason_of(failure):
    kind = failure["kind"]
    if kind == "answer":
        return of_answer(failure["expected"], failure["actual"])
    if kind in ("value", "error"):
        return of_value(failure)
    return kind if kind in REASONS else "other"


def of_answer(expected, actual):
    known = {MISALIGNED: "refuses", INVALID_CONFIGURATION: "configuration", LAUNCH_FAILURE: "stopped"}
    return "accepts" if expected == MISALIGNED and actual == SUCCESS else known.get(actual, "other")


def of_value(failure):
    expected, actual = failure.get("expected", 0), failure.get("actual", 0)
    if failure.get("bytes") == 1:
        return "answers"
    if math.isnan(expected) or math.isnan(actual):
        return "no_nan" if math.isnan(expected) else "nan"
    if math.isinf(actual) and not math.isinf(expected):
        return "limit" if math.isinf(failure.get("at", 0)) else "infinity"
    if actual == 0 and math.isfinite(expected) and math.isinf(failure.get("ulp", 0)):
        return "sign"
    return "value"


def by_reason(failures):
    """{reason: its failures}, in the order in which they are told, without effects of others."""
    found = runs.grouped(failures, reason_of)
    if set(found) & set(NOT_COMPUTED):
        # In place, an element that is not written holds the input, which looks like a wrong value.
        found = {reason: [one for one in some if one["kind"] != "error" and not one.get("in_place")]
                 for reason, some in found.items()}
    if len(found) > 1:
        found.pop("other", None)
    return {reason: found[reason] for reason in REASONS if found.get(reason)}


def examples(failures):
    """The largest errors first; of one element one."""
    chosen = {}
    for one in sorted(failures, key=lambda one: -one.get("ulp", 0)):
        chosen.setdefault((one.get("index"), one.get("expected")) if "index" in one else one["sentence"], one)
    return list(chosen.values())[:2]


def report(failures, where, accuracy, advise):
    """Prints what is wrong, a reason at a time, and where to look."""
    for reason, same in by_reason(failures).items():
        words, advice = REASONS[reason]
        front.say(f"\n  {words}{where}")
        shown = examples(same)
        for one in shown:
            front.say(front.filled(one["sentence"], "    "))
        if len(same) > len(shown):
            front.say(f"    ... and {len(same) - len(shown)} more of this kind")
        advice = how_wrong(accuracy) if reason == "value" else advice
        if advice and advise:
            front.say(front.filled(f"Look: {advice}", "    "))


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
