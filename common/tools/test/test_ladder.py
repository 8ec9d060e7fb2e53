"""Tests of ladder.py. All numbers are made up."""

import unittest

import folders
import ladder
import runs
import synthetic


class LadderTest(synthetic.Scratch):
    def draw(self, data, *arguments, **environment):
        return synthetic.call("commands.py", "compare", self.put("run.json", data), *arguments, **environment)

    def line(self, text, rung):
        return next(line for line in text.splitlines() if line.startswith(f"  {rung} "))

    def test_draws_every_row_of_one_shape(self):
        out = self.assert_fine(self.draw(synthetic.run()))
        self.assertIn("elu · 4096x4096 · cold", out)
        for rung, _, _ in synthetic.RUNGS:
            self.assertTrue(self.line(out, rung))
        self.assertRegex(self.line(out, "f16x2"), r"█[▏▎▍▌▋▊▉]? +1200 +30\.0 % +1\.33×$")
        self.assertLess(max(len(line) for line in out.splitlines()), 101)

    def test_a_ladder_without_the_largest_shape_is_drawn_at_its_own(self):
        out = self.assert_fine(self.draw(synthetic.forms_run()))
        lines = out.splitlines()
        self.assertIn("elu · 64x64 · cold", lines[0])
        self.assertLess(lines.index("forms · 8x2x3 · cold"),
                        next(i for i, line in enumerate(lines) if line.startswith("f16 W ")))
        self.assertRegex(out, r"\n  packed +.* 200 +5\.0 % +2\.00×\n")  # over `one`, within W
        self.assertRegex(out, r"\nf16 NC11 .*\n  two +\S+ +400 +10\.0 %\n")  # the first of its form
        self.assertNotIn("forms", self.draw(synthetic.forms_run(), "--shape=64x64")[1].split("also")[0])

    def test_sections_come_in_order(self):
        out = self.draw(synthetic.run())[1]
        places = [out.index(word) for word in ("f16x8_pack", "yours", "sweep", "peers", "cub")]
        self.assertEqual(places, sorted(places))

    def test_an_ascii_terminal_gets_ascii(self):
        out = self.assert_fine(self.draw(synthetic.run(), PYTHONIOENCODING="ascii"))
        self.assertTrue(out.isascii())
        self.assertIn("####", out)

    def test_no_colour_without_a_terminal(self):
        self.assertNotIn("\033", self.draw(synthetic.run())[1])

    def test_a_cpu_run_says_so_first(self):
        data = synthetic.run("cpu-executor", shapes=("1024x1024",), regimes=("warm",))
        for row in data["benchmarks"]:
            del row["copy_pct"]
        out = self.assert_fine(self.draw(data))
        self.assertEqual(out.splitlines()[0],
                         "Ran on the CPU executor: these times say nothing about a GPU.")
        self.assertIn("el./s", out)
        self.assertRegex(self.line(out, "f16"), r" 20\.000|0\.020 +1 % ")  # a time, and its spread
        self.assertIn("differ by less than their spreads are the same", out)

    def test_the_hosts_memcpy_does_not_flatten_the_bars_of_a_cpu_run(self):
        data = synthetic.run("cpu-executor", shapes=("1024x1024",), regimes=("warm",))
        for row in data["benchmarks"]:
            row["median_us"] = 0.2 if "/copy/" in row["name"] else 20.0
        out = self.draw(data)[1]
        self.assertGreater(self.line(out, "f16").count("█"), 20)
        self.assertRegex(self.line(out, "copy"), "█>")

    def test_recorded_says_where(self):
        _, out = synthetic.printed(ladder.show, runs.load_run(self.put("run.json", synthetic.run())), recorded=True)
        self.assertTrue(out.startswith("recorded on Synthetic GPU, driver 1.2, CUDA 13.0"))
        self.assertNotIn("your_elu", out)  # it is the starter, and not the reader's

    def test_a_failed_row_is_shown_and_counts(self):
        data = synthetic.run(shapes=("1024x1024",), regimes=("cold",))
        data["benchmarks"][2].update(error_occurred=True, error_message="output differs at 7")
        code, out, errors = self.draw(data)
        self.assertEqual(code, 1)
        self.assertIn("failed: output differs at 7", self.line(out, "f16"))
        self.assertIn("1 of 11 rows failed", errors)

    def test_unknown_shape_and_regime(self):
        for option, value in (("--shape", "3x3"), ("--regime", "hot")):
            self.assert_refused(self.draw(synthetic.run(), option, value), value)


if __name__ == "__main__":
    unittest.main()
