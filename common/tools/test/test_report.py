"""Tests of report.py in a made-up repository. All numbers are made up. That the tables and figures are right, the
pages show: each kind stands on one, and report.py --check, a test of its own, makes them all again."""

import re
import unittest
from pathlib import Path

import folders
import made_up
import mutate
import report
import runs
import synthetic

SOURCE = """namespace a {
//! [outer]
  int a;

    int b;
  //! [inner]
  int c;
  //! [inner]
//! [outer]
}
//! [once]
"""


class ReportTest(made_up.Repository):
    def setUp(self):
        super().setUp()
        self.put("01_elu/elu.cuh", SOURCE)
        self.put("01_elu/results/h200.json", synthetic.run())

    # -- which recordings are shown

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

    # -- several runs as one

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

    # -- blocks from benchmark runs

    def test_results_choose_rungs_and_kinds(self):
        lines = self.block("results h200.json rungs=f16x8,f16")
        self.assertEqual([line.split("`")[1] for line in lines[2:]], ["f16x8", "f16"])
        self.assertRegex(lines[2], r"\|  \|$", "a step over a rung that the table does not show")
        lines = self.block("results h200.json kinds=sweep")
        self.assertEqual([line.split("`")[1] for line in lines[2:]], ["block_64", "block_512"])

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
        self.assertIn("has no group Three", self.refused("controls ./questions.json runs=h200_controls.json group=Three"))
        self.put("01_elu/questions.json", {"ladder": "elu", "groups": [{"questions": [{"lines": "1"}]}]})
        self.assertIn("lacks question", self.refused("controls ./questions.json runs=h200_controls.json"))

    # -- blocks from other files

    def test_mutations_count_the_faults_that_there_are_now(self):
        fault = {"id": "guard", "file": "01_elu/elu.cuh", "old": "int a;", "new": "int b;", "kind": "guard", "test": "01_elu_test"}
        self.put("common/proof/faults.json", {"faults": [fault, {**fault, "id": "new", "old": "int c;"}]})
        self.put("01_elu/results/m.json", {"results": [{"id": "guard", "fault": mutate.Fault(fault).digest, "outcome": "killed"}]})
        self.assertEqual(self.block("mutations m.json")[2:], [
            f"| `{title}` | 2 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |" for title in ("01_elu_test", "together")])

    # -- values

    def test_values(self):
        for text, shown in (("of=copy_pct rung=f16x8", "37.5 %"), ("of=GBps rung=f16", "900 GB/s"),
                            ("of=GBps rung=f16x2 over=f16", "1.33×"),
                            ("of=step rung=f16x2 regime=warm", "1.33×"),
                            ("of=GBps rung=f16 digits=2 unit=", "900.00")):
            self.assertEqual(self.value("h200.json " + text), shown)

    def test_a_value_must_not_begin_its_line(self):
        with self.assertRaisesRegex(runs.ToolError, "must not begin its line"):
            self.put("01_elu/README.md", "<!-- report:value h200.json of=GBps rung=f16 -->?"
                                         "<!-- /report --> is fast\n")
            self.main()

    # -- excerpts

    def test_excerpts_are_dedented_and_lose_inner_marks(self):
        self.put("01_elu/README.md", "<!-- excerpt:elu.cuh outer -->\n<!-- /excerpt -->\n")
        self.main()
        self.assertEqual(self.get("01_elu/README.md").splitlines()[1:-1],
                         ["```cuda", "int a;", "", "  int b;", "int c;", "```"])

    def test_a_pragma_in_the_first_column_does_not_keep_an_excerpt_indented(self):
        self.put("01_elu/elu.cuh", "//! [in]\n  int a;\n#pragma unroll\n  for (;;) {\n    f();\n//! [in]\n")
        self.put("01_elu/README.md", "<!-- excerpt:elu.cuh in -->\n<!-- /excerpt -->\n")
        self.main()
        self.assertEqual(self.get("01_elu/README.md").splitlines()[2:-2],
                         ["int a;", "#pragma unroll", "for (;;) {", "  f();"])

    def test_an_excerpt_of_a_fault_is_what_it_does_to_the_source(self):
        fault = {"id": "b_is_d", "file": "01_elu/elu.cuh", "old": "int b", "new": "int d", "kind": "operands", "test": "01_elu_test"}
        self.put("01_elu/proof/faults.json", {"faults": [fault]})
        self.put("01_elu/elu.cuh", "int z;\n\n{\n  int a;\n  {\n    int b;\n  }\n\nint c;\n")
        self.assertEqual(self.block("proof/faults.json b_is_d", "excerpt"),
                         ["```diff", " int a;", " {", "-  int b;", "+  int d;", " }", "```"])
        with self.assertRaisesRegex(runs.ToolError, "has no fault c_is_d"):
            self.block("proof/faults.json c_is_d", "excerpt")

    def test_a_missing_region_is_an_error(self):
        for name in ("nope", "once"):
            with self.assertRaisesRegex(runs.ToolError, "elu.cuh has . lines"):
                self.block(f"elu.cuh {name}", "excerpt")

    # -- no run, errors, and --check

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
