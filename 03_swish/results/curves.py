#!/usr/bin/env python3
"""Computes the curves that the chapter's figures show: results/curve.json and results/tail.json.

    python3 03_swish/results/curves.py

Everything here is arithmetic that Python does exactly as IEEE 754 says: rounding a double to float or
half is what struct does. No GPU and no measurement is involved.
"""

import math
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common/tools/reader"))
import recorded

RESULTS = Path(__file__).resolve().parent


def rounded(value, letter):
    """`value` rounded to float ("f") or half ("e"), to nearest even; what is too large is infinite."""
    try:
        return struct.unpack(letter, struct.pack(letter, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def exp(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def swish(x, beta=1.0):
    e = math.exp(-abs(beta * x))
    return (x * e if beta * x < 0 else x) / (1 + e)


def textbook(x, letter):
    """x times 1 / (1 + e^-x), every step rounded to the type."""
    e = rounded(exp(-x), letter)
    return rounded(x * rounded(1 / rounded(1 + e, letter), letter), letter)


def safe(x, letter):
    """x e^x / (1 + e^x), the form of rungs 1 to 7, every step rounded to the type."""
    e = rounded(math.exp(x), letter)
    return rounded(rounded(x * e, letter) / rounded(1 + e, letter), letter)


def errors(form, letter, least):
    """Points (-x, largest relative error in the neighbourhood), while Swish is at least `least`."""
    points = []
    for step in range(0, 440):
        worst = 0.0
        for part in range(8):
            x = rounded(-(step + part / 8 + 0.4) / 4, letter)
            if abs(swish(x)) >= least:
                worst = max(worst, abs(form(x, letter) - swish(x)) / abs(swish(x)))
        points.append([step / 4, worst or None])
    return [point for point in points if point[1] is not None]


def curve(beta):
    return [[x / 50, swish(x / 50, beta)] for x in range(-300, 126)]


def write(name, figure):
    (RESULTS / name).write_text(recorded.text(recorded.fewer_digits(figure)) + "\n", encoding="utf-8")


def main():
    write("curve.json", {
        "title": "Swish",
        "desc": "Near zero for very negative x, a dip to -0.28 at -1.28, and the identity for large "
                "x; a larger beta is closer to ReLU.",
        "height": 280,
        "x": {"label": "x", "min": -6, "max": 2.5},
        "y": {"label": "Swish(x)"},
        "series": [{"name": "beta = 1", "points": curve(1.0)},
                   {"name": "beta = 1.702", "points": curve(1.702), "style": "dashed"},
                   {"name": "beta = 4", "points": curve(4.0), "style": "dashed"}],
        "lines": [{"x": 0, "label": ""}, {"y": 0, "label": ""}],
    })
    half_least, float_least = 2.0 ** -24, 2.0 ** -149
    write("tail.json", {
        "title": "Swish far below zero",
        "subtitle": "largest relative error, with a correctly rounded exponential",
        "desc": "In half the textbook formula is entirely wrong from -11.1 down, in float from "
                "-88.7 down; the form with e^x degrades slowly, where numbers become subnormal.",
        "height": 320,
        "x": {"label": "-x", "min": 0, "max": 110},
        "y": {"label": "relative error", "scale": "log", "min": 1e-8, "max": 2},
        "series": [{"name": "x sigmoid(x), half", "points": errors(textbook, "e", half_least)},
                   {"name": "with e^x, half", "points": errors(safe, "e", half_least),
                    "style": "dashed"},
                   {"name": "x sigmoid(x), float", "points": errors(textbook, "f", float_least)},
                   {"name": "with e^x, float", "points": errors(safe, "f", float_least),
                    "style": "dashed"}],
    })


if __name__ == "__main__":
    main()
