"""GELU beside PyTorch's, in both variants: one fused kernel each."""

import torch
from cases import Case, on_grid, unary_rung

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


CASES = [of(dtype, variant) for dtype in ("f32", "f16", "bf16") for variant in ("tanh", "none")]
