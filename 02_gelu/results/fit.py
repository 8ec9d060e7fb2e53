#!/usr/bin/env python3
"""Fits the polynomials of gelu_math.cuh: log2 Phi(-a), for half and for bf16.

    python3 02_gelu/results/fit.py

Phi(-a) = 2^P(a) gives GELU(-a) = -a 2^P(a). An error of E in P is a relative error of E ln 2 in the
result, and the result is about to be rounded: what counts is the error in units of its last place
(ULP). So the fit is weighted, and the polynomial is the one whose largest weighted error is smallest.
It is found by Remez's exchange: a polynomial of degree d whose weighted error reaches +m, -m, +m, ..
at d + 2 points is the best there is; solve for such a one on d + 2 points, move the points to the
extremes of its error, and repeat.
"""

import itertools
import math

# name: digits of precision, smallest exponent of a normal number, end of the tail, degree
TYPES = {"half": (11, -14, 5.75, 6), "bf16": (8, -126, 13.6, 9)}
POINTS = 2000


def log2_tail(a):
    """log2 Phi(-a), the logarithm of the normal distribution's left tail."""
    return math.log2(0.5 * math.erfc(a * math.sqrt(0.5)))


def ulp_per_unit(a, digits, smallest):
    """How many ULP a change of 1 in log2 Phi(-a) is, in GELU(-a) and in GELU(a): the larger."""
    tail = 0.5 * math.erfc(a * math.sqrt(0.5))
    # The last place is worth at most 2^(1 - digits) and at least half of that of a normal number;
    # take the half, and below the normal numbers their fixed step.
    ulps = [max(value * 2.0**-digits, 2.0 ** (smallest - digits + 1))
            for value in (a * tail, a * (1.0 - tail))]
    return a * tail * math.log(2.0) / min(ulps)


def solve(rows):
    """The solution of a linear system, each row with its right side last (Gauss, pivoting)."""
    n = len(rows)
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i])]
    result = [0.0] * n
    for i in reversed(range(n)):
        known = sum(rows[i][j] * result[j] for j in range(i + 1, n))
        result[i] = (rows[i][n] - known) / rows[i][i]
    return result


def polynomial(coefficients, a):
    result = 0.0
    for c in reversed(coefficients):
        result = result * a + c
    return result


def extremes(errors, count):
    """Indices of `count` alternating extremes of a sequence of signed errors."""
    groups = itertools.groupby(range(len(errors)), lambda i: errors[i] > 0)
    found = [max(group, key=lambda i: abs(errors[i])) for _, group in groups]
    while len(found) > count:
        del found[0 if abs(errors[found[0]]) < abs(errors[found[-1]]) else -1]
    return found


def fit(name, degree):
    """The best polynomial of that degree, lowest coefficient first, and its largest error in ULP."""
    digits, smallest, end, _ = TYPES[name]
    grid = [end * (1.0 - math.cos(math.pi * (i + 0.5) / POINTS)) / 2 for i in range(POINTS)]
    values = [log2_tail(a) for a in grid]
    weights = [ulp_per_unit(a, digits, smallest) for a in grid]
    count = degree + 2
    points = [round(i * (POINTS - 1) / (count - 1)) for i in range(count)]
    best, least = None, math.inf
    for _ in range(30):
        # Unknown: the coefficients of a polynomial in a / end, and the error m.
        rows = [[(grid[p] / end) ** j for j in range(degree + 1)]
                + [(-1) ** i / weights[p], values[p]] for i, p in enumerate(points)]
        solution = solve(rows)
        coefficients = [c / end**j for j, c in enumerate(solution[:-1])]
        errors = [(polynomial(coefficients, a) - v) * w
                  for a, v, w in zip(grid, values, weights)]
        largest = max(abs(error) for error in errors)
        if largest < least:
            best, least = coefficients, largest
        if largest < abs(solution[-1]) * 1.0001:
            break
        moved = extremes(errors, count)
        if len(moved) < count:
            break
        points = moved
    return best, least


def main():
    for name, (_, _, end, degree) in TYPES.items():
        coefficients, error = fit(name, degree)
        print(f"{name}: degree {degree} on [0, {end}], largest error {error:.4f} ULP")
        for j, c in enumerate(coefficients):
            print(f"  {c:+.9g} a^{j}")


if __name__ == "__main__":
    main()
