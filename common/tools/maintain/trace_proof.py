#!/usr/bin/env python3
"""Holds every rung of a chapter to what it claims of its accesses, by tracing it.

    trace_proof.py PROGRAM            exit 1 with a line for each claim that does not hold
    trace_proof.py PROGRAM --quick    in seconds: without what ncu counted

PROGRAM sees a chapter's kernels: build/cpu/01_elu_see. What is claimed, and by whom:

  the rung's table   In a launch whose size the rung divides, every thread has its elements to do,
                     no more blocks are launched than these need, and all lanes of all warps do the
                     same. With a tail, no more blocks are launched than are needed.
  the operation      Every byte of the output is stored once, and the output is right. A rung with a
                     line in the table loads every byte of its inputs once.
  codegen.json       The widest load and store of a kernel have as many bits as its machine code's.
  the compiler       No function is left that a kernel calls, but the executor's and the mathematical ones: what a
                     call passes and returns by value is not seen (common/cmake/see.cmake).
  main_ncu*.json     Sectors per load and per store, requests, and the accesses to shared memory and
                     their passes equal what Nsight Compute counted on a GPU.

common/trace/exceptions.json names each rung for which one of these does not hold, and why. An
exception that is not needed is a mistake too. The reader's own rung may do as it likes: what it does
not keep is printed, and is no failure.
"""

import argparse
import math
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reader"))
import runs
import trace

GRID = "16384x16384"  # what ncu sees of lists
FULL = "256x1024"   # divided by the elements of every rung's block
TAIL = "1x63519"    # of every width a tail, whose threads take no block more
#: idle: blocks or threads have nothing to do; blocks: more are launched than are needed; lanes: some of a warp leave the fast
#: path; unseen, stored: bytes of the output are not stored, or more than once; loaded: bytes of an input more than once, or
#: not at all; width: the widest access is not that of the machine code; the others are not ncu's.
RULES = ("idle", "blocks", "lanes", "unseen", "stored", "loaded", "width", "sectors_per_load", "sectors_per_store",
         "load_requests", "store_requests", "shared_load", "shared_store")
SMALL_ROWS, PARTS = 2048, 16  # of a matrix that is too large here: so many rows, and a part of the blocks
IMAGES = 64                   # ncu's (N, C, H, W) has so many, which are all alike: one is traced
YOURS = "your_"    # rungs that a reader edits
NEAR = 1e-3  # ncu's figures are recorded with four digits


class Findings:
    """What does not hold; exceptions are taken out and counted."""

    def __init__(self, chapter, exceptions):
        self.chapter, self.problems, self.used, self.of_yours = chapter, [], set(), []
        self.exceptions = [e for e in exceptions if e["chapter"] == chapter]

    def add(self, rung, rule, text):
        excused = [number for number, entry in enumerate(self.exceptions)
                   if rung in entry["rungs"] and rule in entry["rules"]]
        self.used.update((number, rung, rule) for number in excused[:1])
        if not excused:
            (self.of_yours if rung.startswith(YOURS) else self.problems).append(f"{rung}: {text}")

    def unneeded(self, rungs):
        """Exceptions that nothing has asked for."""
        for number, entry in enumerate(self.exceptions):
            for rung in entry["rungs"]:
                for rule in entry["rules"]:
                    if (number, rung, rule) not in self.used and rung in rungs and not rung.startswith(YOURS):
                        self.problems.append(
                            f"{rung}: common/trace/exceptions.json excuses {rule}, which holds; take it out")


def load_exceptions():
    entries = runs.load_json(trace.EXCEPTIONS).get("exceptions", [])
    for entry in entries:
        unknown = set(entry["rules"]) - set(RULES)
        if unknown:
            raise runs.ToolError(f"{trace.EXCEPTIONS.name}: unknown rule {sorted(unknown)[0]}; known: "
                                 + ", ".join(RULES))
    return entries


# -------------------------------------------------------------------------------------------------
# The claims


def threads_of(launch):
    return math.prod(launch["grid"]) * math.prod(launch["block"])


def check_output(rung, found):
    if "wrong" in rung:
        found.add(rung["rung"], "wrong", f"at {rung['shape']}: {rung['wrong']}")
        return
    if not any(launch["places"] for launch in rung["launches"]):
        found.add(rung["rung"], "unseen", "no access was seen; are its kernels in the chapter's library?")
        return
    unseen = trace.unseen_bytes(rung)
    if unseen:
        found.add(rung["rung"], "unseen", f"{unseen:,} bytes of the output were stored unseen: a function that "
                                          "returns a half by value is not inlined; declare it __forceinline__")
    again = rung["buffers"][-1]["stores_again"]
    if again:
        found.add(rung["rung"], "stored", f"stores {again:,} bytes of its output more than once")


def check_inputs(rung, found):
    for buffer in rung["buffers"][:-1]:
        if buffer["loads_again"]:
            found.add(rung["rung"], "loaded",
                      f"loads {buffer['loads_again']:,} bytes of {buffer['name']} more than once")
        elif buffer["loads_once"] != buffer["bytes"]:
            found.add(rung["rung"], "loaded", f"leaves out {buffer['bytes'] - buffer['loads_once']:,} "
                                              f"bytes of {buffer['name']}")


def check_blocks(rung, found):
    """By the table's elements a thread."""
    launch = rung["launches"][0]
    threads = math.prod(launch["block"])
    blocks, needed = math.prod(launch["grid"]), math.ceil(
        rung["elements"] / (threads * rung["claims_per_thread"]))
    if blocks > needed:
        found.add(rung["rung"], "blocks",
                  f"launches {blocks:,} blocks of {threads} threads for {rung['elements']:,} elements; with "
                  f"{rung['claims_per_thread']} elements a thread, as its table says, it needs {needed:,}")


def check_full_launch(rung, found):
    """At a size that every block divides."""
    for launch in rung["launches"]:
        idle = threads_of(launch) - launch["busy_threads"]
        blocks = math.prod(launch["grid"]) - launch["busy_blocks"]
        if blocks:
            found.add(rung["rung"], "idle", f"{blocks:,} of {math.prod(launch['grid']):,} blocks touch "
                                            f"nothing, in a launch of {rung['elements']:,} elements")
        elif idle and "claims_per_thread" in rung:
            found.add(rung["rung"], "idle", f"{idle:,} of {threads_of(launch):,} threads touch nothing, in a "
                                            f"launch of {rung['elements']:,} elements that needs all of them")
        for place in launch["places"]:
            # What a load reads may depend on the data; what is stored does not. A rung with shapes of
            # its own may have rows that fill no warp.
            strict = "claims_per_thread" in rung or (place["operation"] == "store" and rung["shape"] == FULL)
            if place["space"] == "global" and strict and place["lanes"] % place["requests"]:
                found.add(rung["rung"], "lanes",
                          f"{place.get('line', '?')}: some warps {place['operation']} with fewer lanes than "
                          f"others ({place['lanes']:,} lanes in {place['requests']:,} requests), though "
                          f"{rung['elements']:,} elements fill every warp: a thread has left the fast path")


def check_order(rung, found):
    """A value is loaded before it is stored."""
    for launch in rung["launches"]:
        requests = launch.get("middle", {}).get("requests", [])
        for first, second in zip(requests, requests[1:]):
            kinds = [(r["operation"], r["space"]) for r in (first, second)]
            if kinds == [("store", "shared"), ("load", "global")] and first.get("line") == second.get("line"):
                found.problems.append(f"{rung['rung']}: {first.get('line')}: the store stands before the load whose "
                                      "value it stores")


def widest(launch, operation):
    return max((p["most_bytes"] for p in launch["places"] if p["operation"] == operation and p["space"] == "global"),
               default=None)


DTYPE = re.compile(r"(?:^|_)(f32|f16|bf16|e4m3|e5m2|i8|i32|i64|u8)(?:x\d+)?(?=_|$)")


def is_of_type(entry, rung):
    """A spec may name a template of which the machine code was read for one type only."""
    dtypes = DTYPE.findall(entry.get("rung", ""))
    return not dtypes or rung["dtype"] in dtypes


def claims_of(spec):
    """The entries of a codegen spec, each with what the spec says of every kernel."""
    return [{**spec.get("defaults", {}), **entry} for entry in spec.get("kernels", [])]


def check_widths(rung, specs, found):
    """A rung with shapes of its own may have no place for its widest accesses."""
    for launch in rung["launches"]:
        entries = (runs.entry_for(launch["kernel"], spec) for spec in specs)
        entry = next((e for e in entries if e and is_of_type(e, rung)), None)
        for operation in ("load", "store"):
            bits, seen = (entry or {}).get(f"{operation}_bits"), widest(launch, operation)
            if bits is None or seen is None or not isinstance(bits, int) or bits == seen * 8:
                continue
            if rung["shape"] != FULL and seen * 8 < bits:
                continue
            found.add(rung["rung"], "width", f"its widest {operation} has {seen * 8} bits, codegen.json says "
                                             f"{bits} ({runs.short_kernel_name(launch['kernel'])})")


# -------------------------------------------------------------------------------------------------
# Calls

#: What may be left: functions that g++'s instrumentation calls (mutate.py asks for UBSan's too), and mathematical ones, which
#: take numbers and give one. Not memcpy and the like, whose accesses would not be seen.
KNOWN = re.compile(r"__(tsan|ubsan)_\w+|_Unwind_Resume|normcdf\(double\)|(exp|exp2|expm1|log|fma|fmin|fmax|fmod|pow|tanh|erf|sqrt|rint|floor|ceil"
                   r"|trunc|round|nearbyint)f?")


def kernel_names(folder):
    """The names of all kernels of a chapter and of common's headers."""
    sources = [path for path in folder.rglob("*.cu*") if path.relative_to(folder).parts[0] not in ("proof", "answers")]
    names = set()
    for path in sources + list((runs.ROOT / "common").glob("*.cuh")):
        text = re.sub(r"//.*", "", runs.read_text(path))
        text = re.sub(r"__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)", "", text)
        names |= set(re.findall(r"__global__[^;{(]*?(\w+)\s*\(", text))
    return names


def function_name(symbol):
    """tutorial::some_kernel of "void tutorial::(anonymous namespace)::some_kernel<float, 1>(float*)"."""
    symbol, depth, name = symbol.replace("(anonymous namespace)::", ""), 0, ""
    for letter in symbol:
        if letter == "(" and depth == 0:
            break
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == " " and depth == 0:  # what stands before is the type of the result
            name = ""
        elif depth == 0 and letter != ">":
            name += letter
    return name


def calls_of(disassembly, names):
    """(kernel, what it calls) of each call in a kernel with one of these names; also the kernels that were found."""
    kernel, kernels, calls = None, set(), []
    for line in disassembly.splitlines():
        if line.endswith(">:"):
            name = function_name(line[line.index("<") + 1:-2]).split("::")[-1]
            kernel = name if name in names else None
            kernels.add(kernel)
        elif kernel and (call := re.search(r"\bcallq? +(?:[0-9a-f]+ <(.*)>|(\*.*))$", line)):
            calls.append((kernel, (call.group(1) or call.group(2)).removesuffix("@plt")))
    return calls, kernels - {None}


def is_known(callee):
    return function_name(callee).startswith("tutorial::cpu::") or bool(KNOWN.fullmatch(callee))


def check_calls(program, folder, launched, found):
    """`launched`: the names of the traced kernels."""
    disassembly = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", program], capture_output=True, text=True, check=True)
    calls, kernels = calls_of(disassembly.stdout, kernel_names(folder))
    for missing in sorted(launched - kernels):
        found.problems.append(f"{missing}: no such kernel was found in the machine code of {program}")
    if not any(callee.startswith("__tsan_") for _, callee in calls):
        found.problems.append(f"{program}: no call was found that sees an access; has objdump changed its form?")
    callers = {}
    for kernel, callee in calls:
        if not is_known(callee):
            callers.setdefault(callee, set()).add(kernel)
    for callee, by in callers.items():
        found.problems.append(f"{callee}: {len(by)} kernels call it, such as {min(by)}, and what they pass is not seen: inline it, "
                              "and compile the kernel's object as one that is seen (common/cmake/see.cmake)")


# -------------------------------------------------------------------------------------------------
# ncu


def dimensions(text):
    return [int(number) for number in re.findall(r"\d+", text)]


def blocks_of(entry):
    """The number of blocks of ncu's entry, or those that were traced."""
    return entry["blocks"] if entry.get("blocks") is not None else math.prod(dimensions(entry["grid"]))


def ncu_files(folder):
    return sorted((folder / "results").glob(runs.shown_name("main_ncu*.json")))


def entries_of(path):
    """What ncu counted of each kernel, with the elements of its launch."""
    data = runs.load_json(path)
    sizes = [int(size) for size in data.get("context", {}).get("shape", "").split("x") if size]
    return [dict(entry, elements=math.prod(sizes)) for entry in data.get("ncu", [])]


def summary(rung, launch):
    """What can be held against ncu's figures."""
    blocks = max(launch["busy_blocks"], 1)
    result = {"rung": rung["rung"], "kernel": runs.short_kernel_name(launch["kernel"]), "grid": launch["grid"],
              "block": launch["block"], "blocks": blocks,
              "elements": rung["elements"] * blocks // math.prod(launch["grid"])}
    for operation in ("load", "store"):
        total = trace.totals(launch, operation, "global")
        if total:
            result[f"{operation}_requests"] = total["requests"]
            result[f"{operation}_sectors"] = total["sectors"]
            result[f"sectors_per_{operation}"] = round(total["sectors"] / total["requests"], 4)
        shared = trace.totals(launch, operation, "shared")
        if shared:
            result[f"shared_{operation}"] = {"instructions": shared["requests"], "passes": shared["passes"]}
    return result


def traced_as(entry, summaries):
    """The traced launch of an ncu entry's kernel: of the same block, if there is one."""
    fitting = [s for s in summaries if runs.plain_name(s["kernel"]) == runs.plain_name(entry["kernel"])]
    alike = [s for s in fitting if s["block"] == dimensions(entry["block"])]
    same = [s for s in alike if s["grid"] == dimensions(entry["grid"])]
    return (same or alike or fitting or [None])[0]


def close(a, b):
    return a is None or b is None or math.isclose(a, b, rel_tol=NEAR)


def warps_of(entry):
    return blocks_of(entry) * math.ceil(math.prod(dimensions(entry["block"])) / 32)


def scaled(entry, traced, count):
    """A number of the traced launch for one of ncu's size."""
    return count * entry["elements"] / traced["elements"]


def shared_difference(entry, traced, rule):
    """(rule, ncu's, ours) or None."""
    theirs, ours = entry[rule], traced.get(rule) or {"instructions": 0, "passes": 0}
    for key, what in (("instructions", "accesses"), ("passes", "passes")):
        count, blocks = scaled(entry, traced, ours[key]), blocks_of(entry)
        if not close(theirs[key], count):
            return rule, f"{theirs[key] / blocks:.4g} {what} a block", f"{count / blocks:.4g}"
    return None


def differences(entry, traced):
    """[(rule, ncu's number, ours)] of one kernel."""
    found = []
    for rule in ("sectors_per_load", "sectors_per_store"):
        if not close(entry.get(rule), traced.get(rule)):
            found.append((rule, entry.get(rule), traced.get(rule)))
    if dimensions(entry["block"]) != traced["block"]:
        return found
    for operation in ("load", "store"):
        rule, ours = f"{operation}_requests", scaled(entry, traced, traced.get(f"{operation}_requests", 0))
        if not close(entry[rule] or 0, ours):
            found.append((rule, *(f"{count / warps_of(entry):.4g} a warp" for count in (entry[rule] or 0, ours))))
    return found + [difference for rule in ("shared_load", "shared_store") if entry.get(rule)
                    for difference in [shared_difference(entry, traced, rule)] if difference]


def is_peer(entry):
    """Kernels that are not the chapter's: cub's, and the copies of common/bench."""
    return "128bit" in entry["kernel"] or "transform_kernel" in entry["kernel"] or "cub" in entry["rung"] \
        or entry["kernel"].startswith("Cub") or entry["rung"].startswith("museum") \
        or entry["rung"].endswith("_by_hand")


def summaries_of(rungs):
    return [summary(rung, launch) for rung in rungs for launch in rung["launches"]]


def at_shape_of(program, shape, entries):
    """The rungs of ncu's entries at the shape that ncu saw, which may be too large: then a part of it
    that is like the rest."""
    sizes = [int(size) for size in shape.split("x")]
    if len(sizes) > 2:
        return trace.ask(program, ["--all", "--gpu-sizes", f"--shape={shape}", f"--part={IMAGES}"])
    names = runs.unique(rung["rung"] for rung in trace.names_of(program) if rung["kind"] == "rung"
                        and any(entry["rung"].startswith(rung["rung"]) for entry in entries))
    rows = min(sizes[0], SMALL_ROWS)
    return trace.ask(program, [*names, f"--shape={rows}x{sizes[1]}", f"--part={PARTS}"]) if names else []


def sweeps(program):
    """Kernels beside the ladder that a profile may have: other operations, other block sizes."""
    names = [rung["rung"] for rung in trace.names_of(program)
             if rung["kind"] == "sweep" and not rung["rung"].startswith("museum")]
    return trace.ask(program, [*names, f"--shape={FULL}"]) if names else []


def sized(program, chapter, shape):
    """The rungs that behave like ncu's only at ncu's size, by exceptions.json: a part of them."""
    return [rung for entry in runs.load_json(trace.EXCEPTIONS).get("sizes", [])
            if (entry["chapter"], entry["shape"]) == (chapter, shape)
            for rung in trace.ask(program, [*entry["rungs"], f"--shape={entry['shape']}",
                                            f"--part={entry['parts']}"])]


def traced_for(path, program, full):
    """The summaries that a file of ncu's is compared with. A list as large as its grid behaves like a
    smaller one."""
    data = runs.load_json(path)
    shape = data.get("context", {}).get("shape", "")
    at_its_size = sized(program, path.parents[1].name, shape)
    if shape == GRID:
        return summaries_of(at_its_size + full + sweeps(program))
    return summaries_of(at_its_size + at_shape_of(program, shape, data.get("ncu", [])))


def check_ncu(folder, summaries, found):
    """Holds the traced launches against each recorded kernel; the rungs that were compared.
    `summaries`: by the names of ncu's files."""
    compared = []
    for path in ncu_files(folder):
        for entry in entries_of(path):
            if is_peer(entry):
                continue
            traced = traced_as(entry, summaries[path.name])
            if traced is None:
                found.add(entry["rung"], "sectors_per_load",
                          f"{path.name} has its kernel {entry['kernel']}, and no traced rung launches it")
                continue
            compared.append(entry["rung"])
            for rule, theirs, ours in differences(entry, traced):
                found.add(entry["rung"], rule, f"{rule}: ncu counted {theirs}, the trace {ours}")
    return compared


# -------------------------------------------------------------------------------------------------


def prove(program, folder, quick=False):
    found = Findings(folder.name, load_exceptions())
    full = trace.ask(program, ["--all", f"--shape={FULL}"])
    claimed = [rung["rung"] for rung in full if "claims_per_thread" in rung]
    tail = trace.ask(program, [*claimed, f"--shape={TAIL}"]) if claimed else []
    specs = [claims_of(runs.load_json(path)) for path in runs.rooms(folder, "codegen*.json")]
    for rung in full + tail:
        check_output(rung, found)
        if "claims_per_thread" in rung and rung["launches"]:
            check_inputs(rung, found)
            check_blocks(rung, found)
    launched = {function_name(launch["kernel"]).split("::")[-1] for rung in full for launch in rung["launches"]}
    check_calls(program, folder, launched, found)
    for rung in full:
        check_full_launch(rung, found)
        check_order(rung, found)
        check_widths(rung, specs, found)
    if quick:
        return found, len(full), 0
    summaries = {path.name: traced_for(path, program, full) for path in ncu_files(folder)}
    compared = check_ncu(folder, summaries, found)
    found.unneeded({rung["rung"] for rung in full} | set(compared))
    return found, len(full), len(compared)


def main():
    parser = argparse.ArgumentParser(description="Holds every rung to what it claims of its accesses.")
    parser.add_argument("program", help="build/cpu/01_elu_see")
    parser.add_argument("--quick", action="store_true", help="without ncu's recordings")
    arguments = parser.parse_args()
    name = Path(arguments.program).name.removesuffix("_see")
    folder = runs.find_chapter(name)
    found, rungs, compared = prove(arguments.program, Path(folder), arguments.quick)
    for line in found.of_yours + found.problems:
        print(line)
    if found.problems:
        return 1
    print(f"{folder.name}: {rungs} rungs keep their claims" + ("" if arguments.quick else f"; {compared} kernels agree with ncu")
          + (f", {len(found.used)} exceptions" if found.used else ""))
    return 0


if __name__ == "__main__":
    runs.run_tool(main)
