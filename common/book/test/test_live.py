#!/usr/bin/env python3
"""Builds the kernels that run in the book's pages and compares what they say with what g++'s build of the same says,
and with the traces that ./tutorial trace recorded: test_live.py PROGRAM BUILD, which are common_live and the folder
where it is built. Skipped without emscripten."""

import gzip
import itertools
import json
import operator
import subprocess
import sys
import unittest

import needs

import live
import runs

MOST_BYTES = 200_000  # gzipped, all that a page loads
STACK = 16 << 10  # bytes of a fiber (common/live/fiber.cpp)
ASK = needs.BOOK / "test" / "ask_live.cjs"
SIZES = (1, 31, 512, 1000, 4099, 20480)
CORNERS = ("", "threads=32", "threads=1024", "x=2 a=2", "y=2", "b=4", "x=8 a=8 b=8 y=8", "warp=0", "warp=1", "width=2",
           "width=4", "width=8", "reverse=1")
SUMS = ("requests", "lanes", "used", "sectors", "phases", "passes")


def answers(command, questions):
    done = subprocess.run(command, input="\n".join(questions) + "\n", text=True, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.strip().split("\n")]


def own(request):
    return {key: value for key, value in sorted(request.items()) if key not in ("line", "inner_line")}


def in_order(requests):
    """Of f(a[i], b[i]) either compiler loads the one or the other first."""
    return [request for _, of_kind in itertools.groupby(requests, operator.itemgetter("operation"))
            for request in sorted(of_kind, key=lambda one: json.dumps(own(one)))]


def counted(launch):
    """The numbers of a launch. g++ may make several places of a statement, so what is of one kind is added up."""
    places = {}
    for place in launch["places"]:
        kind = tuple(place[name] for name in ("operation", "space", "least_bytes", "most_bytes"))
        sums = places.setdefault(kind, dict.fromkeys(SUMS, 0))
        for name in SUMS:
            sums[name] += place.get(name, 0)
    warps = {which: {**launch[which], "requests": [own(request) for request in in_order(launch[which]["requests"])]}
             for which in ("middle", "last") if which in launch}
    return {**launch, "kernel": "", "places": places, **warps}


def lines(launch):
    """(file, line) of each access of the warps."""
    return [(request["line"].split(":")[0], int(request["line"].split(":")[1]))
            for which in ("middle", "last") if which in launch for request in in_order(launch[which]["requests"])]


class Live(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = live.built()
        cls.rungs = cls.ask(["list"])[0]["rungs"]

    @classmethod
    def ask(cls, questions):
        return answers(["node", "--no-experimental-fetch", str(ASK), str(cls.folder)], questions)

    def test_a_page_loads_little(self):
        sizes = [len(gzip.compress((self.folder / name).read_bytes())) for name in live.FILES]
        self.assertLess(sum(sizes), MOST_BYTES, sizes)

    def test_no_kernel_needs_half_of_its_stack(self):
        deepest = {rung["rung"]: self.ask([f"{rung['chapter']} {rung['rung']} n=20480", "stack"])[1] for rung in self.rungs}
        self.assertLess(max(deepest.values()), STACK // 2, deepest)
        self.assertGreater(min(deepest.values()), 100, deepest)  # it is measured

    def test_every_corner_is_counted_as_gcc_counts_it(self):
        questions = [f"{rung['chapter']} {rung['rung']} n={n} {corner}"
                     for rung in self.rungs for n in SIZES for corner in CORNERS]
        questions += [f"06_primitives block_sum first={first} second={second} reverse={reverse}"
                      for first, second, reverse in itertools.product((0, 1), repeat=3)]
        ours, theirs = self.ask(questions), answers([PROGRAM], questions)
        refused = 0
        for question, one, other in zip(questions, ours, theirs):
            for launch, same in zip(one["launches"], other["launches"], strict=True):
                for (file, line), (its_file, its_line) in zip(lines(launch), lines(same), strict=True):
                    self.assertEqual(file, its_file, question)
                    # g++ may name a loop's head, and of a shared slot the line of the reference to it.
                    self.assertLessEqual(abs(line - its_line), 3 if "_shared " in question else 1, question)
            for answer in (one, other):
                answer["launches"] = [counted(launch) for launch in answer["launches"]]
            self.assertEqual(one, other, question)
            refused += "refused" in one
        self.assertGreater(refused, 50)
        self.assertGreater(len(questions) - refused, 1000)

    def test_the_recorded_traces_are_counted_again(self):
        compared = 0
        for rung in self.rungs:
            for path in sorted((runs.ROOT / rung["chapter"] / "results").glob("trace*.json")):
                for traced in runs.load_json(path)["rungs"]:
                    if traced["rung"] == rung["rung"] and not traced["shape"].startswith("4x32x28"):
                        answer = self.ask([f"{rung['chapter']} {rung['rung']} n={traced['elements']}"])[0]
                        for one, other in zip(answer["launches"], traced["launches"], strict=True):
                            self.assertEqual(counted({key: one[key] for key in other}), counted(other), rung["rung"])
                        compared += 1
        self.assertGreater(compared, 5)

    def test_a_barrier_that_is_missing_shows(self):
        def sums(switches):
            answer = self.ask([f"06_primitives block_sum {switches}"])[0]
            return answer["sums"], answer.get("conflict")
        right = [256, 512] * 8
        self.assertEqual(sums("first=1 second=1"), (right, None))
        self.assertEqual(sums("first=1 second=1 reverse=1"), (right, None))
        wrong, conflict = sums("first=0 second=1")
        self.assertEqual(wrong[:4], [256, 512, 288, 512])
        self.assertRegex(conflict, r"^Thread 0 overwrites slot 0 \(line \d+\) before thread 32 has read it \(line \d+\)\.$")
        wrong, conflict = sums("first=1 second=0")
        self.assertIsNone(wrong[0])
        self.assertRegex(conflict, r"^Thread 1 reads slot 1 \(line \d+\) before thread 32 has written it \(line \d+\)\.$")


if __name__ == "__main__":
    if not live.tools_are_here():
        print("skipped: no emscripten here, or TUTORIAL_NO_LIVE is set; on Debian: apt-get install --no-install-recommends emscripten")
        sys.exit(needs.SKIPPED)
    PROGRAM, BUILD = sys.argv[1:]
    del sys.argv[1:]
    subprocess.run(["cmake", "--build", BUILD, "--target", "common_live"], check=True, stdout=subprocess.DEVNULL)
    unittest.main()
