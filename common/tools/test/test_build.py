#!/usr/bin/env python3
"""A build that failed, or was never run, does not end in a green summary of CTest; another project can use a kernel."""

import unittest

import folders  # noqa: F401
import runs
import synthetic

PROJECT = f"""cmake_minimum_required(VERSION 3.22)
project(broken LANGUAGES CXX)
enable_testing()
include("{runs.ROOT}/common/cmake/tests.cmake")
add_executable(01_relu_test missing_semicolon.cpp)
set(arg_PREFIX 01_relu)
set(arg_LABEL relu)
tutorial_require_built(01_relu_test)
add_test(NAME other COMMAND "${{CMAKE_COMMAND}}" -E true)
set_tests_properties(other PROPERTIES LABELS relu)
"""


class ABuildThatFailed(synthetic.Scratch):
    def test_fails_the_tests_of_its_chapter(self):
        self.put("CMakeLists.txt", PROJECT)
        self.put("missing_semicolon.cpp", "int main() { return 0 }\n")
        build = self.root / "build"
        configured = synthetic.ran("cmake", "-S", self.root, "-B", build)
        self.assertEqual(configured.returncode, 0, configured.stderr)
        self.assertNotEqual(synthetic.ran("cmake", "--build", build).returncode, 0)
        done = synthetic.ran("ctest", "--test-dir", build, "-L", "^relu$")
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn("01_relu_test is built", done.stdout)


class AnotherProject(synthetic.Scratch):
    def test_takes_a_kernel_by_its_name_and_no_test(self):
        """Compiling it is a stage of .ci/run."""
        done = synthetic.ran("cmake", "-S", runs.ROOT / "01_elu/proof/use_it", "-B", self.root, "-DTUTORIAL_BACKEND=cpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotRegex(runs.read_text(self.root / "CMakeCache.txt"), "(?m)^(Catch2|benchmark)_DIR")
        targets = runs.read_text(self.root / "CMakeFiles/TargetDirectories.txt")
        self.assertIn("/elu.dir", targets)
        self.assertNotIn("_test.dir", targets)


if __name__ == "__main__":
    unittest.main()
