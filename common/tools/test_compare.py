"""Tests of compare.py. All numbers are made up."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import compare
import runs
import synthetic


def rows_of(*values):
    """A run with one rung per (name, gbps, spread)."""
    rows = [synthetic.row(name, "f16", "rung", gbps=g, spread_pct=s) for name, g, s in values]
    return {"context": synthetic.context(), "benchmarks": rows}


class CompareTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def compare(self, before, after, *arguments):
        first = synthetic.write(self.folder, "a.json", before)
        second = synthetic.write(self.folder, "b.json", after)
        return synthetic.call("compare.py", first, second, *arguments)

    def verdict(self, before, after):
        def pair_row(values):
            path = synthetic.write(self.folder, "one.json", rows_of(("f16", *values)))
            return runs.load_run(path).rows[0]
        return compare.Pair(pair_row(before), pair_row(after)).verdict

    def test_the_verdict_uses_the_larger_spread(self):
        self.assertEqual(self.verdict((1000, 1.0), (1030, 1.0)), "faster")
        self.assertEqual(self.verdict((1000, 1.0), (1030, 4.0)), compare.WITHIN)
        self.assertEqual(self.verdict((1000, 4.0), (1030, 1.0)), compare.WITHIN)
        self.assertEqual(self.verdict((1000, 1.0), (970, 2.0)), "slower")

    def test_before_after_and_ratio(self):
        code, out, _ = self.compare(rows_of(("f16", 1000, 1)), rows_of(("f16", 1500, 1)))
        self.assertEqual(code, 0)
        self.assertRegex(out, r"f16 +4096x4096 +1000 +1500 +1\.500  faster \(spread 1\.0 %\)")

    def test_missing_rows_are_said(self):
        code, out, _ = self.compare(rows_of(("f16", 1, 1), ("old", 1, 1)),
                                    rows_of(("f16", 1, 1), ("new", 1, 1)))
        self.assertEqual(code, 0)
        self.assertRegex(out, r"old .*- +only in the first file")
        self.assertRegex(out, r"new .*only in the second file")

    def test_no_common_row(self):
        code, out, _ = self.compare(rows_of(("old", 1, 1)), rows_of(("new", 1, 1)))
        self.assertEqual(code, 0)
        self.assertIn("No row is in both files.", out)

    def test_failed_rows(self):
        bad = rows_of(("f16", 1, 1))
        bad["benchmarks"][0].update(error_occurred=True, error_message="x")
        self.assertIn("failed in the second file", self.compare(rows_of(("f16", 1, 1)), bad)[1])

    def test_cpu_against_gpu_is_refused(self):
        cpu = synthetic.run("cpu-executor", shapes=("4096x4096",), regimes=("cold",))
        gpu = synthetic.run(shapes=("4096x4096",), regimes=("cold",))
        code, out, errors = self.compare(gpu, cpu)
        self.assertEqual((code, out, errors.count("\n")), (2, "", 1))
        self.assertIn("--across-backends", errors)
        code, out, _ = self.compare(gpu, cpu, "--across-backends")
        self.assertEqual(code, 0)
        self.assertIn("say nothing about a GPU", out.splitlines()[0])

    def test_different_gpus_are_warned_of(self):
        other = rows_of(("f16", 1, 1))
        other["context"]["gpu"] = "Another Synthetic GPU"
        out = self.compare(rows_of(("f16", 1, 1)), other)[1]
        self.assertRegex(out, r"^Warning: different GPUs: Synthetic GPU before, Another")

    def test_without_gbps_times_are_compared(self):
        def timed(us):
            row = synthetic.row("f16", "f16", "rung", GBps=None, median_us=us)
            return {"context": synthetic.context("cpu"), "benchmarks": [row]}
        out = self.compare(timed(20.0), timed(10.0))[1]
        self.assertRegex(out, r"20\.0 us +10\.0 us +2\.000  faster")

    def test_one_file_draws_the_ladder(self):
        path = synthetic.write(self.folder, "a.json", synthetic.run())
        code, out, _ = synthetic.call("compare.py", path)
        self.assertEqual(code, 0)
        self.assertIn("elu · 4096x4096 · cold", out)

    def test_errors_are_one_line(self):
        good = synthetic.write(self.folder, "a.json", synthetic.run())
        for text, words in (("{", "not valid JSON"), ("{}", "not a Google Benchmark result")):
            bad = synthetic.write(self.folder, "bad.json", text)
            code, out, errors = synthetic.call("compare.py", good, bad)
            self.assertEqual((code, out, errors.count("\n")), (2, "", 1))
            self.assertIn(words, errors)

    def test_keys_merge_in_order(self):
        self.assertEqual(compare.merge_keys("abcd", "acx"), ["a", "b", "c", "d", "x"])
        self.assertEqual(compare.merge_keys("ab", "b"), ["a", "b"])


if __name__ == "__main__":
    unittest.main()
