"""The composed kernels beside PyTorch's."""

import torch
from cases import GRID, Case, on_grid

ops = torch.ops.elementwise_tutorial


def matrices(*shapes, out=lambda rows, columns: (rows, columns)):
    """Shapes of an operator of one matrix; a 64th of each side without a GPU."""
    def listed(grid):
        every = shapes if grid is GRID else [(r // 64, c // 64) for r, c in shapes]
        return [(f"{r}x{c}", [(r, c)], out(r, c)) for r, c in every]
    return listed


def sums(axis):
    return matrices((4096, 32768), (32768, 4096),
                    out=lambda rows, columns: (columns,) if axis == 0 else (rows,))


def of(dtype):
    def add_rung(one):
        return one.dtype == dtype and one.kind == "rung"

    def total(name, axis):
        return Case(f"sum/sum_{name}_{dtype}_{{}}", dtype, sums(axis),
                    torch=lambda x, y: torch.ops.aten.sum.IntList_out(x[0], [axis], out=y),
                    plain=lambda x: x[0].sum(axis),
                    bound=lambda x, y: ops.reduce.out(x[0], "sum", axis, out=y))

    return [
        Case(f"primitives/add_{dtype}_{{}}", dtype, on_grid(inputs=2),
             torch=lambda x, y: torch.ops.aten.add.out(x[0], x[1], out=y),
             plain=lambda x: x[0] + x[1],
             bound=lambda x, y: ops.primitives_add.out(x[0], x[1], out=y), rungs=add_rung,
             rung=lambda operator: lambda x, y: operator(x[0], x[1], out=y)),
        total("outer", 0),
        total("inner", 1),
        Case(f"softmax/softmax_{dtype}_{{}}", dtype, matrices((32768, 4096)),
             torch=lambda x, y: torch.ops.aten._softmax.out(x[0], 1, False, out=y),
             plain=lambda x: torch.softmax(x[0], 1),
             bound=lambda x, y: ops.softmax.out(x[0], out=y), triton="softmax"),
        Case(f"cumsum/cumsum_{dtype}_{{}}", dtype, matrices((32768, 1024)),
             torch=lambda x, y: torch.ops.aten.cumsum.out(x[0], 1, out=y),
             plain=lambda x: x[0].cumsum(1),
             bound=lambda x, y: ops.cumsum.out(x[0], out=y)),
        Case(f"sort/sort_{dtype}_{{}}", dtype, matrices((32768, 1024)),
             torch=None,  # has no form that writes keys alone
             plain=lambda x: torch.sort(x[0], dim=1).values, compiled=False,
             bound=lambda x, y: ops.sort.out(x[0], out=y)),
    ]


CASES = [case for dtype in ("f32", "f16") for case in of(dtype)]
