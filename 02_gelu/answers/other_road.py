#!/usr/bin/env python3
"""Exercise "The other road" of notes/polynomial.md: the degree that 2^P(a) = (1 + tanh u) / 2 needs on the left."""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "results"))

import fit  # noqa: E402: it is in results/


def tail(a):
    """(1 + tanh u) / 2 at x = -a: one over 1 + e^(-2u), so that nothing cancels."""
    return 1.0 / (1.0 + math.exp(2.0 * math.sqrt(2.0 / math.pi) * (a + 0.044715 * a**3)))


def log2_tail(a):
    return math.log2(tail(a))


def ulp_per_unit(a, digits, smallest):
    """As in fit.py, with this tail."""
    ulps = [max(value * 2.0**-digits, 2.0 ** (smallest - digits + 1))
            for value in (a * tail(a), a * (1.0 - tail(a)))]
    return a * tail(a) * math.log(2.0) / min(ulps)


fit.log2_tail, fit.ulp_per_unit = log2_tail, ulp_per_unit


def main():
    errors = {degree: fit.fit("half", degree)[1] for degree in range(5, 11)}
    for degree, error in errors.items():
        print(f"degree {degree}: {error:.4f} ULP")
    first = min(degree for degree, error in errors.items() if error <= 0.01)
    print(f"the first below 0.01 ULP: {first}")
    return 0 if first == 9 else 1


if __name__ == "__main__":
    sys.exit(main())
