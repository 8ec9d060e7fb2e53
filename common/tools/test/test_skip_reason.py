#!/usr/bin/env python3
"""Tests of what torch.cmake says where the bindings' tests are skipped."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


@unittest.skipUnless(shutil.which("cmake"), "no cmake here")
class SkipReasonTest(unittest.TestCase):
    def reason(self, code, settings=""):
        """The reason where every Python ends with `code` when it is asked for PyTorch."""
        with tempfile.TemporaryDirectory() as folder:
            python = Path(folder, "python3")
            python.write_text(f"#!/bin/sh\nexit {code}\n", encoding="utf-8")
            python.chmod(0o755)
            text = (ROOT / "common/cmake/torch.cmake").read_text(encoding="utf-8")
            Path(folder, "torch.cmake").write_text(text.replace("/usr/bin/python3", str(python)),
                                                   encoding="utf-8")
            Path(folder, "ask.cmake").write_text(
                f'set(Python3_EXECUTABLE "{python}")\nset(PROJECT_BINARY_DIR "{folder}")\n{settings}\n'
                f'include("{folder}/torch.cmake")\ntutorial_torch_skip_reason(reason)\n'
                'message("${reason}")\n', encoding="utf-8")
            done = subprocess.run(["cmake", "-P", f"{folder}/ask.cmake"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stderr.strip().replace(folder, "BUILD")

    def test_pytorch_is_there_but_was_not_asked_for(self):
        self.assertEqual(self.reason(0), "BUILD/python3 has PyTorch, but this build has no bindings to it: "
                         "cmake -DTUTORIAL_TORCH=ON BUILD, then build and test again")

    def test_pytorch_is_not_there(self):
        self.assertRegex(self.reason(1), "^python3 has no PyTorch to bind to: install it .*"
                         "then cmake -DTUTORIAL_TORCH=ON BUILD$")

    def test_the_sanitizers(self):
        self.assertRegex(self.reason(0, "set(TUTORIAL_SANITIZE ON)"), "not built with the sanitizers")


if __name__ == "__main__":
    unittest.main()
