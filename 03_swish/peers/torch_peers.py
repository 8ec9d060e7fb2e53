"""Swish beside PyTorch's (its name there is SiLU): one fused kernel each. And SwiGLU, for which
PyTorch has two kernels and torch.compile makes one."""

import torch
from cases import Case, on_grid, unary_rung

ops = torch.ops.elementwise_tutorial


def swish(dtype):
    return Case(f"swish/{{}}_{dtype}", dtype, on_grid(),
                torch=lambda x, y: torch.ops.aten.silu.out(x[0], out=y),
                plain=lambda x: torch.nn.functional.silu(x[0]),
                bound=lambda x, y: ops.swish.out(x[0], out=y),
                rungs=lambda one: one.ladder == "swish" and one.dtype == dtype, rung=unary_rung)


def two_kernels(x, y):
    torch.ops.aten.silu.out(x[0], out=y)
    torch.ops.aten.mul.out(y, x[1], out=y)


def swiglu(dtype):
    return Case(f"swiglu/{{}}_{dtype}", dtype, on_grid(inputs=2),
                torch=two_kernels,
                plain=lambda x: torch.nn.functional.silu(x[0]) * x[1],
                bound=lambda x, y: ops.swiglu.out(x[0], x[1], out=y))


CASES = [make(dtype) for make in (swish, swiglu) for dtype in ("f32", "f16", "bf16")]
