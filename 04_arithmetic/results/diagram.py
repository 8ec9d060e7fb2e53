#!/usr/bin/env python3
"""Draws the chapter's two diagrams: results/layouts.svg and results/walk.svg.

    python3 04_arithmetic/results/diagram.py

No measurement is involved: where an element lies follows from the shapes alone.
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER.parent / "common" / "tools" / "maintain"))

import figures  # noqa: E402: it is in common/tools/maintain

CELL = 21
LEFT = 150
INKS = ("s0", "s1", "s2")  # one for each channel, or each row


def cell(canvas, x, y, name, words, size=CELL):
    """One element; name None: padding, an empty frame."""
    if name is None:
        for x1, y1, x2, y2 in ((0, 0, 1, 0), (1, 0, 1, 1), (1, 1, 0, 1), (0, 1, 0, 0)):
            canvas.line(x + 1 + x1 * (size - 2), y + 1 + y1 * (size - 2), x + 1 + x2 * (size - 2),
                        y + 1 + y2 * (size - 2), "axis", dash="2 2")
        return
    canvas.rect(x + 1, y + 1, size - 2, size - 2, name, 2)
    canvas.text(x + size / 2, y + size / 2 + 4, words, "page", "middle", "s")


def bracket(canvas, x, y, width, words=""):
    """A line under some cells, and what they are."""
    canvas.line(x + 2, y, x + width - 2, y, "ink", 1.5)
    if words:
        canvas.text(x + width / 2, y + 14, words, "muted", "middle", "s")


def layouts():
    """(1, 3, 2, 2) in NCHW, NHWC and NHWC8, and the strides of each."""
    channels, pixels = 3, 4
    canvas = figures.Canvas(
        860, 330, "The same image three times",
        "One image of three channels and two by two pixels. NCHW keeps the pixels of a channel "
        "together, NHWC the channels of a pixel; NHWC8 fills the channels of each pixel up to "
        "eight.")
    canvas.text(16, 26, "One image, three channels of 2 x 2 pixels: where each element lies",
                kind="h")
    canvas.text(16, 44, "colour: the channel; number: the pixel; dashed: padding, which holds no "
                "element", "muted", kind="s")
    rows = (
        ("NCHW", "strides 12, 4, 2, 1", [(c, p) for c in range(channels) for p in range(pixels)]),
        ("NHWC", "strides 12, 1, 6, 3", [(c, p) for p in range(pixels) for c in range(channels)]),
        ("NHWC8", "strides 32, 1, 16, 8", [(c, p) for p in range(pixels) for c in range(8)]),
    )
    groups = (4, 3, 8)
    words = ("channel {}", "pixel {}", "pixel {}: one group of eight")
    for i, (name, strides, order) in enumerate(rows):
        top = 76 + i * 84
        canvas.text(16, top + 10, name, kind="m")
        canvas.text(16, top + 26, strides, "muted", kind="s")
        for k, (channel, pixel) in enumerate(order):
            known = channel < channels
            cell(canvas, LEFT + k * CELL, top, INKS[channel] if known else None, str(pixel))
        width = groups[i] * CELL
        for k in range(len(order) // groups[i]):
            bracket(canvas, LEFT + k * width, top + CELL + 6, width, words[i].format(k))
    canvas.text(16, 318, "strides: elements from one n, c, h, w to the next", "muted", kind="s")
    return canvas.render()


PANELS = (
    # caption, what it says, columns, the second operand's element for (row, column)
    ("(3, 8) with (3, 1)", "single: a pack lies in one row, and one load of one element serves "
     "it", 8, lambda row, column: row, 3),
    ("(3, 8) with (8)", "vector: the operand lies along the row, and its pack is one wide load",
     8, lambda row, column: column, 8),
    ("(3, 7) with (3, 1)", "rows of 7: a pack can meet the end of a row, and of one only: two "
     "elements", 7, lambda row, column: row, 3),
)


def walk():
    """Packs of four results, and what of the second operand each of them needs."""
    canvas = figures.Canvas(
        760, 446, "What a pack needs of the operand that is broadcast",
        "Three small broadcasts in packs of four. Where the operand is broadcast along the row one "
        "element serves a pack, where it lies along the row a pack of it does, and where a pack "
        "meets the end of a row it needs an element from either side.")
    canvas.text(16, 26, "Packs of four results, and what they need of the second operand", kind="h")
    canvas.text(16, 44, "a bracket is one thread's pack; colour: the element of the second operand",
                "muted", kind="s")
    for i, (shapes, words, columns, element, elements) in enumerate(PANELS):
        top = 74 + i * 128
        canvas.text(16, top, shapes, kind="m")
        canvas.text(16 + 22 * 7.3, top, words, "muted", kind="s")
        canvas.text(16, top + 32, "result", kind="s")
        canvas.text(16, top + 92, "operand", kind="s")
        results = 3 * columns
        for k in range(results):
            of = element(k // columns, k % columns)
            cell(canvas, 90 + k * CELL, top + 17, f"s{of}", str(k))
        for k in range(elements):
            cell(canvas, 90 + k * CELL, top + 77, f"s{k}", str(k))
        for pack in range((results + 3) // 4):
            members = range(pack * 4, min(pack * 4 + 4, results))
            needed = sorted({element(k // columns, k % columns) for k in members})
            left, width = 90 + pack * 4 * CELL, len(members) * CELL
            bracket(canvas, left, top + 17 + CELL + 5, width)
            places = needed if len(needed) < 3 else [sum(needed) / len(needed)]
            for place in places:
                canvas.line(left + width / 2, top + 17 + CELL + 6, 90 + (place + 0.5) * CELL,
                            top + 76, "axis", 1.2)
        if elements == 8:
            for k in range(2):
                bracket(canvas, 90 + k * 4 * CELL, top + 77 + CELL + 4, 4 * CELL)
    return canvas.render()


def main():
    folder = FOLDER / "results"
    folder.mkdir(exist_ok=True)
    (folder / "layouts.svg").write_text(layouts(), encoding="utf-8")
    (folder / "walk.svg").write_text(walk(), encoding="utf-8")


if __name__ == "__main__":
    main()
