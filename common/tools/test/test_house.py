#!/usr/bin/env python3
"""Holds the house to its plan: what lies at a chapter's root, one line of CMake, who may include whom,
and how long a lesson is."""

import re
import unittest

import folders
import runs

ROOMS = {"answers", "launchers", "museum", "notes", "peers", "primitives", "proof", "results"}
WORDS, TABLE_LINES, CODE_LINES = 3500, 60, 150
FRONT_PAGES = {"README.md": 900, "common/README.md": 900}


def lines_of(text):
    """(words of prose, lines of tables, lines of code) of a page."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    code = re.findall(r"```.*?```", text, flags=re.S)
    lines = re.sub(r"```.*?```", "", text, flags=re.S).split("\n")
    tables = [line for line in lines if line.strip().startswith("|")]
    prose = " ".join(line for line in lines if not line.strip().startswith("|"))
    words = re.findall(r"[A-Za-z][\w'-]*", re.sub(r"\]\([^)]*\)", "]", prose))
    return len(words), len(tables), sum(block.count("\n") - 1 for block in code)


def text_of(name):
    return (runs.ROOT / name).read_text(encoding="utf-8")


class House(unittest.TestCase):
    def setUp(self):
        self.tracked = runs.tracked_files()
        self.chapters = [folder.name for folder in runs.find_chapters()]

    def test_a_chapters_root_is_seen_at_a_glance(self):
        for chapter in self.chapters:
            inside = [name.split("/")[1:] for name in self.tracked if name.startswith(chapter + "/")]
            entries = {parts[0] for parts in inside}
            rooms = {parts[0] for parts in inside if len(parts) > 1}
            self.assertEqual(rooms - ROOMS, set(), chapter)
            most = 20 if "launchers" in rooms else 16
            self.assertLessEqual(len(entries), most, f"{chapter}: {sorted(entries)}")
            self.assertLessEqual({"README.md", "CMakeLists.txt", "notes", "proof"}, entries, chapter)

    def test_a_chapter_is_one_line_of_cmake(self):
        for chapter in self.chapters:
            self.assertEqual(text_of(f"{chapter}/CMakeLists.txt"),
                             f"tutorial_chapter({chapter.split('_', 1)[1]})\n")

    def test_no_chapter_knows_another_and_common_knows_none(self):
        for name in self.tracked:
            if not name.endswith((".h", ".cuh", ".cu", ".cpp")):
                continue
            included = set(re.findall(r'#include "(\d\d_\w+)/', text_of(name)))
            self.assertLessEqual(included, {name.split("/")[0]}, name)

    def test_a_lesson_takes_an_evening(self):
        for chapter in self.chapters:
            words, tables, code = lines_of(text_of(f"{chapter}/README.md"))
            self.assertLessEqual(words, WORDS, chapter)
            self.assertLessEqual(tables, TABLE_LINES, chapter)
            self.assertLessEqual(code, CODE_LINES, chapter)

    def test_the_front_pages_are_short(self):
        for name, most in FRONT_PAGES.items():
            self.assertLessEqual(lines_of(text_of(name))[0], most, name)

    def test_recorded_files_are_short(self):  # those of one GPU
        lines = sum(text_of(name).count("\n") for name in self.tracked
                    if re.search(r"/results/(?!h100).*\.json$", name))
        self.assertLess(lines, 10000)

    def test_the_counting(self):
        page = "one two\n\n| a | b |\n|---|---|\n\n```cpp\nint i;\nint j;\n```\n[three](x.md) <!-- no -->\n"
        self.assertEqual(lines_of(page), (3, 2, 2))


if __name__ == "__main__":
    unittest.main()
