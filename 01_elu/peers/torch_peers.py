"""ELU beside PyTorch's: one fused kernel each."""

import torch
from cases import Case, on_grid, unary_rung

ops = torch.ops.elementwise_tutorial


def of(dtype):
    return Case(f"elu/{{}}_{dtype}", dtype, on_grid(),
                torch=lambda x, y: torch.ops.aten.elu.out(x[0], 1.0, 1.0, 1.0, out=y),
                plain=lambda x: torch.nn.functional.elu(x[0]),
                bound=lambda x, y: ops.elu.out(x[0], out=y),
                rungs=lambda one: one.dtype == dtype, rung=unary_rung, triton="elu")


CASES = [of(dtype) for dtype in ("f32", "f16", "bf16")]
