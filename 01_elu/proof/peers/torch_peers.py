"""ELU beside PyTorch's, forwards and backwards: one fused kernel each."""

import torch
from cases import FLOATS, Case, on_grid, unary_rung

ops = torch.ops.elementwise_tutorial


def of(dtype):
    return Case(f"elu/{{}}_{dtype}", dtype, on_grid(),
                torch=lambda x, y: torch.ops.aten.elu.out(x[0], 1.0, 1.0, 1.0, out=y),
                plain=lambda x: torch.nn.functional.elu(x[0]),
                bound=lambda x, y: ops.elu.out(x[0], out=y),
                rungs=lambda one: one.dtype == dtype, rung=unary_rung, triton="elu")


def backward(dtype):
    """Of x, which is saved, and dy."""
    aten = torch.ops.aten.elu_backward
    return Case(f"elu_backward/{{}}_{dtype}", dtype, on_grid(inputs=2),
                torch=lambda x, y: aten.grad_input(x[1], 1.0, 1.0, 1.0, False, x[0], grad_input=y),
                plain=lambda x: aten(x[1], 1.0, 1.0, 1.0, False, x[0]),
                bound=lambda x, y: ops.elu_backward.out(x[0], x[1], out=y))


CASES = [make(dtype) for make in (of, backward) for dtype in FLOATS]
