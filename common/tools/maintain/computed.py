"""What a chapter's results/curves.py shares: arithmetic that Python does exactly as IEEE 754 says."""

import math
import struct

import recorded


def rounded(value, letter):
    """`value` rounded to float ("f") or half ("e"), to nearest even; what is too large is infinite."""
    try:
        return struct.unpack(letter, struct.pack(letter, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def write(folder, name, figure):
    (folder / name).write_text(recorded.plot_text(figure), encoding="utf-8")


def worst_nearby(first, last, each, letter, error, parts=16):
    """Points (x, largest error(x) in the neighbourhood) from first to last, `each` per unit; x is of the type."""
    return [[step / each, max(error(rounded((step + part / parts) / each, letter)) for part in range(parts))]
            for step in range(first * each, last * each)]
