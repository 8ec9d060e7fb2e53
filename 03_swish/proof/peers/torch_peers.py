"""Swish beside PyTorch's (its name there is SiLU), forwards and backwards: one fused kernel each. And
SwiGLU, for which PyTorch has two kernels, three backwards, and torch.compile makes one."""

import torch
from cases import FLOATS, Case, on_grid, unary_rung

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


def swish_backward(dtype):
    aten = torch.ops.aten.silu_backward
    return Case(f"swish_backward/{{}}_{dtype}", dtype, on_grid(inputs=2),
                torch=lambda x, y: aten.grad_input(x[1], x[0], grad_input=y),
                plain=lambda x: aten(x[1], x[0]),
                bound=lambda x, y: ops.swish_backward.out(x[0], x[1], out=y))


def three_kernels(x, y):
    """What autograd runs; silu(a) is saved by the forward pass. The first product lies in the result's place."""
    a, b, dy, gate = x
    torch.ops.aten.mul.out(dy, gate, out=y[1])
    torch.ops.aten.mul.out(dy, b, out=y[0])
    torch.ops.aten.silu_backward.grad_input(y[0], a, grad_input=y[0])


def swiglu_backward(dtype):
    """da and db are the halves of one result."""
    return Case(f"swiglu_backward/{{}}_{dtype}", dtype,
                lambda grid: [(f"{rows}x{columns}", [(rows, columns)] * 3, (2, rows, columns))
                              for rows, columns in grid],
                torch=three_kernels, saved=lambda x: [torch.nn.functional.silu(x[0])],
                plain=lambda x: (torch.ops.aten.silu_backward(x[2] * x[1], x[0]),
                                 x[2] * torch.nn.functional.silu(x[0])),
                bound=lambda x, y: ops.swiglu_backward.out(x[0], x[1], x[2], da=y[0], db=y[1]))


def quantize(x):
    """PyTorch's chain: SwiGLU, the largest magnitude of each row, the scale, the conversion."""
    y = torch.nn.functional.silu(x[0]) * x[1]
    scale = y.abs().amax(-1, keepdim=True).float() / 448
    return (y.float() / scale).to(torch.float8_e4m3fn)


SCALES = {}  # of each number of rows: a place for them that was allocated before anything is timed


def quantized(x, y):
    rows = x[0].shape[0], x[0].device
    if rows not in SCALES:
        SCALES[rows] = torch.empty(rows[0], 1, device=rows[1])
    ops.swiglu_quantize.out(x[0], x[1], q=y.view(torch.uint8), scale=SCALES[rows])


def swiglu_quantize(dtype):
    return Case(f"swiglu_quantize/{{}}_{dtype}", dtype, on_grid(inputs=2), torch=None, plain=quantize,
                bound=quantized, out_dtype="e4m3", label=dtype)


MAKERS = [swish, swiglu, swish_backward, swiglu_backward]
MAKERS += [swiglu_quantize] if hasattr(torch, "float8_e4m3fn") else []
CASES = [make(dtype) for make in MAKERS for dtype in FLOATS]
