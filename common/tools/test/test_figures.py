"""Tests of figures.py. All numbers are made up."""

import re
import unittest
import xml.etree.ElementTree as tree

import folders
import figures

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

    def test_the_same_data_gives_the_same_bytes(self):
        self.assertEqual(list(charts()), list(charts()))

    def test_bars_are_in_proportion(self):
        root = tree.fromstring(figures.ladder_chart("T", "s", [(None, BARS, None)]))
        (bars,) = (p.get("d") for p in root.iter(NAMESPACE + "path") if p.get("class") == "f-rung")
        widths = [float(width) + 2 * 2 for width in re.findall(r"h([\d.]+)", bars)]  # and two corners of radius 2
        self.assertEqual(len(widths), 2)
        self.assertAlmostEqual(widths[1] / widths[0], 2.0, places=2)

    def test_nothing_leaves_the_page(self):
        for text in charts():
            root = tree.fromstring(text)
            width, height = float(root.get("width")), float(root.get("height"))
            placed = [{**text.attrib, **part.attrib} for text in root.iter(NAMESPACE + "text") for part in list(text) or [text]]
            self.assertGreater(len(placed), 4)
            for at in placed:
                self.assertTrue(0 <= float(at["x"]) <= width)
                self.assertTrue(0 <= float(at["y"]) <= height)

    def test_shapes_of_a_style_are_one_path_unless_another_lies_between(self):
        canvas = figures.Canvas(100, 100, "T", "d")
        for x in (10, 30):
            canvas.rect(x, 10, 10, 10, "rung")
        canvas.rect(12, 12, 4, 4, "peer")
        canvas.rect(60, 10, 10, 10, "peer")
        canvas.rect(12, 12, 2, 2, "rung")
        paths = re.findall(r'class="f-(\w+)" d="(.*?)"', canvas.render())
        self.assertEqual(paths, [("rung", "M10 10h10v10h-10zM30 10h10v10h-10z"), ("peer", "M12 12h4v4h-4zM60 10h10v10h-10z"),
                                 ("rung", "M12 12h2v2h-2z")])

    def test_ticks(self):
        self.assertEqual(figures.linear_ticks(0, 4300), [0, 1000, 2000, 3000, 4000])
        self.assertEqual(figures.linear_ticks(-4, 2), [-4, -3, -2, -1, 0, 1, 2])
        self.assertEqual(figures.tick_text(1e-6, True), "10⁻⁶")
        self.assertEqual(figures.tick_text(0.01, True), "0.01")
        self.assertEqual(figures.size_text(1 << 28), "256M")

    def test_coordinates_are_short(self):
        self.assertEqual((figures.fixed(1 / 3), figures.fixed(2.0)), ("0.3", "2"))


if __name__ == "__main__":
    unittest.main()
