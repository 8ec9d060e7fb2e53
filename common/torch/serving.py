#!/usr/bin/env python3
"""Times our operators at the shapes of a server that decodes: few long rows, long rows, few tokens; and many short
rows, rows of models' widths, middle dimensions. Beside PyTorch's operators and torch.compile's.

    python3 common/torch/serving.py [--json OUT.json] [--filter TEXT,...] [--resume] [--minutes M] [--list]

By the protocol and in the rows of views.py, CASE/WHO/REGIME, with one difference: torch.compile gets a function
that writes into the given result too. One that returns a result which nobody keeps reuses the same memory, which
stays in the cache, and looks faster than it is. The shape is in the case's name: softmax_f32_1x131072_few.
Softmax of long rows is timed beside Liger-Kernel's and quack's too, where these are installed.

Without a GPU: small shapes, once, through the CPU executor; such times say nothing about a GPU.
"""

import contextlib
import importlib
import importlib.metadata
import importlib.util

import elementwise_tutorial
import runs
import table
import views

CHAPTERS = ("01_elu", "02_gelu", "03_swish", "06_primitives")
VOCABULARY = 151936
FEW = [(rows, columns) for rows in (1, 4, 16, 64) for columns in (32768, VOCABULARY)] + [
    (1, 131072), (16, 131072), (1, 1 << 20), (4, 50257)]
LONG = [(2048, 131072), (2048, VOCABULARY), (8192, 32768), (4096, 50257)]
TOKENS = [(1, 2816), (1, 14336), (16, 14336), (64, 2816), (64, 14336), (256, 14336), (1024, 14336)]
ODD = [(1, 14335), (64, 14335), (1024, 14335)]  # rows that do not begin at sixteen bytes
ODD_FEW = [(1, 32767), (64, 32767)]
SHORT = [(262144, 4), (262144, 7), (262144, 16), (65536, 33), (65536, 64), (16384, 128), (65536, 129), (16384, 333),
         (1024, 33)]  # short rows, mostly many
SHORT_COLUMNS = [(4, 1 << 20), (3, (1 << 20) - 1), (64, 2816), (256, 1024), (1024, 1024), (4096, 256), (16384, 64)]
WIDE = [(1024, 2880), (512, 5120), (2048, 7168), (256, 11008), (1024, 12288), (48, 65536)]  # rows of models' widths, and a few long ones
MODELS = [(1024, 2880), (512, 5120), (2048, 7168), (256, 11008), (1024, 12288), (1024, 5001)]  # softmax and running sums of such rows
MIDDLE = [(256, 2, 4096), (16, 8, 7168), (1024, 8, 4096), (1024, 8, 2880), (64, 16, 1024), (64, 64, 512), (8, 512, 1024),
          (255, 8, 2047)]  # added up along the second dimension: experts, heads, groups
SMALL = [(2, 256)]  # without a GPU


def cases_of(torch):
    ops, aten, found = torch.ops.elementwise_tutorial, torch.ops.aten, []

    def add(what, dtype, inputs, out, where, plain, fused, bound, out_dtype=None):
        shape = "x".join(map(str, (*inputs[0][:-1], out[-1] if what == "swiglu" else inputs[0][-1])))
        name = f"{what}_{dtype}_{shape}_{where}"
        layouts = [views.Layout(shape) for shape in inputs]
        found.append(views.Case(name, dtype, lambda n: layouts, lambda n: views.Layout(out), plain, fused, bound,
                                out_dtype))

    def softmax(dtype, shape, where):
        add("softmax", dtype, [shape], shape, where, lambda x: torch.softmax(x[0], 1),
            views.into(aten, "_softmax.out", 1, False), views.into(ops, "softmax.out"))

    def total(dtype, shape, where):
        add("sum", dtype, [shape], shape[:1], where, lambda x: x[0].sum(1),
            views.into(aten, "sum.IntList_out", [1]), views.into(ops, "reduce.out", "sum", 1))

    def columns(dtype, shape):
        add("sum0", dtype, [shape], shape[1:], "short", lambda x: x[0].sum(0),
            views.into(aten, "sum.IntList_out", [0]), views.into(ops, "reduce.out", "sum", 0))

    def middle(dtype, shape):
        add("sum1", dtype, [shape], (shape[0], shape[2]), "wide", lambda x: x[0].sum(1),
            views.into(aten, "sum.IntList_out", [1]), views.into(ops, "reduce.out", "sum", 1))

    def running(dtype, shape, where):
        add("cumsum", dtype, [shape], shape, where, lambda x: torch.cumsum(x[0], 1),
            views.into(aten, "cumsum.out", 1), views.into(ops, "cumsum.out"))

    def activation(what, dtype, shape):
        add(what, dtype, [shape], shape, "tokens", lambda x: getattr(torch.nn.functional, what)(x[0]),
            views.into(aten, f"{what}.out"), views.into(ops, f"{what}.out"))

    def swiglu(dtype, tokens, d):
        add("swiglu", dtype, [(tokens, 2 * d)], (tokens, d), "tokens",
            lambda x: torch.nn.functional.silu(x[0][:, :d]) * x[0][:, d:], None, views.into(ops, "swiglu_halves.out"))

    def bias(dtype, shape):
        add("bias", dtype, [shape, shape[1:]], shape, "tokens", lambda x: x[0] + x[1],
            views.into(aten, "add.out"), views.into(ops, "bias_add.out"))

    def quantize(dtype, tokens, d):
        # SwiGLU, the largest magnitude of each token, E4m3 below it: what PyTorch needs a chain for.
        def chain(x):
            y = torch.nn.functional.silu(x[0]) * x[1]
            return (y.float() / (y.abs().amax(-1, keepdim=True).float() / 448)).to(torch.float8_e4m3fn)

        scale = torch.empty(tokens, 1, device="cuda" if gpu else "cpu")
        add("quantize", dtype, [(tokens, d)] * 2, (tokens, d), "tokens", chain, None,
            lambda x, y: ops.swiglu_quantize.out(x[0], x[1], q=y.view(torch.uint8), scale=scale), out_dtype="e4m3")

    gpu = torch.cuda.is_available()
    for dtype in ("f32", "bf16"):
        for shape in FEW if gpu else SMALL:
            softmax(dtype, shape, "few")
            total(dtype, shape, "few")
            running(dtype, shape, "few")
        for shape in ODD_FEW if gpu else SMALL:
            total(dtype, shape, "few")
        for shape in LONG if gpu else SMALL:
            softmax(dtype, shape, "long")
        for shape in SHORT if gpu else SMALL:
            softmax(dtype, shape, "short")
            total(dtype, shape, "short")
            running(dtype, shape, "short")
        for shape in SHORT_COLUMNS if gpu else SMALL:
            columns(dtype, shape)
        for shape in WIDE if gpu else SMALL:
            total(dtype, shape, "wide")
        for shape in MODELS if gpu else SMALL:
            softmax(dtype, shape, "models")
            running(dtype, shape, "models")
        for shape in MIDDLE if gpu else [(2, 4, 64)]:
            middle(dtype, shape)
    for shape in TOKENS if gpu else SMALL:
        swiglu("bf16", *shape)
        activation("elu", "bf16", shape)
        activation("gelu", "bf16", shape)
    for shape in TOKENS + ODD if gpu else SMALL:
        bias("bf16", shape)
        if hasattr(torch, "float8_e4m3fn"):  # PyTorch 2.1
            quantize("bf16", *shape)
    return found


def other_softmaxes(case):
    """Liger-Kernel's, which allocates its result, and quack's, which writes into it; where they are installed."""
    found = []
    if importlib.util.find_spec("liger_kernel"):
        liger = importlib.import_module("liger_kernel.ops.softmax").LigerSoftmaxFunction
        found.append(("liger", table.allocating(f"{case.name}/liger", "peer", lambda x: liger.apply(x[0]))))
    if importlib.util.find_spec("quack"):
        quack = importlib.import_module("quack.softmax")._softmax_fwd  # pylint: disable=protected-access
        found.append(("quack", table.writing(f"{case.name}/quack", "peer", lambda x, y: quack(x[0], y))))
    return found


def versions():
    """Of these two, for the file's context."""
    found = {}
    for package in ("liger-kernel", "quack-kernels"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def contenders(torch, case):
    """As table.whole(), but what torch.compile makes writes into the result."""
    found = [one for one in table.whole(torch, case) if one[0] != "compile"]
    if hasattr(torch, "compile"):
        function = table.compiled(torch, lambda x, y: y.copy_(case.plain(x)))
        found.append(("compile", table.writing(f"{case.name}/compile", "peer", function)))
    if case.name.startswith("softmax") and case.name.endswith("long") and torch.cuda.is_available():
        found += other_softmaxes(case)
    return found


def main(arguments=None):
    options = views.parser_of(__doc__.split("\n\n", maxsplit=1)[0]).parse_args(arguments)
    torch = elementwise_tutorial.find_torch()
    listed = views.chosen(cases_of(torch), options.filter)
    views.measure_all(torch, [(case.name, case, 0) for case in listed], options, CHAPTERS, contenders, versions())


if __name__ == "__main__":
    runs.run_tool(main)
