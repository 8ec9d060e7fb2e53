"""GELU as PyTorch computes it, in both variants: one fused kernel each."""

import torch
from peers import Case, on_grid


def gelu(variant):
    return lambda x, y: torch.ops.aten.gelu.out(x[0], approximate=variant, out=y)


CASES = [
    Case("gelu", f"torch_{variant}_{dtype}", dtype, on_grid(), gelu(variant))
    for dtype in ("f32", "f16", "bf16") for variant in ("tanh", "none")
]
