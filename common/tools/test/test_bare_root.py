#!/usr/bin/env python3
"""Tests of .ci/bare_root.sh without the rights that it needs: what it says where no bare root can be had, and
from where it would take one. Scripts stand in the place of the programs that it calls."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import folders
import runs

SOURCES = """deb http://archive.example/debian/ bookworm main
deb http://archive.example/debian/ bookworm-updates main
deb http://security.example/ bookworm-security main
deb http://other.example/ stable main
deb http://archive.example/debian/ bookworm contrib
"""


class BareRoot(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.programs, self.root = Path(folder.name) / "bin", Path(folder.name) / "root"
        self.programs.mkdir()
        self.fake("id", "echo 0")
        self.fake("unshare")
        self.fake("apt-get", f"case $* in *format*) cat <<'END'\n{SOURCES}END\n;; *) echo targets ;; esac")
        self.fake("debootstrap", 'echo "debootstrap $*"; exit 1')

    def fake(self, name, text="true"):
        program = self.programs / name
        program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        program.chmod(0o755)

    def call(self, suite):
        done = subprocess.run(["bash", "-c", f". .ci/bare_root.sh; (bare_root {suite} '{self.root}')"], cwd=runs.ROOT,
                              env={**os.environ, "PATH": f"{self.programs}:/usr/bin:/bin"}, capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout.strip()

    def test_it_says_why_there_is_none(self):
        self.assertEqual(self.call("noble"), (77, "left out: apt's sources here have no noble"))
        self.fake("unshare", "exit 1")
        self.assertEqual(self.call("bookworm"), (77, "left out: mounts and chroot are not permitted here"))
        self.fake("id", "echo 1000")
        self.assertEqual(self.call("bookworm"), (77, "left out: only root can make one"))

    def test_it_comes_from_the_archive_that_apt_uses(self):
        code, out = self.call("bookworm")
        self.assertEqual(code, 1)  # debootstrap failed, and that is no reason to go on outside
        self.assertRegex(out, rf"--include=git,ca-certificates bookworm {self.root} http://archive.example/debian/$")

    def test_the_root_has_its_own_release_alone(self):
        done = subprocess.run(["bash", "-c", ". .ci/bare_root.sh; bare_sources bookworm"], cwd=runs.ROOT,
                              env={**os.environ, "PATH": f"{self.programs}:/usr/bin:/bin"}, capture_output=True,
                              text=True, check=True)
        self.assertEqual(len(done.stdout.splitlines()), 3)
        self.assertNotIn("other", done.stdout)


if __name__ == "__main__":
    unittest.main()
