"""Tests of what record.sh says before it does anything."""

import subprocess
import unittest
from pathlib import Path

SCRIPT = str(Path(__file__).resolve().parents[1] / "maintain" / "record.sh")


def call(*arguments):
    done = subprocess.run(["bash", SCRIPT, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class RecordTest(unittest.TestCase):
    def test_help(self):
        code, out, _ = call("--help")
        self.assertEqual(code, 0)
        self.assertIn("record.sh CHAPTER OUTDIR", out)

    def test_mistakes_are_one_line(self):
        for arguments, words in ((("elu",), "usage"), (("elu", "out", "--fast"), "--fast"),
                                 (("elu", "out", "--steps", "sing"), "unknown step sing"),
                                 (("no_such_chapter", "out"), "no chapter no_such_chapter")):
            code, out, errors = call(*arguments)
            self.assertEqual((code, out, errors.count("\n")), (2, "", 1), arguments)
            self.assertIn(words, errors)


if __name__ == "__main__":
    unittest.main()
