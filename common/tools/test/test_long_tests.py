#!/usr/bin/env python3
"""Tests of how tests.cmake registers a program's tests on a GPU, with CMake's commands replaced by ones that
print: no GPU is needed, and nothing is built."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import folders
import runs

PRINTING_COMMANDS = """
foreach(command add_test set_tests_properties add_dependencies add_custom_target catch_discover_tests
        tutorial_parsed_with tutorial_compile_quickly)
  cmake_language(EVAL CODE "function(${command})
    list(JOIN ARGN [[ ]] words)
    message([[${command}: ]] \\${words})
  endfunction()")
endforeach()
set(TUTORIAL_ON_GPU TRUE)
"""


@unittest.skipUnless(shutil.which("cmake"), "no cmake here")
class LongTests(unittest.TestCase):
    def registered(self, source, memory):
        """What is registered for a program of this source, where nvidia-smi tells of so many MiB."""
        with tempfile.TemporaryDirectory() as folder:
            smi = Path(folder, "nvidia-smi")
            smi.write_text(f"#!/bin/sh\necho {memory}\necho {memory}\n", encoding="utf-8")
            smi.chmod(0o755)
            chapter = Path(folder, "01_one")
            (chapter / "proof").mkdir(parents=True)
            (chapter / "one_test.cpp").write_text('TEST_CASE("quick") {}\n', encoding="utf-8")
            (chapter / "proof/one_test_more.cpp").write_text(source, encoding="utf-8")
            script = Path(folder, "script.cmake")
            script.write_text(f'{PRINTING_COMMANDS}\ninclude("{runs.ROOT}/common/cmake/tests.cmake")\n'
                              f'set(CMAKE_CURRENT_SOURCE_DIR "{chapter}")\nset(nvidia_smi "{smi}")\n'
                              "tutorial_add_catch_tests(one_test PREFIX 01_one LABEL one)\n", encoding="utf-8")
            done = subprocess.run(["cmake", "-P", str(script)], cwd=chapter, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return [line for line in done.stderr.splitlines() if line.startswith(("add_test", "catch_discover"))]

    def test_a_program_without_long_cases_has_no_long_tests(self):
        self.assertEqual(self.registered('TEST_CASE("quick too", "[short]") {}\n', 140000),
                         ["add_test: NAME 01_one.cuda COMMAND one_test ~[long] --abortx 3"])

    def test_long_cases_share_a_gpu_as_its_memory_allows(self):
        source = 'TEST_CASE("all", "[long]") {}\n'
        for memory, share in (("143771", "PROCESSORS "), ("81559", "PROCESSORS "), ("24564", "RESOURCE_LOCK gpu"),
                              ("[N/A]", "RESOURCE_LOCK gpu")):
            quick, long = self.registered(source, memory)
            self.assertIn("~[long]", quick)
            self.assertRegex(long, r"^catch_discover_tests: one_test .*TEST_SPEC \[long\] .* LABELS one LABELS long ")
            self.assertIn(share, long, memory)


if __name__ == "__main__":
    unittest.main()
