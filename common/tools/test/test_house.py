#!/usr/bin/env python3
"""Holds the house to its plan: what lies at a chapter's root, one line of CMake, who may include whom,
and how long a lesson is."""

import re
import unittest

import folders
import report
import runs
import weight

ROOMS = {"answers", "backward", "int8", "ladders", "launchers", "notes", "primitives", "proof", "quantize", "results"}
WORDS, TABLE_LINES, CODE_LINES = 3500, 60, 150
#: A lesson in sittings, and each of its sittings: words of prose, numbers in it, new terms; the lines of its tables and its code.
LESSON = {"words": 3000, "numbers": 150, "terms": 12, "tables": 40, "code": 130}
SITTING = {"words": 1600, "terms": 7}
FIRST = {"terms": 16}, {"terms": 10}  # of the first lesson, and of its first sitting
FRONT_PAGES = {"README.md": 600, "common/README.md": 900}


def lines_of(text):
    """(words of prose, lines of tables, lines of code) of a page."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S).replace("(no run recorded yet)", "1")  # a number's place
    code = re.findall(r"```.*?```", text, flags=re.S)
    lines = re.sub(r"```.*?```", "", text, flags=re.S).split("\n")
    tables = [line for line in lines if line.strip().startswith("|")]
    prose = " ".join(line for line in lines if not line.strip().startswith("|"))
    words = re.findall(r"[A-Za-z][\w'-]*", re.sub(r"\]\([^)]*\)", "]", prose))
    return len(words), len(tables), sum(block.count("\n") - 1 for block in code)


def budget_of(text):
    """What a lesson, or a part of it, spends: folds, comments, formulas and code apart; numbers are those in digits."""
    text = re.sub(r"<!--.*?-->|<details>.*?</details>|^```math.*?^```$", "", text, flags=re.S | re.M)
    words, tables, code = lines_of(text)
    lines = [line for line in re.sub(r"```.*?```", "", text, flags=re.S).split("\n") if not line.startswith("|")]
    prose = re.sub(r"\$[^$]*\$|`[^`]*`", " ", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", "\n".join(lines)))
    paragraphs = [len(re.findall(r"(?<![\w.])\d[\d,.]*", part)) for part in prose.split("\n\n")]
    terms = {word for part in prose.split("\n\n") if not part.strip().startswith("*")
             for word in re.findall(r"(?<!\*)\*([A-Za-z][^*]*)\*(?!\*)", part)}
    return {"words": words, "numbers": sum(paragraphs), "terms": len(terms), "tables": tables, "code": code,
            "most numbers of a paragraph": max(paragraphs), "figures": len(re.findall(r"!\[[^\]]*\]\(", text))}


def text_of(name):
    return (runs.ROOT / name).read_text(encoding="utf-8")


class House(unittest.TestCase):
    def setUp(self):
        self.tracked = runs.tracked_files()
        self.chapters = [folder.name for folder in runs.find_chapters()]
        self.lessons = [str(page.relative_to(runs.ROOT)) for folder in runs.find_chapters() for page in runs.lessons_of(folder)]

    def test_a_chapters_root_is_seen_at_a_glance(self):
        for chapter in self.chapters:
            inside = [name.split("/")[1:] for name in self.tracked if name.startswith(chapter + "/")]
            entries = {parts[0] for parts in inside}
            rooms = {parts[0] for parts in inside if len(parts) > 1}
            self.assertEqual(rooms - ROOMS, set(), chapter)
            self.assertLessEqual(len(entries - {"CMakeLists.txt"}), 14, f"{chapter}: {sorted(entries)}")
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
        for lesson in self.lessons:
            words, tables, code = lines_of(text_of(lesson))
            self.assertLessEqual(words, WORDS, lesson)
            self.assertLessEqual(tables, TABLE_LINES, lesson)
            self.assertLessEqual(code, CODE_LINES, lesson)

    def test_a_lesson_in_sittings_keeps_its_budget(self):
        held = 0
        for lesson in self.lessons:
            text = text_of(lesson)
            sittings = re.split(r"^## (?=First sitting|Second sitting|Third sitting|Results)", text, flags=re.M)[1:-1]
            if not sittings or not (runs.ROOT / lesson).with_name("results").is_dir():  # a copied chapter has no figures yet
                continue
            held += 1
            spent = budget_of(text)
            first = FIRST if lesson == self.lessons[0] else ({}, {})
            for what, most in {**LESSON, **first[0]}.items():
                self.assertLessEqual(spent[what], most, f"{lesson}: {what}")
            for sitting in sittings:
                for what, most in {**SITTING, **(first[1] if sitting == sittings[0] else {})}.items():
                    self.assertLessEqual(budget_of(sitting)[what], most, f"{lesson}, a sitting: {what}")
                self.assertRegex(sitting, r"--yours|exercises", f"{lesson}: nothing to do in a sitting")
            self.assertLessEqual(spent["most numbers of a paragraph"], 6, lesson)
            self.assertGreaterEqual(spent["figures"], 4, lesson)
            top = text.index("\n## ")  # above it the page names its three files
            before = text[:re.compile(r"your_\w+\.cuh?").search(text, top).start()]
            self.assertLessEqual(budget_of(before)["words"], 800, f"{lesson}: the first edit comes late")
        self.assertGreaterEqual(held, 3)

    def test_the_front_pages_are_short(self):
        for name, most in FRONT_PAGES.items():
            self.assertLessEqual(lines_of(text_of(name))[0], most, name)

    def test_a_page_quotes_what_is_marked_for_quoting(self):
        """Between two lines `//! [name]` of a source stands what a page shows, or whose lines a script in
        results/ counts, or what an exercise leaves to its reader."""
        quoted, marked = set(), set()
        for name in self.tracked:
            if name.endswith(".md"):
                for file, region in re.findall(r"<!-- excerpt:(\S+) (\S+?) -->", text_of(name)):
                    home = report.home_of(runs.ROOT / name)
                    quoted.add((str((home / file).resolve().relative_to(runs.ROOT)), region))
            elif name.endswith((".h", ".cuh", ".cu", ".cpp")):
                marked |= {(name, region)
                           for region in re.findall(r"^\s*//! \[(\w+)\]$", text_of(name), re.M)}
        counted = "".join(text_of(name) for name in self.tracked
                          if re.fullmatch(r"\d\d_\w+/(results/\w+\.py|answers/exercises\.json)", name))
        loose = {(name, region) for name, region in marked - quoted if f'"{region}"' not in counted}
        self.assertEqual(sorted(loose), [])
        self.assertGreater(len(marked), 100)

    def test_the_counting_of_a_budget(self):
        page = ("One *warp* has 32 lanes, `x[3]`, $2^4$, 1,024 of them.\n\n*A caption with 5 words.*\n\n![a](b.svg)\n\n| 1 | 2 |\n\n"
                "<details><summary>x</summary>\n\n99\n\n</details>\n")
        self.assertEqual(budget_of(page), {"words": 12, "numbers": 3, "terms": 1, "tables": 1, "code": 0,
                                           "most numbers of a paragraph": 2, "figures": 1})

    def test_the_weight_leaves_out_what_is_generated(self):
        page = "# A\n<!-- report:gpus x -->\n| a |\n| b |\n<!-- /report -->\nend\n"
        self.assertEqual(weight.by_hand("a.md", page), 4)
        found = weight.weights(["01_elu/elu.cu", "01_elu/results/h200.json", "01_elu/elu_test.cpp"], lambda _: "a\n\nb\n")
        self.assertEqual(found, {"kernels": 3, "proof": 3})

    def test_the_counting(self):
        page = "one two\n\n| a | b |\n|---|---|\n\n```cpp\nint i;\nint j;\n```\n[three](x.md) <!-- no -->(no run recorded yet)\n"
        self.assertEqual(lines_of(page), (3, 2, 2))


if __name__ == "__main__":
    unittest.main()
