"""Comparisons and logic beside PyTorch's, at the shapes of the ladders."""

import torch
from cases import Case, on_grid

ops = torch.ops.elementwise_tutorial
IMAGES = 8  # N of (N, C, H, W), as in the benchmark

FORMS = {  # what the benchmark's forms make of a shape of the grid
    "scalar": lambda rows, columns: ((rows, columns), ()),
    "row": lambda rows, columns: ((rows, columns), (columns,)),
    "column": lambda rows, columns: ((rows, columns), (rows, 1)),
    "channel": lambda rows, columns: ((IMAGES, rows // IMAGES, 1, columns),
                                      (1, rows // IMAGES, 1, 1)),
    "outer": lambda rows, columns: ((rows, 1), (1, columns)),
}


def shapes_of(form):
    def shapes(grid):
        found = []
        for rows, columns in grid:
            first, second = FORMS[form](rows, columns)
            result = first if form != "outer" else (rows, columns)
            found.append((f"{rows}x{columns}", [first, second], result))
        return found
    return shapes


def greater(name, dtype, shapes, **more):
    return Case(name, dtype, shapes,
                torch=lambda x, y: torch.ops.aten.gt.Tensor_out(x[0], x[1], out=y),
                plain=lambda x: x[0] > x[1],
                bound=lambda x, y: ops.greater.out(x[0], x[1], out=y), out_dtype="bool", **more)


def same_shape(dtype):
    return greater(f"relation/greater_{dtype}_{{}}", dtype, on_grid(inputs=2),
                   rungs=lambda one: one.ladder == "relation" and one.dtype == dtype
                   and one.kind == "rung" and not one.rung.endswith(("ballot", "bits")),
                   rung=lambda operator: lambda x, y: operator("greater", x[0], x[1], out=y),
                   rung_prefix="greater_")


CASES = [
    Case("logical/and_{}", "bool", on_grid(inputs=2), label="u8",
         torch=lambda x, y: torch.ops.aten.logical_and.out(x[0], x[1], out=y),
         plain=lambda x: torch.logical_and(x[0], x[1]),
         bound=lambda x, y: ops.logical_and.out(x[0], x[1], out=y),
         rungs=lambda one: one.ladder == "logical" and one.kind == "rung",
         rung=lambda operator: lambda x, y: operator("and", x[0], x[1], out=y),
         rung_prefix="and_"),
]
CASES += [same_shape(dtype) for dtype in ("f32", "f16", "bf16")]
CASES += [greater(f"relation/greater_f16_{form}_{{}}", "f16", shapes_of(form))
          for form in ("scalar", "row", "column", "channel")]
CASES += [
    greater("relation/greater_f32_channel_{}", "f32", shapes_of("channel")),
    Case("relation/causal_i32_{}", "i32", shapes_of("outer"), out_dtype="bool",
         torch=lambda x, y: torch.ops.aten.ge.Tensor_out(x[0], x[1], out=y),
         plain=lambda x: x[0] >= x[1],
         bound=lambda x, y: ops.greater_equal.out(x[0], x[1], out=y)),
]
