"""Tests of report.py in a made-up repository. All numbers are made up."""

import unittest

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

    def test_results(self):
        lines = self.block("results h200.json dtype=f16 regime=cold,warm shape=4096x4096")
        self.assertEqual(lines[0], "| Rung | Type | GB/s, cold | % of copy, cold | GB/s, warm | "
                                   "% of copy, warm | Step |")
        self.assertEqual(lines[3], "| `f16x2` | f16 | 1,200 | 30.0 % | 1,800 | 45.0 % | 1.33× |")
        self.assertIn("| `cub` (peer) | f16 |", lines[-1])
        self.assertFalse([line for line in lines if "block_64" in line or "your_elu" in line])
        lines = self.block("results h200.json dtype=f16 shape=4096x4096 last=spread")
        self.assertEqual(lines[0], "| Rung | Type | GB/s, cold | % of copy, cold | Spread |")
        self.assertRegex(lines[3], r"\| `f16x2` \| f16 \| 1,200 \| 30\.0 % \| [\d.]+ % \|")

    def test_results_choose_rungs_and_kinds(self):
        lines = self.block("results h200.json rungs=f16x8,f16")
        self.assertEqual([line.split("`")[1] for line in lines[2:]], ["f16x8", "f16"])
        self.assertRegex(lines[2], r"\|  \|$", "a step over a rung that the table does not show")
        lines = self.block("results h200.json kinds=sweep")
        self.assertEqual([line.split("`")[1] for line in lines[2:]], ["block_64", "block_512"])

    def test_grid(self):
        lines = self.block("grid h200.json dtype=f32 kinds=rung regime=warm")
        self.assertEqual(lines[0], "| Rung | 1024×1024 | 2048×2048 | 1024×4096 | 4096×4096 |")
        self.assertEqual(lines[2], "| `f32` | 450 | 450 | 450 | 450 |")
        self.assertIn("| 20.00 |", self.block("grid h200.json value=median_us dtype=f32")[2])

        lines = self.block("grid h200.json dtype=f32 kinds=rung by=n")
        self.assertEqual(lines[0], "| Rung | 1 M | 4 M | 16 M |")
        self.assertIn("unknown by=m", self.refused("grid h200.json by=m"))

    def test_two_gpus(self):
        lines = self.block("gpus h200.json,h100.json dtype=f16 kinds=rung")
        self.assertEqual(lines[0], "| Rung | Synthetic: GB/s | % of copy | spread |")
        other = synthetic.run(factor=0.5)
        other["context"]["gpu"] = "NVIDIA Other GPU"
        self.put("01_elu/results/h100.json", other)
        self.put("01_elu/results/a.json", {"accuracy": [{"rung": "f16", "dtype": "f16", "max_ulp": 2.5}]})
        lines = self.block("gpus h200.json,h100.json rungs=f16 accuracy=a.json shape=4096x4096")
        self.assertEqual(lines[0], "| Rung | Synthetic: GB/s | % of copy | Other: GB/s | % of copy "
                                   "| spread | largest error, ULP |")
        self.assertRegex(lines[2], r"^\| `f16` \| 900 \| .* \| 450 \| .* \| 2\.500 \|$")
        self.assertEqual(self.block("gpus none.json"), [report.NO_RUN])

    def test_context(self):
        self.assertEqual(self.block("context h200.json"),
                         ["Recorded on Synthetic GPU, driver 1.2, CUDA 13.0, commit abc1234, "
                          "2001-02-03."])

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

    def test_controls(self):
        self.put("01_elu/questions.json", self.QUESTIONS)
        lines = self.block('controls ./questions.json runs=h200.json group="Two words"')
        self.assertEqual(lines[0], "| Question | Kernel | H200 | Ratio | Spread | As expected? | Expected |")
        self.assertEqual(lines[2], "| Wider? | `f16`, `f16x2` | 900.0, 1,200 GB/s | 1.333× | 2.0 % | yes | 1.20 to 1.40 |")
        self.assertIn("| How fast? | `f32` | 20.00 µs |  | 1.0 % | yes | 1.00 to 30.0 µs |", lines)

    def test_controls_that_fail(self):
        self.put("01_elu/questions.json", self.QUESTIONS)
        self.put("01_elu/results/h200_controls.json", synthetic.run())
        lines = self.block("controls ./questions.json runs=h200_controls.json")
        self.assertIn("1.000× = | 2.0 % | **no** |", lines[3])
        self.assertIn("has no group Three", self.refused("controls ./questions.json runs=h200_controls.json group=Three"))
        self.put("01_elu/questions.json", {"ladder": "elu", "groups": [{"questions": [{"lines": "1"}]}]})
        self.assertIn("lacks question", self.refused("controls ./questions.json runs=h200_controls.json"))

    def test_the_profile_by_units_and_stalls(self):
        entry = {"rung": "f16", "issue_pct": 50.0, "pipes": {"alu": 61.2, "fma": 30.0}, "l2_write_sectors": 1e6,
                 "stalls": {"wait": 2.0, "selected": 1.0, "barrier": 0.5, "drain": 3.0, "membar": 0.1}}
        self.put("01_elu/results/h200_ncu.json", {"context": {}, "ncu": [entry]})
        self.assertTrue(self.block("ncu h200_ncu.json of=pipes")[2].startswith("| `f16` | 50.0 % | 61.2 % | 30.0 % |"))
        self.assertIn("| drain 3.00, wait 2.00, barrier 0.500 | 1.000 |", self.block("ncu h200_ncu.json of=stalls")[2])
        self.assertIn("| 32.00 |", self.block("ncu h200_ncu.json of=memory")[2])
        self.assertEqual(self.value("h200_ncu.json of=pipes.alu rung=f16"), "61.20")
        self.assertIn("known are", self.refused("ncu h200_ncu.json of=pipe"))

    def test_headline(self):
        self.put("README.md", "<!-- report:headline -->\n<!-- /report -->\n")
        self.main()
        self.assertIn(report.NO_RUN, self.get("README.md"))
        climb = {"ladder": "elu", "dtype": "f16", "first": "f16", "last": "f16x8_pack"}
        self.put("01_elu/results/headline.json", {"climb": climb, "against": []})
        self.put("01_elu/README.md", "# 01 · ELU: a subtitle\n")
        self.main()
        self.assertIn("| [01 · ELU](01_elu/README.md) | `f16` | `f16x8_pack` | 900 → 1,800 | 22 → 45 |",
                      self.get("README.md"))
        climb["last"] = "none"
        self.put("01_elu/results/headline.json", {"climb": climb, "against": []})
        with self.assertRaisesRegex(runs.ToolError, "has no elu/none"):
            self.main()

    def test_any_recorded_list_is_a_table(self):
        self.put("01_elu/results/fuzz.json", {"context": {}, "fuzz": {"operations": [
            {"operation": "elu", "succeeded": 3000, "max_ulp": 0.5}, {"operation": "ladder", "succeeded": 0, "max_ulp": None}]}})
        self.assertEqual(self.block("table fuzz.json of=fuzz.operations"), [
            "| operation | succeeded | max ulp |", "|:--|--:|--:|", "| `elu` | 3,000 | 0.5000 |", "| `ladder` | 0 | \u2013 |"])
        self.assertEqual(self.block("table fuzz.json of=fuzz.operations columns=operation where=succeeded"), [
            "1 of 2:", "| operation |", "|:--|", "| `elu` |"])
        self.assertIn("nothing there has gone", self.refused("table fuzz.json of=fuzz.operations columns=gone"))
        self.assertIn("holds no list fuzz.x", self.refused("table fuzz.json of=fuzz.x"))

    def test_matrix(self):
        self.put("01_elu/results/forms.json", synthetic.forms_run())
        asked = "matrix forms.json ladder=forms dtype=f16 rows=W,NC:NC11"
        lines = self.block(f'{asked} "columns=its own:one|two,packed,copy"')
        self.assertEqual(lines[0], "|  | its own | `packed` | `copy` |")
        self.assertEqual(lines[2], "| `W` | 100 (2.5 %) | 200 (5.0 %) | 300 (7.5 %) |")
        self.assertEqual(lines[3], "| NC | 400 (10.0 %) | 500 (12.5 %) | \u2013 |")
        lines = self.block(f"{asked} columns=packed value=median_us")
        self.assertEqual(lines[2], "| `W` | 20.00 |")
        self.assertIn("ladder=", self.refused("matrix forms.json rows=W columns=packed dtype=f16"))
        self.assertIn("no ladder x", self.refused("matrix forms.json ladder=x rows=W columns=packed"
                                                  " dtype=f16"))
        self.assertIn("column `gone`", self.refused(f"{asked} columns=packed,gone"))
        self.assertIn("row `X`", self.refused("matrix forms.json ladder=forms dtype=f16 rows=W,X "
                                            "columns=packed"))

    def test_figures(self):
        for kind in ("ladder_figure h200.json dtype=f16", "sizes_figure h200.json dtype=f16"):
            lines = self.block(f'{kind} out=a.svg title="A title"')
            self.assertEqual(lines, ["![A title](results/a.svg)"])
            first = self.get("01_elu/results/a.svg")
            self.assertIn("f16x8_pack", first)
            self.main()
            self.assertEqual(self.get("01_elu/results/a.svg"), first)
        self.assertIn("dtype=", self.refused("sizes_figure h200.json out=a.svg"))
        self.assertIn("out=", self.refused("ladder_figure h200.json"))

    # -- blocks from other files

    def test_accuracy(self):
        entries = [{"rung": rung, "dtype": "f16", "inputs": 65536, "max_ulp": ulp, "at": -0.25,
                    "bound": 0.51} for rung, ulp in (("f16x2", 0.5004), ("f16", 2048.0))]
        self.put("01_elu/results/accuracy.json", {"accuracy": entries})
        lines = self.block("accuracy accuracy.json order=h200.json")
        self.assertEqual(lines[2], "| `f16` | f16 | 65,536 | 2,048 | −0.25 | 0.510 |")
        self.assertEqual(lines[3], "| `f16x2` | f16 | 65,536 | 0.5004 | −0.25 | 0.510 |")
        self.assertEqual(self.value("accuracy.json rung=f16 of=max_ulp"), "2,048 ULP")

    def test_ncu_and_codegen(self):
        self.put("01_elu/results/ncu.json", {"ncu": [
            {"rung": "f16", "dram_gbps": 4000.0, "dram_pct": 90.0, "registers": 16,
             "instructions_per_element": 12.5, "sectors_per_load": None}]})
        self.assertEqual(self.block("ncu ncu.json")[2],
                         "| `f16` | 4,000 | 90.0 % | 12.50 | – | 16 | – | – | – |")
        self.put("01_elu/results/codegen.json", {"codegen": [{"rung": "f16", "registers": 16, "store_bits": 128}, {"rung": None}]})
        self.assertEqual(self.block("table codegen.json columns=rung,registers where=rung")[-1], "| `f16` | 16 |")
        self.assertEqual(self.value("codegen.json rung=f16 of=store_bits unit=' bits'"), "128 bits")

    def test_mutations_count_the_faults_that_there_are_now(self):
        fault = {"id": "guard", "file": "01_elu/elu.cuh", "old": "int a;", "new": "int b;", "kind": "guard", "test": "01_elu_test"}
        self.put("common/proof/faults.json", {"faults": [fault, {**fault, "id": "new", "old": "int c;"}]})
        self.put("01_elu/results/m.json", {"results": [{"id": "guard", "fault": mutate.Fault(fault).digest, "outcome": "killed"}]})
        self.assertEqual(self.block("mutations m.json")[2:], [
            f"| `{title}` | 2 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |" for title in ("01_elu_test", "together")])

    def test_plot(self):
        self.put("01_elu/results/p.json", {"title": "A curve", "series": [
            {"name": "f", "points": [[0, 0], [1, None], [2, 1]]}]})
        self.assertEqual(self.block("plot p.json out=p.svg"), ["![A curve](results/p.svg)"])
        self.put("01_elu/results/p.json", {"title": "A curve"})
        self.assertIn("is no plot", self.refused("plot p.json out=p.svg"))

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

    def test_a_missing_region_is_an_error(self):
        for name in ("nope", "once"):
            with self.assertRaisesRegex(runs.ToolError, "elu.cuh has . lines"):
                self.block(f"elu.cuh {name}", "excerpt")

    # -- no run, errors, and --check

    def test_what_is_not_recorded_says_so(self):
        for kind in ("results", "grid", "accuracy", "ncu", "context", "table", "plot", "ladder_figure", "headline"):
            self.assertEqual(self.block(f"{kind} none.json"), ["No run recorded yet."], kind)
        self.assertEqual(self.value("none.json of=a rung=b"), "(no run recorded yet)")

    def test_errors_name_the_place(self):
        for text, words in (("nonsense h200.json", "unknown kind nonsense"),
                            ("plot", "exactly one file"),
                            ("results h200.json shape=3x3", "no shape 3x3"),
                            ("results h200.json regime=hot", "no regime hot"),
                            ("results h200.json rungs=f64", "no rung f64"),
                            ("results h200.json kinds=king", "unknown kind king"),
                            ("results h200.json colour=red", "unknown option colour"),
                            ("grid h200.json value=joy", "unknown value=joy")):
            with self.subTest(text=text):
                self.assertIn(words, self.refused(text))

    def test_an_open_block_is_an_error(self):
        self.put("README.md", "<!-- report:headline -->\n")
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
