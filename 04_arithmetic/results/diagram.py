#!/usr/bin/env python3
"""Draws the chapter's diagrams: layouts.svg and walk.svg of the notes; strides.svg, merge.svg, packs.svg
and outer.svg of the lesson, which are narrow enough for a phone.

    python3 04_arithmetic/results/diagram.py

No measurement is involved: where an element lies follows from the shapes alone.
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(FOLDER.parent / "common/tools" / room) for room in ("maintain", "reader")]

import computed  # noqa: E402: it is in common/tools/maintain
import figures  # noqa: E402: as well

CELL = 21
LEFT = 150
INKS = ("s0", "s1", "s2")  # one for each channel, or each row


def frame(canvas, x, y, width, height, name, line=1.0, dash=None):
    """The four sides of a box."""
    for x1, y1, x2, y2 in ((0, 0, 1, 0), (1, 0, 1, 1), (1, 1, 0, 1), (0, 1, 0, 0)):
        canvas.line(x + x1 * width, y + y1 * height, x + x2 * width, y + y2 * height, name, line, dash)


def cell(canvas, x, y, name, words, size=CELL):
    """One element; name None: padding, an empty frame."""
    if name is None:
        frame(canvas, x + 1, y + 1, size - 2, size - 2, "axis", dash="2 2")
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
        ("NCHW", "strides 12, 4, 2, 1", [(c, p) for c in range(channels) for p in range(pixels)], 4, "channel {}"),
        ("NHWC", "strides 12, 1, 6, 3", [(c, p) for p in range(pixels) for c in range(channels)], 3, "pixel {}"),
        ("NHWC8", "strides 32, 1, 16, 8", [(c, p) for p in range(pixels) for c in range(8)], 8, "pixel {}: one group of eight"),
    )
    for i, (name, strides, order, group, words) in enumerate(rows):
        top = 76 + i * 84
        canvas.text(16, top + 10, name, kind="m")
        canvas.text(16, top + 26, strides, "muted", kind="s")
        for k, (channel, pixel) in enumerate(order):
            known = channel < channels
            cell(canvas, LEFT + k * CELL, top, INKS[channel] if known else None, str(pixel))
        width = group * CELL
        for k in range(len(order) // group):
            bracket(canvas, LEFT + k * width, top + CELL + 6, width, words.format(k))
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


def panel(canvas, left, top, operand, size, gap, shape, element, elements):
    """The results of this (rows, columns) from (left, top) on, bracketed in packs of four, and lines to what each pack needs
    of the operand's elements, which begin at the place `operand`."""
    rows, columns = shape
    of = [element(k // columns, k % columns) for k in range(rows * columns)]
    for k, one in enumerate(of):
        cell(canvas, left + k * size, top, f"s{one}", str(k), size)
    for k in range(elements):
        cell(canvas, operand[0] + k * size, operand[1], f"s{k}", str(k), size)
    below = top + size + gap
    for first in range(0, len(of), 4):
        needed, width = sorted(set(of[first:first + 4])), len(of[first:first + 4]) * size
        bracket(canvas, left + first * size, below, width)
        for place in needed if len(needed) < 3 else [sum(needed) / len(needed)]:
            canvas.line(left + first * size + width / 2, below + 1, operand[0] + (place + 0.5) * size, operand[1] - 1,
                        "axis", 1.2)
    for k in range(elements // 4):
        bracket(canvas, operand[0] + k * 4 * size, operand[1] + size + gap - 1, 4 * size)


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
        panel(canvas, 90, top + 17, (90, top + 77), CELL, 5, (3, columns), element, elements)
    return canvas.render()


def strides():
    """(2, 3, 4) with (3, 1): the operand's element for each of the result, element 22 marked."""
    size = 34
    canvas = figures.Canvas(
        figures.WIDTH, 262, "Element 22 of the result, and its element of the operand",
        "A result of two by three by four elements, numbered as they lie in memory, beside an operand of three by one. Each row of "
        "the result uses one element of the operand. Element 22 lies in the last row and uses element 2.")
    canvas.text(14, 24, "(2, 3, 4) with (3, 1)", kind="h")
    canvas.text(14, 42, "number: the place in memory; colour: the operand's element", "muted", kind="s")
    place = None
    for k in range(24):
        image, row, column = k // 12, k // 4 % 3, k % 4
        x, y = 14 + image * (4 * size + 16) + column * size, 58 + row * size
        cell(canvas, x, y, INKS[row], str(k), size)
        if k == 22:
            place = (x, y)
    right = figures.WIDTH - 14 - size
    for k in range(3):
        cell(canvas, right, 58 + k * size, INKS[k], str(k), size)
    frame(canvas, *place, size, size, "ink", 2.5)
    canvas.line(place[0] + 2 * size + 3, place[1] + size / 2, right - 3, place[1] + size / 2, "ink", 1.5)
    canvas.text(14, 184, "result: strides 12, 4, 1", kind="m")
    canvas.text(figures.WIDTH - 14, 184, "operand: 0, 1, 0", anchor="end", kind="m")
    canvas.text(14, 216, "22 = 1 \u00b7 12 + 2 \u00b7 4 + 2 \u00b7 1   the coordinates are 1, 2, 2", kind="m")
    canvas.text(14, 240, " 2 = 1 \u00b7 0  + 2 \u00b7 1 + 2 \u00b7 0   element 2 of the operand", kind="m")
    return canvas.render()


def merge():
    """(64, 256, 56, 56) with (1, 256, 1, 1): four dimensions, and three."""
    width, height = 96, 40
    canvas = figures.Canvas(
        figures.WIDTH, 256, "Four dimensions become three",
        "The extents 64, 256, 56, 56 with the operand's strides 0, 1, 0, 0. The last two have the stride 0 for the operand and lie side "
        "by side in the result, so they become one dimension of 3,136.")
    canvas.text(14, 24, "(64, 256, 56, 56) with (1, 256, 1, 1)", kind="h")
    rows = ((44, (("64", 1, "s0"), ("256", 1, "s1"), ("56", 1, "s2"), ("56", 1, "s2")), ("0", "1", "0", "0")),
            (162, (("64", 1, "s0"), ("256", 1, "s1"), ("3,136", 2, "s2")), ("0", "1", "0")))
    for top, boxes, steps in rows:
        x = 28
        for (words, span, name), step in zip(boxes, steps):
            canvas.rect(x + 2, top, width * span - 4, height, name, 4)
            canvas.text(x + width * span / 2, top + 25, words, "page", "middle", "h")
            canvas.text(x + width * span / 2, top + height + 20, step, anchor="middle", kind="m")
            x += width * span
        canvas.text(28, top + height + 40, "the operand's strides", "muted", kind="s")
    bracket(canvas, 28 + 2 * width, 118, 2 * width, "steps evenly: one dimension")
    return canvas.render()


def packs():
    """Packs of four, and what of the second operand each of them needs: one element, or one wide load."""
    size = 24
    canvas = figures.Canvas(
        figures.WIDTH, 312, "What a pack needs of the operand that is broadcast",
        "Two small broadcasts in packs of four. Where the operand is broadcast along the row, one element serves a pack; where it lies "
        "along the row, a pack of it does.")
    canvas.text(14, 24, "A bracket is one thread's pack", kind="h")
    canvas.text(14, 42, "colour: the element of the second operand", "muted", kind="s")
    for i, (shapes, words, _, element, _) in enumerate(PANELS[:2]):
        top = 66 + i * 132
        canvas.text(14, top, shapes.replace("3, 8", "2, 8").replace("3, 1", "2, 1"), kind="m")
        canvas.text(160, top, words.split(":")[0] + (": one element" if i == 0 else ": one wide load"), "muted", kind="s")
        panel(canvas, 14, top + 12, (14 + (0 if i else 7 * size), top + 76), size, 4, (2, 8), element, 8 if i else 2)
    return canvas.render()


def outer():
    """A column plus a row: each thread needs one element of the column and a pack of the row."""
    size = 30
    canvas = figures.Canvas(
        figures.WIDTH, 236, "A column plus a row",
        "A column of three elements and a row of eight give a result of three by eight. A thread's pack of four results needs one element "
        "of the column and four of the row.")
    canvas.text(14, 24, "A column plus a row: both operands repeat", kind="h")
    left, top = 110, 104
    canvas.text(left + 4 * size, 50, "the row, read as packs", "muted", "middle", "s")
    canvas.text(14, top + 3 * size + 22, "the column", "muted", kind="s")
    canvas.text(left + 4 * size, top + 3 * size + 22, "the result: one thread's pack is framed", "muted", "middle", "s")
    for column in range(8):
        cell(canvas, left + column * size, 58, "s5", str(column), size)
    for row in range(3):
        cell(canvas, 28, top + row * size, INKS[row], str(row), size)
        for column in range(8):
            cell(canvas, left + column * size, top + row * size, INKS[row], str(row * 8 + column), size)
    x, y = left + 4 * size, top + size
    frame(canvas, x, y, 4 * size, size, "ink", 2.5)
    canvas.line(28 + size + 2, y + size / 2, left - 3, y + size / 2, "ink", 1.5)
    canvas.line(x + 2, 58 + size + 4, x + 4 * size - 2, 58 + size + 4, "ink", 1.5)
    canvas.line(x + 2 * size, 58 + size + 4, x + 2 * size, top - 2, "ink", 1.5)
    return canvas.render()


if __name__ == "__main__":
    sys.exit(computed.keep({FOLDER / "results" / f"{draw.__name__}.svg": draw()
                            for draw in (layouts, walk, strides, merge, packs, outer)}, "--check" in sys.argv))
