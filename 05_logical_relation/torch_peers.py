"""Comparisons and logic as PyTorch computes them, at the shapes of the ladders."""

import torch
from peers import GRID, Case, on_grid

IMAGES = 8  # N of (N, C, H, W), as in the benchmark


def forms():
    """What the benchmark's forms make of a shape of the grid."""
    return {
        "scalar": lambda rows, columns: ((rows, columns), ()),
        "row": lambda rows, columns: ((rows, columns), (columns,)),
        "column": lambda rows, columns: ((rows, columns), (rows, 1)),
        "channel": lambda rows, columns: ((IMAGES, rows // IMAGES, 1, columns),
                                          (1, rows // IMAGES, 1, 1)),
        "outer": lambda rows, columns: ((rows, 1), (1, columns)),
    }


def shapes_of(form):
    shapes = []
    for rows, columns in GRID:
        first, second = forms()[form](rows, columns)
        result = first if form != "outer" else (rows, columns)
        shapes.append((f"{rows}x{columns}", [first, second], result))
    return shapes


def greater(x, y):
    torch.ops.aten.gt.Tensor_out(x[0], x[1], out=y)


def greater_equal(x, y):
    torch.ops.aten.ge.Tensor_out(x[0], x[1], out=y)


def logical_and(x, y):
    torch.ops.aten.logical_and.out(x[0], x[1], out=y)


CASES = [Case("logical", "and_torch", "bool", on_grid(inputs=2), logical_and,
              label="u8")]
CASES += [Case("relation", f"greater_{dtype}_torch", dtype, on_grid(inputs=2), greater, "bool")
          for dtype in ("f32", "f16", "bf16")]
CASES += [Case("relation", f"greater_f16_{form}_torch", "f16", shapes_of(form), greater, "bool")
          for form in ("scalar", "row", "column", "channel")]
CASES += [Case("relation", "greater_f32_channel_torch", "f32", shapes_of("channel"), greater,
               "bool"),
          Case("relation", "causal_i32_torch", "i32", shapes_of("outer"), greater_equal, "bool")]
