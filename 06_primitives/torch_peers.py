"""The composed kernels as PyTorch computes them."""

import torch
from peers import Case, on_grid


def rows(*shapes):
    """The shapes of an operator whose result has its input's shape."""
    return [(f"{r}x{c}", [(r, c)], (r, c)) for r, c in shapes]


def sums(axis):
    return [(f"{r}x{c}", [(r, c)], (c,) if axis == 0 else (r,))
            for r, c in ((4096, 32768), (32768, 4096))]


def sum_over(axis):
    return lambda x, y: torch.ops.aten.sum.IntList_out(x[0], [axis], out=y)


def sort(x, _):
    torch.sort(x[0], dim=1)  # has no form that writes keys alone


CASES = [Case("primitives", f"add_{dtype}_torch", dtype, on_grid(inputs=2),
              lambda x, y: torch.ops.aten.add.out(x[0], x[1], out=y))
         for dtype in ("f32", "f16")]
for dtype in ("f32", "f16"):
    CASES += [
        Case("sum", f"sum_outer_{dtype}_torch", dtype, sums(0), sum_over(0)),
        Case("sum", f"sum_inner_{dtype}_torch", dtype, sums(1), sum_over(1)),
        Case("softmax", f"softmax_{dtype}_torch", dtype, rows((32768, 4096)),
             lambda x, y: torch.ops.aten._softmax.out(x[0], 1, False, out=y)),
        Case("cumsum", f"cumsum_{dtype}_torch", dtype, rows((32768, 1024)),
             lambda x, y: torch.ops.aten.cumsum.out(x[0], 1, out=y)),
        Case("sort", f"sort_{dtype}_torch", dtype, rows((32768, 1024)), sort),
    ]
