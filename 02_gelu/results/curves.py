#!/usr/bin/env python3
"""Computes the curves that the chapter's figures show: results/{curve,variants,tail,degrees,fit}.json.

    python3 02_gelu/results/curves.py

Everything here is arithmetic that Python does exactly as IEEE 754 says: rounding a double to float or
half is what struct does. No GPU and no measurement is involved.
"""

import math
import sys
from pathlib import Path

import fit

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "common/tools" / room) for room in ("maintain", "reader")]
import computed
from computed import rounded, worst_nearby

RESULTS = Path(__file__).resolve().parent


def gelu_none(x):
    return 0.5 * x * math.erfc(-x * math.sqrt(0.5))


def gelu_tanh(x):
    u = math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)
    return x / (1.0 + math.exp(-2.0 * u))


def by_tanh(x, letter):
    """0.5 x (1 + tanh u) in the arithmetic of a type, as rung 6 has it, with a correctly rounded tanh."""
    def r(value):
        return rounded(value, letter)
    cubic = r(1.0 + r(0.044715) * r(x * x))
    tanh = r(math.tanh(r(r(r(math.sqrt(2.0 / math.pi)) * x) * cubic)))
    return r(r(0.5 * x) * r(1.0 + tanh))


def tail_error(letter):
    """The largest relative error of by_tanh."""
    return worst_nearby(-8, 0, 20, letter, lambda x: abs(by_tanh(x, letter) / gelu_tanh(x) - 1.0))


def fit_error():
    """Points (a, error in ULP of a half) of the polynomial in gelu_math.cuh."""
    coefficients = [rounded(c, "f") for c in fit.fit("half", 6)[0]]
    digits, smallest, end, _ = fit.TYPES["half"]
    points = []
    for step in range(1, 400):
        a = end * step / 400
        error = fit.polynomial(coefficients, a) - fit.log2_tail(a)
        points.append([a, error * fit.ulp_per_unit(a, digits, smallest)])
    return points


def slope_none(x):
    return 0.5 * math.erfc(-x * math.sqrt(0.5)) + x * math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def slope_tanh(x):
    v, slope = 1.5957691216057307 * (x + 0.044715 * x**3), 1.5957691216057307 * (1 + 0.134145 * x * x)
    sigmoid = 1.0 / (1.0 + math.exp(-v))
    return sigmoid * (1.0 + x * slope * (1.0 - sigmoid))


def textbook_none(x):
    """(1 + erf(x / sqrt 2)) / 2 + x phi(x) in float arithmetic, each function correctly rounded."""
    def r(value):
        return rounded(value, "f")
    cdf = r(0.5 * r(1.0 + r(math.erf(r(x * r(math.sqrt(0.5)))))))
    return r(cdf + r(r(x * r(0.3989422804014327)) * r(math.exp(r(r(x * x) * -0.5)))))


def textbook_tanh(x):
    """(1 + t) / 2 + x (1 - t^2) u' / 2 in float arithmetic, t = tanh u correctly rounded."""
    def r(value):
        return rounded(value, "f")
    square, root = r(x * x), r(math.sqrt(2.0 / math.pi))
    t = r(math.tanh(r(root * r(x + r(r(r(0.044715) * square) * x)))))
    slope = r(root * r(1.0 + r(r(0.134145) * square)))
    return r(r(0.5 * r(1.0 + t)) + r(r(r(0.5 * x) * r(1.0 - r(t * t))) * slope))


def slope_error(textbook, exact):
    """The largest relative error of a derivative in float."""
    return worst_nearby(-8, 0, 20, "f", lambda x: abs(textbook(x) / exact(x) - 1.0))


def main():
    steps = [x / 50 for x in range(-200, 151)]
    computed.write(RESULTS, "curve.json", {
        "title": "GELU",
        "desc": "A ReLU with a smooth corner: a shallow dip to -0.17 at x = -0.75, then the identity.",
        "height": 280,
        "x": {"label": "x", "min": -4, "max": 3},
        "y": {"label": "GELU(x)"},
        "series": [{"name": "GELU", "points": [[x, gelu_none(x)] for x in steps]},
                   {"name": "max(x, 0)", "points": [[x, max(x, 0.0)] for x in steps],
                    "style": "dashed"}],
        "lines": [{"x": 0, "label": ""}, {"y": 0, "label": ""}],
    })
    computed.write(RESULTS, "variants.json", {
        "title": "What tanh approximates, and what it leaves",
        "subtitle": "the difference: erf minus tanh",
        "desc": "The difference is largest near x = -2.7 and 2.7, just under five parts in ten "
                "thousand.",
        "height": 240,
        "x": {"label": "x", "min": -6, "max": 6},
        "series": [{"name": "erf - tanh",
                    "points": [[x / 25, gelu_none(x / 25) - gelu_tanh(x / 25)]
                               for x in range(-150, 151)]}],
        "lines": [{"y": 0, "label": ""}],
    })
    computed.write(RESULTS, "tail.json", {
        "title": "0.5 x (1 + tanh u) in the left tail",
        "subtitle": "largest relative error, with a correctly rounded tanh",
        "desc": "In half arithmetic the error passes one percent near x = -2.2, and from -3.6 on "
                "nothing is left; in float near -4.5 and from -5.2 on.",
        "height": 320,
        "x": {"label": "x", "min": -8, "max": 0},
        "y": {"label": "relative error", "scale": "log", "min": 1e-8, "max": 2},
        "series": [{"name": "in half", "points": tail_error("e")},
                   {"name": "in float", "points": tail_error("f")}],
        "lines": [{"y": 2.0 ** -12, "label": "half a ULP of a half", "side": "left"}],
    })
    computed.write(RESULTS, "degrees.json", {
        "title": "How long the polynomial has to be",
        "subtitle": "largest error of the best fit of log2 Phi(-a), in ULP of the result",
        "desc": "Each degree divides the error by two to eighteen. A half needs degree 6, bf16 "
                "degree 9, to stay below a hundredth of a ULP.",
        "height": 300,
        "x": {"label": "degree", "min": 2, "max": 11},
        "y": {"label": "error in ULP", "scale": "log", "min": 1e-5, "max": 20},
        "series": [{"name": name, "style": "dots",
                    "points": [[d, fit.fit(name, d)[1]] for d in range(3, 11)]}
                   for name in fit.TYPES],
        "lines": [{"y": 0.01, "label": "0.01 ULP", "side": "right"}],
    })
    computed.write(RESULTS, "fit.json", {
        "title": "The error of the polynomial for a half",
        "subtitle": "degree 6, coefficients rounded to float",
        "desc": "The error swings eight times between plus and minus 0.008 ULP: no polynomial of "
                "this degree does better.",
        "height": 240,
        "x": {"label": "a", "min": 0, "max": 5.75},
        "y": {"label": "error in ULP"},
        "series": [{"name": "P(a) - log2 Phi(-a)", "points": fit_error()}],
        "lines": [{"y": 0, "label": ""}],
    })

    computed.write(RESULTS, "backward.json", {
        "title": "The textbook's derivatives in float",
        "subtitle": "largest relative error, with correctly rounded functions",
        "desc": "At the zero of the derivative, x = -0.75, both errors have a peak. In the left tail tanh has no right "
                "digit from -5.3 on; with erf the error stays at two or three percent.",
        "height": 320,
        "x": {"label": "x", "min": -8, "max": 0},
        "y": {"label": "relative error", "scale": "log", "min": 1e-8, "max": 2},
        "series": [{"name": "none", "points": slope_error(textbook_none, slope_none)},
                   {"name": "tanh", "points": slope_error(textbook_tanh, slope_tanh)}],
        "lines": [{"y": 2.0 ** -12, "label": "half a ULP of a half", "side": "left"}],
    })

if __name__ == "__main__":
    main()
