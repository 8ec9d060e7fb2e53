#!/usr/bin/env python3
"""Times our operators on tensors as users have them, beside PyTorch's and torch.compile's: tensors that
begin anywhere, halves and parts of rows, every second element, transposed operands, odd sizes; reductions
along any dimension; softmax, running sums and sort along rows.

    python3 common/torch/views.py [--json OUT.json] [--filter TEXT,...] [--elements 28,24,20]
                                  [--resume] [--minutes M] [--list] [--profile REGIME]

Each case is taken at 2^20, 2^24 and 2^28 elements of the result, or of what is summed (as near as its shape allows), cold and
warm, by the protocol of timing.py: kernels alone, back to back in a captured graph. A result is checked
before it is timed; a peer's that is wrong is told, and timed. Results are given (out=) but to
torch.compile, which allocates its own.

OUT.json has a row CASE/WHO/REGIME for each, WHO being bound, torch or compile, with median_us; rows that
the file has already are kept unless they are measured anew; with --resume their cases are not, and
--minutes says when to stop, so that several short runs make a whole one. With --profile each contender is only called,
for ncu, as by table.py, and OUT.json says what was called; REGIME, which ncu sets, is a part of these names. `copy` is PyTorch's copy of contiguous
tensors, and "bytes" what a call must read and write: their ratio tells how near a case is to a copy.

Without a GPU: a small size, once, through the CPU executor; such times say nothing about a GPU.
"""

import argparse
import gc
import math
import operator
import statistics
import time
from pathlib import Path

import elementwise_tutorial
import runs
import table
import timing

CHAPTERS = ("01_elu", "03_swish", "04_arithmetic", "05_logical_relation", "06_primitives")
SLACK = 64  # elements of memory more than a tensor that begins somewhere else needs


class Case:
    """One operation on tensors that lie in one way.

    name    without the size
    dtype   of the inputs, as timing.py calls it; out_dtype of the result
    inputs  inputs(n) -> the layouts of the operands for about n results: each a function of a seed, see new()
    out     out(n) -> the layout of the result
    plain   plain(inputs), as a reader would write it; torch.compile compiles it
    torch   torch(inputs, out), PyTorch's operator into out; None: `plain` is timed
    bound   bound(inputs, out), ours
    """

    saved = None  # nothing here needs a forward pass

    def __init__(self, name, dtype, inputs, out, plain, torch, bound, out_dtype=None, compiled=True):
        self.name, self.dtype, self.inputs, self.out = name, dtype, inputs, out
        self.plain, self.torch, self.bound = plain, torch, bound
        self.out_dtype, self.compiled = out_dtype or dtype, compiled

    def named(self, contender):
        return f"{self.name}/{contender}"


class Layout:
    """How a tensor lies in memory: shape and strides, so many elements past the memory's beginning."""

    def __init__(self, shape, strides=None, offset=0, dtype=None):
        self.shape, self.offset, self.dtype = tuple(shape), offset, dtype
        dense = [math.prod(self.shape[d + 1:]) for d in range(len(self.shape))]
        self.strides = tuple(strides or dense)

    def held(self):
        """The elements of memory that it needs."""
        return self.offset + sum((s - 1) * t for s, t in zip(self.shape, self.strides)) + 1 + SLACK

    def of(self, memory):
        return memory.as_strided(self.shape, self.strides, self.offset)

    def elements(self):
        """The different ones."""
        return math.prod(s for s, t in zip(self.shape, self.strides) if t)


def new_set(torch, case, n, device):
    """One set of (inputs, result)."""
    inputs = [layout.of(timing.tensor(torch, (layout.held(),), layout.dtype or case.dtype, seed, device))
              for seed, layout in enumerate(case.inputs(n))]
    out = case.out(n)
    memory = torch.empty(out.held(), device=device, dtype=timing.dtypes(torch)[case.out_dtype])
    return inputs, out.of(memory)


def bytes_of(torch, case, n):
    sizes = [(layout, layout.dtype or case.dtype) for layout in case.inputs(n)] + [(case.out(n), case.out_dtype)]
    return sum(layout.elements() * timing.size_of(torch, dtype) for layout, dtype in sizes)


# ---- The layouts --------------------------------------------------------------------------------

def flat(offset, more=0):
    return lambda n: Layout((n + more,), offset=offset)


def rows(columns, pitch, offset=0):
    """About n elements in rows of `columns`, which begin `pitch` elements apart."""
    return lambda n: Layout((max(1, n // columns), columns), (pitch, 1), offset)


def side(n):
    return math.isqrt(n)


def square(step=1, more=0, less=0):
    """A square whose rows begin `more` elements after the one before ends; of each `step` elements one."""
    return lambda n: Layout((side(n), side(n) - less), (side(n) * step + more, step))


def transposed(n):
    return Layout((side(n), side(n)), (1, side(n)))


def padded(n):
    return Layout((side(n), side(n)), (2 * side(n), 1))


def images(n):
    return Layout((max(1, n // (64 * 57 * 57)), 64, 57, 57))


def blocks(rows_each, columns):
    return lambda n: Layout((max(1, n // (rows_each * columns)), rows_each, columns))


def without(layout, dim):
    """What a reduction of such a tensor along `dim` gives."""
    def of(n):
        shape = layout(n).shape
        return Layout(shape[:dim] + shape[dim + 1:])
    return of


def all_of(*layouts):
    return lambda n: [layout(n) for layout in layouts]


# ---- The cases ----------------------------------------------------------------------------------

def into(ops, name, *more):
    """call(inputs, out) of an operator, which is looked up when it is called: by then the chapters are loaded."""
    return lambda x, y: operator.attrgetter(name)(ops)(*x, *more, out=y)


def cases_of(torch):
    ops, aten = torch.ops.elementwise_tutorial, torch.ops.aten
    functional = torch.nn.functional
    found = []

    def elu(name, dtype, x, y, plain=lambda x: functional.elu(x[0])):
        found.append(Case(f"elu_{dtype}_{name}", dtype, all_of(x), y, plain,
                          into(aten, "elu.out"), into(ops, "elu.out")))

    def add(name, dtype, a, b, y, compiled=True, plain=lambda x: x[0] + x[1]):
        found.append(Case(f"add_{dtype}_{name}", dtype, all_of(a, b), y, plain,
                          into(aten, "add.out"), into(ops, "add.out"), compiled=compiled))

    def greater(name, dtype, a, b, y):
        found.append(Case(f"greater_{dtype}_{name}", dtype, all_of(a, b), y, lambda x: x[0] > x[1],
                          into(aten, "gt.Tensor_out"), into(ops, "greater.out"), out_dtype="bool"))

    def swiglu(name, dtype, d):
        found.append(Case(f"swiglu_{dtype}_{name}", dtype, all_of(lambda n: Layout((max(1, n // d), 2 * d))), rows(d, d),
                          lambda x: functional.silu(x[0][:, :d]) * x[0][:, d:], None, into(ops, "swiglu_halves.out")))

    def reduce(name, dtype, x, dim, what="sum"):
        found.append(Case(f"{what}_{dtype}_{name}", dtype, all_of(x), without(x, dim),
                          lambda x: x[0].sum(dim) if what == "sum" else x[0].amax(dim),
                          into(aten, "sum.IntList_out" if what == "sum" else "amax.out", [dim]),
                          into(ops, "reduce.out", what, dim)))

    def along(name, dtype, x, y=None, gaps=False):
        # PyTorch's softmax takes a result with gaps for one without, and writes it wrongly.
        softmax = (lambda x, y: y.copy_(torch.softmax(x[0], 1))) if gaps else into(aten, "_softmax.out", 1, False)
        found.append(Case(f"softmax_{dtype}_{name}", dtype, all_of(x), y or x, lambda x: torch.softmax(x[0], 1),
                          softmax, into(ops, "softmax.out")))
        found.append(Case(f"cumsum_{dtype}_{name}", dtype, all_of(x), y or x, lambda x: torch.cumsum(x[0], 1),
                          into(aten, "cumsum.out", 1), into(ops, "cumsum.out")))

    def sort(name, dtype, x, y=None):
        found.append(Case(f"sort_{dtype}_{name}", dtype, all_of(x), y or x, lambda x: torch.sort(x[0], 1)[0], None,
                          into(ops, "sort.out")))

    for dtype in ("f16", "f32"):
        found.append(Case(f"copy_{dtype}", dtype, all_of(flat(0)), flat(0), lambda x: x[0].clone(),
                          lambda x, y: y.copy_(x[0]), None, compiled=False))
        for x, y in ((0, 0), (1, 1), (1, 0), (0, 1), (1, 3), (2, 2), (4, 4)):
            elu(f"at_{x}_{y}", dtype, flat(x), flat(y))
        for more in (-1, 7):
            elu(f"size{more:+}", dtype, flat(0, more), flat(0, more))
            add(f"size{more:+}", dtype, flat(0, more), flat(0, more), flat(0, more))
        for a, b, y in ((0, 0, 0), (1, 0, 0), (1, 2, 3), (1, 1, 1), (4, 0, 0)):
            add(f"at_{a}_{b}_{y}", dtype, flat(a), flat(b), flat(y))
        for a, b in ((0, 0), (1, 0), (1, 3)):
            greater(f"at_{a}_{b}_0", dtype, flat(a), flat(b), flat(0))
        for d in (7168, 1709, 512, 513):
            swiglu(f"halves_of_{2 * d}", dtype, d)
        add("half_rows", dtype, padded, padded, square())
        add("padded_by_8", dtype, square(more=8), square(more=8), square())
        add("odd_rows", dtype, square(more=1, less=1), square(more=1, less=1),
            lambda n: Layout((side(n), side(n) - 1)))
        for combine in (add, greater):
            combine("odd_rows_and_row", dtype, lambda n: Layout((side(n), side(n) - 1)),
                    lambda n: Layout((side(n) - 1,)), lambda n: Layout((side(n), side(n) - 1)))
        elu("half_rows", dtype, padded, square())
        greater("half_rows", dtype, padded, padded, square())
        add("transposed", dtype, square(), transposed, square())
        # Without contiguous() torch.compile's result would lie as its operands do: nothing to transpose.
        add("both_transposed", dtype, transposed, transposed, square(), plain=lambda x: (x[0] + x[1]).contiguous())
        add("out_transposed", dtype, square(), square(), transposed, compiled=False)
        elu("transposed", dtype, transposed, square(), lambda x: functional.elu(x[0]).contiguous())
        greater("transposed", dtype, square(), transposed, square())
        add("every_second", dtype, square(step=2), square(step=2), square())
        elu("every_second", dtype, square(step=2), square())
        add("image_57_channel", dtype, images, lambda n: Layout((1, 64, 1, 1)), images)
        for columns in (8191, 8192):
            reduce(f"rows_of_{columns}", dtype, rows(columns, columns), 1)
            along(f"rows_of_{columns}", dtype, rows(columns, columns))
        reduce("rows_of_8191", dtype, rows(8191, 8191), 1, "max")
        reduce("rows_of_8192_at_1", dtype, rows(8192, 8192, 1), 1)
        along("rows_of_8192_at_1", dtype, rows(8192, 8192, 1), rows(8192, 8192))
        reduce("half_rows", dtype, rows(4096, 8192), 1)
        along("half_rows", dtype, rows(4096, 8192), rows(4096, 4096))
        along("padded_by_8", dtype, rows(4096, 4104), gaps=True)
        along("odd_pitch", dtype, rows(4096, 4097), gaps=True)
        for columns in (1023, 1024, 8191):
            sort(f"rows_of_{columns}", dtype, rows(columns, columns))
        sort("rows_of_1024_at_1", dtype, rows(1024, 1024, 1), rows(1024, 1024))
        sort("half_rows", dtype, rows(1024, 2048), rows(1024, 1024))
        for columns in (8191, 8192):
            reduce(f"columns_of_{columns}", dtype, rows(columns, columns), 0)
        for inner in (511, 512):
            reduce(f"middle_of_{inner}", dtype, blocks(512, inner), 1)
        reduce("transposed", dtype, transposed, 0)
        reduce("every_second", dtype, square(step=2), 1)
        found.append(Case(f"where_{dtype}_broadcast", dtype,
                          lambda n: [Layout((side(n), 1), dtype="bool"), square()(n), Layout((side(n),))],
                          square(), lambda x: torch.where(x[0], x[1], x[2]),
                          into(aten, "where.self_out"), into(ops, "where.out")))
        found.append(Case(f"logical_and_{dtype}", dtype, all_of(flat(0), flat(0)), flat(0),
                          lambda x: torch.logical_and(x[0], x[1]),
                          into(aten, "logical_and.out"), into(ops, "logical_and.out"), out_dtype="bool"))
    return found


# ---- Measuring ----------------------------------------------------------------------------------


def works(torch, case, contender, one_set, wanted):
    """Whether the contender takes the case. Ours must, and ToolError if its result is wrong."""
    try:
        actual = contender.result(*one_set)
    except Exception as error:  # pylint: disable=broad-except
        if contender.kind != "peer":
            raise
        print(f"{contender.name}: left out: {str(error).splitlines()[0]}", flush=True)
        return False
    try:
        table.check(torch, case, contender, actual, wanted)
    except runs.ToolError as error:
        if contender.kind != "peer":
            raise
        print(str(error).replace("so nothing is timed", "and it is timed all the same"), flush=True)
    return True


def profile(torch, name, elements, found, one_set, regime, write):
    """Calls the contenders for ncu, each call in an NVTX range."""
    torch.cuda.profiler.start()
    for who, contender in found:
        row = f"{name}/{who}/{elements}/{regime}"
        table.profiled(torch.cuda, row, contender.begin([one_set]))
        write({"name": row, "calls": table.PROFILED_CALLS})
    torch.cuda.profiler.stop()


def measure(torch, case, n, name, device, write, compared, profiled):
    """The rows of one case at one size, by that name."""
    moved = bytes_of(torch, case, n)
    first = new_set(torch, case, n, device)
    wanted = table.expected(torch, case, first[0])
    found = [(who, contender) for who, contender in compared(torch, case)
             if works(torch, case, contender, first, wanted)]
    del wanted
    if profiled:
        profile(torch, name, max(x.numel() for x in first[0]), found, first, profiled, write)
        return
    for regime in ("cold", "warm") if device == "cuda" else ("warm",):
        more = timing.set_count(torch, regime, moved) - 1
        sets = [first] + [new_set(torch, case, n, device) for _ in range(more)]
        for who, contender in found:
            try:
                seconds = (timing.on_gpu(torch, contender.begin, sets) if device == "cuda"
                           else timing.on_cpu(contender.begin, sets))
            except torch.cuda.OutOfMemoryError:  # torch.compile's graph keeps a result for each call
                if contender.kind != "peer":
                    raise
                print(f"{contender.name}: left out: the GPU has no room for its results", flush=True)
                continue
            write({"name": f"{name}/{who}/{regime}",
                   "median_us": round(statistics.median(seconds) * 1e6, 3),
                   "spread_pct": round(timing.spread_pct(seconds), 2), "bytes": moved})
        del sets


class Rows:
    """The rows of OUT.json, old and new; written after each case."""

    def __init__(self, torch, path, key, context):
        self.path, self.context, self.key = path, {**table.context(torch), **context}, key
        is_kept = path and key == "benchmarks" and Path(path).exists()
        self.rows = {row["name"]: row for row in runs.load_json(path)["benchmarks"]} if is_kept else {}

    def add(self, row):
        self.rows[row["name"]] = row
        if self.key == "benchmarks":
            print(f"{row['name']:52} {row['median_us']:12.3f} us {row['bytes'] / row['median_us'] * 1e-3:10.1f} GB/s", flush=True)

    def has(self, case):
        """Whether the case of this name has been measured: its last row is there."""
        return any(name.startswith(case + "/") and name.endswith("/warm") for name in self.rows)

    def save(self):
        if self.path:
            runs.write_json(self.path, {"context": self.context, self.key: list(self.rows.values())})


def parser_of(description):
    """With the flags that every comparison of this kind has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", metavar="OUT.json", help="write the rows to this file, beside those that it has")
    parser.add_argument("--filter", default="", help="only cases with one of these texts, between commas, in their name")
    parser.add_argument("--resume", action="store_true", help="leave out what OUT.json has")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no case after so many minutes")
    parser.add_argument("--list", action="store_true", help="only the names of the cases")
    parser.add_argument("--profile", choices=("cold", "warm"), metavar="REGIME", help="for ncu: only call the contenders")
    return parser


def measure_all(torch, named, options, chapters, compared=table.whole, context=None):
    """Measures each (name, case, n) that the options leave, or lists the cases; `context` is written beside that of every run."""
    if options.list:
        print("\n".join(dict.fromkeys(case.name for _, case, _ in named)))
        return
    began, device = time.monotonic(), "cuda" if torch.cuda.is_available() else "cpu"
    elementwise_tutorial.load(*chapters, backends=[device])
    rows_of, wrong = Rows(torch, options.json, "profiled" if options.profile else "benchmarks", context or {}), []
    with torch.no_grad():
        for name, case, n in named:
            if options.resume and rows_of.has(name):
                continue
            if time.monotonic() - began > 60 * options.minutes:
                print(f"stopped before {name}; --resume goes on there", flush=True)
                return
            if device == "cuda":
                gc.collect()  # graphs of the case before, with their memory
                torch.cuda.empty_cache()
            try:
                measure(torch, case, n, name, device, rows_of.add, compared, options.profile)
            except runs.ToolError as error:  # the others are worth their time all the same
                print(error, flush=True)
                wrong.append(name)
            rows_of.save()
    if wrong:
        raise runs.ToolError(f"wrong, and not timed: {', '.join(wrong)}")


def chosen(cases, texts):
    """The cases with one of the texts, between commas, in their name; a text that is a whole name is that case alone."""
    names = {case.name for case in cases}
    listed = [case for case in cases
              if any(text == case.name or text not in names and text in case.name for text in texts.split(","))]
    if not listed:
        raise runs.ToolError(f"--filter {texts}: no case has such a name; --list shows them")
    return listed


def main(arguments=None):
    parser = parser_of(__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--elements", type=lambda text: [int(one) for one in text.split(",")],
                        help="exponents of two, in this order: 28,24,20")
    options = parser.parse_args(arguments)
    torch = elementwise_tutorial.find_torch()
    listed = chosen(cases_of(torch), options.filter)
    exponents = options.elements or ([28, 24, 20] if torch.cuda.is_available() else [12])
    measure_all(torch, [(f"{case.name}_2^{exponent}", case, 1 << exponent) for exponent in exponents for case in listed],
                options, CHAPTERS)


if __name__ == "__main__":
    runs.run_tool(main)
