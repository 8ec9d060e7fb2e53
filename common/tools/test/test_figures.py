"""Tests of figures.py. All numbers are made up."""

import json
import re
import unittest
import xml.etree.ElementTree as tree

import folders
import figures
import recorded

NAMESPACE = "{http://www.w3.org/2000/svg}"
BARS = [{"name": "f16", "kind": "rung", "gbps": 1000.0, "copy_pct": 25.0, "step": None},
        {"name": "f16x2 <&>", "kind": "rung", "gbps": 2000.0, "copy_pct": 50.0, "step": 2.0},
        {"name": "broken", "kind": "rung", "gbps": None, "copy_pct": None, "step": None},
        {"name": "copy", "kind": "copy", "gbps": 4000.0, "copy_pct": 100.0, "step": None}]
CURVES = [("f16", [(1 << 20, 1000.0), (1 << 24, 2000.0)]), ("f16x2", [(1 << 20, 1500.0)])]


def charts():
    yield figures.ladder_chart("Title", "sub", [(None, BARS, 4000.0)])
    yield figures.ladder_chart("Title", "sub", [("f16", BARS, 4000.0), ("f32", BARS[:1], None)])
    yield figures.sizes_chart("Title", "sub", [("cold", CURVES, CURVES[0][1]),
                                               ("warm", CURVES, [])])
    yield figures.line_plot({"title": "Title", "series": [{"name": "f", "points": [[0, 0], [1, 1]]}]})
    yield figures.line_plot({
        "title": "Title", "x": {"scale": "log", "label": "x"}, "y": {"scale": "log", "min": 0.1},
        "lines": [{"y": 2, "label": "bound"}, {"x": 0.5, "label": "here", "side": "left"}],
        "series": [{"name": "f", "points": [[1e-8, 3], [1e-4, None], [1, 0], [1, 5]]},
                   {"name": "g", "style": "dots", "points": [[1e-3, 7]]}]})


class FiguresTest(unittest.TestCase):
    def test_every_figure_is_xml_with_title_and_both_schemes(self):
        for text in charts():
            root = tree.fromstring(text)
            self.assertEqual(root.find(NAMESPACE + "title").text, "Title")
            self.assertTrue(root.find(NAMESPACE + "desc").text)
            self.assertIn("prefers-color-scheme:dark", root.find(NAMESPACE + "style").text)
            self.assertNotIn("nan", text)

    def test_series_that_share_their_x_may_say_so_once(self):
        apart = {"title": "T", "series": [{"name": "f", "points": [[0, 0], [1, 1]]}, {"name": "g", "points": [[0, 2], [1, 3]]}]}
        text = recorded.plot_text(apart)
        self.assertEqual(json.loads(text)["at"], [0, 1])
        self.assertEqual(figures.line_plot(json.loads(text)), figures.line_plot(apart))
        apart["series"][1]["points"][1][0] = 2
        self.assertEqual(json.loads(recorded.plot_text(apart)), apart)

    def test_bars_are_in_proportion(self):
        root = tree.fromstring(figures.ladder_chart("T", "s", [(None, BARS, None)]))
        bars = "".join(r.get("d") for r in root.iter(NAMESPACE + "path") if r.get("class") == "f-rung")
        widths = [float(w) + 4 for w in re.findall(r"M[^h]+h([\d.]+)", bars)]  # of each corner, 2
        self.assertEqual(len(widths), 2)
        self.assertAlmostEqual(widths[1] / widths[0], 2.0, places=2)

    def test_nothing_leaves_the_page(self):
        for text in charts():
            root = tree.fromstring(text)
            width, height = float(root.get("width")), float(root.get("height"))
            for element in root.iter(NAMESPACE + "text"):
                for word in list(element) or [element]:
                    at = {**element.attrib, **word.attrib}
                    self.assertTrue(0 <= float(at["x"]) <= width and 0 <= float(at["y"]) <= height)

    def test_what_looks_alike_is_one_element_unless_something_lies_between(self):
        canvas = figures.Canvas(100, 100, "T", "s")
        canvas.rect(0, 0, 10, 10, "s0")
        canvas.rect(20, 0, 10, 10, "s1")
        canvas.rect(40, 0, 10, 10, "s0")  # joins the first
        canvas.rect(22, 2, 4, 4, "s0")    # lies over the second
        canvas.text(0, 50, "a")
        canvas.text(20, 50, "b")
        self.assertEqual(list(canvas.layers.lines()), [
            '<path class="f-s0" d="M0 0h10v10h-10zM40 0h10v10h-10z"/>', '<path class="f-s1" d="M20 0h10v10h-10z"/>',
            '<path class="f-s0" d="M22 2h4v4h-4z"/>',
            '<text y="50" class="t f-ink"><tspan x="0">a</tspan><tspan x="20">b</tspan></text>'])


if __name__ == "__main__":
    unittest.main()
