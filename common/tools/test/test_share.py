#!/usr/bin/env python3
"""Tests of share.py: the recorded runs become small files that hold the same numbers, what is damaged is
refused in a sentence, and every file that was added can be drawn."""

import copy
import json
import unittest

import folders  # noqa: F401
import recorded
import runs
import share
import synthetic


def files():
    """The run on one GPU of every chapter that has one."""
    return [path for _, path in share.recorded_ladders(runs.ROOT) if path.stem == "h200"]


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = [runs.load_run(path) for path in files()]
        cls.data = share.ladders(files())

    def test_they_make_a_small_file_that_can_be_added(self):
        text = recorded.text(self.data)
        self.assertEqual(share.problems(json.loads(text)), "")
        self.assertLess(len(text), 400_000)

    def test_it_holds_every_number_but_the_readers_own(self):
        count = 0
        for run, entry in zip(self.runs, self.data["runs"], strict=True):
            self.assertEqual(entry["context"]["executable"], run.context["executable"])
            kept = {row.name: row for row in runs.Run("shared", entry).rows}
            for row in run.rows:
                one = kept.pop(row.name, None)
                if row.kind == "yours":
                    self.assertIsNone(one)
                    continue
                for name in share.NUMBERS:
                    self.assertAlmostEqual(one.counters.get(name, 0), row.counters.get(name, 0), delta=1e-4 * row.counters.get(name, 0))
                count += 1
            self.assertEqual(kept, {})
        self.assertGreater(count, 1000)

    def test_damage_is_seen(self):
        for change in (lambda d, run, rung: d.pop("gpu"), lambda d, run, rung: d.update(owner="me"), lambda d, run, rung: d.update(runs={}),
                       lambda d, run, rung: d["runs"].append(copy.deepcopy(run)), lambda d, run, rung: run["context"].update(gpu="another"),
                       lambda d, run, rung: run["context"].update(backend="cpu"), lambda d, run, rung: run["context"].update(host_name="mine"),
                       lambda d, run, rung: run["context"].update(executable="../elu"), lambda d, run, rung: run["context"].update(date=7),
                       lambda d, run, rung: run["ladders"][0]["places"].append(["1024", "cold"]),
                       lambda d, run, rung: run["ladders"][0]["places"].__setitem__(0, ["large", "cold"]),
                       lambda d, run, rung: run.update(ladders=[]), lambda d, run, rung: rung.update(kind="mine"),
                       lambda d, run, rung: rung["GBps"].__setitem__(0, -1.0), lambda d, run, rung: rung.update(copy_pct="99"),
                       lambda d, run, rung: rung.update(watts=300), lambda d, run, rung: rung.update(rung="a b")):
            data = copy.deepcopy({**self.data, "runs": self.data["runs"][:1]})
            change(data, data["runs"][0], data["runs"][0]["ladders"][0]["rungs"][0])
            self.assertRegex(share.problems(data), "^[^\n]+$")


class Refused(synthetic.Scratch):
    def run_of(self, name="run.json", **context):
        """A recorded run in a file, with another context."""
        data = synthetic.as_written(runs.load_run(files()[0]))
        data["context"].update(context)
        return self.put(name, data)

    def test_runs_that_cannot_be_shared(self):
        one = self.run_of()
        for others, words in (([self.run_of("cpu.json", backend="cpu")], "CPU executor"), ([one], "two runs of one chapter"),
                              ([self.run_of("b.json", gpu="another")], "ran on another .* of NVIDIA")):
            with self.assertRaisesRegex(runs.ToolError, words):
                share.write(self.folder, [one, *others])
        self.assertEqual(sorted(path.name for path in self.root.iterdir()), ["b.json", "cpu.json", "run.json"])

    def test_a_file_is_named_after_its_gpu(self):
        self.assertEqual(share.file_name({"gpu": "NVIDIA GeForce RTX 4090"}), "nvidia-geforce-rtx-4090.json")

    def test_every_file_that_was_added_can_be_drawn(self):
        list(share.added())


if __name__ == "__main__":
    unittest.main()
