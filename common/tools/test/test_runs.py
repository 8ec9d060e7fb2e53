"""Tests of runs.py. All numbers are made up."""

import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import folders
import runs
import synthetic


def recorded_files():
    """The tracked files that a run of something wrote: those in results/ that say where it ran."""
    names = [name for name in runs.tracked_files() if "/results/" in name and name.endswith(".json")]
    return [name for name in names if "context" in runs.load_json(Path(runs.ROOT, name))]


def googles_compare():
    """(compare.py of Google Benchmark, a Python that has what it needs), or two times None."""
    places = [Path("/usr/share/benchmark"), *Path(runs.ROOT).glob("build/*/_deps/*benchmark-src/tools")]
    for script in [place / "compare.py" for place in places if (place / "gbench").is_dir()]:
        for python in (sys.executable, "/usr/bin/python3"):
            if subprocess.run([python, "-c", "import numpy, scipy"], capture_output=True,
                              check=False).returncode == 0:
                return script, python
    return None, None


class RunsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def load(self, data):
        return runs.load_run(synthetic.write(self.folder, "run.json", data))

    def refused(self, text, load=runs.load_run):
        path = synthetic.write(self.folder, "bad.json", text)
        with self.assertRaises(runs.ToolError) as caught:
            load(path)
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    def test_reads_the_parts_of_a_row(self):
        row = self.load(synthetic.run()).rows[0]
        self.assertEqual((row.ladder, row.rung, row.shape, row.regime),
                         ("elu", "f32", "1024x1024", "cold"))
        self.assertEqual((row.dtype, row.kind, row.elements), ("f32", "rung", 1 << 20))
        self.assertEqual((row.gbps, row.median_us, row.spread_pct), (300.0, 20.0, 1.0))

    def test_strips_what_google_benchmark_appends(self):
        for suffix in ("", "/iterations:15", "/iterations:3/manual_time",
                       "/min_time:0.050/real_time", "/repeats:3/process_time/threads:2"):
            self.assertEqual(runs.split_name("elu/f16/4096x4096/warm" + suffix),
                             ["elu", "f16", "4096x4096", "warm"])

    def test_leaves_other_benchmarks_aside(self):
        data = synthetic.run()
        data["benchmarks"].append({"name": "executor/barrier", "real_time": 31.0, "ratio": 0.5})
        run = self.load(data)
        self.assertEqual([name for name, _ in run.others], ["executor/barrier"])

    def test_defaults_are_the_largest_shape_and_cold(self):
        run = self.load(synthetic.run(shapes=("4096x4096", "1024x1024"), regimes=("warm", "cold")))
        self.assertEqual((run.default_shape(), run.default_regime()), ("4096x4096", "cold"))

    def test_of_repetitions_the_middle_one_counts_and_failures_win(self):
        rows = [synthetic.row("f16", "f16", "rung", gbps=g, real_time=t)
                for g, t in ((3.0, 30.0), (1.0, 10.0), (2.0, 20.0))]
        rows.append(synthetic.row("f16", "f16", "rung", gbps=9.0, run_type="aggregate"))
        data = {"context": synthetic.context(), "benchmarks": rows}
        self.assertEqual([row.gbps for row in self.load(data).rows], [2.0])
        rows[0].update(error_occurred=True, error_message="wrong output")
        self.assertEqual(self.load(data).rows[0].error, "wrong output")

    def test_kernel_and_form_of_a_rung(self):
        rows = {r.rung: (r.kernel, r.form) for r in self.load(synthetic.forms_run()).rows}
        self.assertEqual(rows["packed_f16_NC11"], ("packed", "NC11"))
        self.assertEqual(rows["f16"], ("f16", ""))

    def test_steps_stay_within_a_form(self):
        run = self.load(synthetic.forms_run())
        rows = run.select(shape="8x2x3")
        found = {row.rung: step for row, step in runs.steps(rows).items()}
        self.assertEqual(found, {"packed_f16_W": 2.0, "packed_f16_NC11": 1.25})

    def test_steps_are_over_the_rung_below_of_the_same_type(self):
        run = self.load(synthetic.run(shapes=("1024x1024",), regimes=("cold",)))
        found = {row.rung: step for row, step in runs.steps(run.rows).items()}
        self.assertEqual(set(found), {"f32x4", "f16x2", "f16x8", "f16x8_pack"})
        self.assertAlmostEqual(found["f16x2"], 1200 / 900)

    def test_a_failed_rung_gives_no_step(self):
        data = synthetic.run(shapes=("1024x1024",), regimes=("cold",))
        data["benchmarks"][3].update(error_occurred=True, error_message="x")
        found = {row.rung for row in runs.steps(self.load(data).rows)}
        self.assertEqual(found, {"f32x4", "f16x8_pack"})

    def test_a_row_that_failed_early_borrows_its_label(self):
        data = synthetic.run()
        data["benchmarks"][3].update(error_occurred=True, error_message="x", label="")
        row = self.load(data).rows[3]
        self.assertEqual((row.dtype, row.kind), ("f16", "rung"))

    def test_the_context_in_one_line(self):
        line = runs.context_line({"backend": "cpu-executor", "gpu": "none", "driver": "none",
                                  "cuda": "13.0", "commit": "unknown", "cpu": "Synthetic CPU"})
        self.assertEqual(line, "CPU executor, Synthetic CPU, CUDA 13.0")

    def test_refuses_what_is_no_run(self):
        self.assertIn("not valid JSON", self.refused("{"))
        self.assertIn("is empty", self.refused(" "))
        self.assertIn("not a recorded run", self.refused("[1]"))
        self.assertIn("not a Google Benchmark result", self.refused('{"context": {}}'))
        self.assertIn("no row named", self.refused({"context": {}, "benchmarks": []}))
        with self.assertRaisesRegex(runs.ToolError, "no such file"):
            runs.load_run(self.folder + "/none.json")

    def test_numbers_from_json(self):
        self.assertTrue(math.isnan(runs.number("nan")))
        self.assertIsNone(runs.number(None))
        self.assertIsNone(runs.positive(float("inf")))

    def test_merges_accuracy_files(self):
        for rung in ("f16", "f32"):
            entry = {"chapter": "elu", "rung": rung, "dtype": rung, "max_ulp": 0.5}
            synthetic.write(self.folder, f"accuracy.elu.{rung}.json",
                            {"context": {"gpu": "Synthetic GPU"}, "accuracy": [entry]})
        code, _, errors = synthetic.call("runs.py", "merge-accuracy", self.folder,
                                         self.folder + "/merged.json")
        self.assertEqual((code, errors), (0, ""))
        merged = runs.load_json(self.folder + "/merged.json")
        self.assertEqual([e["rung"] for e in merged["accuracy"]], ["f16", "f32"])
        self.assertEqual(merged["context"], {"gpu": "Synthetic GPU"})

    def test_compacting_leaves_what_is_read(self):
        data = synthetic.google_run()
        path = synthetic.write(self.folder, "run.json", data)
        self.assertEqual(synthetic.call("runs.py", "compact", "--check", path)[0], 1)
        self.assertEqual(synthetic.call("runs.py", "compact", path), (0, "", ""))
        self.assertEqual(synthetic.call("runs.py", "compact", "--check", path), (0, "", ""))
        short = runs.load_json(path)
        self.assertEqual(set(short["context"]), {"date", "executable", "num_cpus", "backend", "commit",
                                                 "gpu", "driver", "cuda"})
        self.assertEqual(short["context"]["executable"], "01_elu_bench")
        self.assertEqual(set(short["benchmarks"][0]), {
            "name", "run_type", "iterations", "real_time", "cpu_time", "time_unit", "GBps", "copy_pct",
            "median_us", "spread_pct", "label"})
        self.assertEqual(short["benchmarks"][-1]["run_name"], "elu/f16", "an aggregate's own name")
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), len(data["benchmarks"]) + 5)
        for before, after in zip(data["benchmarks"], short["benchmarks"]):
            self.assertEqual({key: before[key] for key in after}, after)

    def test_a_run_says_the_same_when_it_is_compact(self):
        data = synthetic.google_run()
        whole, short = self.load(data), self.load(runs.compacted(data))
        self.assertEqual([vars(row) for row in whole.rows], [vars(row) for row in short.rows])

    def test_objects_in_a_list_stand_on_lines(self):
        self.assertEqual(runs.json_text({"context": {"a": [1, 2]}, "fuzz": {"n": 1, "of": [{"b": {}}]}}),
                         '{\n  "context": {"a": [1, 2]},\n  "fuzz": {\n    "n": 1,\n    "of": [\n'
                         '      {"b": {}}\n    ]\n  }\n}')

    def test_the_rows_of_a_rung_share_a_line_per_number_of_rows(self):
        names = ["elu/f16/64x64/cold/iterations:15/manual_time", "elu/f16/64x8/warm", "elu/f16/8x8/cold",
                 "elu/f16x2/8x8/cold", "elu/bound_f16/8x8/cold", "elu/torch_f16/8x8/cold",
                 "elu/bound_f16/8x8/warm", "relation/less_f16_torch/8x8/cold", "relation/less_f16_bound/8x8/warm",
                 "executor/barrier/32", "executor/barrier/32"]
        text = runs.json_text({"benchmarks": [{"name": name} for name in names]})
        self.assertEqual([line.count("name") for line in text.splitlines()], [0, 0, 2, 1, 1, 3, 2, 1, 1, 0, 0])
        self.assertEqual([row["name"] for row in json.loads(text)["benchmarks"]], names)

    def test_what_is_recorded_here_is_compact(self):
        paths = [Path(runs.ROOT, name) for name in recorded_files()]
        self.assertGreater(len(paths), 6)
        for path in paths:
            text = path.read_text(encoding="utf-8")
            self.assertEqual(text, runs.json_text(runs.compacted(runs.load_json(path))) + "\n",
                             f"{path}: python3 common/tools/reader/runs.py compact {path}")

    def test_google_benchmarks_own_compare_reads_what_is_recorded(self):
        script, python = googles_compare()
        for name in recorded_files():
            path = Path(runs.ROOT, name)
            rows = runs.load_json(path).get("benchmarks", [])
            if "executable" not in runs.load_json(path)["context"]:
                continue  # no program of Google Benchmark wrote it
            for row in rows:
                self.assertLessEqual({"name", "run_type", "real_time", "cpu_time", "time_unit"}, set(row))
            if script:
                done = subprocess.run([python, script, "--no-color", "benchmarks", path, path],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                shown = [line for line in done.stdout.splitlines() if "+0.0000" in line]
                self.assertEqual(len(shown), len(rows) + 1, "a line a row, and the geometric mean")

    def test_finds_chapters_by_every_name(self):
        Path(self.folder, "01_elu").mkdir()
        for name in ("01_elu", "elu", "1", "01", "01_elu/"):
            self.assertEqual(runs.find_chapter(name, self.folder).name, "01_elu")
        with self.assertRaisesRegex(runs.ToolError, "no chapter relu; the chapters are: 01_elu"):
            runs.find_chapter("relu", self.folder)

    def test_kernel_names(self):
        short = runs.short_kernel_name
        self.assertEqual(short("tutorial::elu_f16_kernel(const __half *, __half *, long)"),
                         "elu_f16_kernel")
        self.assertEqual(short("void tutorial::(anonymous namespace)::k<(int)64>(float*)"), "k<64>")
        self.assertTrue(runs.has_name("void a::k<a::F<a::G> >(float *)", "k<a::F<a::G>>"))
        self.assertTrue(runs.has_name("k<(int)64>", "k<64>"))
        self.assertEqual(runs.rung_of_kernel("elu_f16x8_pack_kernel", "elu"), "f16x8_pack")
        self.assertEqual(runs.rung_of_kernel("copy_128bit_kernel", "elu"), "copy_128bit")


if __name__ == "__main__":
    unittest.main()
