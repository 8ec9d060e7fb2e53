#!/usr/bin/env python3
"""Builds the book, without a warning, and reads every file of it: links and anchors lead somewhere, nothing
is asked of another host, and the first page is small."""

import html
import re
import sys
import unittest
from urllib.parse import unquote, urlsplit

import needs

import book
import glossary
import pages

LARGEST_FIRST_PAGE, LARGEST_SEARCH, LARGEST_SITE = 200_000, 400_000, 23_000_000
LOADED = re.compile(r"""<(?:script|img|source|iframe|audio|video|embed|object|input)\b[^>]*?\b(?:src|data|srcset)="([^"]*)"
                        |<link\b(?![^>]*rel="(?:next|prev|index|search|canonical)")[^>]*?\bhref="([^"]*)\"""", re.X)
HREF = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"')
ID = re.compile(r'\b(?:id|name)="([^"]+)"')
CSS_LOADS = re.compile(r"(?:@import\s+|url\(\s*)[\"']?([^\"')\s]+)")


def text_of(path):
    return path.read_text(encoding="utf-8")


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.warnings = book.build(needs.SITE)
        cls.pages = {str(path.relative_to(needs.SITE)): text_of(path) for path in needs.SITE.rglob("*.html")}
        cls.ids = {name: set(ID.findall(text)) for name, text in cls.pages.items()}

    def test_there_is_no_warning(self):
        self.assertEqual(self.warnings, "")

    def test_every_markdown_file_is_a_page(self):
        for name in pages.Repository().pages:
            self.assertIn(pages.page_of(name) + ".html", self.pages)

    def test_every_link_leads_somewhere(self):
        links, wrong = 0, []
        for name, text in self.pages.items():
            for target in set(map(html.unescape, HREF.findall(text))):
                if not self.leads(name, target):
                    wrong.append(f"{name}: {target}")
                links += 1
        self.assertEqual(wrong, [])
        self.assertGreater(links, 1000)

    def leads(self, name, target):
        parts = urlsplit(target)
        if parts.scheme in ("http", "https", "mailto"):
            return True
        path = name
        if parts.path:
            path = pages.normal(name.rpartition("/")[0], unquote(parts.path))
        if path not in self.pages:
            return (needs.SITE / path).is_file()
        anchor = unquote(parts.fragment)
        return not anchor or anchor in self.ids[path]

    def test_nothing_comes_from_another_host(self):
        for name, text in self.pages.items():
            for found in LOADED.findall(text):
                for target in filter(None, found):
                    self.assertFalse(urlsplit(target).netloc, f"{name}: {target}")
                    path = pages.normal(name.rpartition("/")[0], unquote(urlsplit(target).path))
                    self.assertTrue(target.startswith("data:") or (needs.SITE / path).is_file(), f"{name}: {target}")
        for path in needs.SITE.rglob("*.css"):
            for target in CSS_LOADS.findall(text_of(path)):
                self.assertNotRegex(target, r"^(?:https?:)?//", path.name)

    def loaded(self, page):
        """What a page loads, without itself."""
        return {urlsplit(target).path for found in LOADED.findall(self.pages[page])
                for target in found if target and not target.startswith("data:")}

    def test_the_first_page_is_small(self):
        files = {"index.html"} | self.loaded("index.html")
        size = sum((needs.SITE / file).stat().st_size for file in files)
        print(f"the first page loads {size / 1e3:.0f} kB in {len(files)} files; "
              f"the site has {book.size_of(needs.SITE) / 1e6:.1f} MB in {len(self.pages)} pages")
        self.assertLess(size, LARGEST_FIRST_PAGE)
        self.assertLess(book.size_of(needs.SITE), LARGEST_SITE)

    def test_the_search_loads_little(self):
        files = self.loaded("search.html")
        self.assertIn("searchindex.js", files)
        self.assertLess(sum((needs.SITE / file).stat().st_size for file in files), LARGEST_SEARCH)

    def test_words_in_italics_are_in_the_glossary(self):
        """In lessons; where a lesson stresses a word it does so in bold."""
        known = glossary.entries(text_of(needs.ROOT / pages.GLOSSARY))
        for name in pages.Repository().lessons():
            text = self.pages[pages.page_of(name) + ".html"].partition("<article")[2]
            text = re.sub(r"<(table|math)\b.*?</\1>|<p><em>.*?</p>", "", text, flags=re.S)  # captions are in italics
            loose = [words for words in re.findall(r"<em>([^<]*)</em>", text)
                     if words != "italics" and not any(entry.is_met(html.unescape(words)) for entry in known)]
            self.assertEqual(loose, [], name)

    def test_the_front_page_says_how_to_get_the_files(self):
        self.assertRegex(self.pages["index.html"], r"git clone|get the files")
        for remote, address in (("git@git.example.org:a/b.git", "https://git.example.org/a/b"),
                                ("https://me:pass@git.example.org/a/b", "https://git.example.org/a/b"),
                                ("/srv/git/b", None), ("../b", None), ("ssh://git@h.example/a/b", "https://h.example/a/b")):
            self.assertEqual(pages.web_address(remote), address)
        self.assertIn("git clone https://h.example/a/b\ncd b\n",
                      pages.with_clone_line("## Two commands\n", "https://h.example/a/b"))

    def test_anchors_are_githubs(self):
        """Every anchor that a Markdown link may name is there under the same name."""
        import links
        for name in pages.Repository().pages:
            wanted = links.Document(needs.ROOT / name, name).anchors()
            self.assertEqual(wanted - self.ids[pages.page_of(name) + ".html"], set(), name)

    def test_formulas_are_mathml(self):
        formulas = sum(text.count("<math") for text in self.pages.values())
        self.assertGreater(formulas, 100)
        for name, text in self.pages.items():
            self.assertNotIn("<merror", text, name)
            self.assertNotRegex(text, r"<ms(?:ub|up)><m([ion])>[^<]*</m\1><mspace", name)  # log_2: two children
            article = re.sub(r"<(pre|code|math)\b.*?</\1>", "", text.partition("<article")[2], flags=re.S)
            self.assertNotRegex(article, r"\\(?:frac|mathrm|cdot|times|sqrt|text)\b", name)


if __name__ == "__main__":
    needs.browser()
    unittest.main(argv=sys.argv[:1], verbosity=1)
