#!/usr/bin/env python3
"""Records what NumPy says of logic and comparison on broadcast shapes.

    python3 05_logical_relation/proof/numpy_reference.py > 05_logical_relation/proof/numpy_reference.txt

Needs NumPy; the test that reads the file does not. The operands are not recorded: element i of an
operand is a value from a short list, chosen by a formula that the test has too.

Each line: first shape, second shape, the result's shape (sizes joined by x; "scalar" for none), and NAME:ANSWERS of each
operation, the answers as hexadecimal digits of four elements each, the first in the highest bit. NAME.f: of floats and
halves, NAME.i: of the integers, whose answers are the same in every type.
"""

import sys

import numpy

SHAPES = [
    ((), ()), ((5,), (5,)), ((5,), ()), ((), (3, 2)), ((2,), (3, 1)), ((3, 1), (2,)),
    ((4, 1), (1, 4)), ((16, 1), (1, 16)), ((2, 3, 4), (3, 1)), ((2, 3, 4), (1, 3, 1)),
    ((2, 1, 4), (2, 3, 1)), ((3, 16), (16,)), ((3, 17), (17,)), ((2, 3, 16), (3, 1)),
    ((1, 2, 1, 3, 1, 2, 1), (2, 1, 2, 1, 3, 1, 2)), ((0,), (1,)), ((3, 0), (3, 1)), ((2, 0), (0,)),
    ((2, 2, 2, 2, 2, 2, 2), (2,)), ((7, 1, 5), (7, 3, 1)), ((1, 33), (2, 33)),
]
LOGICAL = {"and": numpy.logical_and, "or": numpy.logical_or, "xor": numpy.logical_xor}
RELATIONS = {"equal": numpy.equal, "not_equal": numpy.not_equal, "greater": numpy.greater,
             "greater_equal": numpy.greater_equal, "less": numpy.less,
             "less_equal": numpy.less_equal}
BYTES = [0, 1, 2, 0, 128, 255, 0]
FLOATS = [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 0.5, 65504.0, 1.0, 0.5]
INTEGERS = [0, 1, -1, 127, -128, 5, 5, 2, 1, 0, -1]
TYPES = {"f32": (numpy.float32, FLOATS), "f16": (numpy.float16, FLOATS),
         "i8": (numpy.int8, INTEGERS), "i32": (numpy.int32, INTEGERS),
         "i64": (numpy.int64, INTEGERS), "u8": (numpy.uint8, BYTES)}


def operand(shape, dtype, values, which):
    """Element i is values[(7 i + i // 11 + 3 which) % len(values)]."""
    count = int(numpy.prod(shape, dtype=numpy.int64))
    chosen = [values[(7 * i + i // 11 + 3 * which) % len(values)] for i in range(count)]
    return numpy.array(chosen, dtype=dtype).reshape(shape)


def shape_text(shape):
    return "x".join(str(size) for size in shape) or "scalar"


def answers(function, dtype, shape0, shape1):
    """(the result's shape, its elements in hexadecimal)."""
    kind, values = TYPES[dtype]
    found = function(operand(shape0, kind, values, 0), operand(shape1, kind, values, 1))
    bits = "".join("1" if answer else "0" for answer in numpy.ravel(found))
    return found.shape, "".join(f"{int(bits[i:i + 4].ljust(4, '0'), 2):x}" for i in range(0, len(bits), 4)) or "-"


def main():
    print(f"# NumPy {numpy.__version__}, by numpy_reference.py")
    for shape0, shape1 in SHAPES:
        words, shape = [], ()
        for name, function in LOGICAL.items():
            shape, found = answers(function, "u8", shape0, shape1)
            words.append(f"{name}:{found}")
        for letter, dtypes in (("f", ("f32", "f16")), ("i", ("i8", "i32", "i64"))):
            for name, function in RELATIONS.items():
                (found,) = {answers(function, dtype, shape0, shape1)[1] for dtype in dtypes}
                words.append(f"{name}.{letter}:{found}")
        print(shape_text(shape0), shape_text(shape1), shape_text(shape), *words)


if __name__ == "__main__":
    sys.exit(main())
