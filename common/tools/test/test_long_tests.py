#!/usr/bin/env python3
"""Tests of how tests.cmake registers a program's tests on a GPU, with CMake's commands replaced by ones that
print: no GPU is needed, and nothing is built."""

import shutil
import unittest

import folders
import runs
import synthetic

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
class LongTests(synthetic.Scratch):
    def registered(self, source, memory):
        """What is registered for a program of this source, where nvidia-smi tells of so many MiB."""
        smi, chapter = self.root / "nvidia-smi", self.root / "01_one"
        synthetic.script(smi, f"#!/bin/sh\necho {memory}\necho {memory}\n")
        self.put("01_one/one_test.cpp", 'TEST_CASE("quick") {}\n')
        self.put("01_one/proof/one_test_more.cpp", source)
        script = self.put("script.cmake", f'{PRINTING_COMMANDS}\ninclude("{runs.ROOT}/common/cmake/tests.cmake")\n'
                          f'set(CMAKE_CURRENT_SOURCE_DIR "{chapter}")\nset(nvidia_smi "{smi}")\n'
                          "tutorial_add_catch_tests(one_test PREFIX 01_one LABEL one)\n")
        done = synthetic.ran("cmake", "-P", script, cwd=chapter)
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
