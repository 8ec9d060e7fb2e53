#!/usr/bin/env python3
"""Computes the curves that the chapter's figures show: results/curve.json and results/near_zero.json.

    python3 01_elu/results/curves.py

Python rounds exactly as IEEE 754 says, by computed.py; no GPU and no measurement is involved.
"""

import math
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "common/tools" / room) for room in ("maintain", "reader")]
from computed import HALF_ULP, error_plot, function_plot, rounded, worst_nearby, write

RESULTS = Path(__file__).resolve().parent


def elu(x, alpha=1.0):
    return x if x >= 0 else alpha * math.expm1(x)


def near_zero(letter):
    """Points (-x, largest relative error of exp(x) - 1 in a type, with a correctly rounded exp), 40 per decade."""
    points = worst_nearby(-8, 0, 40, letter, lambda x: rounded(rounded(math.exp(-x), letter) - 1.0, letter),
                          lambda x: math.expm1(-x), lambda decade: 10 ** decade)
    return [[x, worst or None] for x, worst in points]  # None: the type has no such value


def curve(alpha):
    return [[x / 50, elu(x / 50, alpha)] for x in range(-250, 126)]


def derivative_error(of):
    """Of a gradient of ELU in half, for dy = 1024."""
    return worst_nearby(-18, 0, 10, "e", of, lambda x: math.exp(x) * 1024.0)


def main():
    write(RESULTS, "curve.json", function_plot(
        "ELU", "Identity above zero; below, an exponential that levels off at minus alpha.", -5, 2.5,
        [{"name": "alpha = 1", "points": curve(1.0)},
         {"name": "alpha = 1.6733", "points": curve(1.6733), "style": "dashed"}]))
    write(RESULTS, "near_zero.json", error_plot(
        "exp(x) - 1 near zero", "largest relative error, with a correctly rounded exponential",
        "The error grows as x nears zero: in float it reaches 1 below 3e-8, in half "
        "below 2e-4. The line at the bottom is half a unit in the last place of a half.",
        {"label": "-x", "scale": "log", "min": 1e-8, "max": 1}, 1e-8,
        [{"name": "in half", "points": near_zero("e")}, {"name": "in float", "points": near_zero("f")}], HALF_ULP))
    write(RESULTS, "backward.json", error_plot(
        "The gradient of ELU in half, for dy = 1024", "largest relative error, with correctly rounded exponentials",
        "From the saved result y the error passes one percent at x = -3.75 and reaches 1 at -8.4; with the derivative "
        "rounded to half the digits go below -10; rounded once, they stay until dx itself is small.",
        {"label": "x", "min": -18, "max": 0}, 1e-5, [
            {"name": "(y + 1) dy", "points": derivative_error(
                lambda x: rounded((rounded(math.expm1(x), "e") + 1.0) * 1024.0, "e"))},
            {"name": "e^x as a half, times dy", "points": derivative_error(
                lambda x: rounded(rounded(math.exp(x), "e") * 1024.0, "e"))},
            {"name": "rounded once", "style": "dashed", "points": derivative_error(
                lambda x: rounded(math.exp(x) * 1024.0, "e"))}]))

if __name__ == "__main__":
    main()
