#!/usr/bin/env python3
"""Draws the chapter's figures (four_steps, layouts, shuffle_tree and bitonic, in results/), and counts the
lines of its kernels.

    python3 06_primitives/results/figures.py          # writes the figures, and the counts into notes/
    python3 06_primitives/results/figures.py --check  # writes nothing; exits 1 if something is stale

Nothing here is measured: the figures show what the headers in primitives/ say in words, the table counts source lines
between the marks of each kernel, blank lines and comments apart.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]  # the chapter

STYLE = """<style>
text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;fill:#1f2328}
.m{fill:#59636e}.page{fill:#fff;stroke:#d1d9e0}.cell{stroke:#fff}.box{fill:none;stroke:#9aa4af}
.t0{fill:#0b63b8}.t1{fill:#c2570c}.t2{fill:#0f7b5f}.t3{fill:#a0338a}.c{fill:#fff;font-size:12px}
.arrow{stroke:#59636e;stroke-width:1.5;fill:none}.wire{stroke:#c3cbd3;stroke-width:1.2}
.tree{stroke:#c2570c;stroke-width:2.2}.t0s{stroke:#0b63b8;fill:#0b63b8;stroke-width:2}
.t1s{stroke:#c2570c;fill:#c2570c;stroke-width:2}.halo{paint-order:stroke;stroke:#fff;stroke-width:5px}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.m{fill:#9198a1}.page{fill:#0d1117;stroke:#30363d}
.cell{stroke:#0d1117}.box{stroke:#59636e}.t0{fill:#2f7bd0}.t1{fill:#c9702a}.t2{fill:#2a9d7a}
.t3{fill:#b85aa6}.c{fill:#fff}.arrow{stroke:#9198a1}.wire{stroke:#3d444d}.tree{stroke:#c9702a}
.t0s{stroke:#2f7bd0;fill:#2f7bd0}.t1s{stroke:#c9702a;fill:#c9702a}
.halo{stroke:#0d1117}}
</style>"""


class Drawing:
    """A figure of a given size, piece by piece."""

    def __init__(self, width, height, title, description):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'role="img"><title>{title}</title><desc>{description}</desc>', STYLE,
            f'<rect class="page" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>']

    def text(self, x, y, text, style="", anchor="start"):
        self.parts.append(f'<text x="{x}" y="{y}" class="{style}" text-anchor="{anchor}">{text}</text>')

    def cell(self, x, y, size, thread, text):
        self.parts.append(f'<rect class="cell t{thread}" x="{x}" y="{y}" width="{size}" height="{size}"/>')
        self.text(x + size / 2, y + size / 2 + 4, text, "c", "middle")

    def arrow(self, x0, y0, x1, y1):
        self.parts.append(f'<path class="arrow" d="M{x0} {y0}L{x1} {y1}m-5 -3l5 3l-5 3"/>')

    def box(self, x, y, width, height):
        self.parts.append(
            f'<rect class="box" x="{x}" y="{y}" width="{width}" height="{height}" rx="4"/>')

    def bar(self, x, y, width, height, thread, text):
        self.parts.append(
            f'<rect class="cell t{thread}" x="{x}" y="{y}" width="{width}" height="{height}"/>')
        self.text(x + width / 2, y + height / 2 + 4, text, "c", "middle")

    def band(self, x, y, width, height, thread):
        self.parts.append(f'<rect class="t{thread}" opacity="0.1" x="{x}" y="{y}" width="{width}" '
                          f'height="{height}" rx="4"/>')

    def line(self, x0, y0, x1, y1, style):
        self.parts.append(f'<path class="{style}" d="M{x0:g} {y0:g}L{x1:g} {y1:g}"/>')

    def comparator(self, x, low, high, style):
        self.parts.append(f'<path class="{style}" d="M{x} {low}V{high}"/>'
                          f'<circle class="{style}" cx="{x}" cy="{low}" r="2.5"/>'
                          f'<circle class="{style}" cx="{x}" cy="{high}" r="2.5"/>')

    def done(self):
        return "\n".join(self.parts + ["</svg>", ""])


def four_steps():
    figure = Drawing(760, 210, "The four steps of every kernel",
                     "Init fills a thread's registers, Read brings elements of the tile into them, "
                     "Compute works on the registers, Write brings them to memory.")
    size = 26
    figure.text(20, 34, "a tile in memory", "m")
    figure.text(290, 34, "registers of 4 threads", "m")
    figure.text(600, 34, "a tile in memory", "m")
    for i in range(8):
        figure.cell(20 + i % 4 * size, 50 + i // 4 * size, size, i // 2, f"{i}")
        figure.cell(600 + i % 4 * size, 50 + i // 4 * size, size, i // 2, f"{i}")
    for thread in range(4):
        x = 290 + thread * 66
        figure.box(x - 4, 46, 2 * size + 8, size + 8)
        for k in range(2):
            figure.cell(x + k * size, 50, size, thread, f"{2 * thread + k}")
    figure.arrow(140, 76, 270, 76)
    figure.arrow(560, 76, 590, 76)
    words = [("1 Init", 20, "fill the registers with a value that is safe"),
             ("2 Read", 20, "memory to registers"),
             ("3 Compute", 420, "registers to registers"),
             ("4 Write", 420, "registers to memory")]
    for row, (name, x, what) in enumerate(words):
        y = 140 + row % 2 * 30
        figure.text(x, y, name)
        figure.text(x + 84, y, what, "m")
    return figure.done()


def layouts():
    figure = Drawing(760, 232, "Three layouts of a tile",
                     "Sixteen elements on four threads, four each: adjacent, in vectors of two that "
                     "are dealt in turn, and striped.")
    size = 34
    for row, (name, width) in enumerate([("Adjacent", 4), ("InVectorsOf&lt;2&gt;", 2), ("Striped", 1)]):
        y = 44 + row * 60
        figure.text(20, y + 22, name)
        for element in range(16):
            vector, within = divmod(element, width)
            thread, register = vector % 4, vector // 4 * width + within
            figure.cell(150 + element * size, y, size, thread, f"x[{register}]")
    for element in range(16):
        figure.text(150 + element * size + size / 2, 34, element, "m", "middle")
    figure.text(20, 218, "One colour, one thread of four; in the cell, the register that holds the element.",
                "m")
    return figure.done()


def lanes_of(values, mask):
    """What each lane holds after it has added the value of lane `lane ^ mask`."""
    return [value + values[lane ^ mask] for lane, value in enumerate(values)]


def shuffle_tree():
    """Left: the shuffles of a warp, with eight lanes. Right: the warps of a block."""
    figure = Drawing(760, 356, "Reduce, within a warp and across a block",
                     "Three exchanges between eight lanes at distances 4, 2 and 1: afterwards every "
                     "lane holds the sum of all eight. Then the totals of four warps go through "
                     "shared memory, and every warp adds them up.")
    figure.text(20, 28, "Within a warp: shuffles (8 of the 32 lanes)")
    size, left, top, step = 28, 136, 62, 72
    middle = lambda lane: left + lane * (size + 12) + size / 2
    values, rows = [3, 1, 7, 0, 4, 1, 6, 3], [(0, None)]
    for lane in range(8):
        figure.text(middle(lane), 52, lane, "m", "middle")
    figure.text(20, 52, "lane", "m")
    reached = [{0}]  # the lanes below which lane 0's result hangs, from the last row up
    for mask in (1, 2, 4):
        reached.append(reached[-1] | {lane ^ mask for lane in reached[-1]})
    for row, mask in enumerate((None, 4, 2, 1)):
        y = top + row * step
        if mask:
            figure.text(20, y - 22, f"mask {mask}", "m")
            for lane in range(8):
                bold = "tree" if lane in reached[3 - row] else "wire"
                for origin in (lane, lane ^ mask):
                    figure.line(middle(origin), y - step + size, middle(lane), y, bold)
            values = lanes_of(values, mask)
        figure.text(20, y + 19, ("values", "sums of 2", "sums of 4", "sums of 8")[row])
        for lane in range(8):
            figure.cell(left + lane * (size + 12), y, size, 1 if lane in reached[3 - row] else 0,
                        values[lane])
    assert set(values) == {25}

    x0 = 500
    figure.text(x0, 28, "Across the block: shared memory")
    totals, wide = [25, 14, 31, 30], 50
    for warp, total in enumerate(totals):
        x = x0 + warp * (wide + 10)
        figure.text(x + wide / 2, 52, f"warp {warp}", "m", "middle")
        figure.bar(x, top, wide, size, warp, total)
        figure.line(x + wide / 2, top + size, x0 + 65 + warp * size + size / 2, 142, "wire")
        figure.cell(x0 + 65 + warp * size, 142, size, warp, total)
        figure.bar(x, top + 3 * step, wide, size, warp, sum(totals))
        figure.line(x0 + 65 + 2 * size, 142 + size, x + wide / 2, top + 3 * step, "wire")
    figure.text(x0, 116, "lane 0 of each warp writes", "halo")
    figure.text(x0 + 65 + 4 * size + 8, 161, "shared", "m")
    figure.text(x0, 206, "__syncthreads()", "halo")
    figure.text(x0, 230, "every warp reads all totals", "m halo")
    figure.text(x0, 248, "and runs the same shuffles", "m halo")
    figure.text(20, 340, "Orange: what lane 0's result is made of. Every lane has such a tree, so "
                         "every lane ends with the sum.", "m")
    return figure.done()


def network(keys):
    """The steps of sort.cuh for so many keys: (whether it stays within a thread, its pairs)."""
    steps = []
    for size in (2, 4, 8, 16):
        steps.append([(p, p ^ (size - 1)) for p in range(keys) if p < p ^ (size - 1)])
        distance = size // 4
        while distance > 0:
            steps.append([(p, p + distance) for p in range(keys) if not p & distance])
            distance //= 2
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
            if keys[high] < keys[low]:
                keys[low], keys[high] = keys[high], keys[low]
    assert keys == sorted(keys)
    for p in range(16):
        figure.text(718, y(p) + 4, keys[p])
    figure.comparator(28, 387, 401, "t0s")
    figure.text(38, 399, "within a thread: a minimum and a maximum", "m")
    figure.comparator(370, 387, 401, "t1s")
    figure.text(380, 399, "between threads: a shuffle, then a selection", "m")
    return figure.done()


def code_lines(text):
    """How many lines there are, without blank ones and comments."""
    lines = [line.strip() for line in text.splitlines()]
    return sum(1 for line in lines if line and not line.startswith("//"))


def lines_of(source, mark):
    """The lines of the excerpt `mark`."""
    text = (HERE / source).read_text(encoding="utf-8")
    match = re.search(rf"^//! \[{mark}\]\n(.*?)^//! \[{mark}\]$", text, re.M | re.S)
    return code_lines(match.group(1))


def library_length():
    """How long the headers are, in a sentence."""
    count = {path.name: code_lines(path.read_text(encoding="utf-8"))
             for path in sorted((HERE / "primitives").glob("*.cuh"))}
    return f"The headers have {sum(count.values())} lines of code, comments and blank lines apart."


def table():
    ours, cub = "primitives_rows_kernels.cuh", "peers/primitives_peers.cu"
    rows = [("add", ["Elementwise", "ElementwiseImpl"], "primitives_kernels.cuh", "cub_add",
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


def main():
    wanted = {HERE / "results" / "four_steps.svg": four_steps(),
              HERE / "results" / "layouts.svg": layouts(),
              HERE / "results" / "shuffle_tree.svg": shuffle_tree(),
              HERE / "results" / "bitonic.svg": bitonic(),
              **dict([filled("cub.md", "code_length", table()),
                      filled("library.md", "library_length", library_length())])}
    stale = [path for path, content in wanted.items()
             if not path.exists() or path.read_text(encoding="utf-8") != content]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(HERE)} is stale: run 06_primitives/results/figures.py")
        return 1 if stale else 0
    (HERE / "results").mkdir(exist_ok=True)
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
