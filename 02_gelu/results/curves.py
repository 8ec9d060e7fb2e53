#!/usr/bin/env python3
"""Computes the curves that the chapter's figures show: results/{curve,variants,tail,degrees,fit}.json.

    python3 02_gelu/results/curves.py

Python rounds exactly as IEEE 754 says, by computed.py; no GPU and no measurement is involved.
"""

import functools
import math
import sys
from pathlib import Path

import fit

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "common/tools" / room) for room in ("maintain", "reader")]
from computed import HALF_ULP, error_plot, function_plot, in_float, rounded, worst_nearby, write

RESULTS = Path(__file__).resolve().parent


def gelu_none(x):
    return 0.5 * x * math.erfc(-x * math.sqrt(0.5))


def gelu_tanh(x):
    u = math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)
    return x / (1.0 + math.exp(-2.0 * u))


def by_tanh(x, letter):
    """0.5 x (1 + tanh u) in the arithmetic of a type, as rung 6 has it, with a correctly rounded tanh."""
    r = functools.partial(rounded, letter=letter)
    cubic = r(1.0 + r(0.044715) * r(x * x))
    tanh = r(math.tanh(r(r(r(math.sqrt(2.0 / math.pi)) * x) * cubic)))
    return r(r(0.5 * x) * r(1.0 + tanh))


def fit_error():
    """Points (a, error in ULP of a half) of the polynomial in gelu_math.cuh."""
    coefficients = [in_float(c) for c in fit.fit("half", 6)[0]]
    digits, smallest, end, _ = fit.TYPES["half"]
    return [[a, (fit.polynomial(coefficients, a) - fit.log2_tail(a)) * fit.ulp_per_unit(a, digits, smallest)]
            for a in (end * step / 400 for step in range(1, 400))]


def slope_none(x):
    return 0.5 * math.erfc(-x * math.sqrt(0.5)) + x * math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def slope_tanh(x):
    v, slope = 1.5957691216057307 * (x + 0.044715 * x**3), 1.5957691216057307 * (1 + 0.134145 * x * x)
    sigmoid = 1.0 / (1.0 + math.exp(-v))
    return sigmoid * (1.0 + x * slope * (1.0 - sigmoid))


def textbook_none(x):
    """(1 + erf(x / sqrt 2)) / 2 + x phi(x) in float arithmetic, each function correctly rounded."""
    r = in_float
    cdf = r(0.5 * r(1.0 + r(math.erf(r(x * r(math.sqrt(0.5)))))))
    return r(cdf + r(r(x * r(0.3989422804014327)) * r(math.exp(r(r(x * x) * -0.5)))))


def textbook_tanh(x):
    """(1 + t) / 2 + x (1 - t^2) u' / 2 in float arithmetic, t = tanh u correctly rounded."""
    r = in_float
    square, root = r(x * x), r(math.sqrt(2.0 / math.pi))
    t = r(math.tanh(r(root * r(x + r(r(r(0.044715) * square) * x)))))
    slope = r(root * r(1.0 + r(r(0.134145) * square)))
    return r(r(0.5 * r(1.0 + t)) + r(r(r(0.5 * x) * r(1.0 - r(t * t))) * slope))


def error(of, exact, letter="f"):
    """The largest relative errors in the left tail."""
    return worst_nearby(-8, 0, 20, letter, of, exact)


def main():
    steps = [x / 50 for x in range(-200, 151)]
    write(RESULTS, "curve.json", function_plot(
        "GELU", "A ReLU with a smooth corner: a shallow dip to -0.17 at x = -0.75, then the identity.", -4, 3,
        [{"name": "GELU", "points": [[x, gelu_none(x)] for x in steps]},
         {"name": "max(x, 0)", "points": [[x, max(x, 0.0)] for x in steps], "style": "dashed"}]))
    write(RESULTS, "variants.json", {
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
    write(RESULTS, "tail.json", error_plot(
        "0.5 x (1 + tanh u) in the left tail", "largest relative error, with a correctly rounded tanh",
        "In half arithmetic the error passes one percent near x = -2.2, and from -3.6 on "
        "nothing is left; in float near -4.5 and from -5.2 on.",
        {"label": "x", "min": -8, "max": 0}, 1e-8,
        [{"name": name, "points": error(functools.partial(by_tanh, letter=letter), gelu_tanh, letter)}
         for name, letter in (("in half", "e"), ("in float", "f"))], HALF_ULP))
    write(RESULTS, "degrees.json", {
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
    write(RESULTS, "fit.json", {
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
    write(RESULTS, "backward.json", error_plot(
        "The textbook's derivatives in float", "largest relative error, with correctly rounded functions",
        "At the zero of the derivative, x = -0.75, both errors have a peak. In the left tail tanh has no right "
        "digit from -5.3 on; with erf the error stays at two or three percent.",
        {"label": "x", "min": -8, "max": 0}, 1e-8,
        [{"name": "none", "points": error(textbook_none, slope_none)},
         {"name": "tanh", "points": error(textbook_tanh, slope_tanh)}], HALF_ULP))

if __name__ == "__main__":
    main()
