#!/usr/bin/env python3
"""Computes the curves that the chapter's figures show: results/curve.json and results/near_zero.json.

    python3 01_elu/results/curves.py

Everything here is arithmetic that Python does exactly as IEEE 754 says: rounding a double to float or
half is what struct does. No GPU and no measurement is involved.
"""

import math
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "common/tools" / room) for room in ("maintain", "reader")]
import computed
from computed import rounded, worst_nearby

RESULTS = Path(__file__).resolve().parent


def elu(x, alpha=1.0):
    return x if x >= 0 else alpha * math.expm1(x)


def relative_error(x, letter):
    """Of exp(x) - 1 in the arithmetic of a type, with a correctly rounded exp; x is of the type."""
    computed = rounded(rounded(math.exp(x), letter) - 1.0, letter)
    return abs(computed - math.expm1(x)) / abs(math.expm1(x))


def near_zero(letter):
    """Points (-x, largest relative error in the neighbourhood), 40 per decade."""
    points = []
    for step in range(-8 * 40, 0):
        worst = 0.0
        for part in range(16):
            x = rounded(-(10 ** ((step + part / 16) / 40)), letter)
            if x != 0.0:
                worst = max(worst, relative_error(x, letter))
        points.append([10 ** (step / 40), worst or None])  # None: the type has no such value
    return points


def curve(alpha):
    return [[x / 50, elu(x / 50, alpha)] for x in range(-250, 126)]


def derivative_error(of, gradient):
    """Of a gradient of ELU in half."""
    return worst_nearby(-18, 0, 10, "e", lambda x: abs(of(x) / (math.exp(x) * gradient) - 1.0))


def main():
    computed.write(RESULTS, "curve.json", {
        "title": "ELU",
        "desc": "Identity above zero; below, an exponential that levels off at minus alpha.",
        "height": 280,
        "x": {"label": "x", "min": -5, "max": 2.5},
        "y": {"label": "ELU(x)"},
        "series": [{"name": "alpha = 1", "points": curve(1.0)},
                   {"name": "alpha = 1.6733", "points": curve(1.6733), "style": "dashed"}],
        "lines": [{"x": 0, "label": ""}, {"y": 0, "label": ""}],
    })
    computed.write(RESULTS, "near_zero.json", {
        "title": "exp(x) - 1 near zero",
        "subtitle": "largest relative error, with a correctly rounded exponential",
        "desc": "The error grows as x nears zero: in float it reaches 1 below 3e-8, in half "
                "below 2e-4. The line at the bottom is half a unit in the last place of a half.",
        "height": 320,
        "x": {"label": "-x", "scale": "log", "min": 1e-8, "max": 1},
        "y": {"label": "relative error", "scale": "log", "min": 1e-8, "max": 2},
        "series": [{"name": "in half", "points": near_zero("e")},
                   {"name": "in float", "points": near_zero("f")}],
        "lines": [{"y": 2.0 ** -12, "label": "half a ULP of a half", "side": "left"}],
    })

    computed.write(RESULTS, "backward.json", {
        "title": "The gradient of ELU in half, for dy = 1024",
        "subtitle": "largest relative error, with correctly rounded exponentials",
        "desc": "From the saved result y the error passes one percent at x = -3.75 and reaches 1 at -8.4; with the derivative "
                "rounded to half the digits go below -10; rounded once, they stay until dx itself is small.",
        "height": 320,
        "x": {"label": "x", "min": -18, "max": 0},
        "y": {"label": "relative error", "scale": "log", "min": 1e-5, "max": 2},
        "series": [
            {"name": "(y + 1) dy", "points": derivative_error(
                lambda x: rounded((rounded(math.expm1(x), "e") + 1.0) * 1024.0, "e"), 1024.0)},
            {"name": "e^x as a half, times dy", "points": derivative_error(
                lambda x: rounded(rounded(math.exp(x), "e") * 1024.0, "e"), 1024.0)},
            {"name": "rounded once", "style": "dashed", "points": derivative_error(
                lambda x: rounded(math.exp(x) * 1024.0, "e"), 1024.0)}],
    })

if __name__ == "__main__":
    main()
