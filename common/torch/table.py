#!/usr/bin/env python3
"""Compares a chapter's kernels with PyTorch's own, all called from Python.

    python3 common/torch/table.py CHAPTER [--json OUT.json] [--filter TEXT] [--shapes SxK,...]
                                  [--operators] [--profile LADDER/RUNG/SHAPE/REGIME,...]

For each S and K of {1024, 2048, 4096}, and 16384 x 16384: the first two values that each one
computes, and the time of a call, cold and warm (timing.py has the protocol):

    out_NAME          a rung of the chapter, by its name in the ladder
    out_bound_NAME    the chapter's operator
    out_torch_NAME    PyTorch's fused operator
    out_compile_NAME  what torch.compile makes of the formula
    out_triton_NAME   the same kernel in Triton (triton_twins.py), where the chapter has one

CHAPTER is 01_elu, elu or 1; its file torch_peers.py says what is compared. --operators leaves the
rungs out; --filter keeps rows with this text in their name. OUT.json has the form of the benchmarks'
results, and compare and report read it: the rows of PyTorch and torch.compile are labelled peer, those
of ours bound, so that a benchmark's own rows can stand beside them.

--profile is for ncu, which ./tutorial record runs. Each contender of these rows
of our operator is called three times, each call in an NVTX range with its row's name; nothing is timed,
and the regime is ncu's to set. OUT.json then says what was called, in order.

Without a GPU the operators run on CPU tensors, through the CPU executor: small shapes, a few calls,
and times that say nothing about a GPU.
"""

import argparse
import collections
import importlib
import importlib.util
import statistics

import cases
import elementwise_tutorial
import runs
import timing

PROFILED_CALLS = 3  # of each contender, under ncu
# Tolerances against PyTorch's result in float32. They only make sure that all contenders compute the
# same function; the chapters' tests check the accuracy. (relative, absolute)
TOLERANCES = {"f32": (1e-3, 1e-3), "f16": (3e-2, 3e-2), "bf16": (3e-2, 6e-2), "e4m3": (0.15, 0.01)}


# One line of the table: its row's name up to the shape, its kind, begin(sets) -> call(i) as timing.into and
# timing.allocating make it, and result(inputs, out) -> the tensor to look at.
Contender = collections.namedtuple("Contender", "name kind begin result")


def writing(name, kind, call, saved=None):
    def result(inputs, out):
        timing.into(call, saved)([(inputs, out)])(0)
        return out
    return Contender(name, kind, timing.into(call, saved), result)


def allocating(name, kind, function):
    return Contender(name, kind, timing.allocating(function), lambda inputs, out: joined(function(inputs)))


def joined(result):
    """One tensor, also of a pair: its halves."""
    return importlib.import_module("torch").stack(result) if isinstance(result, tuple) else result


def compiled(torch, function):
    """What torch.compile makes of the function, for one shape at a time."""
    torch._dynamo.reset()  # another shape would make it compile for any shape
    return torch.compile(function, fullgraph=True, dynamic=False)


def triton_twin(torch, case):
    """The case's kernel in Triton, or None without a GPU or without Triton."""
    if case.triton is None or not torch.cuda.is_available() or importlib.util.find_spec("triton") is None:
        return None
    return getattr(importlib.import_module("triton_twins"), case.triton)


def whole(torch, case):
    """[(who, Contender)] of the case's whole operators: ours, PyTorch's, torch.compile's, as far as there are such."""
    found = [("bound", writing(case.named("bound"), "bound", case.bound))] if case.bound else []
    found.append(("torch", writing(case.named("torch"), "peer", case.torch, case.saved) if case.torch
                  else allocating(case.named("torch"), "peer", case.plain)))
    if case.compiled and hasattr(torch, "compile"):
        found.append(("compile", allocating(case.named("compile"), "peer", compiled(torch, case.plain))))
    return found


def contenders(torch, case, chapter, with_rungs):
    """What is compared in this case, in the table's order."""
    ops = torch.ops.elementwise_tutorial
    found = []
    for one in elementwise_tutorial.bound(chapter.name) if with_rungs and case.rungs else []:
        if one.kind == "operator" or not case.rungs(one):
            continue
        name = f"{case.ladder}/{case.rung_prefix}{one.rung}_called"
        found.append(writing(name, "bound", case.rung(getattr(ops, one.name).out)))
    found += [contender for _, contender in whole(torch, case)]
    twin = triton_twin(torch, case)
    if twin:
        found.append(writing(case.named("triton"), "peer", lambda inputs, out: twin(inputs[0], out)))
    return found


def expected(torch, case, inputs):
    """The result of the formula in float32, for floats."""
    wide = [x.float() if x.is_floating_point() else x for x in inputs]
    return joined(case.plain(wide)).to(timing.dtypes(torch)[case.out_dtype])


def check(torch, case, contender, actual, wanted):
    """ToolError unless the contender computes what the formula says."""
    relative, absolute = TOLERANCES.get(case.out_dtype, (0, 0))
    wanted = wanted.float()
    finite = wanted[wanted.isfinite()].abs()
    # The error of a sum near zero is relative to the summands, not to the sum.
    absolute *= max(1.0, float(finite.mean())) if finite.numel() else 1.0
    good = torch.isclose(actual.float(), wanted, relative, absolute, equal_nan=True)
    if not bool(good.all()):
        wrong = int((~good).sum())
        raise runs.ToolError(f"{contender.name}: {wrong} of {good.numel()} results are wrong, so "
                             "nothing is timed")


def shown(values):
    """['0.02439803', '-0.88201714'], as the two first values of a result."""
    texts = [f"{value:.8f}" if isinstance(value, float) else str(value) for value in values]
    return "[" + ", ".join(repr(f"{text[:11]:11}") for text in texts) + "]"


def profiled(cuda, name, call):
    """Calls a contender for ncu, each call in an NVTX range of this name."""
    for i in range(PROFILED_CALLS):
        cuda.nvtx.range_push(name)
        call(i)
        cuda.synchronize()
        cuda.nvtx.range_pop()


class Table:
    """Measures and prints; keeps the rows."""

    def __init__(self, torch, chapter, options):
        self.torch, self.chapter, self.options = torch, chapter, options
        self.gpu = torch.cuda.is_available()
        self.device = "cuda" if self.gpu else "cpu"
        self.regimes = ("cold", "warm") if self.gpu else ("warm",)
        self.grid = cases.GRID if self.gpu else cases.SMALL_GRID
        self.rows = []

    def run(self, listed):
        """Shape by shape; in each, case by case."""
        work = {}
        for case in listed:
            for name, inputs, output in case.shapes(self.grid):
                if self.options.shapes is None or name in self.options.shapes:
                    work.setdefault(name, []).append((case, inputs, output))
        if not work:
            raise runs.ToolError(f"{self.chapter.name} has no such shape")
        for name, here in work.items():
            if self.gpu:
                self.torch.cuda.empty_cache()
            self.heading(name)
            for case, inputs, output in here:
                self.case(case, name, inputs, output)
        if not self.rows:
            raise runs.ToolError(f"--filter {self.options.filter}: no row has this in its name, as in elu/bound_f16/1024x1024/")

    def profile(self, listed):
        """Calls what --profile names, for ncu; the first calls (compiling, loading) are not profiled."""
        cuda = self.torch.cuda
        known = {f"{case.named('bound')}/{shape}/{regime}": (case, f"{shape}/{regime}", inputs, output) for case in listed
                 for shape, inputs, output in case.shapes(self.grid) for regime in self.regimes}
        for row in self.options.profile:
            if row not in known:
                raise runs.ToolError(f"--profile {row}: {self.chapter.name} has no such row of its operator; "
                                     f"write it as {next(iter(known))}")
        for row in self.options.profile:
            case, where, inputs, output = known[row]
            cuda.empty_cache()
            sets = timing.sets_of(self.torch, case, inputs, output, "warm", self.device)
            called = self.first_results(case, contenders(self.torch, case, self.chapter, False), sets[0])
            cuda.synchronize()
            cuda.profiler.start()
            for contender, _, _ in called:
                self.rows.append({"name": f"{contender.name}/{where}", "calls": PROFILED_CALLS})
                profiled(cuda, self.rows[-1]["name"], contender.begin(sets))
            cuda.profiler.stop()
            print(f"profiled {row}: {len(called)} contenders", flush=True)

    def heading(self, name):
        parts = name.split("x")
        title = f"S={parts[0]}, K={parts[1]}" if len(parts) == 2 else name
        columns = "".join(f"{regime:>14}" for regime in self.regimes)
        print("-" * (64 + 14 * len(self.regimes)))
        print(f"{title:>40}{'':24}{columns}", flush=True)

    def case(self, case, shape, inputs, output):
        # Leaves out the rungs of a ladder where a single call takes much longer than all others
        # together.
        with_rungs = not self.options.operators and shape != "16384x16384"
        first = timing.sets_of(self.torch, case, inputs, output, "warm", self.device)
        chosen = [c for c in contenders(self.torch, case, self.chapter, with_rungs)
                  if self.options.filter in f"{c.name}/{shape}/"]
        if not chosen:
            return
        moved = timing.bytes_moved(self.torch, case, inputs, output)
        lines = self.first_results(case, chosen, first[0])
        for regime in self.regimes:
            sets = first if regime == "warm" else timing.sets_of(
                self.torch, case, inputs, output, regime, self.device)
            for contender, _, times in lines:
                seconds = (timing.on_gpu(self.torch, contender.begin, sets) if self.gpu
                           else timing.on_cpu(contender.begin, sets))
                one = timing.row(f"{contender.name}/{shape}/{regime}", case.label, contender.kind,
                                 case.form, seconds, moved)
                times[regime] = one["median_us"]
                self.rows.append(one)
            del sets
        for contender, values, times in lines:
            columns = "".join(f"{times[regime] / 1e3:11.6f} ms" for regime in self.regimes)
            print(f"{printed(contender):>32}: {values:30}{columns}", flush=True)

    def first_results(self, case, chosen, one_set):
        """[(contender, its first two values, {})] of those that give the right results."""
        wanted = expected(self.torch, case, one_set[0])
        lines = []
        for contender in chosen:
            try:
                actual = contender.result(*one_set)
            except Exception as error:  # pylint: disable=broad-except
                # Ours must work. PyTorch lacks some types on the CPU, torch.compile may lack a compiler.
                if contender.kind != "peer":
                    raise
                print(f"{printed(contender):>32}: left out: {str(error).splitlines()[0]}")
                continue
            check(self.torch, case, contender, actual, wanted)
            lines.append((contender, shown(actual.flatten()[:2].tolist()), {}))
        return lines


def printed(contender):
    """The name in the table, a rung's as the ladder has it: out_f16x8_pack, out_bound_f16."""
    name = contender.name.split("/")[1]
    return "out_" + (name[:-len("_called")] if name.endswith("_called") else name)


def summary(rows, listed):
    """Lines: per operation and regime, the others' time divided by ours."""
    time = {row["name"]: row["median_us"] for row in rows}
    lines = []
    for case in listed:
        ours = case.named("bound")
        for regime in ("cold", "warm"):
            for other, words in (("torch", "PyTorch"), ("compile", "torch.compile")):
                ratios = [theirs / value for name, value in time.items() if name.startswith(ours + "/") and name.endswith(regime)
                          and (theirs := time.get(name.replace(ours, case.named(other), 1)))]
                if ratios:
                    lines.append(f"{ours:42} {regime:5} {words + ' / ours':22}"
                                 f"{statistics.geometric_mean(ratios):7.3f}x {min(ratios):10.3f}x "
                                 f"{max(ratios):9.3f}x {len(ratios):7}")
    if lines:
        lines.insert(0, f"{'':48} {'time':22}{'geo. mean':>8} {'least':>10} {'most':>10} {'shapes':>7}")
    return lines


def context(torch):
    """As a benchmark's: where, with which versions, from which commit."""
    common = {"torch": torch.__version__.split("+")[0], "commit": runs.commit()}
    if not torch.cuda.is_available():
        return {"backend": "cpu-executor", **common}
    properties = torch.cuda.get_device_properties(0)
    return {"backend": "cuda", "gpu": properties.name, "cuda": torch.version.cuda, **common}


def cases_of(chapter):
    """The list CASES of the chapter's torch_peers.py."""
    path = chapter / "proof" / "peers" / "torch_peers.py"
    if not path.exists():
        raise runs.ToolError(f"{chapter.name} has no proof/peers/torch_peers.py, so nothing of PyTorch to time")
    spec = importlib.util.spec_from_file_location("torch_peers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CASES


def introduce(torch, chapter):
    """Prints which versions and devices the table compares."""
    where = context(torch)
    if where["backend"] == "cuda":
        print(f"{chapter.name} beside PyTorch {where['torch']} on {where['gpu']}; milliseconds a call")
    else:
        print(f"{chapter.name} beside PyTorch {where['torch']} on CPU tensors (no GPU here): "
              "ours run on the CPU executor, and these times say nothing about a GPU")
    if not hasattr(torch, "compile"):
        print(f"torch.compile is left out: PyTorch {where['torch']} does not have it (2.0 does)")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("chapter")
    parser.add_argument("--json", metavar="OUT.json", help="write the rows to this file too")
    parser.add_argument("--filter", default="", help="only rows with this text in their name")
    parser.add_argument("--shapes", type=lambda text: text.split(","),
                        help="only these shapes, e.g. 1024x1024,4096x4096")
    parser.add_argument("--operators", action="store_true", help="omit the rungs")
    parser.add_argument("--profile", type=lambda text: runs.unique(text.split(",")), metavar="ROW,...",
                        help="for ncu: only call the contenders of these rows, such as elu/bound_f16/1024x1024/cold")
    options = parser.parse_args(arguments)
    chapter = runs.find_chapter(options.chapter)
    torch = elementwise_tutorial.find_torch()
    listed = cases_of(chapter)
    table = Table(torch, chapter, options)
    if options.profile and not table.gpu:
        raise runs.ToolError("--profile needs a GPU, and PyTorch sees none")
    # With a GPU only the GPU is timed, so the executor's bindings are not built.
    elementwise_tutorial.load(chapter.name, backends=["cuda" if torch.cuda.is_available() else "cpu"])
    introduce(torch, chapter)
    with torch.no_grad():
        (table.profile if options.profile else table.run)(listed)
    if table.gpu and not options.profile:
        print()
        print("\n".join(summary(table.rows, listed)))
    if options.json:
        runs.write_json(options.json, {"context": context(torch),
                                       "profiled" if options.profile else "benchmarks": table.rows})


if __name__ == "__main__":
    runs.run_tool(main)
