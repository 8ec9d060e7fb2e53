#!/usr/bin/env python3
"""Holds GLOSSARY.md to the pages: every term is where it is said to be first met, and in no chapter
before; every chapter links to the glossary. (That links and anchors resolve is links.py's.)"""

import re
import unittest

import folders
import glossary
import runs

GLOSSARY = runs.ROOT / "common" / "GLOSSARY.md"


def first_met(entry):
    """The page of the last link."""
    return (GLOSSARY.parent / entry.links[-1].partition("#")[0]).resolve()


def prose(path):
    """What a page says, without its links to the glossary's own name and its comments."""
    return re.sub(r"<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.S).lower()


def says(text, term):
    return re.search(rf"(?<![\w]){re.escape(term)}(?:s|es|d|ed)?(?![\w])", text) is not None


class Glossary(unittest.TestCase):
    def setUp(self):
        self.entries = glossary.entries(runs.read_text(GLOSSARY))
        self.chapters = [page for folder in runs.find_chapters() for page in runs.lessons_of(folder)]
        self.assertTrue(self.chapters)

    def test_names_are_single_and_every_entry_says_where(self):
        names = [entry.name for entry in self.entries]
        lines = re.findall(r"^- ", GLOSSARY.read_text(encoding="utf-8"), re.M)
        self.assertEqual(len(names), len(lines), "a line of the list that is no entry")
        self.assertEqual(sorted(set(names)), sorted(names))
        for entry in self.entries:
            self.assertTrue(entry.terms and entry.links, entry.name)

    def test_the_page_where_a_term_is_first_met_has_it(self):
        for entry in self.entries:
            page = first_met(entry)
            self.assertTrue(any(says(prose(page), term) for term in entry.terms),
                            f"{entry.name}: {page.parent.name} says none of {entry.terms}")

    def test_no_chapter_before_has_it(self):
        for entry in self.entries:
            page = first_met(entry)
            if page not in self.chapters:
                continue
            for before in self.chapters[:self.chapters.index(page)]:
                found = [term for term in entry.terms
                         if term not in glossary.EVERYDAY and says(prose(before), term)]
                self.assertEqual(found, [], f"{entry.name}: already in {before.parent.name}")

    def test_every_chapter_links_to_the_glossary_before_its_first_section(self):
        for page in [*self.chapters, runs.ROOT / "README.md", runs.ROOT / "common" / "README.md"]:
            head = page.read_text(encoding="utf-8")
            head = head if page.parent == runs.ROOT else head.split("\n## ")[0]
            self.assertIn("GLOSSARY.md", head, page.parent.name)

    def test_chapters_link_to_their_neighbours(self):
        for page in self.chapters:
            text = page.read_text(encoding="utf-8")
            head, foot = text.split("\n## ")[0], text.rstrip()[-600:]
            for name, part in (("neighbours", head), ("next", foot)):
                self.assertIn(f"<!-- report:{name} -->", part, page.parent.name)


if __name__ == "__main__":
    unittest.main()
