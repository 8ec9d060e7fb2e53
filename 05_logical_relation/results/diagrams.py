#!/usr/bin/env python3
"""Draws the lesson's figures: goal, times, stores, truth_bits, who_holds and four_bits, in results/.

    python3 05_logical_relation/results/diagrams.py          # writes them
    python3 05_logical_relation/results/diagrams.py --check  # writes nothing; exits 1 if one is stale

goal and times show the recorded run; where a byte or a bit goes follows from the kernels.
"""

import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parent
sys.path[:0] = [str(RESULTS.parents[1] / "common/tools" / room) for room in ("maintain", "reader")]

import computed  # noqa: E402: it is in common/tools/maintain
import figures  # noqa: E402: as well
import runs  # noqa: E402: it is in common/tools/reader

WIDTH, LEFT = figures.WIDTH, 14
INKS = ("s0", "s1", "s2", "s3")


class Drawing(figures.Canvas):
    """A canvas with the few shapes that the figures share."""

    def __init__(self, height, title, description):
        super().__init__(WIDTH, height, title, description)
        self.text(LEFT, 26, title, kind="h")

    def row_of(self, y, cells, size):
        """Cells (ink, words) side by side from the left edge on; ink None: empty."""
        for place, (ink, words) in enumerate(cells):
            x = LEFT + place * size
            self.rect(x + 0.5, y, size - 1, 18, ink or "grid")
            if words:
                self.text(x + size / 2, y + 13, words, "page" if ink else "muted", "middle", "s")

    def label(self, y, words, ink="muted"):
        self.text(LEFT, y, words, ink, kind="t")


def bars(title, names, with_numbers):
    """How long the lesson's comparisons of halves take. names: {rung's name: its number}."""
    run = runs.load_run(RESULTS / runs.shown_name("main.json"))
    took = {row.rung: row.median_us for row in run.select(dtype="f16", shape="16384x16384", regime="cold") if row.rung in names}
    drawing = Drawing(58 + 24 * len(names) + 10, title, "; ".join(f"{name}: {took[name]:,.0f} microseconds" for name in names))
    drawing.label(46, f"16384\u00d716384 halves, cold, {run.device}; " + ("microseconds" if with_numbers else "time"))
    left, right = LEFT + 186, WIDTH - LEFT - 46
    for place, (name, rung) in enumerate(names.items()):
        y, length = 60 + 24 * place, took[name] / max(took.values()) * (right - left)
        drawing.text(LEFT, y + 13, f"{rung} {name}", kind="m")
        drawing.rect(left, y, length, 17, "rung" if name.endswith(("ballot", "bits")) else "s5", 2)
        if with_numbers:
            drawing.text(left + length + 6, y + 13, f"{took[name]:,.0f}", kind="n")
    return drawing


def goal():
    """Where the lesson begins and ends; the reader is asked for the numbers."""
    return bars("Three ways to write down the same answers",
                {"greater_f16": "B1", "greater_f16x8_pack": "B3", "greater_f16x8_bits": "B8"}, False)


def times():
    """The lesson's five comparisons of halves."""
    return bars("Time for the same comparisons",
                {"greater_f16": "B1", "greater_half8": "B2", "greater_f16x8_pack": "B3", "greater_f16x16_ballot": "B7",
                 "greater_f16x8_bits": "B8"}, True)


def stores():
    """The stores of rungs B2 and B3: eight lanes of a warp, two sectors."""
    lanes, bytes_each = 8, 8
    size = (WIDTH - 2 * LEFT) / (lanes * bytes_each)
    drawing = Drawing(300, "What eight of the 32 lanes store", "greater_half8 stores eight times, one byte a lane, eight bytes "
                      "apart: each store touches both sectors and fills an eighth of them. greater_f16x8_pack stores once, "
                      "eight bytes a lane, side by side.")
    drawing.label(46, "A colour is a lane, a gray box a sector of 32 bytes.")
    drawing.label(72, "B2 · greater_half8: eight stores of 1 byte", "ink")

    def sectors(y):
        for sector in range(2):
            drawing.rect(LEFT + sector * 32 * size + 1, y, 32 * size - 2, 14, "grid")

    y = 80
    for store in range(bytes_each):
        sectors(y)
        for lane in range(lanes):
            drawing.rect(LEFT + (lane * bytes_each + store) * size, y, size, 14, INKS[lane % 4])
        y += 18
    drawing.label(y + 22, "B3 · greater_f16x8_pack: one store of 8 bytes", "ink")
    y += 30
    sectors(y)
    for lane in range(lanes):
        drawing.rect(LEFT + lane * bytes_each * size + 0.5, y, bytes_each * size - 1, 14, INKS[lane % 4])
        drawing.text(LEFT + (lane + 0.5) * bytes_each * size, y + 11, f"lane {lane}", "page", "middle", "s")
    drawing.height = y + 30
    return drawing


def truth_bits():
    values, size, gap = (0, 2, 128), 16, 14
    steps = (("the byte", lambda v: v), ("its low seven bits, plus 127", lambda v: (v & 127) + 127),
             ("that, or the byte itself", lambda v: (v & 127) + 127 | v))
    drawing = Drawing(300, "Bit 7 becomes the truth", "; ".join(
        f"{v}: " + ", ".join(f"{words} {step(v):08b}" for words, step in steps) for v in values))
    for column, value in enumerate(values):
        drawing.text(LEFT + column * (8 * size + gap) + 4 * size, 52, str(value), anchor="middle")
    y = 60
    for number, (words, step) in enumerate(steps):
        drawing.label(y + 14, words)
        for column, value in enumerate(values):
            for place, bit in enumerate(f"{step(value):08b}"):
                x = LEFT + column * (8 * size + gap) + place * size
                last = number == len(steps) - 1 and place == 0
                ink = ("s1" if last else "s0") if bit == "1" else "grid"
                drawing.rect(x + 0.5, y + 20, size - 1, 20, ink)
                drawing.text(x + size / 2, y + 34, bit, "page" if bit == "1" else "muted", "middle", "s")
        y += 54
    for column, value in enumerate(values):
        drawing.text(LEFT + column * (8 * size + gap), y + 6, "1: true" if value else "0: false", "s1" if value else "muted",
                     "start", "t")
    drawing.height = y + 22
    return drawing


def who_holds():
    """Which lane holds which of 32 answers, for a vote and in a pack."""
    size = (WIDTH - 2 * LEFT) / 32
    drawing = Drawing(300, "Who holds 32 neighbouring answers?", "In a vote lane k holds answer k, and each lane has loaded one "
                      "element, 2 bytes. In a pack lane k holds answers 8 k to 8 k + 7, and each lane has loaded 16 bytes.")

    def elements(y, ink_of):
        for k in range(32):
            drawing.rect(LEFT + k * size + 0.5, y, size - 1, 18, ink_of(k))

    drawing.label(52, "A vote: 32 lanes, one each. A lane loads 2 bytes.", "ink")
    elements(60, lambda k: INKS[k % 4])
    for k in (0, 31):
        drawing.text(LEFT + (k + 0.5) * size, 92, str(k), "muted", "middle", "s")
    drawing.text(WIDTH / 2, 92, "the vote gathers their bits", "muted", "middle", "s")
    drawing.row_of(100, [("s5", "a word of 32 bits, which one lane stores")], 32 * size)
    drawing.label(150, "A pack: four lanes, eight each. A lane loads 16 bytes.", "ink")
    elements(158, lambda k: INKS[k // 8])
    for k in range(4):
        drawing.text(LEFT + (8 * k + 4) * size, 190, f"lane {k}", "muted", "middle", "s")
    drawing.row_of(198, [(INKS[k], "a byte, stored") for k in range(4)], 8 * size)
    drawing.height = 232
    return drawing


def four_bits():
    """The multiplication of rung B8: shifted copies, and where the four answers meet."""
    size = (WIDTH - 2 * LEFT) / 32
    drawing = Drawing(300, "One product gathers four bits", "Four copies of a word, shifted left by 24, 17, 10 and 3, bring its bits "
                      "0, 8, 16 and 24 to the places 24, 25, 26 and 27.")
    meeting = {24: 0, 25: 1, 26: 2, 27: 3}

    def bits(y, words, held):
        """held: {place in the word: answer}."""
        drawing.label(y + 11, words)
        drawing.row_of(y + 17, [(None, "")] * 4, 8 * size)
        for place, answer in held.items():
            x = LEFT + (31 - place) * size
            drawing.rect(x + 0.5, y + 17, size - 1, 18, INKS[answer])
            drawing.text(x + size / 2, y + 30, str(answer), "page", "middle", "s")
            if meeting.get(place) == answer:
                drawing.line(x + 0.5, y + 37, x + size - 0.5, y + 37, "ink", 2)

    word = {0: 0, 8: 1, 16: 2, 24: 3}
    y = 38
    bits(y, "the word: answer k in byte k", word)
    y += 48
    total = {}
    for shift in (24, 17, 10, 3):
        moved = {place + shift: answer for place, answer in word.items() if place + shift < 32}
        total.update(moved)
        bits(y, f"shifted by {shift}", moved)
        y += 42
    y += 6
    bits(y, "their sum; >> 24 leaves the four bits on the left", total)
    drawing.height = y + 50
    return drawing


if __name__ == "__main__":
    sys.exit(computed.keep({RESULTS / f"{draw.__name__}.svg": draw().render()
                            for draw in (goal, times, stores, truth_bits, who_holds, four_bits)}, "--check" in sys.argv))
