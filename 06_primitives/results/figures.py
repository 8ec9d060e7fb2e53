#!/usr/bin/env python3
"""Draws the chapter's two figures, results/four_steps.svg and results/layouts.svg, and counts the lines
of its kernels.

    python3 06_primitives/results/figures.py          # writes the figures and the README's table of lines
    python3 06_primitives/results/figures.py --check  # writes nothing; exits 1 if something is stale

Nothing here is measured: the figures show what layout.cuh says in words, the table counts source lines
between the marks of each kernel, blank lines and comments apart.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]  # the chapter
README = HERE / "README.md"
OPEN, CLOSE = "<!-- code_length -->", "<!-- /code_length -->"

STYLE = """<style>
text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;fill:#1f2328}
.m{fill:#59636e}.page{fill:#fff;stroke:#d1d9e0}.cell{stroke:#fff}.box{fill:none;stroke:#9aa4af}
.t0{fill:#0b63b8}.t1{fill:#c2570c}.t2{fill:#0f7b5f}.t3{fill:#a0338a}.c{fill:#fff;font-size:12px}
.arrow{stroke:#59636e;stroke-width:1.5;fill:none}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.m{fill:#9198a1}.page{fill:#0d1117;stroke:#30363d}
.cell{stroke:#0d1117}.box{stroke:#59636e}.t0{fill:#2f7bd0}.t1{fill:#c9702a}.t2{fill:#2a9d7a}
.t3{fill:#b85aa6}.c{fill:#fff}.arrow{stroke:#9198a1}}
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
    words = [("1 Init", 20, "every register holds something that computes"),
             ("2 Read", 20, "elements of the tile; at the boundary, those that exist"),
             ("3 Compute", 420, "registers to registers, or across threads"),
             ("4 Write", 420, "the same elements, the same way back")]
    for row, (name, x, what) in enumerate(words):
        y = 140 + row % 2 * 30
        figure.text(x, y, name)
        figure.text(x + 74, y, what, "m")
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


def lines_of(source, mark):
    """The lines of the excerpt `mark`, without blank ones and comments."""
    text = (HERE / source).read_text(encoding="utf-8")
    match = re.search(rf"^//! \[{mark}\]\n(.*?)^//! \[{mark}\]$", text, re.M | re.S)
    lines = [line.strip() for line in match.group(1).splitlines()]
    return sum(1 for line in lines if line and not line.startswith("//"))


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


def main():
    text = README.read_text(encoding="utf-8")
    head, rest = text.split(OPEN, 1)
    tail = rest.split(CLOSE, 1)[1]
    wanted = {HERE / "results" / "four_steps.svg": four_steps(),
              HERE / "results" / "layouts.svg": layouts(),
              README: f"{head}{OPEN}\n\n{table()}\n\n{CLOSE}{tail}"}
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
