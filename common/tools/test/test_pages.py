#!/usr/bin/env python3
"""Holds every page's figures to a caption: a paragraph in italics behind the figure, or behind the
marker that ends it, which says what to see."""

import re
import sys
import unittest
from xml.etree import ElementTree

import folders
import runs
import synthetic

FIGURE = re.compile(r"^!\[([^\]]+)\]\(([^)]+\.svg)\)\n(?:\n<!-- /report -->\n)?\n(.*)", re.M)


class Captions(unittest.TestCase):
    def test_every_figure_has_one(self):
        figures = 0
        for name in runs.tracked_files():
            if not name.endswith(".md"):
                continue
            text = (runs.ROOT / name).read_text(encoding="utf-8")
            found = FIGURE.findall(text)
            self.assertEqual(len(found), len(re.findall(r"!\[[^\]]*\]\([^)]+\.svg\)", text)), name)
            for _, figure, caption in found:
                figures += 1
                root = ElementTree.parse((runs.ROOT / name).parent / figure).getroot()
                self.assertTrue(all(root.findtext(f"{{*}}{part}") for part in ("title", "desc")), f"{name}: {figure}")
                self.assertRegex(caption, r"^\*[^*]{15}", f"{name}: {figure}")
        self.assertGreater(figures, 20)

    def test_what_a_chapter_draws_is_fresh(self):
        """The scripts in results/ that can say whether their figures and counts are stale."""
        asked = 0
        for script in sorted(runs.ROOT.glob("[0-9][0-9]_*/results/*.py")):
            if '"--check"' in script.read_text(encoding="utf-8"):
                asked += 1
                done = synthetic.ran(sys.executable, script, "--check")
                self.assertEqual((done.returncode, done.stdout), (0, ""), script.name)
        self.assertGreater(asked, 0)

    def test_recorded_accesses_lead_to_lines_that_make_them(self):
        """A source that changed moves its lines; ./tutorial trace CHAPTER RUNG --json records them again."""
        led = 0
        for path in sorted(runs.ROOT.glob("[0-9][0-9]_*/results/trace*.json")):
            rungs = runs.load_json(path)["rungs"]
            requests = [request for rung in rungs for launch in rung["launches"] for which in ("middle", "last")
                        for request in (launch.get(which) or {}).get("requests", []) if "line" in request]
            for name, number in {tuple(request["line"].split(":")[:2]) for request in requests}:
                line = runs.read_text(runs.ROOT / name).splitlines()[int(number) - 1]
                self.assertRegex(line, r"[\[(]", f"{path.parent.parent.name}: {name}:{number}")
                self.assertNotRegex(line, r"^\s*(//|#|if constexpr|wait_for|let_next)", f"{path.parent.parent.name}: {name}:{number}")
                led += 1
        self.assertGreater(led, 10)


if __name__ == "__main__":
    unittest.main()
