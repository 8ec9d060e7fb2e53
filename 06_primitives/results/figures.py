#!/usr/bin/env python3
"""Draws the chapter's figures (four_steps, layouts, shuffle_tree, block_sum, cluster, passes, scan and
bitonic, in results/), computes the curves of results/orders.json, and counts the lines of its kernels.

    python3 06_primitives/results/figures.py          # writes the figures, and the counts into notes/
    python3 06_primitives/results/figures.py --check  # writes nothing; exits 1 if something is stale

Nothing here is measured: the figures show what the headers in primitives/ say in words, the table counts source lines
between the marks of each kernel, blank lines and comments apart.
"""

import functools
import math
import random
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "common/tools" / room) for room in ("maintain", "reader")]
import computed
import figures
import recorded
import report
from computed import in_float

HERE = Path(__file__).resolve().parents[1]  # the chapter

INKS = {"": "ink", "m": "muted", "c": "page", "halo": "ink"}
LINES = {"wire": ("axis", 1.2), "arrow": ("muted", 1.5), "tree": ("mark", 2.2), "t0s": ("s0", 2), "t1s": ("s1", 2)}


class Drawing(figures.Canvas):
    """A figure of a given size, piece by piece; threads have the colours s0 to s3."""

    def text(self, x, y, text, style="", anchor="start"):
        words = str(text)
        if style == "halo":  # what it stands on
            self.rect(x - 3.2 * len(words), y - 13, 6.4 * len(words), 18, "page")
        super().text(x, y, words, INKS[style], anchor)

    def bar(self, x, y, width, height, thread, text):
        self.rect(x + 0.5, y + 0.5, width - 1, height - 1, f"s{thread}")
        self.text(x + width / 2, y + height / 2 + 4, text, "c", "middle")

    def cell(self, x, y, size, thread, text):
        self.bar(x, y, size, size, thread, text)

    def box(self, x, y, width, height):
        self.element('class="p l-axis"', figures.block(x, y, width, height, 4))

    def band(self, x, y, width, height, thread):
        self.element(f'class="f-s{thread}" opacity="0.1"', figures.block(x, y, width, height, 4))

    def line(self, x0, y0, x1, y1, style):
        super().line(x0, y0, x1, y1, *LINES[style])

    def head(self, x, y, way, style):
        """The point of an arrow that ends at (x, y) and goes down (way 1) or up (-1)."""
        for side in (-4, 4):
            self.line(x + side, y - 5 * way, x, y, style)

    def down(self, x, y, length):
        self.line(x, y, x, y + length, "arrow")
        self.head(x, y + length, 1, "arrow")

    def comparator(self, x, low, high, style):
        self.line(x, low, x, high, style)
        for y in (low, high):
            self.rect(x - 3.5, y - 3.5, 7, 7, LINES[style][0], 3.5)


def four_steps():
    figure = Drawing(480, 246, "The four steps of every kernel",
                     "Init fills a thread's registers, Read brings elements of the tile into them, "
                     "Compute works on the registers, Write brings them to memory.")
    size, left = 40, 146
    for y, words in ((48, "a tile in memory"), (128, "registers"), (208, "a tile in memory")):
        figure.text(16, y, words, "m")
    for i in range(8):
        x = left + i * size
        figure.cell(x, 24, size, i // 2, i)
        figure.cell(x + (3 if i % 2 == 0 else -1), 106, size - 2, i // 2, f"x[{i % 2}]")
        figure.cell(x, 184, size, i // 2, i)
    for thread in range(4):
        figure.box(left + thread * 2 * size + 1, 103, 2 * size - 2, size + 4)
    for y, name in ((68, "1 Init, 2 Read"), (150, "3 Compute, 4 Write")):
        figure.text(16, y + 20, name)
        for thread in range(4):
            figure.down(left + thread * 2 * size + size, y, 31)
    return figure.render()


def layouts():
    figure = Drawing(480, 236, "Three layouts of a tile",
                     "Sixteen elements on four threads, four each: adjacent, in vectors of two that "
                     "are dealt in turn, and striped.")
    size = 28
    for element in range(16):
        figure.text(16 + element * size + size / 2, 30, element, "m", "middle")
    for row, (name, width) in enumerate([("Adjacent: W = 4", 4), ("in vectors of two: W = 2", 2), ("Striped: W = 1", 1)]):
        y = 58 + row * 62
        figure.text(16, y - 6, name)
        for element in range(16):
            vector, within = divmod(element, width)
            thread, register = vector % 4, vector // 4 * width + within
            figure.cell(16 + element * size, y, size, thread, register)
    figure.text(16, 226, "A colour is a thread, the number in a cell its register.", "m")
    return figure.render()


def shuffle_tree():
    figure = Drawing(480, 344, "The sum of a warp, by shuffles",
                     "Three exchanges between eight lanes at distances 4, 2 and 1: afterwards every "
                     "lane holds the sum of all eight.")
    size, left, top, step = 30, 118, 48, 74
    middle = lambda lane: left + lane * (size + 12) + size / 2
    values = [3, 1, 7, 0, 4, 1, 6, 3]
    for lane in range(8):
        figure.text(middle(lane), 34, lane, "m", "middle")
    figure.text(16, 34, "lane", "m")
    reached = [{0}]  # the lanes below which lane 0's result hangs, from the last row up
    for mask in (1, 2, 4):
        reached.append(reached[-1] | {lane ^ mask for lane in reached[-1]})
    for row, mask in enumerate((None, 4, 2, 1)):
        y = top + row * step
        if mask:
            figure.text(16, y - 20, f"mask {mask}", "m")
            for lane in range(8):
                bold = "tree" if lane in reached[3 - row] else "wire"
                for origin in (lane, lane ^ mask):
                    figure.line(middle(origin), y - step + size, middle(lane), y, bold)
            values = [value + values[lane ^ mask] for lane, value in enumerate(values)]
        figure.text(16, y + 20, ("values", "sums of 2", "sums of 4", "sums of 8")[row])
        for lane in range(8):
            figure.cell(left + lane * (size + 12), y, size, 1 if lane in reached[3 - row] else 0,
                        values[lane])
    assert set(values) == {25}
    figure.text(16, 328, "Eight of 32 lanes. Orange: what lane 0's result is made of.", "m")
    return figure.render()


def block_sum():
    figure = Drawing(480, 330, "The sum of a block, through shared memory",
                     "Lane 0 of each of four warps writes its warp's sum to shared memory. Then every warp reads "
                     "all four and adds them up.")
    totals, wide, size = [25, 14, 31, 30], 84, 32
    at = lambda warp: 24 + warp * 116
    for warp, total in enumerate(totals):
        middle = at(warp) + wide / 2
        figure.text(middle, 34, f"warp {warp}", "m", "middle")
        figure.bar(at(warp), 44, wide, size, warp, f"{total}")
        figure.line(middle, 44 + size, 176 + warp * size + size / 2, 138, "wire")
        figure.cell(176 + warp * size, 138, size, warp, total)
        for cell in range(len(totals)):
            figure.line(176 + cell * size + size / 2, 138 + size, middle, 262, "wire")
        figure.bar(at(warp), 262, wide, size, warp, sum(totals))
    figure.text(240, 112, "lane 0 of each warp writes", "halo", "middle")
    figure.text(164, 159, "shared memory", "m", "end")
    figure.text(240, 222, "every warp reads all sums, and adds them up", "halo", "middle")
    figure.text(240, 316, "every thread has the sum of the block", "m", "middle")
    return figure.render()


def cluster():
    figure = Drawing(480, 356, "A row's softmax by a cluster",
                     "Four blocks of a cluster each read a quarter of the row into their shared memory. Behind a first barrier each "
                     "writes its pair of maximum and sum into the shared memory of all four; behind a second one each combines the "
                     "four pairs that it has, and writes its quarter of the result.")
    wide, size, blocks = 84, 21, 4
    at = lambda block: 24 + block * 116
    for block in range(blocks):
        middle = at(block) + wide / 2
        figure.text(middle, 32, f"block {block}", "m", "middle")
        figure.bar(at(block), 42, wide, 30, block, "its share")
        figure.line(middle, 74, middle, 84, "arrow")
        figure.down(middle, 107, 13)
        figure.bar(at(block), 122, wide, 26, block, "(m, s)")
        for other in range(blocks):
            figure.line(middle, 148, at(other) + (block + 0.5) * size, 218, "wire")
        for other in range(blocks):
            figure.cell(at(block) + other * size, 218, size, other, "")
        figure.line(middle, 241, middle, 251, "arrow")
        figure.down(middle, 274, 13)
        figure.bar(at(block), 290, wide, 30, block, "y")
    for y, half, words in ((97, 100, "barrier: all blocks have begun"), (264, 87, "barrier: all pairs are there")):
        figure.line(16, y, 240 - half, y, "arrow")
        figure.line(240 + half, y, 464, y, "arrow")
        figure.text(240, y + 4, words, "halo", "middle")
    figure.text(240, 187, "each block leaves its pair with all", "halo", "middle")
    figure.text(240, 342, "from its own four pairs; no block needs another, and each may end", "m", "middle")
    return figure.render()


def passes():
    """What goes between memory and GPU for a softmax of three kernels, and of one that keeps its row."""
    figure = Drawing(480, 244, "A softmax of three kernels, and of one",
                     "Three kernels: the rows go in for the maximum, again for the sum, again for the quotient, and the "
                     "result goes out: four transfers. One kernel: one in, one out.")
    figure.text(16, 30, "Three kernels: four transfers")
    figure.text(326, 30, "One: two")
    for x, wide in ((16, 290), (326, 138)):
        figure.rect(x, 186, wide, 36, "grid", 4)
        figure.text(x + wide / 2, 209, "memory", "m", "middle")
    for x, wide, name in ((16, 90, "maximum"), (116, 90, "sum"), (216, 90, "quotient"), (326, 138, "softmax")):
        figure.bar(x, 56, wide, 40, 0, name)
    for x, style in ((61, "arrow"), (161, "tree"), (241, "tree"), (361, "arrow")):
        figure.line(x, 184, x, 99, style)
        figure.head(x, 98, -1, style)
        figure.text(x + 7, 146, "x", "m")
    for x in (283, 431):
        figure.line(x, 96, x, 183, "arrow")
        figure.head(x, 184, 1, "arrow")
        figure.text(x - 5, 146, "y", "m", "end")
    return figure.render()


def scan():
    figure = Drawing(480, 344, "The running sums of a warp",
                     "Three steps at distances 1, 2 and 4: a lane adds the value of the lane so far below it, if there is one.")
    size, left, top, step = 30, 118, 48, 74
    middle = lambda lane: left + lane * (size + 12) + size / 2
    values = [3, 1, 7, 0, 4, 1, 6, 3]
    wanted = [sum(values[:lane + 1]) for lane in range(8)]
    figure.text(16, 34, "lane", "m")
    for lane in range(8):
        figure.text(middle(lane), 34, lane, "m", "middle")
    for row, distance in enumerate((0, 1, 2, 4)):
        y = top + row * step
        if distance:
            figure.text(16, y - 20, f"distance {distance}", "m")
            for lane in range(8):
                figure.line(middle(lane), y - step + size, middle(lane), y, "wire")
                if lane >= distance:
                    figure.line(middle(lane - distance), y - step + size, middle(lane), y, "tree")
            values = [value + (values[lane - distance] if lane >= distance else 0) for lane, value in enumerate(values)]
        figure.text(16, y + 20, ("values", "of 2", "of 4", "of 8")[row])
        for lane in range(8):
            figure.cell(left + lane * (size + 12), y, size, 2 if values[lane] == wanted[lane] else 0, values[lane])
    assert values == wanted
    figure.text(16, 328, "Eight of 32 lanes. Green: finished. Orange: what a lane receives.", "m")
    return figure.render()


def tree(values):
    while len(values) > 1:
        values = [in_float(a + b) for a, b in zip(values[::2], values[1::2])]
    return values[0]


def loop(values):
    return functools.reduce(lambda total, value: in_float(total + value), values)


def orders():
    """Largest errors of sums of floats between 0 and 1, over some rows of each length, in ULP of the sum."""
    random.seed(6)
    lengths = [2 ** k for k in range(3, 13)]
    points = {loop: [], tree: []}
    for length in lengths:
        rows = [[in_float(random.random()) for _ in range(length)] for _ in range(100)]
        for way, found in points.items():
            errors = [abs(way(row) - math.fsum(row)) / 2.0 ** (math.frexp(math.fsum(row))[1] - 24) for row in rows]
            found.append([length, max(errors)])
    return {"title": "The error of a sum, by the order of its additions",
            "subtitle": "floats between 0 and 1, 100 rows of each length; the largest error, computed",
            "desc": "A loop's error grows with the length of the row; that of a tree stays near a unit.",
            "height": 280, "x": {"label": "numbers in the row", "scale": "log", "min": 8, "max": 4096},
            "y": {"label": "ULP", "min": 0},
            "series": [{"name": "one after the other", "points": points[loop]},
                       {"name": "as a tree", "points": points[tree], "style": "dashed"}]}


def network(keys):
    """The steps of sort.cuh for so many keys: (whether it stays within a thread, its pairs)."""
    steps = []
    for size in (2, 4, 8, 16):
        steps.append([(p, p ^ (size - 1)) for p in range(keys) if p < p ^ (size - 1)])
        steps += [[(p, p + distance) for p in range(keys) if not p & distance] for distance in (4, 2, 1) if distance <= size // 4]
    return steps


def apart(pairs):
    """The pairs in columns, none of which has two that overlap."""
    columns = []
    for low, high in pairs:
        for column in columns:
            if all(high < a or b < low for a, b in column):
                column.append((low, high))
                break
        else:
            columns.append([(low, high)])
    return columns


def bitonic():
    figure = Drawing(760, 416, "A bitonic sort of 16 keys on four threads",
                     "Ten steps of compare and exchange. Those within a thread's four keys are a "
                     "minimum and a maximum; those between threads are shuffles.")
    each, top, gap = 4, 46, 20
    keys = [9, 3, 14, 6, 1, 12, 5, 10, 15, 2, 8, 13, 4, 11, 0, 7]
    y = lambda p: top + p * gap + p // each * 6
    figure.text(24, 26, "runs of", "m")
    for thread in range(4):
        figure.band(16, y(thread * each) - 10, 728, gap * each, thread)
        figure.text(24, y(thread * each) + 34, f"thread {thread}", "m")
    for p in range(16):
        figure.text(106, y(p) + 4, keys[p], "", "end")
        figure.line(114, y(p), 708, y(p), "wire")
    x, first, merged = 126, 126, 2
    for number, pairs in enumerate(network(16)):
        crossing = any(low // each != high // each for low, high in pairs)
        for column in apart(pairs):
            for low, high in column:
                figure.comparator(x, y(low), y(high), "t1s" if crossing else "t0s")
            x += 13
        if number in (0, 2, 5, 9):  # the last step of a merge
            figure.text((first + x - 13) / 2, 26, merged, "m", "middle")
            first, merged = x + 25, 2 * merged
        x += 25
        for low, high in pairs:
            keys[low], keys[high] = sorted((keys[low], keys[high]))
    assert keys == sorted(keys)
    for p in range(16):
        figure.text(718, y(p) + 4, keys[p])
    figure.comparator(28, 387, 401, "t0s")
    figure.text(38, 399, "within a thread: a minimum and a maximum", "m")
    figure.comparator(370, 387, 401, "t1s")
    figure.text(380, 399, "between threads: a shuffle, then a selection", "m")
    return figure.render()


def code_lines(text):
    """How many lines there are, without blank ones and comments."""
    return sum(bool(line) and not line.startswith("//") for line in map(str.strip, text.splitlines()))


def lines_of(source, mark):
    """The lines of the excerpt `mark`."""
    return code_lines("\n".join(report.region(HERE / source, mark, source)))


def library_length():
    """How long the headers are, in a sentence."""
    count = sum(code_lines(path.read_text(encoding="utf-8")) for path in (HERE / "primitives").glob("*.cuh"))
    return f"The headers have {count} lines of code, comments and blank lines apart."


def table():
    ours, cub = "ladders/primitives_rows_kernels.cuh", "proof/peers/primitives_peers.cu"
    rows = [("add", ["Elementwise", "ElementwiseImpl"], "ladders/primitives_kernels.cuh", "cub_add",
             "`BlockLoad`, `BlockStore`"),
            ("sum of rows", ["ReduceInner"], ours, "cub_sum", "`BlockLoad`, `BlockReduce`"),
            ("softmax", ["SoftmaxTwoReductions"], ours, "cub_softmax",
             "`BlockLoad`, two `BlockReduce`, `BlockStore`"),
            ("running sums", ["CumsumRows"], ours, "cub_cumsum",
             "`BlockLoad`, `BlockScan`, `BlockStore`"),
            ("sorted rows", ["SortRows"], ours, "cub_sort",
             "`BlockLoad`, `BlockRadixSort`, `BlockStore`")]
    lines = ["| kernel | lines here | lines with CUB | of CUB it uses |", "|:--|--:|--:|:--|"]
    for name, marks, source, peer, uses in rows:
        mine = sum(lines_of(source, mark) for mark in marks)
        lines.append(f"| {name} | {mine} | {lines_of(cub, peer)} | {uses} |")
    return "\n".join(lines)


def filled(page, name, content):
    """(path, text) of a page with `content` between the comments of that name."""
    path = HERE / "notes" / page
    head, rest = path.read_text(encoding="utf-8").split(f"<!-- {name} -->", 1)
    tail = rest.split(f"<!-- /{name} -->", 1)[1]
    return path, f"{head}<!-- {name} -->\n\n{content}\n\n<!-- /{name} -->{tail}"


if __name__ == "__main__":
    drawings = (four_steps, layouts, shuffle_tree, block_sum, cluster, passes, scan, bitonic)
    sys.exit(computed.keep({**{HERE / "results" / f"{draw.__name__}.svg": draw() for draw in drawings},
                            HERE / "results" / "orders.json": recorded.plot_text(orders()),
                            **dict([filled("cub.md", "code_length", table()),
                                    filled("library.md", "library_length", library_length())])}, "--check" in sys.argv))
