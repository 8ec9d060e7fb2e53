"""Tests of links.py."""

import unittest

import folders
import links
import synthetic


class LinksTest(synthetic.Scratch):
    def setUp(self):
        super().setUp()
        self.put("01_elu/README.md", "# ELU\n## The `f16x8` rung, packed\n")
        self.put("01_elu/elu.cuh", "one\ntwo\n")

    def problems(self, text, name="README.md"):
        self.put(name, text)
        checker = links.Checker(self.folder)
        checker.check(name)
        return checker.problems

    def test_good_links(self):
        self.assertEqual(self.problems(
            "# Top\n[a](01_elu/README.md) [b](01_elu/) [c](01_elu) [d](#top)\n"
            "[e](01_elu/README.md#the-f16x8-rung-packed) [f](01_elu/elu.cuh#L2)\n"
            "[g](https://example.org/x#y) [h](mailto:a@example.org)\n"
            "[![i](01_elu/elu.cuh)](01_elu/README.md)\n[ref]: 01_elu/elu.cuh\n"
            '<img src="01_elu/elu.cuh" alt="x"> <a id="here"></a> [k](#here)\n'), [])

    def test_bad_links(self):
        for text, words in (
            ("[a](none.md)", "none.md: no such file"), ("![a](x.svg)", "x.svg: no such file"),
            ("[a](#nope)", "no such heading"), ("[a](01_elu/README.md#nope)", "no such heading"),
            ("[a](01_elu/elu.cuh#L3)", "has no line 3"), ("[a](/01_elu)", "is absolute"),
            ("[a](../x)", "leaves the repository"), ("[a](file:///x)", "somebody's machine"),
            ("[x]: none.md", "no such file"), ('<img src="x.png">', "no such file"),
            ("[![i](y.svg)](01_elu)", "y.svg: no such file"), ("[a]()", "without a target"),
            ("see /home/someone/x", "names a machine's path"),
        ):
            with self.subTest(text=text):
                found = self.problems(text + "\n")
                self.assertTrue(any(words in line for line in found), found)
                self.assertTrue(found[0].startswith("README.md:1: "))

    def test_code_is_no_link(self):
        self.assertEqual(self.problems("`[a](none)`\n```\n[b](none)\n```\n<!-- [c](none) -->\n"), [])

    def test_slugs(self):
        for heading, slug in (
            ("What it computes", "what-it-computes"), ("C++ & CUDA: go!", "c--cuda-go"),
            ("The `f16x8_pack` rung", "the-f16x8_pack-rung"), ("**Bold** words", "bold-words"),
            ("[Link](x.md) here", "link-here"), ("Schön", "schön"), ("a - b", "a---b"),
        ):
            self.assertEqual(links.slug_of(heading), slug)

    def test_repeated_headings_are_numbered(self):
        self.assertEqual(self.problems("# A\n# A\n[x](#a) [y](#a-1)\n"), [])

    def test_good_math(self):
        self.assertEqual(self.problems(
            "Inline $e^x - 1$ and $`\\{a\\}`$.\n\n$$\nf(x) = \\alpha (e^x - 1)\n$$\n\n$$a = b$$\n\n"
            "It costs $5 and $6.\n```math\n\\operatorname{x}\\,y\n```\n"), [])

    def test_bad_math(self):
        for text, words in (
            ("$$\na\n", "never closed"), ("so $$a$$", "text before it"),
            ("$$\na\n\nb\n$$", "an empty line"), ("$\\operatorname{elu}(x)$", "refuses"),
            ("$`\\operatorname{elu}`$", "refuses"),
            ("$\\{a\\}$", "backslash"), ("$$\na\\,b\n$$", "backslash"), ("$a<b$", "read as HTML"),
            ("| $|x|$ | y |", "splits the cell"),
            ("from $3 \\cdot\n10^{-8}$ on", "does not end on its line"),
        ):
            with self.subTest(text=text):
                found = self.problems(text + "\n")
                self.assertTrue(any(words in line for line in found), found)


if __name__ == "__main__":
    unittest.main()
