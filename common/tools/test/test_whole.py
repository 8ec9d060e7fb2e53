#!/usr/bin/env python3
"""The programs that a reader writes whole, from the allocation to the launch: her starter has neither, the worked answer is
right under the checks, and each mistake that is planted is refused."""

import concurrent.futures
import os
import re
import subprocess
import unittest

import folders  # noqa: F401

import asked
import exercises
import runs
import synthetic

GUARD, BACK = "  if (i >= n) return;\n", "  check(cudaMemcpy(y.data(), device_y, bytes, cudaMemcpyDeviceToHost));\n"
GELU, ROWS = "02_gelu/answers/whole.cu", "06_primitives/answers/rows.cu"
EVERY = os.environ.get("TUTORIAL_EVERY_PROGRAM") == "1"  # .ci/run --help says when; else some
#: (answer, what is wrong with it, the text, what is there instead, what is said)
PLANTED = [
    (GELU, "no guard", GUARD, "", "past the end"),
    (GELU, "no copy back", BACK, "", "wrong: 1 elements: y"),
    (GELU, "elements for bytes", "x.size() * sizeof(float)", "x.size()", "past the end|exit code 1"),
    (GELU, "one block", "<<<(n + threads - 1) / threads, threads>>>", "<<<1, threads>>>", "nobody has written|wrong: 129 elements"),
    ("05_logical_relation/answers/whole.cu", "halves for bytes", "y.size() * sizeof(Byte)", "y.size() * sizeof(half)", "copy|check"),
    (ROWS, "a race in the row's sum", "    __syncthreads();\n    if (threadIdx.x < step)", "    if (threadIdx.x < step)", "no barrier|exit code 3"),
    (ROWS, "one block", "softmax_kernel<<<rows, kThreads>>>", "softmax_kernel<<<1, kThreads>>>", "nobody has written|row 1|exit code 3"),
    (ROWS, "a row's first 256 numbers", "c < columns; c += kThreads) y[c]", "c < kThreads; c += kThreads) y[c]", "exit code 3|row 0"),
    (ROWS, "no copy back", BACK, "", "row 0, column 0 is 0"),
    (ROWS, "no maximum", "max = over_block(max, Larger{});", "max = 0.0f;", "row 0, column 0 is -?nan|row 0, column 0 is inf"),
]


def answers():
    return [(chapter.folder / "answers" / one.answer, one) for chapter in exercises.all_chapters() for one in chapter.exercises
            if one.name == "whole" or one.asks]


def judged(path, exercise):
    """("" or what is wrong, all that was said) of a program, under the checks."""
    call = asked.runner([runs.ROOT / "tutorial", "run", "--check", path], {**os.environ, "TUTORIAL_CHECK_SECONDS": "3"})
    if exercise.asks:
        wrong, said = asked.wrong(exercise.asks, call)
        return wrong, wrong + said
    done = call("")
    said = done.stdout + done.stderr
    return said if done.returncode else "", said


class Whole(synthetic.Scratch):
    def test_every_chapter_behind_the_first_has_one_and_it_begins_without_launch_and_allocation(self):
        for chapter in exercises.all_chapters()[1:]:
            if (chapter.folder / "results").is_dir():  # of a copied one not yet
                self.assertIn("whole", [one.name for one in chapter.exercises], chapter.folder)
        for path, one in answers():
            for words in ("<<<", "cudaMalloc"):
                self.assertNotIn(words, re.sub("//.*", "", one.frame), one.file)
            self.assertIn("cudaMalloc", runs.read_text(path))

    def test_the_answers_are_right_and_what_is_planted_is_refused(self):
        by_path = {str(path.relative_to(runs.ROOT)): one for path, one in answers()}
        cases = [(name, "right", runs.read_text(runs.ROOT / name), None) for name in by_path]
        for name, what, old, new, said in PLANTED if EVERY else PLANTED[1::4]:
            text = runs.read_text(runs.ROOT / name)
            self.assertIn(old, text, f"{name}: {what}")
            cases.append((name, what, text.replace(old, new), said))
        paths = [self.put(f"program{number}.cu", text) for number, (*_, text, _) in enumerate(cases)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            exercises_ = [by_path[name] for name, *_ in cases]
            for (name, what, _, said), (wrong, everything) in zip(cases, pool.map(judged, paths, exercises_)):
                with self.subTest(f"{name}: {what}"):
                    if said is None:
                        self.assertEqual(wrong, "")
                    else:
                        self.assertTrue(wrong)
                        self.assertRegex(everything, said)

    def test_an_answer_is_compared_number_by_number(self):
        for printed, said in (("0.25 0.75", None), ("0.25", "printed 1 numbers, not 2"), ("0.25 0.7501", "row 0, column 1"),
                              ("a 0.75", "a is no number"), ("nan 0.75", "row 0, column 0 is nan")):
            found = asked.difference("softmax", 1, 2, [0.0, 1.0986122886681098], printed.split())
            self.assertIn(said, found) if said else self.assertEqual(found, "")

    def test_a_program_that_does_not_end_or_fails_is_wrong(self):
        self.assertIn("does not end", asked.wrong("softmax", lambda _: None)[0])
        failed = subprocess.CompletedProcess([], 3, "", "check: a.cu:1: x")
        self.assertIn("exit code 3", asked.wrong("softmax", lambda _: failed)[0])

    def test_on_a_gpu_its_time_is_asked_for(self):
        timed = subprocess.CompletedProcess([], 0, "", "time: 100.0 us\n")
        self.assertEqual(asked.time_of(lambda _: timed), ("100 us, 671 GB/s read and written", ""))
        self.assertIn("does not print", asked.time_of(lambda _: subprocess.CompletedProcess([], 0, "", ""))[1])


if __name__ == "__main__":
    unittest.main()
