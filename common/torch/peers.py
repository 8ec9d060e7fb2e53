#!/usr/bin/env python3
"""Times PyTorch's own operators as the chapters' benchmarks time their kernels.

    python3 common/torch/peers.py CHAPTER OUT.json [--filter TEXT]

CHAPTER is 01_elu, elu or 1; its file torch_peers.py names the operators. OUT.json has the form of
the benchmarks' own results, so that compare and report read it: a row per operator, shape and
regime, labelled `f16 peer`. Needs PyTorch and a CUDA GPU: without them it says so and exits 2.

The same protocol as in common/bench: a captured graph of back-to-back calls, at least 20 of them
and at least 1 ms, replayed 15 times after one that is not counted; the median over the replays.
cold: the calls take turns on sets of tensors that together exceed the L2 cache four times; warm:
all calls use one set. Every call writes to a result that was allocated before (the operators' out=
forms), so that no allocation is timed and cold results are cold.
"""

import argparse
import importlib.util
import json
import math
import os
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "tools"))

import runs  # noqa: E402

GRID = [(rows, columns) for rows in (1024, 2048, 4096) for columns in (1024, 2048, 4096)]
GRID.append((16384, 16384))
REPLAYS, LEAST_LAUNCHES, LEAST_SECONDS = 15, 20, 1e-3


class Case:
    """One operator at several shapes.

    call(inputs, out)     runs it; inputs is a list of tensors, out the tensor for its result
    shapes                [(name, [shape of each input], shape of the result)]
    dtype                 f32, f16, bf16, i64, u8, bool: of the inputs
    out_dtype             of the result; as the inputs' if None
    label                 what the ladder calls dtype, if it has another name for it
    """

    def __init__(self, ladder, rung, dtype, shapes, call, out_dtype=None, label=None):
        self.ladder, self.rung, self.dtype, self.label = ladder, rung, dtype, label or dtype
        self.shapes, self.call, self.out_dtype = shapes, call, out_dtype or dtype


def on_grid(inputs=1):
    """The shapes of the grid for an operator whose inputs all have the result's shape."""
    return [(f"{rows}x{columns}", [(rows, columns)] * inputs, (rows, columns))
            for rows, columns in GRID]


def dtypes(torch):
    return {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
            "i64": torch.int64, "i32": torch.int32, "i8": torch.int8, "u8": torch.uint8,
            "bool": torch.bool}


def tensor(torch, shape, dtype, seed):
    """Values as the benchmarks': normal, none of them zero for floats; small whole numbers else."""
    generator = torch.Generator(device="cuda").manual_seed(seed)
    kind = dtypes(torch)[dtype]
    if kind.is_floating_point:
        return (torch.randn(shape, device="cuda", generator=generator) * 2).to(kind)
    high = 2 if dtype == "bool" else 100
    return torch.randint(0, high, shape, device="cuda", generator=generator).to(kind)


def sets_of(torch, case, inputs, output, cold):
    """As many sets of (inputs, result) as the regime asks for, and the bytes that a call moves."""
    kinds = dtypes(torch)
    moved = sum(math.prod(shape) for shape in inputs) * kinds[case.dtype].itemsize
    moved += math.prod(output) * kinds[case.out_dtype].itemsize
    l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
    count = max(2, math.ceil(4 * l2_bytes / moved)) if cold else 1
    first = [tensor(torch, shape, case.dtype, seed) for seed, shape in enumerate(inputs)]
    sets = [(first if i == 0 else [t.clone() for t in first],
             torch.empty(output, device="cuda", dtype=kinds[case.out_dtype]))
            for i in range(count)]
    return sets, moved


def graph_of(torch, case, sets, launches):
    """A captured graph of that many calls, in turn on the sets."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(launches):
            case.call(*sets[i % len(sets)])
    return graph


def seconds_per_call(torch, graph, launches, count):
    """The time per call in each of `count` replays, enqueued one behind the other."""
    ends = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
    for end in ends:
        graph.replay()
        end.record()
    ends[-1].synchronize()
    return [a.elapsed_time(b) * 1e-3 / launches for a, b in zip(ends, ends[1:])]


def measure(torch, case, sets):
    """The seconds per call of each replay."""
    def whole_rounds(launches):
        return math.ceil(launches / len(sets)) * len(sets)

    for inputs, out in sets[:1]:  # a first call outside of a graph: libraries set themselves up
        case.call(inputs, out)
    torch.cuda.synchronize()
    launches = whole_rounds(LEAST_LAUNCHES)
    trial = graph_of(torch, case, sets, launches)
    estimate = seconds_per_call(torch, trial, launches, 2)[-1]
    launches = whole_rounds(max(LEAST_LAUNCHES, math.ceil(LEAST_SECONDS / max(estimate, 1e-7))))
    graph = graph_of(torch, case, sets, launches)
    return seconds_per_call(torch, graph, launches, REPLAYS)


def row(case, shape, regime, seconds, moved):
    median = statistics.median(seconds)
    ordered = sorted(seconds)
    low, high = ordered[len(ordered) // 10], ordered[-1 - len(ordered) // 10]
    return {"name": f"{case.ladder}/{case.rung}/{shape}/{regime}", "run_type": "iteration",
            "label": f"{case.label} peer", "iterations": len(seconds),
            "real_time": statistics.fmean(seconds) * 1e6, "time_unit": "us",
            "GBps": moved / median * 1e-9, "median_us": median * 1e6,
            "spread_pct": (high - low) / median * 100, "bytes": moved}


def rows_of(torch, case):
    for shape, inputs, output in case.shapes:
        for regime in ("cold", "warm"):
            sets, moved = sets_of(torch, case, inputs, output, regime == "cold")
            yield row(case, shape, regime, measure(torch, case, sets), moved)
            del sets


def context(torch):
    properties = torch.cuda.get_device_properties(0)
    return {"backend": "cuda", "gpu": properties.name, "cuda": torch.version.cuda,
            "torch": torch.__version__.split("+")[0],
            "commit": os.environ.get("TUTORIAL_COMMIT", "unknown")}


def cases_of(chapter):
    """The list CASES of the chapter's torch_peers.py."""
    path = chapter / "torch_peers.py"
    if not path.exists():
        raise runs.ToolError(f"{chapter.name} has no torch_peers.py, so nothing of PyTorch to time")
    spec = importlib.util.spec_from_file_location("torch_peers", path)
    module = importlib.util.module_from_spec(spec)
    # The file's `from peers import ...` means this very module, also when it runs as a program.
    sys.modules.setdefault("peers", sys.modules[__name__])
    spec.loader.exec_module(module)
    return module.CASES


def usable_torch():
    try:
        import torch  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise runs.ToolError("PyTorch is not installed for this python3") from None
    if not torch.cuda.is_available():
        raise runs.ToolError("PyTorch sees no CUDA GPU here, and nothing else is worth timing")
    return torch


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("chapter")
    parser.add_argument("out")
    parser.add_argument("--filter", default="", help="only rows with this text in their name")
    options = parser.parse_args(arguments)
    chapter = runs.find_chapter(options.chapter)
    torch = usable_torch()
    cases = cases_of(chapter)
    rows = []
    for case in cases:
        wanted = [s for s in case.shapes if options.filter in f"{case.ladder}/{case.rung}/{s[0]}/"]
        case.shapes = wanted
        for one in rows_of(torch, case):
            rows.append(one)
            print(f"{one['name']:58} {one['median_us']:9.2f} us {one['GBps']:7.0f} GB/s", flush=True)
    Path(options.out).write_text(
        json.dumps({"context": context(torch), "benchmarks": rows}, indent=1) + "\n",
        encoding="utf-8")
    return 0


if __name__ == "__main__":
    runs.run_tool(main)
