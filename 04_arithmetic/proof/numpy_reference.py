#!/usr/bin/env python3
"""Writes numpy_reference.csv: what NumPy computes for the nine operations.

    python3 04_arithmetic/proof/numpy_reference.py

Needs NumPy; the tests that read the file do not. A row is `operation,dtype,value,value,...`, bit patterns in
hexadecimal; the operations `a` and `b` are the operands that all others of the type share, `-` is a pair that
an operation leaves out. Where NumPy has no operation of ours, it is written as an expression:

    div    integers: the quotient truncated, (a - fmod(a, b)) // b, and 0 by 0
    prelu  where(a > 0, a, a * b)
    mod    fmod
    pow    integers: NumPy refuses negative exponents, so there are none here

`floor_divide` and `remainder` of integers are there to show how // and % of NumPy differ from ours.
"""

from pathlib import Path

import numpy as np

TYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i64": np.int64}
ROWS = 66


def floats(dtype, rng):
    """Special values against each other, then random bit patterns."""
    special = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan], dtype)
    a, b = (grid.ravel() for grid in np.meshgrid(special, special))
    bits = np.dtype(f"u{dtype().itemsize}")
    count = ROWS - 32
    wild = [rng.integers(0, np.iinfo(bits).max, count, bits, endpoint=True).view(dtype)
            for _ in range(2)]
    tame = [rng.normal(0, 4, ROWS).astype(dtype) for _ in range(2)]
    return (np.concatenate([a, wild[0], tame[0]]), np.concatenate([b, wild[1], tame[1]]))


def integers(dtype, rng):
    info = np.iinfo(dtype)
    special = np.array([0, 1, -1, 2, -7, info.min, info.max], dtype)
    a, b = (grid.ravel() for grid in np.meshgrid(special, special))
    wild = [rng.integers(info.min, info.max, ROWS // 2, dtype, endpoint=True) for _ in range(2)]
    tame = [rng.integers(-40, 40, ROWS, dtype) for _ in range(2)]
    return (np.concatenate([a, wild[0], tame[0]]), np.concatenate([b, wild[1], tame[1]]))


def truncated(a, b):
    """The quotient towards zero; NumPy's // gives 0 by 0, and MIN by -1 wraps to MIN."""
    return np.where(b == 0, a.dtype.type(0), (a - np.fmod(a, b)) // b)


def operations(dtype):
    whole = np.issubdtype(dtype, np.integer)
    table = {
        "add": np.add, "sub": np.subtract, "mul": np.multiply,
        "div": truncated if whole else np.divide,
        "max": np.maximum, "min": np.minimum, "pow": np.power,
        "prelu": lambda a, b: np.where(a > 0, a, a * b), "mod": np.fmod,
    }
    if whole:
        table.update(floor_divide=np.floor_divide, remainder=np.remainder)
    return table


PER_LINE = 30  # values on a line


def main():
    rng = np.random.default_rng(4)
    lines = [f"# NumPy {np.__version__}, by numpy_reference.py: operation,dtype,value,value,..."]
    for name, dtype in TYPES.items():
        whole = np.issubdtype(dtype, np.integer)
        a, b = integers(dtype, rng) if whole else floats(dtype, rng)
        bits = np.dtype(f"u{dtype().itemsize}")
        rows = {"a": [f"{value:x}" for value in a.view(bits)], "b": [f"{value:x}" for value in b.view(bits)]}
        for op, function in operations(dtype).items():
            if op in ("max", "min"):  # of zeros of different signs NumPy leaves open which it is
                keep = ~((a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b)))
            else:
                keep = (b >= 0) if whole and op == "pow" else np.ones(len(a), bool)
            with np.errstate(all="ignore"):
                result = iter(function(a[keep], b[keep]).astype(dtype).view(bits))
            rows[op] = [f"{next(result):x}" if kept else "-" for kept in keep]
        for op, values in rows.items():
            for start in range(0, len(values), PER_LINE):
                lines.append(",".join([op, name, *values[start:start + PER_LINE]]))
    path = Path(__file__).resolve().parent / "numpy_reference.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{path.name}: {len(lines)} lines, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
