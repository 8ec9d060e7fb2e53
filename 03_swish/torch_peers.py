"""Swish as PyTorch computes it (its name there is SiLU): one fused kernel."""

import torch
from peers import Case, on_grid

CASES = [
    Case("swish", f"torch_{dtype}", dtype, on_grid(),
         lambda x, y: torch.ops.aten.silu.out(x[0], out=y))
    for dtype in ("f32", "f16", "bf16")
]
