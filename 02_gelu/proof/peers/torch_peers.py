"""GELU beside PyTorch's, in both variants, forwards and backwards: one fused kernel each."""

import torch
from cases import FLOATS, Case, on_grid, unary_rung

ops = torch.ops.elementwise_tutorial


def of(dtype, variant):
    def is_rung(one):
        mine = one.rung.startswith(variant) or (one.kind == "yours" and variant == "tanh")
        return mine and one.dtype == dtype

    return Case(f"gelu/{{}}_{variant}_{dtype}", dtype, on_grid(),
                torch=lambda x, y: torch.ops.aten.gelu.out(x[0], approximate=variant, out=y),
                plain=lambda x: torch.nn.functional.gelu(x[0], approximate=variant),
                bound=lambda x, y: ops.gelu.out(x[0], approximate=variant, out=y),
                rungs=is_rung, rung=unary_rung)


def backward(dtype, variant):
    """Of x, which is saved, and dy."""
    aten = torch.ops.aten.gelu_backward
    return Case(f"gelu_backward_{variant}/{{}}_{dtype}", dtype, on_grid(inputs=2),
                torch=lambda x, y: aten.grad_input(x[1], x[0], approximate=variant, grad_input=y),
                plain=lambda x: aten(x[1], x[0], approximate=variant),
                bound=lambda x, y: ops.gelu_backward.out(x[0], x[1], approximate=variant, out=y))


CASES = [make(dtype, variant) for make in (of, backward) for dtype in FLOATS for variant in ("tanh", "none")]
