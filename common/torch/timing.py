"""How long a call of an operator takes, measured as the benchmarks in common/bench measure kernels.

On a GPU: a captured graph of back-to-back calls, at least 10 of them and at least 1 ms, replayed 15
times after one that is not counted; the median over the replays. cold: the calls take turns on sets
of tensors that together exceed the L2 cache four times; warm: all calls use one set. Results land in
tensors that were allocated before (out=), so that no allocation is timed and cold results are cold.
What torch.compile makes has no out=: its results are kept until their turn comes again, so that they
take turns on as many places.

Without a GPU: a few calls on CPU tensors by the clock, in the regime warm.
"""

import functools
import gc
import math
import statistics
import time

REPLAYS, LEAST_LAUNCHES, LEAST_SECONDS = 15, 10, 1e-3
STEADY_PCT, TRIES = 2, 3
CPU_CALLS = 3


def dtypes(torch):
    e4m3 = {"e4m3": torch.float8_e4m3fn} if hasattr(torch, "float8_e4m3fn") else {}  # PyTorch 2.1
    return {**e4m3, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
            "i64": torch.int64, "i32": torch.int32, "i8": torch.int8, "u8": torch.uint8,
            "bool": torch.bool}


def tensor(torch, shape, dtype, seed, device="cuda"):
    """The values of the benchmarks: normal for floats, the same in each type; otherwise small integers."""
    generator = torch.Generator(device=device).manual_seed(seed)
    kind = dtypes(torch)[dtype]
    if kind.is_floating_point:
        return (torch.randn(shape, device=device, generator=generator) * 2).to(kind)
    high = 2 if dtype == "bool" else 100
    return torch.randint(0, high, shape, device=device, generator=generator).to(kind)


def size_of(torch, dtype):
    return torch.empty(0, dtype=dtypes(torch)[dtype]).element_size()


def bytes_moved(torch, case, inputs, output):
    """The bytes that a call must read and write at these shapes."""
    moved = sum(math.prod(shape) for shape in inputs) * size_of(torch, case.dtype)
    return moved + math.prod(output) * size_of(torch, case.out_dtype)


def set_count(torch, regime, moved):
    """How many sets of so many bytes the regime needs."""
    if regime == "warm":
        return 1
    return max(2, math.ceil(4 * torch.cuda.get_device_properties(0).L2_cache_size / moved))


def sets_of(torch, case, inputs, output, regime, device="cuda"):
    """The sets of (inputs, result) that the regime needs."""
    count = set_count(torch, regime, bytes_moved(torch, case, inputs, output))
    first = [tensor(torch, shape, case.dtype, seed, device) for seed, shape in enumerate(inputs)]
    kind = dtypes(torch)[case.out_dtype]
    return [(first if i == 0 else [t.clone() for t in first],
             torch.empty(output, device=device, dtype=kind)) for i in range(count)]


def into(call, saved=None):
    """A contender that writes to the result of its set: call(inputs, out).

    saved(inputs): tensors that are there before anything is timed, as from a forward pass; call gets them
    behind the inputs."""
    def begin(sets):
        if saved:
            sets = [([*inputs, *saved(inputs)], out) for inputs, out in sets]
        return lambda i: call(*sets[i % len(sets)])
    return begin


def allocating(function):
    """A contender that allocates its result, function(inputs); it is kept until its set's next turn."""
    def begin(sets):
        kept = [None] * len(sets)

        def call(i):
            place = i % len(sets)
            kept[place] = None
            kept[place] = function(sets[place][0])
        return call
    return begin


def graph_of(torch, call, launches):
    """A captured graph of that many calls.

    By hand, because torch.cuda.graph() also collects garbage and empties the allocator's cache, which
    takes longer than all else here. What Python collects meanwhile must not be a graph.
    """
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    gc.disable()
    try:
        with torch.cuda.stream(side_stream(torch)):
            graph.capture_begin()
            try:
                for i in range(launches):
                    call(i)
            finally:
                graph.capture_end()
    finally:
        gc.enable()
    torch.cuda.synchronize()
    return graph


@functools.lru_cache(maxsize=None)
def side_stream(torch):
    """The stream for graph capture; the default stream cannot be captured."""
    return torch.cuda.Stream()


def seconds_per_call(torch, graph, launches, count):
    """The time per call in each of `count` replays, enqueued back to back."""
    ends = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
    for end in ends:
        graph.replay()
        end.record()
    ends[-1].synchronize()
    return [a.elapsed_time(b) * 1e-3 / launches for a, b in zip(ends, ends[1:])]


def spread_pct(seconds):
    """(p90 - p10) / median, in percent, as the benchmarks have it."""
    ordered = sorted(seconds)
    low, high = ordered[len(ordered) // 10], ordered[-1 - len(ordered) // 10]
    return (high - low) / statistics.median(seconds) * 100


def steadiest(measure):
    """What measure() returns, measured again while it spreads too much; the least spread of all."""
    tries = []
    while len(tries) < TRIES and (not tries or spread_pct(tries[-1]) > STEADY_PCT):
        tries.append(measure())
    return min(tries, key=spread_pct)


def on_gpu(torch, contender, sets):
    """The seconds per call of each replay, of the steadiest try."""
    def whole_rounds(launches):
        return math.ceil(launches / len(sets)) * len(sets)

    contender(sets)(0)  # a first call outside of a graph: libraries set themselves up
    torch.cuda.synchronize()
    launches = whole_rounds(LEAST_LAUNCHES)
    call = contender(sets)  # keeps results alive as long as the graph that writes them
    trial = graph_of(torch, call, launches)
    estimate = seconds_per_call(torch, trial, launches, 2)[-1]
    del trial
    launches = whole_rounds(max(LEAST_LAUNCHES, math.ceil(LEAST_SECONDS / max(estimate, 1e-7))))
    call = contender(sets)
    graph = graph_of(torch, call, launches)
    return steadiest(lambda: seconds_per_call(torch, graph, launches, REPLAYS))


def on_cpu(contender, sets):
    """The seconds of each of a few calls."""
    call, seconds = contender(sets), []
    for i in range(CPU_CALLS + 1):
        began = time.perf_counter()
        call(i)
        seconds.append(time.perf_counter() - began)
    return seconds[1:]


def row(name, dtype, kind, form, seconds, moved):
    """A row as a benchmark writes it; name is ladder/rung/shape/regime."""
    median = statistics.median(seconds)
    return {"name": name, "run_type": "iteration", "label": f"{dtype} {kind} {form}".rstrip(),
            "iterations": len(seconds), "real_time": statistics.fmean(seconds) * 1e6,
            "time_unit": "us", "GBps": moved / median * 1e-9, "median_us": median * 1e6,
            "spread_pct": spread_pct(seconds), "bytes": moved}
