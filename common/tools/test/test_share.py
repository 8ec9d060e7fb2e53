#!/usr/bin/env python3
"""Tests of share.py: the recorded runs become small files that hold the same numbers, what is damaged is
refused in a sentence, and every file that was added can be drawn."""

import contextlib
import copy
import io
import json
import tempfile
import unittest
from pathlib import Path

import folders
import runs
import share
import synthetic


def recorded():
    """The run on one GPU of every chapter that has one."""
    files = [folder / "results" / "h200.json" for folder in runs.find_chapters()]
    return [runs.load_run(file) for file in files if file.exists()]


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = recorded()
        cls.data = share.ladders(cls.runs)

    def test_they_make_a_file_that_can_be_added(self):
        self.assertEqual(share.problems(json.loads(share.text_of(self.data))), [])
        self.assertEqual([entry["chapter"] for entry in self.data["chapters"]],
                         [Path(run.path).parts[-3] for run in self.runs])

    def test_it_is_small(self):
        self.assertLess(len(share.text_of(self.data)), 400_000)

    def test_it_holds_every_number_but_the_readers_own(self):
        count = 0
        for run, entry in zip(self.runs, self.data["chapters"]):
            values = {(name, place): value for name, _, cells in entry["rows"]
                      for place, value in zip(entry["places"], cells)}
            for row in run.rows:
                value = values.pop((f"{row.ladder}/{row.rung}", f"{row.shape}/{row.regime}"), None)
                if row.kind == "yours":
                    self.assertIsNone(value)
                    continue
                self.assertAlmostEqual(value[0], row.gbps, delta=0.06)
                self.assertAlmostEqual(value[1] or 0, row.copy_pct or 0, delta=0.006)
                self.assertAlmostEqual(value[2], row.spread_pct, delta=0.006)
                count += 1
            self.assertEqual([value for value in values.values() if value], [])
        self.assertGreater(count, 1000)

    def test_damage_is_seen(self):
        first = self.data["chapters"][0]
        for change in (lambda d: d.pop("gpu"), lambda d: d.update(version=2), lambda d: d.update(owner="me"),
                       lambda d: d["chapters"].append(copy.deepcopy(d["chapters"][0])),
                       lambda d: d["chapters"][0]["context"].update(gpu="another"),
                       lambda d: d["chapters"][0]["context"].update(backend="cpu"),
                       lambda d: d["chapters"][0]["context"].update(host_name="mine"),
                       lambda d: d["chapters"][0]["places"].append("1024/cold"),
                       lambda d: d["chapters"][0]["places"].__setitem__(0, "large/cold"),
                       lambda d: d["chapters"][0]["rows"][0].__setitem__(1, "f32 mine"),
                       lambda d: d["chapters"][0]["rows"][0][2].__setitem__(0, [-1.0, None, 0.0]),
                       lambda d: d["chapters"][0]["rows"][0][2].__setitem__(0, [1.0, "99", 0.0]),
                       lambda d: d["chapters"][0]["rows"][0][2].__setitem__(0, [True, None, 0.0]),
                       lambda d: d["chapters"][0]["rows"][0].append([]), lambda d: d["chapters"][0].update(rows=[]),
                       lambda d: d["chapters"][0]["context"].pop("date"), lambda d: d.update(chapters={}),
                       lambda d: d["chapters"][0].update(chapter="../elu")):
            data = copy.deepcopy({**self.data, "chapters": [first]})
            change(data)
            found = share.problems(data)
            self.assertNotEqual(found, [])
            self.assertTrue(all(isinstance(line, str) and "\n" not in line for line in found))


class Refused(unittest.TestCase):
    def run_of(self, folder, **context):
        """A synthetic run in a file, with another context."""
        path = Path(folder) / "run.json"
        data = synthetic.as_written(recorded()[0])
        data["context"].update(context)
        path.write_text(json.dumps(data), encoding="utf-8")
        return runs.load_run(path)

    def test_runs_that_cannot_be_shared(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(runs.ToolError, "CPU executor"):
                share.ladders([self.run_of(folder, backend="cpu")])
            one = self.run_of(folder)
            with self.assertRaisesRegex(runs.ToolError, "two runs of one chapter"):
                share.ladders([one, one])
            with self.assertRaisesRegex(runs.ToolError, "several GPUs"):
                share.ladders([one, self.run_of(folder, gpu="another")])

    def test_nothing_is_written_then(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.run_of(folder, backend="cpu")
            with self.assertRaises(runs.ToolError):
                share.write(folder, [run.path])
            self.assertEqual([path.name for path in Path(folder).iterdir()], ["run.json"])

    def test_a_file_is_named_after_its_gpu(self):
        self.assertEqual(share.file_name({"gpu": "NVIDIA GeForce RTX 4090"}), "nvidia-geforce-rtx-4090.json")


class Added(unittest.TestCase):
    def test_every_file_that_was_added_can_be_drawn(self):
        files = list(share.FOLDER.glob("*.json"))
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(share.check(files), 0)


if __name__ == "__main__":
    unittest.main()
