#!/usr/bin/env python3
"""Draws results/one_element.svg and writes the table of ONE_ELEMENT.md: one element of a launch.

    python3 common/tools/maintain/one_element.py          # writes both
    python3 common/tools/maintain/one_element.py --check  # writes nothing; exits 1 if something is stale

No measurement is involved. Where an element goes follows from the kernel's index, which
test_one_element.py compares with the source; what becomes of it, 01_elu's tests compare with the
kernel.
"""

import argparse
import math
import struct
import sys
from pathlib import Path

import figures

COMMON = Path(__file__).resolve().parents[2]
PAGE = COMMON / "ONE_ELEMENT.md"
FIGURE = COMMON / "results" / "one_element.svg"

ROWS, COLUMNS = 4096, 4096
ELEMENT = 1_000_003
VALUE = -0.75
BYTES = 2  # of a half
WIDTH = 8  # elements a thread
THREADS = 128  # a block
LANES = 32
SECTOR = 32
LINE = 128


class Place:
    """Where ELEMENT goes in the launch of elu_f16x8_pack."""

    def __init__(self, element=ELEMENT):
        self.row, self.column = divmod(element, COLUMNS)
        self.elements = ROWS * COLUMNS
        self.blocks = -(-self.elements // (THREADS * WIDTH))
        self.thread, self.slot = divmod(element, WIDTH)
        self.block, self.thread_in_block = divmod(self.thread, THREADS)
        self.warp, self.lane = divmod(self.thread_in_block, LANES)
        self.first_of_pack = self.thread * WIDTH
        self.first_of_warp = (self.thread - self.lane) * WIDTH
        self.byte = element * BYTES
        self.pack_byte = self.first_of_pack * BYTES
        self.warp_byte = self.first_of_warp * BYTES
        self.warp_bytes = LANES * WIDTH * BYTES
        self.sector = self.pack_byte // SECTOR
        self.sectors = self.warp_bytes // SECTOR
        self.sector_in_warp = (self.pack_byte - self.warp_byte) // SECTOR
        self.lines = self.warp_bytes // LINE
        self.register, self.half_of_register = divmod(self.slot, 2)


class Values:
    """What elu_half makes of VALUE, step by step."""

    def __init__(self, x=VALUE):
        self.x = to_half(x)
        self.exponential = to_half(math.exp(self.x))  # hexp: rounded once
        self.difference = self.exponential - 1.0  # exact in double
        self.y = to_half(self.difference)  # __hsub: rounded once more
        self.exact = math.expm1(self.x)
        self.nearest = to_half(self.exact)
        self.ulp = 2.0 ** -11  # of a half between one half and one


def to_half(value):
    """The nearest half, ties to even."""
    return struct.unpack("<e", struct.pack("<e", value))[0]


def bits(value):
    return struct.unpack("<H", struct.pack("<e", value))[0]


def number(value):
    return f"{value:,}"


ORDINALS = ("first", "second", "third", "fourth")


def table():
    """The rows between the page's markers."""
    at = Place()
    rows = (
        ("place in the matrix", f"{number(ELEMENT)} = {at.row} × {COLUMNS} + {at.column}",
         f"row {at.row}, column {at.column}"),
        ("grid", f"⌈{number(at.elements)} / ({THREADS} × {WIDTH})⌉", f"{number(at.blocks)} blocks"),
        ("thread of the grid", f"⌊{number(ELEMENT)} / {WIDTH}⌋, remainder {at.slot}",
         f"thread {number(at.thread)}, element {at.slot} of its pack"),
        ("block", f"⌊{number(at.thread)} / {THREADS}⌋", f"`blockIdx.x` = {at.block}"),
        ("thread of the block", f"{number(at.thread)} − {at.block} × {THREADS}",
         f"`threadIdx.x` = {at.thread_in_block}"),
        ("warp and lane", f"{at.thread_in_block} = {at.warp} × {LANES} + {at.lane}",
         f"warp {at.warp}, lane {at.lane}"),
        ("its own bytes", f"{number(ELEMENT)} × {BYTES}",
         f"{number(at.byte)} and {number(at.byte + 1)} after the start of `x`"),
        ("the pack's bytes", f"{number(at.first_of_pack)} × {BYTES}",
         f"{number(at.pack_byte)} to {number(at.pack_byte + 15)}"),
        ("the warp's bytes", f"{number(at.first_of_warp)} × {BYTES}, {at.warp_bytes} of them",
         f"{number(at.warp_byte)} to {number(at.warp_byte + at.warp_bytes - 1)}"),
        ("sector", f"⌊{number(at.pack_byte)} / {SECTOR}⌋",
         f"sector {number(at.sector)}, number {at.sector_in_warp} of the warp's {at.sectors}"),
        ("register", f"{at.slot} = {at.register} × 2 + {at.half_of_register}",
         f"the {ORDINALS[at.register]} of four, its upper half"),
    )
    head = ["| what | how | for this element |", "|:--|:--|:--|"]
    return "\n".join(head + [f"| {what} | {how} | {result} |" for what, how, result in rows])


# -------------------------------------------------------------------------------------------------
# The figure

LEFT, RIGHT = 20, 860


def zoom(canvas, x1, x2, top, bottom):
    """Two lines from a small part above to the whole row below."""
    canvas.line(x1, top, LEFT, bottom, "axis", 1, "3 3")
    canvas.line(x2, top, RIGHT, bottom, "axis", 1, "3 3")


def row_of_cells(canvas, top, height, cells, marked, words=None):
    """Equal cells over the whole width; returns the marked one's left and right edge."""
    size = (RIGHT - LEFT) / cells
    for k in range(cells):
        here = k in marked
        canvas.rect(LEFT + k * size + 1, top, size - 2, height, "mark" if here else "grid", 2)
        if words:
            canvas.text(LEFT + (k + 0.5) * size, top + height / 2 + 4, words(k),
                        "page" if here else "muted", "middle", "s")
    return LEFT + min(marked) * size, LEFT + (max(marked) + 1) * size


def head(canvas, top, name, words):
    canvas.text(LEFT, top, name, kind="m")
    canvas.text(LEFT + 110, top, words, "muted", kind="s")


def figure():
    at, values = Place(), Values()
    canvas = figures.Canvas(
        880, 664, f"Element {number(ELEMENT)} in a launch",
        f"From the tensor to the register: the grid of {number(at.blocks)} blocks, block "
        f"{at.block} of four warps, warp {at.warp} of {LANES} lanes over {at.sectors} sectors, and "
        f"the pack of lane {at.lane}, whose element {at.slot} lies in the upper half of the "
        f"{ORDINALS[at.register]} register.")
    canvas.text(LEFT, 28, f"Element {number(ELEMENT)} of {ROWS} × {COLUMNS} halves, in the launch "
                "of elu_f16x8_pack", kind="h")

    head(canvas, 60, "grid", f"{number(at.blocks)} blocks of {THREADS} threads; each block takes "
         f"{number(THREADS * WIDTH)} neighbouring elements")
    canvas.rect(LEFT, 70, RIGHT - LEFT, 26, "grid", 2)
    place = LEFT + (RIGHT - LEFT) * at.block / at.blocks
    canvas.rect(place - 1, 66, 3, 34, "mark")
    zoom(canvas, place, place + 1, 101, 124)

    head(canvas, 144, f"block {at.block}", f"elements {number(at.block * THREADS * WIDTH)} to "
         f"{number((at.block + 1) * THREADS * WIDTH - 1)}: {THREADS // LANES} warps of {LANES} "
         "threads")
    edges = row_of_cells(canvas, 154, 30, THREADS // LANES, [at.warp], "warp {}".format)
    zoom(canvas, *edges, 186, 208)

    head(canvas, 228, f"warp {at.warp}", f"one load instruction for its {LANES} lanes: bytes "
         f"{number(at.warp_byte)} to {number(at.warp_byte + at.warp_bytes - 1)} of x")
    row_of_cells(canvas, 238, 30, LANES, [at.lane], str)
    head(canvas, 294, "memory", f"{at.sectors} sectors of {SECTOR} bytes in {at.lines} lines of "
         f"{LINE}: two lanes fill a sector, and every byte that comes is wanted")
    left, right = row_of_cells(canvas, 304, 30, at.sectors, [at.sector_in_warp],
                               lambda k: number(at.warp_byte // SECTOR + k))
    for k in range(1, at.lines):
        x = LEFT + (RIGHT - LEFT) * k / at.lines
        canvas.line(x, 301, x, 337, "ink", 1.5)
    half = at.pack_byte % SECTOR / SECTOR
    middle = left + (right - left) * half
    zoom(canvas, middle, middle + (right - left) / 2, 338, 360)

    head(canvas, 380, f"lane {at.lane}", f"thread {at.thread_in_block} of its block: a pack of "
         f"{WIDTH} halves, {WIDTH * BYTES} bytes, in one 128-bit load")
    row_of_cells(canvas, 390, 30, WIDTH, [at.slot], lambda k: number(at.first_of_pack + k))
    size = (RIGHT - LEFT) / 4
    for k in range(4):
        x = LEFT + k * size
        canvas.line(x + 3, 428, x + size - 3, 428, "ink", 1.5)
        canvas.text(x + size / 2, 445, f"{ORDINALS[k]} register: lower, upper half",
                    "mark" if k == at.register else "muted", "middle", "s")

    head(canvas, 492, "arithmetic", "in half precision: every arrow rounds to a half")
    steps = ((f"x = {values.x:g}", f"0x{bits(values.x):04X}"),
             (f"hexp(x) = {values.exponential:.6f}", f"0x{bits(values.exponential):04X}"),
             (f"hexp(x) − 1 = {values.y:.6f}", f"0x{bits(values.y):04X}"))
    width = (RIGHT - LEFT - 80) / 3
    for k, (words, hexadecimal) in enumerate(steps):
        x = LEFT + k * (width + 40)
        canvas.rect(x, 502, width, 44, "grid", 4)
        canvas.text(x + width / 2, 521, words.replace("-", "−"), "ink", "middle", "t")
        canvas.text(x + width / 2, 538, hexadecimal, "muted", "middle", "m")
        if k:
            canvas.line(x - 34, 524, x - 8, 524, "mark", 2)
            canvas.line(x - 14, 519, x - 8, 524, "mark", 2)
            canvas.line(x - 14, 529, x - 8, 524, "mark", 2)

    head(canvas, 592, "store", "back the same way: the four registers are one 128-bit store, at "
         "the same offset of y")
    row_of_cells(canvas, 602, 30, WIDTH, [at.slot], lambda k: number(at.first_of_pack + k))
    return canvas.render()


# -------------------------------------------------------------------------------------------------


def with_table(text):
    """The page with the table between its markers made anew."""
    begin, end = "<!-- one_element -->", "<!-- /one_element -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    if not rest or not after:
        raise SystemExit(f"{PAGE.name}: the markers {begin} and {end} are missing")
    return f"{before}{begin}\n\n{table()}\n\n{end}{after}"


def stale():
    """(path, text that it should have) of what differs."""
    page = PAGE.read_text(encoding="utf-8")
    wanted = ((PAGE, with_table(page)), (FIGURE, figure()))
    return [(path, text) for path, text in wanted
            if not path.exists() or path.read_text(encoding="utf-8") != text]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    found = stale()
    for path, text in found:
        if check:
            print(f"{path.relative_to(COMMON.parent)} is stale: run common/tools/maintain/one_element.py")
        else:
            path.write_text(text, encoding="utf-8")
    return 1 if check and found else 0


if __name__ == "__main__":
    sys.exit(main())
