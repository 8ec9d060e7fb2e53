#!/usr/bin/env python3
"""Computes the curves that the chapter's figures show: results/curve.json and results/tail.json.

    python3 03_swish/results/curves.py

Python rounds exactly as IEEE 754 says, by computed.py; no GPU and no measurement is involved.
"""

import math
import struct
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "common/tools" / room) for room in ("maintain", "reader")]
from computed import error_plot, function_plot, in_float, rounded, worst_nearby, write

RESULTS = Path(__file__).resolve().parent


def swish(x, beta=1.0):
    e = math.exp(-abs(beta * x))
    return (x * e if beta * x < 0 else x) / (1 + e)


def textbook(x, letter):
    """x times 1 / (1 + e^-x), every step rounded to the type."""
    e = rounded(math.exp(-x), letter)
    return rounded(x * rounded(1 / rounded(1 + e, letter), letter), letter)


def safe(x, letter):
    """x e^x / (1 + e^x), the form of rungs 1 to 7, every step rounded to the type."""
    e = rounded(math.exp(x), letter)
    return rounded(rounded(x * e, letter) / rounded(1 + e, letter), letter)


def errors(form, letter, least):
    """Points (-x, largest relative error in the neighbourhood), while Swish is at least `least`."""
    points = []
    for step in range(0, 440):
        near = [rounded(-(step + part / 8 + 0.4) / 4, letter) for part in range(8)]
        found = [abs(form(x, letter) - swish(x)) / abs(swish(x)) for x in near if abs(swish(x)) >= least]
        points.append([step / 4, max(found, default=0.0)])
    return [point for point in points if point[1]]


def bf16(value):
    """`value`, a float, rounded to bf16."""
    bits = struct.unpack("I", struct.pack("f", value))[0]
    return struct.unpack("f", struct.pack("I", (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000))[0]


def divided(x, least=0.0):
    """x / (1 + e^-x) in float. With least: x times a reciprocal, which is 0 if it is smaller than that."""
    below = in_float(1.0 + in_float(math.exp(-x)))
    if not least:
        return in_float(x / below)
    reciprocal = in_float(1.0 / below)
    return in_float(x * (reciprocal if reciprocal >= least else 0.0))


def two_factors(x):
    """For x < 0, with q = e^(x/2): x q times q / (1 + q^2), every step rounded to float."""
    q = in_float(math.exp(x / 2))
    other = in_float(q * in_float(1.0 / in_float(1.0 + q * q)))
    return in_float(in_float(x * q) * other)


def bf16_errors(form):
    """Points (x, relative error) for every bf16 from -97 to -80."""
    return [[x / 2, abs(bf16(form(x / 2)) / swish(x / 2) - 1.0)] for x in range(-194, -159)]


def curve(beta):
    return [[x / 50, swish(x / 50, beta)] for x in range(-300, 126)]


def slope(x):
    e = math.exp(-abs(x))
    sigmoid, other = (e if x < 0 else 1.0) / (1.0 + e), (1.0 if x < 0 else e) / (1.0 + e)
    return sigmoid * (1.0 + x * other)


def textbook_slope(x):
    """s (1 + x (1 - s)) in float arithmetic, with a correctly rounded exponential."""
    r = in_float
    sigmoid = r(1.0 / r(1.0 + r(math.exp(-x))))
    return r(sigmoid * r(1.0 + r(x * r(1.0 - sigmoid))))


def slope_error(letter, of):
    """The largest relative error of the derivative times dy = 1024."""
    return worst_nearby(-22, 0, 10, letter, of, lambda x: slope(x) * 1024.0)


def main():
    write(RESULTS, "curve.json", function_plot(
        "Swish", "Near zero for very negative x, a dip to -0.28 at -1.28, and the identity for large "
        "x; a larger beta is closer to ReLU.", -6, 2.5,
        [{"name": "beta = 1", "points": curve(1.0)},
         {"name": "beta = 1.702", "points": curve(1.702), "style": "dashed"},
         {"name": "beta = 4", "points": curve(4.0), "style": "dashed"}]))
    half_least, float_least = 2.0 ** -24, 2.0 ** -149
    write(RESULTS, "tail.json", error_plot(
        "Swish far below zero", "largest relative error, with a correctly rounded exponential",
        "In half the textbook formula is entirely wrong from -11.1 down, in float from "
        "-88.7 down; the form with e^x degrades slowly, where numbers become subnormal.",
        {"label": "-x", "min": 0, "max": 110}, 1e-8,
        [{"name": "x sigmoid(x), half", "points": errors(textbook, "e", half_least)},
         {"name": "with e^x, half", "points": errors(safe, "e", half_least), "style": "dashed"},
         {"name": "x sigmoid(x), float", "points": errors(textbook, "f", float_least)},
         {"name": "with e^x, float", "points": errors(safe, "f", float_least), "style": "dashed"}]))
    write(RESULTS, "tail_bf16.json", error_plot(
        "Swish far below zero, in bf16", "relative error of correctly rounded steps; rcp_approx flushes to 0 below 2^-126",
        "The product with rcp_approx is 0 from -87.5 down, the quotient from -89 down; the product of two "
        "factors stays correctly rounded.",
        {"label": "x", "min": -97, "max": -80}, 1e-4,
        [{"name": "x * rcp_approx(1 + e)", "points": bf16_errors(lambda x: divided(x, 2.0 ** -126))},
         {"name": "x / (1 + e)", "points": bf16_errors(divided)},
         {"name": "two factors (section 9)", "points": bf16_errors(two_factors), "style": "dashed"}]))
    write(RESULTS, "backward.json", error_plot(
        "The gradient of Swish far below zero, for dy = 1024", "largest relative error, with a correctly rounded exponential",
        "In float the textbook's derivative has few digits at its zero, x = -1.28. In half, a derivative "
        "that is rounded before dy comes in loses its digits below -12; rounded once, dx keeps them.",
        {"label": "x", "min": -22, "max": 0}, 1e-8,
        [{"name": "textbook, float", "points": slope_error("f", lambda x: textbook_slope(x) * 1024.0)},
         {"name": "derivative as a half, times dy", "points": slope_error(
             "e", lambda x: rounded(rounded(slope(x), "e") * 1024.0, "e"))},
         {"name": "rounded once, half", "style": "dashed", "points": slope_error(
             "e", lambda x: rounded(slope(x) * 1024.0, "e"))}]))
    # A row of activations of which the largest is 0.01, before and after the scale.
    def e4m3(value):
        unit = 2.0 ** (max(math.floor(math.log2(abs(value))), -6) - 3)
        return round(value / unit) * unit
    values = [0.01 * 2.0 ** (-step / 16) for step in range(129)]
    write(RESULTS, "quantize.json", {
        "title": "A row whose largest value is 0.01, as E4m3",
        "subtitle": "relative error of each value",
        "desc": "With the scale applied before rounding the error stays below a sixteenth for values down to a 28,672nd "
                "of the largest; without it, what is below a thousandth is zero.",
        "height": 300,
        "x": {"label": "value", "scale": "log", "min": 0.01 / 256, "max": 0.01},
        "y": {"label": "relative error", "min": 0, "max": 1.05},
        "series": [{"name": "rounded, then scaled", "points": [[v, abs(e4m3(v) / v - 1.0)] for v in values]},
                   {"name": "scaled, then rounded", "points": [
                       [v, abs(e4m3(v * 44800.0) / 44800.0 / v - 1.0)] for v in values]}],
        "lines": [{"y": 0.0625, "label": "one sixteenth", "side": "left"}],
    })

if __name__ == "__main__":
    main()
