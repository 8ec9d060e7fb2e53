"""Tests of report.py in a made-up repository. All numbers are made up. That the tables and figures are right, the
pages show: each kind stands on one, and report.py --check, a test of its own, makes them all again."""

import re
import sys
import unittest
from pathlib import Path
from unittest import mock

import folders
import report
import runs
import synthetic


class ReportTest(synthetic.Scratch):
    """A repository in a folder of its own, and what report.py makes of its page."""

    def setUp(self):
        super().setUp()
        self.patch("runs.ROOT", self.root)
        self.put("common/results/shown.json", {"main": "h200", "second": "h100"})
        self.put("01_elu/elu.cuh", "//! [once]\n")
        self.put("01_elu/results/h200.json", synthetic.run())

    def get(self, name):
        return runs.read_text(self.root / name)

    def main(self, *arguments):
        """report.py's exit code and output."""
        with mock.patch.object(sys, "argv", ["report.py", *arguments]):
            return synthetic.printed(report.main)

    def block(self, text, kind="report"):
        """The lines that a block becomes."""
        self.put("01_elu/README.md", f"<!-- {kind}:{text} -->\nold\n<!-- /{kind} -->\n")
        self.main()
        lines = self.get("01_elu/README.md").splitlines()
        self.assertEqual(lines[-1], f"<!-- /{kind} -->")
        return [line for line in lines[1:-1] if line]

    def refused(self, text):
        with self.assertRaises(runs.ToolError) as caught:
            self.block(text)
        self.assertRegex(str(caught.exception), r"^01_elu/README\.md:1: ")
        return str(caught.exception)

    def value(self, text):
        self.put("01_elu/README.md", f"is <!-- report:value {text} -->?<!-- /report -->.\n")
        self.main()
        return self.get("01_elu/README.md").split("-->")[1].split("<!--")[0]

    def test_a_new_gpu_is_one_line(self):
        faster = synthetic.run(factor=2.0)
        faster["context"]["gpu"] = "NVIDIA B300"
        self.put("01_elu/results/b300.json", faster)
        self.put("01_elu/results/b300_ncu.json", {"context": {}, "ncu": [{"rung": "f16", "registers": 40}]})
        self.put("01_elu/results/h200_ncu.json", {"context": {}, "ncu": [{"rung": "f16", "registers": 30}]})
        shows = lambda: (self.value("of=GBps rung=f16 shape=4096x4096"), self.value("second.json of=GBps rung=f16"),
                         self.value("main_ncu.json of=registers rung=f16"), self.block("gpus rungs=f16")[0])
        self.assertEqual(shows(), ("900 GB/s", "(no run recorded yet)", "30",
                                   "| Rung | Synthetic: GB/s | % of copy | spread |"))
        self.put("common/results/shown.json", {"main": "b300", "second": "h200"})
        self.assertEqual(shows(), ("1,800 GB/s", "900 GB/s", "40",
                                   "| Rung | B300: GB/s | % of copy | Synthetic: GB/s | % of copy | spread |"))
        self.assertEqual(self.block("gpus rungs=f16 brief=yes")[0], "| Rung | B300: GB/s | % of copy | Synthetic: % of copy |")

    def test_runs_joined(self):
        other = synthetic.run()
        other["benchmarks"] = [dict(row, name=row["name"].replace("/f16/", "/torch_f16/"),
                                    label="f16 peer")
                               for row in other["benchmarks"] if "/f16/" in row["name"]]
        self.put("01_elu/results/torch.json", other)
        lines = self.block("results h200.json+torch.json dtype=f16")
        self.assertEqual(sum("torch_f16" in line for line in lines), 1)
        self.assertEqual(self.block("results h200.json+nothing.json"), [report.NO_RUN])

        other["context"]["gpu"] = "NVIDIA Other"
        self.put("01_elu/results/torch.json", other)
        self.assertIn("recorded on NVIDIA Other", self.refused("results h200.json+torch.json"))

    def test_a_cpu_run_is_labelled(self):
        self.put("01_elu/results/cpu.json", synthetic.run("cpu-executor"))
        self.assertIn("say nothing about a GPU", self.block("results cpu.json")[0])

    def test_a_failed_row_is_said(self):
        data = synthetic.run(shapes=("1024x1024",), regimes=("cold",))
        data["benchmarks"][0].update(error_occurred=True, error_message="x")
        self.put("01_elu/results/bad.json", data)
        self.assertIn("| `f32` | f32 | failed |", self.block("results bad.json")[2])

    QUESTIONS = {"ladder": "elu", "groups": [{"group": "Two words", "questions": [
        {"question": "Wider?", "a": "f16", "b": "f16x2", "of": "GBps",
         "at": "4096x4096/cold", "expect": [1.2, 1.4]},
        {"question": "The same?", "a": "f16", "b": {"rung": "f16", "at": "2048x2048/cold"},
         "of": "GBps", "at": "4096x4096/cold", "expect": {"h200": [1.1, 1.2]}},
        {"question": "How fast?", "a": "f32", "of": "median_us", "at": "4096x4096/cold",
         "expect": [1, 30]}]}]}

    def test_controls_that_fail(self):
        self.put("01_elu/questions.json", self.QUESTIONS)
        self.put("01_elu/results/h200_controls.json", synthetic.run())
        lines = self.block("controls ./questions.json runs=h200_controls.json")
        self.assertIn("1.000× = | 2.0 % | **no** |", lines[3])
        self.put("01_elu/results/b200_controls.json", synthetic.run())  # of this GPU nothing was foretold
        lines = self.block("controls ./questions.json runs=b200_controls.json")
        self.assertTrue(lines[3].endswith("1.000× = | 2.0 % | – | – |"), lines[3])
        self.assertIn("has no group Three", self.refused("controls ./questions.json runs=h200_controls.json group=Three"))
        self.put("01_elu/questions.json", {"ladder": "elu", "groups": [{"questions": [{"lines": "1"}]}]})
        self.assertIn("lacks question", self.refused("controls ./questions.json runs=h200_controls.json"))

    def test_a_value_must_not_begin_its_line(self):
        with self.assertRaisesRegex(runs.ToolError, "must not begin its line"):
            self.put("01_elu/README.md", "<!-- report:value h200.json of=GBps rung=f16 -->?"
                                         "<!-- /report --> is fast\n")
            self.main()

    def test_a_missing_region_is_an_error(self):
        for name in ("nope", "once"):
            with self.assertRaisesRegex(runs.ToolError, "elu.cuh has . lines"):
                self.block(f"elu.cuh {name}", "excerpt")

    def test_what_is_not_recorded_says_so(self):
        for kind in ("results", "grid", "accuracy", "ncu", "context", "table", "plot", "ladder_figure", "torch"):
            self.assertEqual(self.block(f"{kind} none.json"), ["No run recorded yet."], kind)
        self.assertEqual(self.value("none.json of=a rung=b"), "(no run recorded yet)")
        (self.root / "01_elu/results/h200.json").unlink()
        self.assertEqual(self.block("behind"), ["No run recorded yet."])

    def test_errors_name_the_place(self):
        for text, words in (("nonsense h200.json", "unknown kind nonsense"),
                            ("plot", "exactly one file"),
                            ("results h200.json shape=3x3", "no shape 3x3"),
                            ("results h200.json regime=hot", "no regime hot"),
                            ("results h200.json rungs=f64", "no rung f64"),
                            ("results h200.json kinds=king", "unknown kind king"),
                            ("results h200.json colour=red", "unknown option colour"), ("behind of=x", "unknown of=x"),
                            ("grid h200.json value=joy", "unknown value=joy"),
                            ("matrix h200.json rows=W columns=a dtype=f16", "needs ladder="),
                            ("matrix h200.json ladder=x rows=W columns=a dtype=f16", "no ladder x"),
                            ("sizes_figure h200.json out=a.svg", "dtype="), ("ladder_figure h200.json", "out=")):
            with self.subTest(text=text):
                self.assertIn(words, self.refused(text))

    def test_every_kind_stands_on_a_page(self):
        root = Path(report.__file__).resolve().parents[3]
        pages = "".join(runs.read_text(root / name) for name in runs.tracked_files(root) if name.endswith(".md"))
        self.assertEqual(set(report.MAKERS) - set(re.findall(r"<!-- report:(\w+)", pages)), set())

    def test_an_open_block_is_an_error(self):
        self.put("README.md", "<!-- report:chapters -->\n")
        with self.assertRaisesRegex(runs.ToolError, "README.md:1: has no <!-- /report --> after"):
            self.main()

    def test_code_is_left_alone(self):
        text = "```\n<!-- report:x -->\n```\nuse `<!-- report:value x -->1<!-- /report -->` so\n"
        self.put("README.md", text)
        self.assertEqual(self.main("--check"), (0, ""))
        self.main()
        self.assertEqual(self.get("README.md"), text)

    def test_check_names_what_is_stale_and_writes_nothing(self):
        text = "a\n<!-- report:ladder_figure h200.json out=a.svg -->\n<!-- /report -->\n"
        self.put("01_elu/README.md", text)
        code, out = self.main("--check")
        self.assertEqual(code, 1)
        self.assertIn("stale: 01_elu/README.md:2: report ladder_figure", out)
        self.assertIn("a.svg: is missing", out)
        self.assertEqual(self.get("01_elu/README.md"), text)
        self.main()
        self.assertEqual(self.main("--check"), (0, ""))
        self.put("01_elu/results/a.svg", "<svg/>")
        self.assertIn("a.svg: differs", self.main("--check")[1])

    def test_one_chapter_alone(self):
        block = "<!-- report:context h200.json -->\n<!-- /report -->\n"
        self.put("01_elu/README.md", block)
        self.put("README.md", block)
        self.main("elu")
        self.assertEqual(self.get("README.md"), block)
        self.assertNotEqual(self.get("01_elu/README.md"), block)
        with self.assertRaisesRegex(runs.ToolError, "no chapter relu"):
            self.main("relu")


if __name__ == "__main__":
    unittest.main()
