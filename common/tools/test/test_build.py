#!/usr/bin/env python3
"""A build that failed, or was never run, does not end in a green summary of CTest; another project can use a kernel."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROJECT = f"""cmake_minimum_required(VERSION 3.22)
project(broken LANGUAGES CXX)
enable_testing()
include("{ROOT}/common/cmake/tests.cmake")
add_executable(01_relu_test missing_semicolon.cpp)
set(arg_PREFIX 01_relu)
set(arg_LABEL relu)
tutorial_require_built(01_relu_test)
add_test(NAME other COMMAND "${{CMAKE_COMMAND}}" -E true)
set_tests_properties(other PROPERTIES LABELS relu)
"""


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


class ABuildThatFailed(unittest.TestCase):
    def test_fails_the_tests_of_its_chapter(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
            Path(folder, "missing_semicolon.cpp").write_text("int main() { return 0 }\n", encoding="utf-8")
            configured = run("cmake", "-S", folder, "-B", folder + "/build")
            self.assertEqual(configured.returncode, 0, configured.stderr)
            self.assertNotEqual(run("cmake", "--build", folder + "/build").returncode, 0)
            done = run("ctest", "--test-dir", folder + "/build", "-L", "^relu$")
            self.assertNotEqual(done.returncode, 0, done.stdout)
            self.assertIn("01_relu_test is built", done.stdout)


class AnotherProject(unittest.TestCase):
    def test_takes_a_kernel_by_its_name_and_no_test(self):
        """Compiling it is a stage of .ci/run."""
        with tempfile.TemporaryDirectory() as folder:
            done = run("cmake", "-S", str(ROOT / "01_elu/proof/use_it"), "-B", folder, "-DTUTORIAL_BACKEND=cpu")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotRegex(Path(folder, "CMakeCache.txt").read_text(encoding="utf-8"), "(?m)^(Catch2|benchmark)_DIR")
            targets = Path(folder, "CMakeFiles/TargetDirectories.txt").read_text(encoding="utf-8")
            self.assertIn("/elu.dir", targets)
            self.assertNotIn("_test.dir", targets)


if __name__ == "__main__":
    sys.exit(unittest.main())
