"""Tests of runs.py. All numbers are made up."""

import unittest
from pathlib import Path

import folders
import recorded
import runs
import synthetic


def recorded_files():
    """The tracked files that a run of something wrote: those in results/ that say where it ran."""
    paths = [runs.ROOT / name for name in runs.tracked_files() if "/results/" in name and name.endswith(".json")]
    return [path for path in paths if "context" in runs.load_json(path)]


class RunsTest(synthetic.Scratch):
    def load(self, data):
        return runs.load_run(self.put("run.json", data))

    def refused(self, text):
        with self.assertRaises(runs.ToolError) as caught:
            runs.load_run(self.put("bad.json", text))
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    def test_reads_the_parts_of_a_row(self):
        row = self.load(synthetic.run()).rows[0]
        self.assertEqual((row.ladder, row.rung, row.shape, row.regime),
                         ("elu", "f32", "1024x1024", "cold"))
        self.assertEqual((row.dtype, row.kind, row.elements), ("f32", "rung", 1 << 20))
        self.assertEqual((row.gbps, row.median_us, row.spread_pct), (300.0, 20.0, 1.0))

    def test_google_benchmarks_own_words_are_no_part_of_a_name(self):
        for suffix in ("", "/iterations:15", "/iterations:3/manual_time", "/repeats:3/process_time/threads:2"):
            row = synthetic.row("f16", "f16", "rung", name="elu/f16/8x8/warm" + suffix)
            self.assertEqual(self.load({"context": {}, "benchmarks": [row]}).rows[0].name, "elu/f16/8x8/warm")

    def test_leaves_other_benchmarks_aside(self):
        data = synthetic.run()
        data["benchmarks"].append({"name": "executor/barrier/32/iterations:25", "real_time": 31.0, "ratio": 0.5})
        run = self.load(data)
        self.assertEqual([(row["name"], row["ratio"]) for row in run.others], [("executor/barrier/32", 0.5)])

    def test_defaults_are_the_largest_shape_and_cold(self):
        run = self.load(synthetic.run(shapes=("4096x4096", "1024x1024"), regimes=("warm", "cold")))
        self.assertEqual((run.default_shape(), run.default_regime()), ("4096x4096", "cold"))

    def test_of_repetitions_the_middle_one_counts_and_failures_win(self):
        rows = [synthetic.row("f16", "f16", "rung", gbps=g, real_time=t)
                for g, t in ((3.0, 30.0), (1.0, 10.0), (2.0, 20.0))]
        rows.append(synthetic.row("f16", "f16", "rung", gbps=9.0, run_type="aggregate"))
        data = synthetic.run_of(rows)
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

    def test_the_context_in_one_line(self):
        line = runs.context_line({"backend": "cpu-executor", "gpu": "none", "driver": "none",
                                  "cuda": "13.0", "commit": "unknown", "cpu": "Synthetic CPU"})
        self.assertEqual(line, "CPU executor, Synthetic CPU, CUDA 13.0")

    def test_refuses_what_is_no_run(self):
        self.assertIn("not valid JSON", self.refused("{"))
        self.assertIn("is empty", self.refused(" "))
        self.assertIn("not a recorded run", self.refused("[1]"))
        self.assertIn("not a benchmark result", self.refused('{"context": {}}'))
        self.assertIn("no row named", self.refused({"context": {}, "benchmarks": []}))
        with self.assertRaisesRegex(runs.ToolError, "no such file"):
            runs.load_run(self.folder + "/none.json")

    def test_merges_accuracy_files(self):
        for rung in ("f16", "f32"):
            entry = {"chapter": "elu", "rung": rung, "dtype": rung, "max_ulp": 0.5}
            self.put(f"accuracy.elu.{rung}.json", {"context": {"gpu": "Synthetic GPU"}, "accuracy": [entry]})
        merged = runs.merged_accuracy(self.folder)
        self.assertEqual([e["rung"] for e in merged["accuracy"]], ["f16", "f32"])
        self.assertEqual(merged["context"], {"gpu": "Synthetic GPU"})

    def test_compacting_says_everything_once(self):
        path = self.put("run.json", synthetic.google_run())
        self.assertEqual(synthetic.call("runs.py", "compact", path), (0, "", ""))
        data = runs.load_as_written(path)
        self.assertEqual(set(data["context"]), {"date", "executable", "num_cpus", "backend", "commit", "gpu", "driver", "cuda"})
        self.assertEqual(data["context"]["executable"], "01_elu_bench")
        self.assertEqual([(one["ladder"], one["places"]) for one in data["ladders"]],
                         [("elu", [["4096x4096", "cold"], ["4096x4096", "warm"]])])
        self.assertEqual(data["ladders"][0]["rungs"][0], {
            "rung": "f32", "dtype": "f32", "kind": "rung", "GBps": [300, 450], "copy_pct": [7.5, 11.25],
            "median_us": 20, "spread_pct": 1})

    def test_a_run_says_the_same_in_both_forms(self):
        for data in (synthetic.google_run(), synthetic.forms_run(), {"context": {}, "benchmarks": [
                synthetic.row("f16", "f16", "rung"), synthetic.row("f32", "f32", "rung", GBps=None, ns=3.5),
                synthetic.row("f32", "f32", "rung", "8x8", error_occurred=True, error_message="x", GBps=None)]}):
            whole, short = self.load(data), self.load(recorded.short(data))
            self.assertEqual({row.name: vars(row) for row in whole.rows}, {row.name: vars(row) for row in short.rows})

    def test_a_number_keeps_what_a_page_can_show_of_it(self):
        for value, short in ((3.1415926, 3.1416), (8388608.0, 8388608), (0.25, 0.25), (4287.4996, 4287.4996),
                             (float("inf"), float("inf")), (None, None), ("nan", "nan"), (True, True)):
            self.assertEqual(recorded.shortened(value), short)

    def test_bytes_of_an_element_say_those_of_every_size(self):
        for moved, kept in (((256.0, 1024.0), {"bytes_per_element": 4}), ((256.0, 1000.0), {"bytes": [256, 1000]})):
            rows = [synthetic.row("f16", "f16", "rung", shape, bytes=one) for shape, one in zip(("8x8", "16x16"), moved)]
            short = self.load(recorded.short({"context": {}, "benchmarks": rows}))
            rung = runs.load_as_written(short.path)["ladders"][0]["rungs"][0]
            self.assertEqual({key: value for key, value in rung.items() if "bytes" in key}, kept)
            self.assertEqual([row.counters["bytes"] for row in short.rows], list(moved))

    def test_a_table_is_a_list_of_objects(self):
        data = {"context": {"a": [1, 2]}, "ncu": [{"rung": "a", "pipes": {"alu": 1.5, "fma": 2}, "stalls": None},
                                                  {"rung": "b", "pipes": {"alu": 3, "fma": 4}, "stalls": {"wait": 1}},
                                                  {"rung": "c", "pipes": None, "stalls": {"wait": 2}}]}
        short = recorded.short(data)
        self.assertEqual(short["ncu"], {"columns": ["rung", "pipes.alu", "pipes.fma", "stalls.wait"],
                                        "rows": [["a", 1.5, 2, None], ["b", 3, 4, 1], ["c", None, None, 2]]})
        self.assertEqual(recorded.expanded(short), data)
        self.assertEqual(recorded.short(short), short)

    def test_what_is_recorded_here_is_compact(self):
        paths = recorded_files()
        self.assertGreater(len(paths), 6)
        for path in paths:
            self.assertEqual(runs.read_text(path), recorded.text(recorded.short(runs.load_as_written(path))) + "\n",
                             f"{path}: python3 common/tools/reader/runs.py compact {path}")

    def test_what_is_recorded_here_is_small(self):
        sizes = {name: Path(runs.ROOT, name).stat().st_size for name in runs.tracked_files() if name.endswith(".json")}
        self.assertLess(sum(sizes.values()), 5_000_000)
        for path in recorded_files():
            self.assertLess(max(map(len, runs.read_text(path).splitlines())), recorded.ROW + 9, path)

    def test_files_without_git(self):
        for name in (".ci/run", "01_elu/README.md", "build/a.o", ".git/config", ".exercises/01_elu/climb.cuh"):
            self.put(name, "")
        self.assertEqual(runs.tracked_files(self.folder), [".ci/run", "01_elu/README.md"])

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
