#!/usr/bin/env python3
"""Tests of yours.py, with a script in the place of a chapter's test."""

import os
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

YOURS = Path(__file__).resolve().parents[1] / "reader" / "yours.py"

FAILED = """<?xml version="1.0" encoding="UTF-8"?>
<Catch><Group name="x"><TestCase name="elu: your rung">
<Info>
  your_elu breaks its promises:
  n = 1: y[0] was not written
  n = 7: y[0] was not written
  n = 9: y[8] was not written
  in place, n = 1: y[0] = -3.5, expected -0.97 for x = -3.5 (4579.8 ULP)
  n = 9: the output was written 4 byte(s) past the end
</Info>
<Expression success="false" type="REQUIRE"><Original>violations.empty()</Original>
<Expanded>false</Expanded></Expression>
</TestCase></Group></Catch>
"""
WRONG = """<Catch><TestCase name="your rung">
<Info>your_elu breaks its promises:
  n = 255: y[2] = 1, expected 1.5 for x = 2 (3.5 ULP)
  n = 256: y[9] = 1, expected 2.5 for x = 3 (77 ULP)</Info>
<Expression success="false"><Original>a</Original><Expanded>b</Expanded></Expression>
</TestCase></Catch>
"""


class Yours(unittest.TestCase):
    def run_with(self, body):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            program.write_text(f"#!{sys.executable}\nimport os, sys\n{body}\n", encoding="utf-8")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            done = subprocess.run([sys.executable, str(YOURS), str(program), "your_elu.cuh"],
                                  capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_a_rung_that_passes(self):
        code, text = self.run_with("")
        self.assertEqual(code, 0)
        self.assertIn("your_elu.cuh passes", text)

    def test_what_is_wrong_is_told_by_reason(self):
        code, text = self.run_with(f"print({FAILED!r}); sys.exit(3)")
        self.assertEqual(code, 1)
        self.assertEqual(text.count("Some elements are never written"), 1)
        self.assertIn("... and 1 more of this kind", text)
        self.assertIn("writes outside its output", text)
        self.assertNotIn("Some values are wrong", text)  # in place, the input shows where nobody wrote

    def test_the_worst_value_comes_first(self):
        code, text = self.run_with(f"print({WRONG!r}); sys.exit(1)")
        self.assertEqual(code, 1)
        self.assertIn("Some values are wrong", text)
        self.assertLess(text.index("77 ULP"), text.index("3.5 ULP"))

    def test_what_only_one_order_shows(self):
        code, text = self.run_with(
            f"if os.environ['TUTORIAL_CPU_ORDER'] == 'reverse': print({WRONG!r}); sys.exit(1)")
        self.assertEqual(code, 1)
        self.assertIn("is not right yet", text)

    def test_a_crash(self):
        code, text = self.run_with("os.abort()")
        self.assertEqual(code, 1)
        self.assertIn("The kernel crashed", text)

    def test_a_program_that_is_not_there(self):
        done = subprocess.run([sys.executable, str(YOURS), str(Path(os.sep) / "nowhere"), "x"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
