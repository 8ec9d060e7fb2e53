"""Tests of record.py in a made-up repository, with a runner that starts nothing and writes what the programs would."""

import json
import re
import sys
import unittest
from unittest import mock

import folders
import record
import report
import runs
import synthetic

PAGE = "# 01 · ELU: a page\n\nAt <!-- report:value of=GBps rung=f16 shape=4096x4096 -->?<!-- /report -->.\n"


class RecordTest(synthetic.Scratch):
    def setUp(self):
        super().setUp()
        self.outer = self.root
        self.called, self.fails, self.gpu = [], None, "NVIDIA B300"
        self.torch, self.clock, self.takes = True, 0.0, 0.0  # seconds; a program takes so many
        self.clone("one")

    def clone(self, name):
        """Another clone of the made-up repository becomes the one at work."""
        self.root = self.outer / name
        self.put("01_elu/README.md", PAGE)
        self.put("01_elu/proof/peers/torch_peers.py", "CASES = []")
        self.put("01_elu/results/headline.json", {"profiles": [{"name": "ncu_rows", "shape": "1x2x3"}], "ten_seconds": ["f16"]})
        self.put("common/results/shown.json", {"main": "b300", "second": "h200"})
        self.patch("runs.ROOT", self.root)

    def runner(self, command, log):
        """Notes the call; fails where a fault is planted; else leaves the files that the program would."""
        line = " ".join(command.arguments)
        self.called.append(line)
        self.clock += self.takes
        if self.fails and re.search(self.fails, line):
            return 3
        following = dict(zip(command.arguments, command.arguments[1:]))
        if command.out:
            command.out.touch()
        for argument in command.arguments:
            if argument.startswith("--benchmark_out="):
                synthetic.write("/", argument.split("=", 1)[1], synthetic.google_run())
        if "TUTORIAL_RECORD_DIR" in command.environment:
            synthetic.write(command.environment["TUTORIAL_RECORD_DIR"], "accuracy.f16.json", {"accuracy": [{"rung": "f16"}]})
            synthetic.write(command.environment["TUTORIAL_RECORD_DIR"], "half_functions.json", {"half_functions": [{"function": "hexp"}]})
        if "table.py" in line:
            synthetic.write("/", following["--json"], synthetic.run(rungs=(("torch_f16", "f16", "peer"),)))
        if "ncu.py" in line or "codegen.py" in line:
            synthetic.write("/", following.get("--out", following.get("--json")), {"context": {}, "ncu": [{"rung": "f16"}]})
        if "report.py" in line:
            with mock.patch.object(sys, "argv", ["report.py", *command.arguments[2:]]):
                return report.main()
        return 0

    def call(self, *arguments, gpu="b300"):
        """record.py's exit code or error, and what it printed."""
        def main():
            try:
                return record.main(self.runner)
            except runs.ToolError as error:
                return str(error)
        smi = lambda *words: self.gpu if "--query-gpu=name" in words else ""
        with mock.patch.object(sys, "argv", ["record.py", gpu, *arguments]), mock.patch.object(record, "answer", smi), \
                mock.patch.object(record, "has_torch", lambda: self.torch), \
                mock.patch.object(record.Plan, "not_told_apart", lambda *_: ["elu/f16/1x2x3/cold"]), \
                mock.patch.object(record.time, "monotonic", lambda: self.clock):
            return synthetic.printed(main)

    def results(self):
        return sorted(str(path.relative_to(self.root)) for path in self.root.glob("*/results/*"))

    WANTED = sorted(["01_elu/results/headline.json", "common/results/shown.json", "common/results/half_functions.json"]
                    + [f"01_elu/results/b300{end}.json" for end in ("", "_accuracy", "_torch", "_ncu", "_ncu_rows", "_after_10s", "_codegen", "_counts")]
                    + [f"common/results/b300{end}.json" for end in ("_controls", "_controls_ncu", "_residency_ncu", "_sectors_ncu")])

    def steps_of(self, out):
        return re.findall(r"^record: \d+ of \d+: (\S+), about \d+ minutes?$", out, re.M)

    def test_all_steps_in_order_and_every_file_at_its_place(self):
        code, out = self.call()
        self.assertEqual(code, 0, out)
        self.assertEqual(self.steps_of(out), [
            "01_elu/test", "01_elu/bench", "01_elu/torch", "01_elu/memcheck", "01_elu/racecheck", "01_elu/initcheck",
            "01_elu/synccheck", "01_elu/ncu", "01_elu/ncu_rows", "01_elu/after_10s", "common/test", "common/controls",
            "common/controls_ncu", "common/residency_ncu", "common/sectors_ncu", "common/behind_ncu", "common/views_ncu",
            "01_elu/codegen", "01_elu/counts", "report"])
        self.assertEqual(self.results(), self.WANTED)
        self.assertIn("At <!-- report:value of=GBps rung=f16 shape=4096x4096 -->900 GB/s<!--", (self.root / "01_elu/README.md").read_text())
        self.assertIn("ladders", json.loads((self.root / "01_elu/results/b300.json").read_text()), "the short form")
        self.assertTrue(self.called[-1].endswith("report.py --check"))

    def test_it_goes_on_where_it_stopped(self):
        self.fails = "racecheck|--shape 1x2x3"
        code, out = self.call()
        self.assertEqual(code, 1)
        self.assertIn("failed: 01_elu/racecheck, 01_elu/ncu_rows;", out)
        self.assertNotIn("01_elu/results/b300_ncu_rows.json", self.results())
        self.fails, self.called[:] = None, []
        code, out = self.call()
        self.assertEqual((code, self.steps_of(out)), (0, ["01_elu/racecheck", "01_elu/ncu_rows", "report"]))
        self.assertEqual(self.results(), self.WANTED)
        self.assertFalse(any("benchmark_out" in line for line in self.called))

    def test_a_carried_folder_is_put_in_place_without_a_gpu(self):
        folder = self.outer / "carried"
        self.assertEqual(self.call("--folder", str(folder), "--only", "01_elu/bench")[0], 0)
        self.clone("two")
        self.gpu = ""
        message = self.call("--folder", str(folder), "--only", "01_elu/torch")[0]
        self.assertIn("no GPU answers", message)
        self.assertIn("01_elu/results/b300.json", self.results())
        self.assertEqual(self.call("--folder", str(folder), "--only", "report")[0], 0)

    def test_no_step_begins_that_would_not_end_in_time(self):
        code, out = self.call("--minutes", "3")
        self.assertEqual((code, self.steps_of(out)[-1]), (0, "01_elu/bench"))
        self.assertIn("stopped before 01_elu/torch, about 4 minutes of 3 left", out)
        self.takes = 60.0  # building takes two minutes of the five, the torch step one
        code, out = self.call("--minutes", "6")
        self.assertEqual((code, self.steps_of(out)), (0, ["01_elu/torch", "01_elu/memcheck"]))
        self.assertIn("stopped before 01_elu/racecheck, about 3 minutes of 2 left", out)

    def test_steps_once_more(self):
        self.assertEqual(self.call("--only", "bench")[0], 0)
        self.assertEqual(self.steps_of(self.call("--only", "bench")[1]), [])
        self.assertEqual(self.steps_of(self.call("--only", "bench", "--again", "01_elu")[1]), ["01_elu/bench"])

    def test_a_listing_runs_nothing(self):
        self.call("--only", "bench")
        del self.called[:]
        out = self.call("--list")[1]
        self.assertRegex(out, r"01_elu/bench +done in \d+ s at ")
        self.assertRegex(out, r"01_elu/torch +about 4 minutes\n")
        self.assertIn("1 of 20 steps are done; the others take about ", out)
        self.assertEqual(self.called, [])

    def test_without_pytorch_its_steps_are_left_out_aloud(self):
        self.torch = False
        code, out = self.call()
        self.assertEqual(code, 0)
        self.assertRegex(out, r"record: 01_elu/torch is left out: .* has no PyTorch; TUTORIAL_TORCH_PYTHON")
        self.assertNotIn("01_elu/results/b300_torch.json", self.results())

    def test_another_gpu_than_the_main_one_records_no_machine_code(self):
        self.gpu = "NVIDIA H200"
        code, out = self.call(gpu="h200")
        self.assertEqual(code, 0)
        self.assertNotIn("01_elu/codegen", out)
        self.assertIn("01_elu/results/h200.json", self.results())

    def test_mistakes_are_one_sentence_and_nothing_is_written(self):
        before = sorted(self.root.rglob("*"))
        self.assertIn("the GPU here is NVIDIA B300, and h200 is to be recorded", self.call(gpu="h200")[0])
        self.assertIn("small letters and digits", self.call(gpu="H200")[0])
        self.assertIn("no step is called sing; --list names them", self.call("--only", "sing")[0])
        self.assertEqual(sorted(self.root.rglob("*")), before)
        self.fails = "--preset cuda"
        self.assertIn("cmake ended with 3", self.call("--only", "bench")[0])


if __name__ == "__main__":
    unittest.main()
