#!/usr/bin/env python3
"""Exercise "Save a multiply-add" of notes/polynomial.md: how often degree 5 rounds to the wrong half, in the variant erf."""

import math
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "results"))

import fit  # noqa: E402: it is in results/


def to_half(value):
    return struct.unpack("<e", struct.pack("<e", value))[0]


def ulp(value):
    """The distance between halves at `value`; below 2^-14 it no longer shrinks."""
    _, exponent = math.frexp(value)
    return 2.0 ** (max(exponent, -13) - 11)


def count(coefficients):
    """How many halves get the wrong neighbour, and the largest error in ULP."""
    wrong, largest = 0, 0.0
    for pattern in range(0x10000):
        x, = struct.unpack("<e", struct.pack("<H", pattern))
        if not math.isfinite(x):
            continue
        a = min(abs(x), 6.0)
        y = to_half(max(x, 0.0) - a * 2.0 ** fit.polynomial(coefficients, a))
        exact = 0.5 * x * math.erfc(-x * math.sqrt(0.5))
        wrong += y != to_half(exact)
        largest = max(largest, abs(y - exact) / ulp(exact))
    return wrong, largest


def main():
    for degree in (6, 5):
        coefficients, _ = fit.fit("half", degree)
        wrong, largest = count(coefficients)
        print(f"degree {degree}: {wrong} wrong neighbours, largest error {largest:.4f} ULP")
    return 0 if 1000 < wrong < 2500 and largest < 0.64 else 1


if __name__ == "__main__":
    sys.exit(main())
