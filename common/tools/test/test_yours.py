#!/usr/bin/env python3
"""Tests of what judges a reader's rung (yours.py, exercises.py), with scripts in the place of the programs."""

import errno
import itertools
import json
import math
import os
import re
import sys
import time
import unittest
from unittest import mock

import folders  # noqa: F401

import commands
import exercises
import front
import runs
import source
import synthetic
import yours


def failure(kind, sentence, **numbers):
    return {"rung": "your_elu", "kind": kind, "sentence": sentence, **numbers}


FAILED = [failure("unwritten", "n = 1: y[0] was not written", index=0),
          failure("unwritten", "n = 7: y[0] was not written", index=0),
          failure("unwritten", "n = 9: y[8] was not written", index=8),
          failure("value", "in place, n = 1: y[0] = -3.5, expected -0.97 for x = -3.5 (4579.8 ULP)", index=0, expected=-0.97,
                  actual=-3.5, ulp=4579.8, in_place=1),
          failure("outside", "n = 9: the output was written past its end: 14 bytes, 1 to 14 away"),
          failure("error", "your_elu is off by inf ULP at x = 1", at=1.0, expected=1.0, actual=float("nan"), ulp=float("inf"))]
WRONG = [failure("value", f"n = {n}: y[{index}] = 1, expected {expected} ({ulp} ULP)", index=index, expected=expected, actual=1.0,
                 ulp=ulp) for n, index, expected, ulp in ((255, 2, 1.5, 3.5), (257, 2, 1.5, 3.5), (256, 9, 2.5, 77.0))]
SOURCE = """inline constexpr RungClaims kYourElu{CLAIMS};
__global__ void your_elu_kernel(const half* x, half* y, std::int64_t n) { y[0] = expm1f(x[0]); }
"""


def fails(failures):
    """What a test program does that records these."""
    lines = "".join(json.dumps(one) + "\n" for one in failures)
    return f"open(os.environ['TUTORIAL_RECORD_DIR'] + '/failures.jsonl', 'a').write({lines!r}); sys.exit({len(failures)})"


def accuracy(ulp, bound, over=0):
    more = {"over": over, "over_from": -0.5, "over_to": -6e-8} if over else {}
    return {"chapter": "elu", "rung": "your_elu", "dtype": "f16", "inputs": 65536, "max_ulp": ulp, "at": -0.0009,
            "expected": -0.0009, "actual": 0.0, "bound": bound, **more}


def traced(name, width, requests, blocks=4, idle=0, kind="rung"):
    """A launch whose warps each make so many requests."""
    cost = {"requests": requests * blocks, "lanes": 32, "used": width * 32, "sectors": width, "phases": 0, "passes": 0}
    places = [{"operation": operation, "space": "global", "least_bytes": width, "most_bytes": width, "ways": 0, **cost}
              for operation in ("load", "store")]
    launch = {"kernel": "k", "grid": [blocks, 1, 1], "block": [32, 1, 1], "busy_blocks": blocks - idle,
              "busy_threads": 32 * (blocks - idle), "places": places}
    return {"ladder": "elu", "rung": name, "dtype": "f16", "kind": kind, "shape": "1x8", "shapes": [], "launches": [launch]}


class Judged(synthetic.Scratch):
    """A chapter of its own, with programs that answer as a test says."""

    check = "pass"  # what the checks do

    def setUp(self):
        super().setUp()
        self.folder = self.root / "01_elu"
        (self.root / "build/logs").mkdir(parents=True)
        self.file = self.folder / "your_elu.cuh"
        self.write("1, alignof(half), 2048.0")
        self.declare(starter="")
        for target, value in (("runs.ROOT", self.root), ("exercises.KEPT", self.root / ".exercises"),
                              ("front.LOGS", self.root / "build/logs"), ("front.build", lambda *_, **__: None)):
            self.patch(target, value)

    def write(self, claims, text=SOURCE):
        self.put("01_elu/your_elu.cuh", text.replace("CLAIMS", claims))

    def declare(self, starter, **more):
        data = {"beside": "f16x8_pack", "starter": starter, "exercises": [
            {"name": "climb", "task": "Climb.", "answer": "climb.cuh", "hints": ["First.", "Second."],
             "goals": {"per_thread": 8, "load_bytes": 16, "requests_as": "f16x8_pack"}},
            {"name": "sharpen", "task": "Sharpen.", "answer": "sharpen.cuh", "goals": {"max_ulp": 0.51}},
            {"name": "think", "task": "On paper.", **more}]}
        self.put("01_elu/answers/exercises.json", data)

    def program(self, name, body):
        synthetic.script(self.root / "build/cpu" / name, f"#!{sys.executable}\nimport json, os, sys, time\n"
                         "def say(text): open(os.environ['TUTORIAL_SAID'], 'a').write(text + '\\n')\n" + body)

    def judge(self, test="", one=None, rungs=()):
        """(whether it is right, what is printed)."""
        record = f"open(os.environ['TUTORIAL_RECORD_DIR'] + '/accuracy.a.json', 'w').write({json.dumps({'accuracy': [one]})!r})"
        self.program("01_elu_test", f"{record if one else ''}\n{test}")
        rungs = rungs or (traced("your_elu", 2, 1, kind="yours"), traced("f16x8_pack", 16, 1))
        self.program("01_elu_see_your_elu", f"if sys.argv[1] == 'check':\n    {self.check}\nelse:\n"
                                            f"    say(json.dumps({{'rungs': {list(rungs)!r}}}))")
        verdict = yours.Verdict(self.folder, "cpu")
        right, text = synthetic.printed(verdict.run)
        self.said = verdict.said
        return right, re.sub(r"\n {6,}", " ", text)


class Verdict(Judged):
    def test_a_rung_that_passes(self):
        right, text = self.judge(one=accuracy(0.5, 0.51))
        self.assertTrue(right)
        self.assertIn("your_elu.cuh is right.", text)
        self.assertIn("right      every size, every pointer", text)

    def test_says_the_same_to_programs_by_stable_names(self):
        self.judge(one=accuracy(0.5, 0.51))
        self.assertEqual(set(self.said), {"chapter", "file", "right", "starter", "failures", "checks", "error", "accesses", "exercises", "speed"})
        self.assertEqual(self.said["exercises"][0], {"name": "climb", "done": False, "left": ["per_thread", "load_bytes"]})
        self.assertIn("setup --nvcc", self.said["speed"]["unjudged"])
        self.assertEqual(self.said["accesses"]["loads"], {"bytes_a_lane": [2], "requests_a_warp": 1.0})
        self.judge(fails(WRONG), accuracy(2048.0, 0.51, over=31))
        self.assertEqual((self.said["right"], self.said["failures"]), (False, ["value"]))
        json.dumps(self.said)

    def test_the_untouched_starter_is_called_that(self):
        self.declare(starter=source.blob(self.file.read_bytes()))
        self.assertIn("is still the starter: no exercise is begun", self.judge()[1])

    def test_a_right_result_is_not_enough(self):
        self.write("1, 2, 2048.0", SOURCE + "half pack[8];\nLDST128BITS(pack[0]) = a;\n")
        right, text = self.judge(one=accuracy(0.5, 0.51))
        self.assertFalse(right)
        self.assertIn("LDST128BITS needs a multiple of 16 bytes", text)

    def test_the_largest_error_stands_beside_the_claim(self):
        text = self.judge(one=accuracy(0.6, 0.61))[1]
        self.assertIn("at most 0.6 ULP, at x = -0.0009 (expected -0.0009, got 0); you claim 0.61", text)
        self.assertNotIn("would do", text)
        self.assertIn("you claim 2048, more than it needs: 0.6 would do", self.judge(one=accuracy(0.6, 2048.0))[1])
        text = self.judge(fails(WRONG), accuracy(2048.0, 0.51, over=31))[1]
        self.assertIn("at most 2048 ULP", text)
        self.assertIn("31 of 65,536 inputs exceed it, x from -0.5 to -6e-08", text)

    def test_an_error_without_a_size_says_what_came_instead(self):
        for at, expected, got, reason in ((math.nan, math.nan, -0.0, "The result is not NaN where NaN is expected."),
                                          (-math.inf, -0.0, math.nan, "The result is NaN where a number is expected."),
                                          (-math.inf, -0.0, 0.0, "The result is a zero of the wrong sign."),
                                          (-math.inf, -1.0, -math.inf, "The result is infinity at an infinite input, where a number is expected."),
                                          (90.0, 1.0, math.inf, "The result is infinity where a number is expected.")):
            wrong = [failure("error", "your_elu is off by inf ULP", at=at, expected=expected, actual=got, ulp=math.inf)]
            one = {**accuracy(None, 0.51), "at": None, "expected": None, "actual": None}
            text = self.judge(fails(wrong), one)[1]
            shown = [f"{value:g}" for value in (got, expected, at)]
            shown[0] = "+0" if shown[:2] == ["0", "-0"] else shown[0]
            self.assertIn("error      {} where {} is expected, at x = {}; you claim 0.51 ULP".format(*shown), text)
            self.assertEqual([line[2:] for line in text.splitlines() if line.startswith("  The")], [reason])

    def test_accesses_and_idle_blocks(self):
        text = self.judge(rungs=(traced("your_elu", 2, 8, blocks=8, idle=7, kind="yours"), traced("f16x8_pack", 16, 1)))[1]
        self.assertIn("loads: 2 bytes a lane, 64 requests a warp", text)
        self.assertIn("(f16x8_pack has 16 bytes a lane, 1 request a warp)", text)
        self.assertIn("7 of 8 blocks touch no memory", text)
        text = self.judge(rungs=(traced("your_elu", 16, 1, kind="yours"), traced("f16x8_pack", 16, 1)))[1]
        self.assertIn("loads: 16 bytes a lane, 1 request a warp, as f16x8_pack", text)
        self.assertIn("idle       none: all 4 blocks and all their threads have work", text)

    def test_claims_that_nothing_can_keep(self):
        for claims, words in (("0, 2, 1.0", "per_thread is 0"), ("1, 32, 1.0", "alignment is 32"),
                              ("1, alignof(half), -1", "max_ulp is -1")):
            self.write(claims)
            with self.assertRaisesRegex(runs.ToolError, words):
                self.judge()

    def test_a_loop_without_an_end_is_stopped(self):
        """By the checks as soon as these know it; where they do not, by the time that it takes."""
        self.check = "print('check: your_elu.cuh:7: a loop without end', file=sys.stderr); sys.exit(3)"
        begun = time.monotonic()
        with mock.patch("yours.CHECKED_SECONDS", 0.01):
            right, text = self.judge("while True: pass")
        self.assertLess(time.monotonic() - begun, 10)
        self.assertFalse(right)
        self.assertIn("The kernel does not end", text)
        self.assertIn("checks     your_elu.cuh:7: a loop without end", text)
        self.check = "pass"
        with mock.patch("yours.PATIENCE", 1):
            self.assertIn("The kernel does not end", self.judge("while True: pass")[1])

    def test_what_the_instrumented_executor_notices_is_a_failure(self):
        self.check = "print('check: your_elu.cuh:7: reads x[n], one past the end', file=sys.stderr); sys.exit(1)"
        right, text = self.judge(one=accuracy(0.5, 0.51))
        self.assertFalse(right)
        self.assertIn("checks     your_elu.cuh:7: reads x[n], one past the end", text)
        self.assertIn("gives the right results here, and is not right yet", text)
        self.check = "os.abort()"  # that says nothing does not mean that nothing was found
        self.assertIn("could not say more: it crashed (aborted)", self.judge(one=accuracy(0.5, 0.51))[1])
        self.check = "pass"
        self.assertTrue(self.judge(one=accuracy(0.5, 0.51))[0])


class System(unittest.TestCase):
    def refused(self, number):
        with self.assertRaises(SystemExit) as ended:
            runs.run_tool(mock.Mock(side_effect=OSError(number, "No", "a/file")), "tutorial")
        return ended.exception.code

    def test_what_the_system_refuses_is_one_sentence(self):
        for number, words in ((errno.EROFS, "clone it to where you can write"), (errno.EACCES, "clone it to where"),
                              (errno.ENOSPC, "make room on this disk")):
            code, errors = synthetic.printed(self.refused, number)
            self.assertEqual(code, 2)
            self.assertRegex(errors, f"^tutorial: a/file: No: {words}.*\n$")


class Texts(Judged):
    """Of which text an object is."""

    def objects(self):
        path = self.root / "build/cpu/01_elu/CMakeFiles/elu.dir/launchers/your_elu.cu.o"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        return path

    def test_an_object_of_another_text_is_made_again(self):
        with mock.patch("runs.find_chapters", lambda: [self.folder]):
            path = self.objects()
            self.assertEqual(front.ReadersObjects("cpu").stale(), [str(path.relative_to(self.root))])  # nobody knows its text
            front.ReadersObjects("cpu").remember()
            self.assertEqual(front.ReadersObjects("cpu").stale(), [])
            self.write("8, 16, 2.0")  # newer, or put back from an old copy
            os.utime(self.file, (1e9, 1e9))
            self.assertEqual(len(front.ReadersObjects("cpu").stale()), 1)
            building = front.ReadersObjects("cpu")
            self.write("4, 16, 2.0")  # while it is compiled
            building.remember()
            self.assertTrue(building.were_saved())
            self.assertEqual(len(front.ReadersObjects("cpu").stale()), 1)
            front.ReadersObjects("cpu").remember()
            os.utime(path, (2e9, 2e9))  # by somebody else
            self.assertEqual(len(front.ReadersObjects("cpu").stale()), 1)

    def test_a_build_begins_again_when_a_file_was_saved_meanwhile(self):
        texts = iter(["1, 2, 3.0", None])

        def save(*_, **__):
            text = next(texts)
            if text:
                self.write(text)
            return mock.Mock(returncode=0)

        mock.patch.stopall()
        with mock.patch("runs.find_chapters", lambda: [self.folder]), mock.patch("subprocess.run", side_effect=save) as run, \
                mock.patch("runs.ROOT", self.root):
            _, text = synthetic.printed(front.build, "cpu", "01_elu_test")
        self.assertEqual(run.call_count, 2)
        self.assertIn("a file of yours was saved meanwhile", text)

    def test_what_is_saved_while_the_checks_are_built_is_judged_again(self):
        verdict = yours.Verdict(self.folder, "cpu")
        verdict.source = source.Source(self.file)
        self.write("8, 16, 2.0")
        with self.assertRaises(yours.Saved):
            synthetic.printed(verdict.build_rest)

    def test_what_kernels_print_is_shown(self):
        text = self.judge("for i in range(99): print('hello', i)")[1]
        self.assertIn("printed    hello 0 hello 1", text)
        self.assertIn("hello 19 ... and 79 more", text)
        self.assertNotIn("hello 20", text)


class Nvcc(Judged):
    """What stands in its place where it is not installed."""

    def refused(self, text):
        self.put("01_elu/your_elu.cuh", text)
        return " ".join(source.not_for_the_device(source.Source(self.file), {"k"}))

    def test_what_a_host_compiler_takes_and_nvcc_refuses(self):
        kernel = "__global__ void k(const half* x, half* y) {\n  y[0] = f(x[0]);\n}\n"
        self.assertIn("your_elu.cuh:1: f is called by k, on the GPU: write __device__", self.refused(f"half f(half x) {{ return x; }}\n{kernel}"))
        self.assertIn("your_elu.cuh:2: f is called by k", self.refused(f"template <class T>\ninline T f(T x) {{ return x; }}\n{kernel}"))
        self.assertIn("your_elu.cuh:1: k is launched, and is no kernel: write __global__", self.refused(kernel.replace("__global__ ", "")))
        self.assertIn("your_elu.cuh:2: k runs on the GPU, and std::min on the host", self.refused(kernel.replace("f(", "std::min(")))
        for right in ("__device__ half f(half x) { return x; }\n", "__host__ __device__ inline half f(half x) {\n  return x;\n}\n",
                      "constexpr int f(int x) { return x; }\n", "#define f(x) x\n", "half g(half x) { return f(x); }\n"):
            self.assertEqual(self.refused(right + kernel), "")

    def test_of_the_chapters_nothing_is_refused(self):
        for chapter in exercises.all_chapters():
            for path in [chapter.file, *(chapter.folder / "answers").glob("*.cu*")]:
                self.assertEqual(source.not_for_the_device(source.Source(path), {"your_elu_kernel"}), [], path)


class Watch(Judged):
    def test_it_judges_at_each_save_until_ctrl_c(self):
        saves = iter([lambda: self.write("8, 16, 2.0"), lambda: None, lambda: self.write("4, 16, 22.0"), lambda: None])

        def sleep(_):
            save = next(saves, None)
            if save is None:
                raise KeyboardInterrupt
            save()

        with mock.patch("yours.judge", side_effect=[True, front.BuildFailed(1), False]) as judge, \
                mock.patch("time.sleep", sleep), mock.patch("front.choose_backend", lambda *_: "cpu"):
            code, text = synthetic.printed(yours.watch, self.folder, "auto")
        self.assertEqual((code, judge.call_count), (0, 3))
        self.assertEqual(text.count("save it to be judged again"), 3)


class Messages(Judged):
    def test_what_is_wrong_is_told_by_reason(self):
        right, text = self.judge(fails(FAILED))
        self.assertFalse(right)
        self.assertEqual(text.count("Some elements are never written"), 1)
        self.assertIn("... and 1 more of this kind", text)
        self.assertIn("writes outside its output", text)
        self.assertIn("14 bytes, 1 to 14 away", text)
        self.assertNotIn("Some values are wrong", text)
        self.assertNotIn("is NaN where", text)  # in place, the input shows where nobody wrote

    def test_two_examples_are_two_elements_and_the_worst_comes_first(self):
        text = self.judge(fails(WRONG))[1]
        self.assertIn("Some values are wrong", text)
        self.assertLess(text.index("77.0 ULP"), text.index("3.5 ULP"))
        self.assertEqual(text.count("y[2]"), 1)

    def test_the_advice_fits_the_error_in_any_type(self):
        wrong = fails(WRONG)
        self.assertIn("another function, or another element", self.judge(wrong, accuracy(30000.0, 0.51, over=60000))[1])
        self.assertIn("a difference taken", self.judge(wrong, accuracy(2048.0, 0.51, over=3000))[1])
        self.assertIn("intermediate rounding", self.judge(wrong, accuracy(1.5, 0.51, over=60000))[1])

    def test_what_only_one_order_shows(self):
        right, text = self.judge(f"if os.environ['TUTORIAL_CPU_ORDER'] == 'reverse': print({WRONG!r}); sys.exit(1)")
        self.assertFalse(right)
        self.assertIn("is not right yet", text)

    def test_a_crash(self):
        for body, words in (("os.abort()", "crashed (aborted)"), ("os.kill(os.getpid(), 7)", "crashed (bus error)"),
                            ("os.kill(os.getpid(), 11)", "crashed (segmentation fault)"),
                            ("sys.exit(9)", "ended with exit code 9")):
            right, text = self.judge(body)
            self.assertFalse(right)
            self.assertIn(f"The kernel {words}, so its results could not be checked", text)

    def test_what_the_checks_found_comes_before_its_effects(self):
        self.check = "print('check: your_elu.cuh:7: no barrier between them; n = 1', file=sys.stderr); sys.exit(1)"
        for test, effect in ((fails(FAILED), "Some elements are never written"),
                             ("os.abort()", "The kernel crashed")):
            text = self.judge(test)[1]
            self.assertLess(text.index("checks     your_elu.cuh:7: no barrier"), text.index(effect))
            self.assertEqual((text.count("no barrier"), text.count(effect), text.count("Look:")), (1, 1, 0), text)

    def test_a_kernel_that_the_executor_stops_is_told_of_once(self):
        why = "block (0,0,0): divergent barrier: thread (0,0,0) waits"
        self.check = f"print('check: your_elu.cuh:7: {why}; n = 1', file=sys.stderr); sys.exit(1)"
        failures = [FAILED[0], failure("answer", "n = 1: the launcher answers cudaErrorLaunchFailure", expected=0, actual=719)]
        text = self.judge(f"print('CPU executor: {why}\\n' * 9, file=sys.stderr)\n" + fails(failures))[1]
        self.assertEqual(text.count("divergent"), 1, text)
        self.assertNotIn("was not written", text)

    def test_a_program_that_is_not_there(self):
        with self.assertRaisesRegex(runs.ToolError, "No such file"):
            yours.Verdict(self.folder, "cpu").run()

    def built(self, log):
        self.put("build/logs/cpu.build.log", log)
        return synthetic.printed(yours.tell_build, "cpu", [self.folder])[1] + synthetic.printed(yours.tell_warnings, "cpu", self.file.name)[1]

    def test_what_the_compiler_says_of_the_readers_file(self):
        self.write("1, 2, 1.0", SOURCE.replace("your_elu_kernel", "mine"))
        for quotes in ("''", "\u2018\u2019"):
            text = self.built(f"elu.cu:126:23: error: {quotes[0]}your_elu_kernel{quotes[1]} was not declared in this scope\n")
            self.assertIn("the launcher calls your_elu_kernel, and it has mine: give the kernel its name back", text)
        self.write("1, 2, 1.0")
        self.assertIn("line 23 does not compile: expected ';'", self.built("01_elu/your_elu.cuh:23:9: error: expected ';'\n"))
        warning = "01_elu/your_elu.cuh:22:70: warning: unused parameter 'n' [-Wunused-parameter]\n"
        self.assertEqual(self.built(warning * 2), "warning: your_elu.cuh, line 22: unused parameter 'n'\n")


class Exercises(Judged):
    def listed(self, **given):
        arguments = mock.Mock(**{"exercise": None, "hint": None, "start": False, "restore": False, **given})
        with mock.patch("runs.find_chapters", lambda: [self.folder]):
            return synthetic.printed(exercises.run, arguments, self.folder)[1]

    def test_a_tick_is_earned_by_the_goals(self):
        self.write("8, 16, 2048.0")
        self.judge(one=accuracy(2048.0, 2048.0))
        self.assertNotIn("\u2713", self.listed())
        self.assertIn("next: 01_elu 1 climb", self.listed())
        good = (traced("your_elu", 16, 1, kind="yours"), traced("f16x8_pack", 16, 1))
        text = self.judge(fails(WRONG), accuracy(2048.0, 0.51, over=9), good)[1]
        self.assertNotIn("\u2713", text)  # it is not right
        text = self.judge(one=accuracy(2048.0, 2048.0), rungs=good)[1]
        self.assertIn("\u2713 1 climb", text)
        self.assertIn("2 sharpen: left: at most 0.51 ULP (you claim 2048)", text)
        self.assertIn("  \u2713 1 climb", self.listed())
        self.assertIn("next: 01_elu 2 sharpen", self.listed())
        self.write("1, alignof(half), 0.51")
        text = self.judge(one=accuracy(0.5, 0.51))[1]
        self.assertIn("\u2713 1 climb (by an earlier version, kept as", text)
        self.assertIn("\u2713 2 sharpen", text)

    def test_work_that_is_done_twice_gets_no_tick(self):
        buffer = synthetic.buffer
        one, other = traced("your_elu", 16, 1, kind="yours"), traced("f16x8_pack", 16, 1)
        self.write("8, 16, 2048.0")
        for name, kind, size in (("x", "loads", 4096), ("y", "stores", 4096), ("bits", "stores", 512)):
            one["buffers"] = [buffer(name, size, **{f"{kind}_again": size - 8}), buffer("a", 4096, loads_once=4096),
                              buffer("b", 64, loads_again=64)]
            text = " ".join(self.judge(one=accuracy(2048.0, 2048.0), rungs=(one, other))[1].split())
            self.assertIn(f"climb: left: it {kind} {size - 8:,} of {size:,} bytes of {name} more than once", text)
            self.assertNotIn("\u2713", text)
        one["buffers"] = [buffer("x", 4096, loads_once=4096), buffer("y", 4096, stores_once=4000, stores_again=96), buffer("b", 64, loads_again=64)]
        self.assertIn("\u2713 1 climb", self.judge(one=accuracy(2048.0, 2048.0), rungs=(one, other))[1])

    def judge_own(self, body, check="pass"):
        """What is printed of a program that the reader has begun, and that does this, and of which the checks say that."""
        self.declare(starter="", name="own", answer="own.cu", write=[])
        (self.folder / "answers/own.cu").touch()
        self.put("01_elu/your_own.cu", "int mine;\n")
        self.program("answers/01_elu_your_own", body)
        self.program("answers/01_elu_your_own_see", check)
        _, text = synthetic.printed(yours.judge_program, exercises.Chapter(self.folder).find("own"), "cpu")
        return re.sub(r"\n {11,}", " ", text)

    def test_a_program_is_ticked_and_what_is_left_of_this_version_is_told(self):
        self.assertIn("\u00b7 3 own: left: it is not right yet", self.judge_own("print('wrong: y[0]'); sys.exit(1)"))
        self.assertRegex(self.judge_own("print('right: all')"), r"\u2713 3 own\n")
        self.assertRegex(self.judge_own("sys.exit(1)"), r"\u2713 3 own \(by an earlier version, kept as .*/own.cu\); this "
                                                        "version: it is not right yet")

    def test_a_program_that_crashes_names_the_signal_and_where_to_look(self):
        for number, words, look in ((7, "it crashed (bus error)", True), (11, "it crashed (segmentation fault)", True),
                                    (24, "it did not end: is there", False)):
            text = self.judge_own(f"os.kill(os.getpid(), {number})")
            self.assertIn(f"your_own.cu: {words}", text)
            self.assertEqual("Look: is every index checked" in text, look)
        check = "print('check: a.cu:1: endless', file=sys.stderr); sys.exit(3)"
        self.assertIn("a.cu:1: endless", self.judge_own("os.kill(os.getpid(), 24)", check))

    def test_what_the_checks_find_in_a_program_stands_below_its_own_words(self):
        past = "01_elu/your_own.cu:9: thread 0 of block 0 reads b[8], one past the end (b has 8 elements)"
        check = f"print('right: all'); print('check: {past}', file=sys.stderr); sys.exit(1)"
        text = self.judge_own("print('right: all')", check)
        self.assertIn("right: all (and is not: the checks found something)\n  checks     " + past, text)
        self.assertIn("\u00b7 3 own: left: it is not right yet", text)
        self.assertNotIn("Look:", self.judge_own("os.kill(os.getpid(), 11)", check))
        self.assertIn("checks     no access outside an array", self.judge_own("print('right: all')"))

    def test_the_rung_is_told_beside_a_program_that_is_only_begun(self):
        self.declare(starter=source.blob(self.file.read_bytes()), name="own", answer="own.cu", write=[])
        for path in (self.folder / "answers/own.cu", self.folder / "your_own.cu"):
            path.touch()
        self.assertRegex(synthetic.printed(yours.judge, self.folder, "cpu")[1], r"your_own.cu is still the starter: .*\n.*your_elu.cuh is the starter too")

    def test_an_array_is_aligned_to_what_is_accessed_at_once(self):
        for declared, wide, told in (
                ("half pack[8]", "LDST128BITS(pack[0])", "LDST128BITS needs a multiple of 16 bytes, and line 1 aligns pack to 2"),
                ("alignas(4) half left[2], right[8]", "HALF2(left[0]) = LDST128BITS(right[0])", "line 1 aligns right to 4"),
                ("__shared__ float tile[64]", "FLOAT4(tile[4 * i])", "line 1 aligns tile to 4: write alignas(16)"),
                ("alignas(16) half pack[8]", "LDST128BITS(pack[0])", None), ("half2 pack[4]", "HALF2(pack[0])", None),
                ("Byte y[8]", "LDST64BITS(x[0])  // LDST64BITS(y[0])", None)):
            self.put("01_elu/your_elu.cuh", f"  {declared};\n  {wide} = a;\n")
            found = source.unaligned(source.Source(self.file))
            self.assertEqual(len(found), told is not None, declared)
            for sentence in found:
                self.assertRegex(sentence, "your_elu.cuh:2: .*" + re.escape(told))

    def test_a_program_that_cmake_does_not_know_yet_is_configured(self):
        known = []
        with mock.patch("front.build", lambda *_, **how: known.append(how["known"])):
            self.judge_own("sys.exit(1)")
            for name in ("01_elu_your_other", "01_elu_your_own"):
                self.put("build/cpu/CMakeFiles/TargetDirectories.txt", f"/a/CMakeFiles/{name}.dir\n")
                self.judge_own("sys.exit(1)")
        self.assertEqual(known[::2], [False, False, True])

    def test_hints_come_one_at_a_time(self):
        self.assertIn("hint 2 of 2:\n  Second.", self.listed(exercise="climb", hint=2))
        self.assertNotIn("Second.", self.listed(exercise="climb", hint=1))
        with self.assertRaisesRegex(runs.ToolError, "--hint 1 to --hint 2"):
            self.listed(exercise="climb", hint=3)

    def test_a_shell_completes_the_exercises_of_the_chapter(self):
        with mock.patch("runs.find_chapter", lambda _: self.folder):
            self.assertEqual(commands.exercise_names(parsed_args=mock.Mock(chapter="elu")), ["climb", "sharpen", "think"])

    def test_the_starter_comes_back_and_the_old_file_is_kept(self):
        starter = self.file.read_bytes()
        synthetic.commit(self.root)
        self.declare(starter=source.blob(starter))
        self.write("8, 16, 2.0")
        mine = self.file.read_bytes()
        self.assertIn(".exercises/01_elu/your_elu.1.cuh", self.listed(restore=True))
        self.assertEqual(self.file.read_bytes(), starter)
        self.assertEqual((self.root / ".exercises/01_elu/your_elu.1.cuh").read_bytes(), mine)
        self.assertIn("is the starter already", self.listed(restore=True))

    def test_a_program_has_a_file_of_its_own_and_an_exercise_on_paper_has_none(self):
        self.put("01_elu/answers/own.cu", "int f() {\n  return 1;\n}\n")
        self.declare(starter="", name="own", answer="own.cu", write=["f"])
        program, rung = self.folder / "your_own.cu", self.file.read_bytes()
        self.listed(exercise="own", start=True)
        frame = program.read_bytes()
        self.assertIn("your_own.cu is the starter already", self.listed(exercise="own", restore=True))
        program.write_bytes(b"mine")
        with self.assertRaisesRegex(runs.ToolError, "is there already; --restore"):
            self.listed(exercise="own", start=True)
        self.assertIn("/.exercises/01_elu/your_own.1.cu", self.listed(exercise="own", restore=True))
        self.assertEqual((program.read_bytes(), self.file.read_bytes()), (frame, rung))
        self.assertEqual((self.root / ".exercises/01_elu/your_own.1.cu").read_bytes(), b"mine")
        self.declare(starter="")
        for given in ({"start": True}, {"restore": True}):
            with self.assertRaisesRegex(runs.ToolError, "think is on paper: there is no file to start"):
                self.listed(exercise="think", **given)

    def test_the_frame_of_a_program(self):
        text = ("//! [a]\nconstexpr int kPer = 8;\n__global__ void k(const float* x,\n                  float* y) {\n  y[0] = 1;\n}\n"
                "//! [a]\ndouble a(double x) { return x; }\ncudaError_t b(int n) {\n  if (n) {\n    n = 0;\n  }\n}\nint main() {}\n")
        self.assertEqual(exercises.without_body(text, "a").partition("double")[0],
                         "// Yours to write:\n// __global__ void k(const float* x, float* y)\nconstexpr int kPer = 1;\n")
        self.assertIn("cudaError_t b(int n) {\n  // Yours to write.\n  return {};\n}\nint main", exercises.without_body(text, "b"))

    def test_words_in_the_code(self):
        facts = yours.Facts(source.Source(self.file), (1, 2, 2048.0))
        self.assertTrue(facts.meets("with", ["expm1f"])[0])
        self.assertFalse(facts.meets("without", ["expm1f"])[0])
        self.write("1, 2, 1.0", SOURCE.replace("expm1f", "/* expm1f */ fast_expm1f"))
        facts = yours.Facts(source.Source(self.file), (1, 2, 1.0))
        self.assertFalse(facts.meets("with", ["expm1f"])[0])


def facts_of(path):
    text = source.Source(path)
    return yours.Facts(text, source.claims_of(text))


#: Goals that the source shows.
SEEN = ("max_ulp", "per_thread", "with", "without", "products")


class Declared(unittest.TestCase):
    """The chapters' own."""

    def test_every_exercise_can_be_judged_and_names_what_is_there(self):
        everything = exercises.all_chapters()
        self.assertEqual([one.folder.name for one in everything], [path.name for path in runs.find_chapters()])
        for chapter in everything:
            gpus = front.recorded_gpus(chapter.folder)  # none of a new one's
            shown = runs.load_run(chapter.folder / "results" / f"{gpus[0]}.json") if gpus else None
            rungs = {row.rung for row in shown.rows} if shown else set()
            names = [one.name for one in chapter.exercises]
            self.assertEqual(len(set(names)), len(names), chapter.folder)
            if shown:
                self.assertIn(chapter.beside, rungs)
            self.assertEqual(chapter.starter, source.blob(chapter.file.read_bytes()),
                             f"{chapter.file} has changed: {chapter.folder}/answers/exercises.json names its starter by "
                             "git hash-object")
            for one in chapter.exercises:
                self.assertTrue(one.task and one.hints, one.name)
                self.assertEqual(set(one.goals) - set(exercises.GOALS), set(), one.name)
                for name in ("requests_as", "blocks_as"):
                    if shown:
                        self.assertIn(one.goals.get(name, chapter.beside), rungs)
                if one.answer:
                    self.assertTrue((chapter.folder / "answers" / one.answer).is_file(), one.answer)

    def test_the_starter_and_the_answer_differ_by_the_goals_that_the_source_shows(self):
        """What a test without a compiler can see of them: claims, and words in the code."""
        for chapter in exercises.all_chapters():
            for one in chapter.exercises:
                if one.is_program or not one.judged:
                    continue
                answer = chapter.folder / "answers" / one.answer
                for name, goal in one.goals.items():
                    if name in SEEN:
                        facts = facts_of(answer)
                        self.assertTrue(facts.meets(name, goal)[0], f"{answer}: {name}")
                starter = facts_of(chapter.file)
                seen = [starter.meets(name, goal)[0] for name, goal in one.goals.items()]
                self.assertFalse(all(seen), f"{one.name}: the starter meets every goal")

    #: An answer that does what another exercise asks for, in its words.
    ALSO = {("01_elu", "poly", "sharpen"), ("01_elu", "save", "sharpen"), ("01_elu", "save", "poly"),
            ("03_swish", "polynomial", "sharpen")}

    def test_no_answer_earns_another_exercise(self):
        """By what the source shows; of the rest, common/tools/test/planted.py shows it."""
        earned = set()
        for chapter in exercises.all_chapters():
            if not (chapter.folder / "results/h200.json").exists():  # a new chapter has the answers of its model
                continue
            rungs = [one for one in chapter.exercises if one.judged and not one.is_program]
            for one, other in itertools.permutations(rungs, 2):
                facts = facts_of(chapter.folder / "answers" / one.answer)
                if all(facts.meets(name, goal)[0] for name, goal in other.goals.items() if name in SEEN):
                    earned.add((chapter.folder.name, one.name, other.name))
        self.assertEqual(earned, self.ALSO)

    def test_a_program_is_checked_by_its_own_main(self):
        for chapter in exercises.all_chapters():
            programs = [one for one in chapter.exercises if one.is_program and not one.asks]
            for one, other in itertools.product(programs, programs):
                answer = source.Source(chapter.folder / "answers" / one.answer)
                facts = yours.Facts(answer, (None, None, None), other.frame)
                facts.says_right = True
                self.assertEqual(facts.meets("program", True)[0], one is other, (one.name, other.name))
                if one is other:
                    for name in {"with", "without"} & set(one.goals):
                        self.assertTrue(facts.meets(name, one.goals[name])[0], f"{one.name}: {name}")

    def test_a_program_begins_without_what_is_to_be_written(self):
        for chapter in exercises.all_chapters():
            for one in chapter.exercises:
                if one.is_program:
                    answer = runs.read_text(chapter.folder / "answers" / one.answer)
                    text = one.frame
                    self.assertEqual(len(re.findall("// Yours to write[.:]", text)), len(one.data.get("write", [])), one.answer)
                    self.assertEqual(text.count("{"), text.count("}"))
                    self.assertGreater(len(answer) - len(text), 40, one.answer)


if __name__ == "__main__":
    unittest.main()
