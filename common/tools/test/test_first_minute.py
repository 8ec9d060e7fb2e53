#!/usr/bin/env python3
"""Holds what starts elsewhere to what is here: the development container, the workflows, the forms for issues
and the notebook name commands, files and packages that exist."""

import json
import os
import re
import sys
import unittest

import folders
import commands as door
import runs
import synthetic

TUTORIAL = runs.read_text(runs.ROOT / "tutorial")


def text_of(name):
    return runs.read_text(runs.ROOT / name)


def commands(text):
    """The words behind ./tutorial in a text."""
    return set(re.findall(r"\./tutorial (\w+)", text))


class Container(unittest.TestCase):
    def test_it_holds_every_package_that_setup_would_install(self):
        """All that missing_packages of ./tutorial can name."""
        function = re.search(r"^missing_packages\(\) \{\n(.*?)^\}", TUTORIAL, re.M | re.S).group(1)
        wanted = set(re.findall(r'say "([a-z0-9+.-]+) ', function))
        self.assertGreaterEqual(wanted, {"g++", "cmake", "catch2"})
        held = set(re.search(r"packages=\((.*?)\n\)", text_of(".devcontainer/install.sh"), re.S).group(1).split())
        self.assertEqual(wanted - held, set())
        self.assertIn("python3-venv", held)

    def test_its_files_are_there(self):
        settings = json.loads(text_of(".devcontainer/devcontainer.json"))
        self.assertTrue((runs.ROOT / ".devcontainer" / settings["build"]["dockerfile"]).is_file())
        self.assertEqual(commands(settings["postCreateCommand"]), {"setup"})
        self.assertIn("COPY install.sh", text_of(".devcontainer/Dockerfile"))
        self.assertIn(f"useradd --create-home --shell /bin/bash {settings['remoteUser']}",
                      text_of(".devcontainer/install.sh"))


class Workflows(unittest.TestCase):
    def test_they_call_what_a_reader_calls(self):
        self.assertIn("run: .ci/run", text_of(".github/workflows/ci.yml"))
        every_part = re.search(r"every_part=.*", text_of(".ci/run"))[0]
        parts = synthetic.ran("bash", "-c", f"{every_part}; echo ${{every_part[*]}}").stdout.split()
        self.assertEqual(re.findall(r'"([\w-]+)"', text_of(".github/workflows/ci.yml").split("'[\"push\"]'")[1]), parts)
        told = synthetic.ran(runs.ROOT / ".ci/run", "--help").stdout
        for part in parts:
            if not part.startswith("faults-"):
                self.assertRegex(told, rf"(?m)^    {part} ")
        self.assertIn(f"    faults-1 to {parts[-1]} ", told)
        book = text_of(".github/workflows/book.yml")
        folder = re.search(r"\./tutorial read --live --build (\w+)", book).group(1)
        self.assertIn(f"path: {folder}", book)

    def test_commands_exist(self):
        known = set(next(action.choices for action in door.make_parser()._actions if action.dest == "command"))
        for name in runs.tracked_files():
            if name.startswith((".github/", ".devcontainer/")) or name.endswith(".ipynb"):
                self.assertEqual(commands(text_of(name)) - known, set(), name)

    def test_yaml_has_no_tabs_and_forms_have_what_a_form_needs(self):
        for name in runs.tracked_files():
            if name.startswith(".github/") and name.endswith(".yml"):
                text = text_of(name)
                self.assertNotIn("\t", text, name)
                if "ISSUE_TEMPLATE" in name and not name.endswith("config.yml"):
                    for key in ("name", "description", "body"):
                        self.assertRegex(text, rf"(?m)^{key}:", name)
                    ids = re.findall(r"^    id: (\w+)$", text, re.M)
                    self.assertEqual(len(ids), len(set(ids)))


class Pins(unittest.TestCase):
    def test_they_are_packages_at_one_version_and_name_no_place(self):
        """A pip option in a list, as --find-links, would hold on every reader's machine."""
        lists = sorted((runs.ROOT / "common" / "book").glob("requirements*.txt"))
        self.assertEqual(len(lists), 3)
        for path in lists:
            for line in runs.read_text(path).splitlines():
                self.assertRegex(line, r'^(?:#.*|[a-z0-9._-]+==[\w.]+(?:; python_version (?:<|>=) "3\.11")?)$', path.name)


class Notebook(synthetic.Scratch):
    def setUp(self):
        super().setUp()
        self.notebook = json.loads(text_of("common/book/hosted_gpu.ipynb"))

    def test_it_is_a_notebook_without_outputs(self):
        self.assertEqual(self.notebook["nbformat"], 4)
        for cell in self.notebook["cells"]:
            self.assertIn(cell["cell_type"], ("markdown", "code"))
            if cell["cell_type"] == "code":
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))

    def clone(self, folder, address=""):
        """Runs the cell that clones, in a folder; returns what it printed and its error's last line."""
        cell = next("".join(cell["source"]) for cell in self.notebook["cells"] if "REPOSITORY" in "".join(cell["source"])
                    and cell["cell_type"] == "code")
        self.assertEqual(cell.count('REPOSITORY = ""  # <-- fill in'), 1)
        cell = cell.replace('REPOSITORY = ""', f"REPOSITORY = {address!r}", 1)
        environment = {key: value for key, value in os.environ.items() if key != "TUTORIAL_REPOSITORY"}
        done = synthetic.ran(sys.executable, "-c", cell, cwd=folder, env=environment)
        return done.stdout, (done.stderr.strip().splitlines() or [""])[-1]

    def test_its_clone_says_what_is_wrong(self):
        folder = self.root.resolve()
        self.assertIn("REPOSITORY is empty", self.clone(folder)[1])
        self.assertIn("cannot be cloned", self.clone(folder, str(folder / "nothing"))[1])
        source = folder / "source"
        synthetic.write(source, "01_elu/a", "a")
        synthetic.commit(source)
        inside = f"in {folder / 'tutorial'}\n"
        self.assertEqual(self.clone(folder, source.as_uri()), (inside, ""))
        self.assertEqual(self.clone(folder), (inside, ""))  # a second time, and from within
        self.assertEqual(self.clone(folder / "tutorial" / "01_elu"), (inside, ""))

    def test_its_chapters_exist(self):
        text = "".join("".join(cell["source"]) for cell in self.notebook["cells"])
        for name in re.findall(r"\./tutorial (?:bench|test) (\w+)", text):
            if name != "all":
                runs.find_chapter(name)


if __name__ == "__main__":
    unittest.main()
