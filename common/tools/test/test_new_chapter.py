#!/usr/bin/env python3
"""Makes a chapter 07_relu in a scratch copy of the repository, by the lines that CONTRIBUTING.md gives,
builds its test and runs it, and runs what looks at chapters. Nothing outside the folder is touched but by
./tutorial report, which is one of the lines. Beside a chapter that is called so, it is called otherwise.

With TUTORIAL_NEW_CHAPTER=all, as .ci/run --full has it: all that ./tutorial test would run of the new chapter, of
the tools and of the pages."""

import os
import re
import shutil
import sys
import unittest

import folders
import planted
import runs
import synthetic

CHECKS = ("maintain/links.py", "maintain/mutate.py --check", "maintain/report.py --check",
          "test/test_answers.py", "test/test_chapter.py", "test/test_glossary.py", "test/test_house.py", "test/test_mutate.py",
          "test/test_pages.py", "test/test_share.py", "test/test_torch_table.py")

# A compiler launcher: what is not the chapter's was compiled before, from the same sources.
REUSE = """#!/bin/sh
for word; do
  [ "$last" != -o ] || made=$PWD/$word
  last=$word
done
object=$TUTORIAL_OBJECTS/${made#"$TUTORIAL_SCRATCH"/}
case $made in
  *$TUTORIAL_CHAPTER*) ;;
  *) [ ! -e "$object" ] || exec cp "$object" "$made" ;;
esac
exec "$@"
"""

NO_BOOST = "Boost.Context is not installed"
SKIPPED = 4  # CTest's word for it


def lines_of_the_page():
    """The commands that CONTRIBUTING.md gives for a new chapter, and its folder and title."""
    lines = re.search(r"test_new_chapter\.py -->\n```bash\n(.*?)```", runs.read_text(runs.ROOT / "CONTRIBUTING.md"), re.S).group(1)
    here = [chapter.name.split("_", 1) for chapter in runs.find_chapters()]
    number = f"{int(here[-1][0]) + 1:02}"
    lines = lines.replace("07", number)
    if ["relu"] not in [name[1:] for name in here]:
        return lines, f"{number}_relu", "ReLU"
    for old, new in (("relu", "softsign"), ("Relu", "Softsign"), ("ReLU", "SoftSign")):
        lines = lines.replace(old, new)
    return lines, f"{number}_softsign", "SoftSign"


@unittest.skipIf(not shutil.which("cmake"), "there is no cmake here")
class NewChapter(synthetic.Scratch):
    built = True

    def call(self, *command):
        done = synthetic.ran(*command, cwd=self.clone, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "TUTORIAL_ROOT": str(self.clone)})
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return done.stdout

    def setUp(self):
        super().setUp()
        self.clone = planted.Clone(self.root / "clone").root
        headers = runs.ROOT / ".deps"  # NVIDIA's headers, where there is no toolkit
        if headers.is_dir():
            (self.clone / ".deps").symlink_to(headers, target_is_directory=True)
        self.call("git", "init", "-q")
        self.call("git", "add", "-A")

    def changed(self):
        """What differs from the first copy, by folder or file of the root."""
        found = self.call("git", "status", "--porcelain", "--untracked-files=all").splitlines()
        return {line[3:].strip('"') for line in found if line[1] != " "}

    def test_the_lines_of_the_page_make_a_chapter(self):
        lines, folder, title = lines_of_the_page()
        number, name = folder.split("_", 1)
        last = runs.find_chapters()[-1].name
        by_hand, report = lines.rsplit(" && ", 1)
        self.assertEqual(report.strip(), "./tutorial report")
        self.call("bash", "-euc", by_hand)
        self.assertTrue(all(path.startswith(f"{folder}/") for path in self.changed()), self.changed())
        self.call("bash", "-euc", report)
        outside = {path for path in self.changed() if not path.startswith(f"{folder}/")}
        self.assertIn("README.md", outside)  # its line on the front page
        self.assertIn(f"[{number} · {title}]({folder}/README.md)", runs.read_text(self.clone / "README.md"))
        self.assertIn(f"next: [{number}", runs.read_text(runs.lessons_of(self.clone / last)[-1]))
        self.assertEqual([path for path in outside if not path.endswith(".md")], [])

        everything = os.environ.get("TUTORIAL_NEW_CHAPTER") == "all"
        for check in () if everything else CHECKS:
            program, *arguments = check.split()
            self.call(sys.executable, f"common/tools/{program}", *arguments)

        build = self.clone / "build/cpu"
        launcher = []
        if "TUTORIAL_OBJECTS" in os.environ:  # CTest says where; without it, all is compiled
            reuse = self.clone / "build/reuse"
            synthetic.script(reuse, REUSE)
            launcher = [f"-DCMAKE_CXX_COMPILER_LAUNCHER=env;TUTORIAL_SCRATCH={build};TUTORIAL_CHAPTER={name};{reuse}"]
        configured = synthetic.ran("cmake", "--preset", "cpu", *launcher, cwd=self.clone)
        if NO_BOOST in configured.stderr:  # as on a machine with a GPU, which needs no executor
            NewChapter.built = False
            return
        self.assertEqual(configured.returncode, 0, configured.stderr)
        self.call("cmake", "--build", str(build), "--parallel", str(os.cpu_count()),
                  "--target", folder if everything else f"{folder}_test")
        tests = ("ctest", "--test-dir", str(build), "--no-tests=error")
        listed = self.call(*tests, "-N", "-L", f"^{name}$")
        self.assertIn(f"{folder}.forward.{name}: every launcher keeps its promises", listed)
        if everything:
            self.call(*tests, "--output-on-failure", "-L", f"^({name}|tools|readme)$", "-LE", "^long$",
                      "-E", "test_new_chapter|[.](check|trace)(:|$)")  # whose sources the build that is reused would name
        else:
            self.call(str(build / f"{folder}_test"), "~[long]")


if __name__ == "__main__":
    program = unittest.main(exit=False)
    if program.result.wasSuccessful() and not NewChapter.built:
        print("skipped: the new chapter is made and checked, but not built: there is no Boost.Context here; "
              "on Debian: apt-get install libboost-context-dev")
        sys.exit(SKIPPED)
    sys.exit(not program.result.wasSuccessful())
