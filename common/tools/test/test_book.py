#!/usr/bin/env python3
"""Tests of what the book is made of, without building it: pages, sidebar, links, and what `./tutorial read`
refuses."""

import importlib.util
import re
import shutil
import unittest
from pathlib import Path

import folders
import book
import pages
import runs
import synthetic

FILES = {
    "README.md": "# A tutorial: with a colon\n\n[one](01_one/README.md) [c](common/README.md)\n",
    "01_one/README.md": "# 01 · One: the first\n\n[second](notes/second.md), [first](notes/first.md), "
                        "[k](kernels.cuh#L2), [answers](answers)\n\n![f](results/f.svg)\n",
    "01_one/notes/first.md": "# First\n",
    "01_one/notes/second.md": "# The `second`: further\n\n[up](../README.md#01--one-the-first)\n",
    "01_one/notes/third.md": "# Third\n",
    "01_one/kernels.cuh": '#include "common/pack.cuh"\nint k;\n',
    "01_one/unlinked.cu": "int u;\n",
    "01_one/answers/a.cuh": "int a;\n",
    "01_one/results/f.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "common/README.md": "# The machinery\n\n[big](big.json)\n",
    "common/GLOSSARY.md": "# Glossary\n",
    "common/big.json": "[" + "0," * pages.LONGEST_SHOWN + "0]",
    "common/pack.cuh": "int p;\n",
    "common/book/README.md": "# The book\n",
    "common/book/explorer.md": "# The explorer\n",
    ".github/ISSUE_TEMPLATE/claim.md": "a template\n",
}


class Pages(synthetic.Scratch):
    """Of a small repository."""

    def setUp(self):
        super().setUp()
        self.root /= "clone"
        for name, text in FILES.items():
            self.put(name, text)

    def repository(self):
        return pages.Repository(self.root)

    def test_the_sidebar_is_a_tree_of_the_folders_pages(self):
        """A README is its folder's index, a chapter that appears has its place, a template is no page; notes stand in the
        order in which the lesson names them, the others behind; every page but the first has one place."""
        self.put("02_two/README.md", "# 02 · Two: the next\n")
        repository = self.repository()
        shown = "".join(repository.tree(name) for name in repository.pages)
        self.assertEqual(re.findall(r"(?m)^(?::caption: )?([A-Z0-9].*)$", shown), [
            "The second: further </01_one/notes/second>", "First </01_one/notes/first>", "Third </01_one/notes/third>",
            "Lessons", "01 · One </01_one/index>", "02 · Two </02_two/index>",
            "Look for yourself", "The explorer </common/book/explorer>", "Behind it", "The machinery </common/index>",
            "Glossary </common/GLOSSARY>", "The book </common/book/index>"])
        self.assertEqual(len(repository.pages), shown.count(" </") + 1)

    def test_what_pages_lead_to_brings_its_headers_and_folders_their_files(self):
        sources, folders = self.repository().linked()
        self.assertEqual(sources, ["01_one/answers/a.cuh", "01_one/kernels.cuh", "01_one/results/f.svg",
                                   "common/big.json", "common/pack.cuh"])
        self.assertEqual(folders, ["01_one/answers"])

    def test_addresses(self):
        repository = self.repository()
        for name, address in {"01_one/README.md": "01_one/index.html", "01_one": "01_one/index.html",
                              ".": "index.html", "01_one/kernels.cuh": "01_one/kernels.cuh.html",
                              "01_one/answers": "01_one/answers/index.html", "common/big.json": "common/big.json",
                              "01_one/nothing.h": None}.items():
            self.assertEqual(repository.address(name), address, name)

    def test_a_ladders_figure_leads_to_the_explorer(self):
        text = ('<!-- report:ladder_figure h200.json out=l.svg title="A b" dtype=f16 rungs=none_f16,x -->\n\n![A](l.svg)\n\n'
                "<!-- /report -->\n\n*What to see,\nin two lines.*\n\nMore.\n")
        linked = pages.with_views("01_one/notes/results.md", text)
        link = ('\n<p class="explore"><a class="view" href="../../common/book/explorer.html?chapter=01_one&amp;type=f16&amp;rung=none_f16">'
                "This ladder in the explorer</a></p>\n")
        self.assertEqual(linked, text[:-7] + link + text[-7:])
        self.assertEqual(pages.with_views("01_one/notes/results.md", text + "\n" + text), f"{linked}\n{linked}")
        front = pages.with_views("README.md", text.replace("h200.json", "01_one/results/h200.json"))
        self.assertIn('href="common/book/explorer.html?chapter=01_one&amp;', front)
        self.assertEqual(pages.with_views("README.md", text), text)

    def test_githubs_second_form_of_math_becomes_the_first_but_not_in_code(self):
        text = "$`a\\,b`$ and `` $`x`$ ``\n```text\n$`c`$\n```\n"
        self.assertEqual(pages.for_sphinx("$`a\\,b`$\n```text\n$`c`$\n```\n"), "$a\\,b$\n```text\n$`c`$\n```\n")
        self.assertIn("$a\\,b$", pages.for_sphinx(text))

    def test_staging_copies_pages_and_images_and_removes_what_is_gone(self):
        folder = self.root.parent / "staged"
        pages.stage(self.repository(), folder)
        self.assertTrue((folder / "01_one/results/f.svg").is_file())
        self.assertIn(":caption: Lessons", runs.read_text(folder / "index.md"))
        self.assertFalse((folder / "01_one/kernels.cuh").exists())
        old = (folder / "01_one/index.md").stat().st_mtime_ns
        (self.root / "01_one/notes/third.md").unlink()
        self.put("common/README.md", "# The machinery\n\nchanged\n")
        pages.stage(self.repository(), folder)
        self.assertFalse((folder / "01_one/notes/third.md").exists())
        self.assertIn("changed", runs.read_text(folder / "common/index.md"))
        self.assertEqual((folder / "common/GLOSSARY.md").stat().st_mtime_ns // 10**12, old // 10**12)


class This(unittest.TestCase):
    """This repository."""

    def test_every_target_has_an_address(self):
        repository = pages.Repository()
        for name in repository.pages:
            for path in repository.targets(name):
                self.assertIsNotNone(repository.address(path), f"{name}: {path}")

    def test_every_chapter_is_in_the_sidebar(self):
        lessons = dict(pages.Repository().groups("README.md"))["Lessons"]
        self.assertEqual(lessons, [f"{chapter.name}/README.md" for chapter in runs.find_chapters()])

    def test_pages_use_no_html_that_links(self):
        """The book translates Markdown's links; it would leave those of HTML as they are."""
        for name, text in pages.Repository().texts.items():
            self.assertNotRegex(text, r"<(?:a\s[^>]*href|img|source)\b", name)


class Command(synthetic.Scratch):
    def test_what_it_refuses_before_it_does_anything(self):
        precious = Path(self.put("mine/precious", ""))
        for folder, words in ((precious.parent, "holds other files"), (precious, "is a file")):
            self.assert_refused(synthetic.call("commands.py", "read", "--build", folder), words, silent=False)
        self.assertEqual([path.name for path in precious.parent.iterdir()], ["precious"])

    def test_a_new_book_replaces_the_one_before_and_nothing_else(self):
        fresh, site = self.root / "fresh", self.root / "site"
        for names in (("a/old.html", "index.html"), ("index.html", "new.html")):
            shutil.rmtree(fresh, ignore_errors=True)
            for name in names:
                synthetic.write(fresh, name, str(names))
            book.publish(fresh, site)
            (site / "CNAME").touch()
        found = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
        self.assertEqual(found, {"CNAME", book.MANIFEST, "index.html", "new.html"})
        self.assertIn("new", runs.read_text(site / "index.html"))
        book.check_folder(site)

    def test_a_port_that_is_taken(self):
        with book.server(self.folder) as first, book.server(self.folder) as second:
            self.assertNotEqual(first.server_address[1], second.server_address[1])
            self.assertEqual(second.server_address[0], "127.0.0.1")

    def test_a_failed_installation_says_so_and_is_tried_again(self):
        # Where there is no python3-venv the sentence is another one, and as right.
        words = "check the network" if importlib.util.find_spec("ensurepip") else "python3-venv"
        bad = Path(self.put("requirements.txt", "not a requirement at all\n"))
        with self.assertRaisesRegex(runs.ToolError, words):
            synthetic.printed(book.environment, self.root / "venv", [bad])
        self.assertFalse((self.root / "venv" / "made_for").exists())


if __name__ == "__main__":
    unittest.main()
