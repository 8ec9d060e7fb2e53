#!/usr/bin/env python3
"""Every way in which a benchmark program can end: a whole file, or one sentence that says what to do.

    python3 common/test/bench_program/test_program.py [EMULATOR...] PROGRAM
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SMALL = "--shapes=64x64"


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def call(self, *arguments):
        done = subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, check=False)
        if "no GPU answers" in done.stderr:
            self.skipTest("no GPU here")
        return done.returncode, done.stdout, done.stderr

    def refused(self, *arguments, code=2):
        """The sentence with which it ends; nothing is written."""
        before = sorted(self.folder.iterdir())
        found, out, errors = self.call(*arguments)
        self.assertEqual(found, code, errors)
        name = os.path.basename(PROGRAM[-1])
        last = errors.splitlines()[-1]
        self.assertTrue(last.startswith(name + ": "), errors)
        self.assertEqual(sum(line.startswith(name + ": ") for line in errors.splitlines()), 1, errors)
        if code == 2:
            self.assertNotIn("one/", out)
            self.assertEqual(sorted(self.folder.iterdir()), before)
        return last[len(name) + 2:]

    def test_a_run_ends_with_a_whole_file(self):
        out = self.folder / "run.json"
        code, _, _ = self.call(SMALL, "--benchmark_filter=copy", f"--benchmark_out={out}")
        self.assertEqual(code, 0)
        rows = json.loads(out.read_text(encoding="utf-8"))["benchmarks"]
        self.assertIn(rows[0]["name"].split("/")[:3], [["one", "copy_f32", "64x64"]])

    def test_shapes_that_do_not_fit(self):
        self.assertRegex(self.refused("--shapes=99999999x2000000"),
                         r"^--shapes=99999999x2000000 needs at least 1\.6 PB of memory and .* are free; "
                         r"choose a smaller shape$")
        self.assertEqual(self.refused("--shapes=999999999x999999999"),
                         "--shapes=999999999x999999999 has more than 2^48 elements; choose a smaller shape")

    def test_shapes_that_are_none(self):
        for shapes in ("12", "0x5", "9999999999x1", "1024x", "64x64,,64x64"):
            self.assertRegex(self.refused("--shapes=" + shapes), "is no shape; write ROWSxCOLUMNS")
        self.assertRegex(self.refused("--shapes="), "has no shape; write ROWSxCOLUMNS")
        self.assertRegex(self.refused("--shapes", "64x64"), "as in --shapes=1024x4096$")

    def test_a_filter_that_matches_nothing(self):
        for pattern in ("nothing", "("):
            self.assertRegex(self.refused(SMALL, "--benchmark_filter=" + pattern),
                             r"matches no row, or .*; --benchmark_list_tests lists the rows$")

    def test_a_file_that_cannot_be_written(self):
        out = f"{self.folder}/none/run.json"
        self.assertEqual(self.refused(SMALL, f"--benchmark_out={out}"),
                         f"--benchmark_out={out} cannot be written (No such file or directory); name a "
                         "file in a folder that you can write to")
        self.assertRegex(self.refused(SMALL, f"--benchmark_out={self.folder}"),
                         "is a folder; name a file inside it$")

    @unittest.skipUnless(os.geteuid() != 0, "root may write everywhere")
    def test_a_file_of_somebody_else(self):
        self.assertRegex(self.refused(SMALL, "--benchmark_out=/run.json"), "Permission denied")

    def test_a_disk_that_is_full(self):
        # A file whose size is limited is cut off like one on a full disk.
        out = self.folder / "run.json"
        command = f'trap "" XFSZ; ulimit -f 1; exec {shlex.join(PROGRAM)} {SMALL} --benchmark_out={out}'
        done = subprocess.run(["bash", "-c", command + " --benchmark_filter=copy"],
                              capture_output=True, text=True, check=False)
        if "no GPU answers" in done.stderr:
            self.skipTest("no GPU here")
        self.assertRegex(done.stderr.splitlines()[-1], "run.json is incomplete: free some space")
        self.assertEqual(done.returncode, 1)

    def test_flags_that_it_does_not_know(self):
        for flag in ("--shape=64x64", "--benchmark_bogus", "--benchmark_repetitions=x", "hello"):
            self.assertEqual(self.refused(flag), f"{flag} is no flag of a benchmark, or has a wrong value; "
                                                 "--help lists the flags")
        for flag in ("--benchmark_format", "--benchmark_out_format"):
            self.assertEqual(self.refused(flag + "=xml"),
                             flag + "=xml is no format; write console, json or csv")

    def test_rows_that_fail(self):
        sentence = self.refused(SMALL, code=1)
        self.assertRegex(sentence, r"^(1 row failed|2 rows failed, the first): one/wrong/64x64/\w+: "
                                   r"wrong output: y\[\d+\] = ")

    def test_an_output_is_compared_once(self):
        code, out, errors = self.call(SMALL, "--benchmark_filter=once", "--benchmark_repetitions=2")
        self.assertIn("one/once/64x64/warm", out)
        self.assertEqual(code, 0, errors)

    def test_a_profiler_looks_on(self):
        os.environ["TUTORIAL_PROFILE"] = "1"
        self.addCleanup(os.environ.pop, "TUTORIAL_PROFILE")
        out = self.folder / "run.json"
        code, _, _ = self.call(SMALL, f"--benchmark_out={out}")
        self.assertEqual(code, 0)  # the wrong row, too: nothing is verified
        rows = json.loads(out.read_text(encoding="utf-8"))["benchmarks"]
        self.assertTrue(all(row["median_us"] == 1e6 for row in rows))

    def test_help(self):
        code, out, _ = self.call("--help")
        self.assertEqual(code, 0)
        self.assertIn("--shapes=ROWSxCOLUMNS", out)
        self.assertIn("--benchmark_filter", out)


if __name__ == "__main__":
    PROGRAM = [*sys.argv[1:-1], os.path.abspath(sys.argv[-1])]
    unittest.main(argv=sys.argv[:1])
