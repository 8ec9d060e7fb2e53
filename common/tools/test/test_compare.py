"""Tests of compare.py. All numbers are made up."""

import unittest

import folders
import compare
import runs
import synthetic


def rows_of(*values):
    """A run with one rung per (name, gbps, spread)."""
    return synthetic.run_of([synthetic.row(name, "f16", "rung", gbps=g, spread_pct=s) for name, g, s in values])


class CompareTest(synthetic.Scratch):
    def compare(self, before, after, *arguments):
        return synthetic.call("commands.py", "compare", self.put("a.json", before), self.put("b.json", after), *arguments)

    def verdict(self, before, after):
        def pair_row(values):
            return runs.load_run(self.put("one.json", rows_of(("f16", *values)))).rows[0]
        return compare.Pair(pair_row(before), pair_row(after)).verdict

    def test_the_verdict_uses_the_larger_spread(self):
        self.assertEqual(self.verdict((1000, 1.0), (1030, 1.0)), "faster")
        self.assertEqual(self.verdict((1000, 1.0), (1030, 4.0)), compare.WITHIN)
        self.assertEqual(self.verdict((1000, 4.0), (1030, 1.0)), compare.WITHIN)
        self.assertEqual(self.verdict((1000, 1.0), (970, 2.0)), "slower")

    def test_before_after_and_ratio(self):
        out = self.assert_fine(self.compare(rows_of(("f16", 1000, 1)), rows_of(("f16", 1500, 1)), "--all"))
        self.assertRegex(out, r"f16 +4096x4096 +1000 +1500 +1\.500  faster \(spread 1\.0 %\)")

    def test_no_common_row(self):
        out = self.assert_fine(self.compare(rows_of(("old", 1, 1)), rows_of(("new", 1, 1))))
        self.assertIn("No row is in both files.", out)

    def test_cpu_against_gpu_is_refused(self):
        cpu = synthetic.run("cpu-executor", shapes=("4096x4096",), regimes=("cold",))
        gpu = synthetic.run(shapes=("4096x4096",), regimes=("cold",))
        self.assert_refused(self.compare(gpu, cpu), "times do not compare")

    def test_different_gpus_are_warned_of(self):
        other = synthetic.run_of([synthetic.row("f16", "f16", "rung")], gpu="Another Synthetic GPU")
        out = self.compare(rows_of(("f16", 1, 1)), other)[1]
        self.assertRegex(out, r"^Warning: different GPUs: Synthetic GPU before, Another")

    def test_without_gbps_times_are_compared(self):
        def timed(us):
            return synthetic.run_of([synthetic.row("f16", "f16", "rung", GBps=None, median_us=us)])
        out = self.compare(timed(20.0), timed(10.0), "--all")[1]
        self.assertRegex(out, r"20\.0 us +10\.0 us +2\.000  faster")

    def test_times_of_the_executor_get_no_verdict(self):
        before, after = synthetic.run("cpu"), synthetic.run("cpu", factor=2.1)
        for flags in ((), ("--all",)):
            out = self.compare(before, after, *flags)[1]
            self.assertIn("no row is called faster or slower", out)
            self.assertNotRegex(out.split("after:")[1], r"\b(faster|slower)\b")
            self.assertIn("not judged", out)

    def test_where_the_copy_moved_too_the_machine_is_named(self):
        slow = self.compare(synthetic.run(), synthetic.run(factor=0.97))[1]
        self.assertIn("The copy itself is 3.0 % slower in the second run: the machine changed", slow)
        self.assertNotRegex(slow.split("all ")[-1], r"\bslower\b")
        within = self.compare(synthetic.run(), synthetic.run(factor=0.995))[1]
        self.assertNotIn("the machine changed", within)
        alone = synthetic.run()
        for row in alone["benchmarks"]:
            if "/f16x8/" in row["name"]:
                row["GBps"] *= 0.9
        out = self.compare(synthetic.run(), alone)[1]
        self.assertNotIn("the machine changed", out)
        self.assertRegex(out, r"f16x8 .* slower")

    def test_the_summary_has_a_line_per_rung(self):
        def run_of(*factors):
            return synthetic.run_of([synthetic.row(rung, "f16", "rung", shape, regime, 1000.0 * factor)
                                     for rung, pair in (("f16", factors), ("f16x2", (1.0, 1.0)))
                                     for shape, factor in zip(("1024x1024", "4096x4096"), pair)
                                     for regime in ("cold", "warm")])
        out = self.assert_fine(self.compare(run_of(1.0, 1.0), run_of(0.9, 1.6)))
        self.assertRegex(out, r"\n  f16 +1\.200 +1\.200  0\.900 1024x1024 cold +faster; 2 of 4 slower\n")
        self.assertRegex(out, r"\n  f16x2 +1\.000 +1\.000  1\.000 1024x1024 cold +within the spread\n")
        self.assertRegex(out, r"\nall 2 rungs: geometric mean 1\.095, worst 0\.900 "
                              r"\(elu/f16/1024x1024/cold\), 1 faster, 1 within the spread\n")
        self.assertIn("rows: 2 faster, 2 slower, 4 within the spread (--all shows each)", out)
        self.assertNotIn("before      after", out)

    def test_a_rung_is_judged_by_the_mean_of_its_spreads(self):
        def run_of(factor):
            return synthetic.run_of([synthetic.row("f16", "f16", "rung", shape, gbps=1000.0 * factor, spread_pct=spread)
                                     for shape, spread in (("1024x1024", 1.0), ("4096x4096", 5.0))])
        for factor, verdict in ((1.02, "within the spread; 1 of 2 faster"), (1.04, "faster"),
                                (0.96, "slower"), (0.98, "within the spread; 1 of 2 slower")):
            out = self.compare(run_of(1.0), run_of(factor))[1]
            self.assertRegex(out, rf"\n  f16 .*cold +{verdict}\n")

    def test_the_summary_says_what_is_missing_or_failed(self):
        bad = rows_of(("f16", 1, 1), ("f16x2", 1, 1), ("new", 1, 1))
        bad["benchmarks"][0].update(error_occurred=True, error_message="x")
        out = self.compare(rows_of(("f16", 1, 1), ("f16x2", 1, 1), ("old", 1, 1)), bad)[1]
        for rung, verdict in (("f16", "failed in the second file"), ("old", "only in the first file"),
                              ("new", "only in the second file")):
            self.assertRegex(out, rf"\n  {rung}  +{verdict}\n")
        self.assertIn("all 4 rungs: geometric mean 1.000, worst 1.000 (elu/f16x2/4096x4096/cold), "
                      "1 within the spread, ", out)

    def test_two_gpus_are_compared_by_percent_of_copy(self):
        def run_of(gpu, gbps, percent):
            return synthetic.run_of([synthetic.row("f16", "f16", "rung", gbps=gbps, copy_pct=percent)], gpu=gpu)
        for percent, verdict in ((90.0, "closer to copy"), (70.0, "further from copy"),
                                 (80.4, "within the spread")):
            for option in (), ("--all",):
                out = self.compare(run_of("Synthetic A", 1000, 80.0),
                                   run_of("Synthetic B", 500, percent), *option)[1]
                self.assertRegex(out, rf"f16 .*0\.500 +80\.0 → {percent} %.* {verdict}")
        out = self.compare(run_of("Synthetic A", 1000, None), run_of("Synthetic B", 500, 90.0))[1]
        self.assertRegex(out, r"f16 +0\.500 .* slower\n")


if __name__ == "__main__":
    unittest.main()
