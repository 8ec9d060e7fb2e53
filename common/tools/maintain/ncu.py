#!/usr/bin/env python3
"""Turns Nsight Compute's CSV into JSON that report.py reads.

    python3 common/tools/maintain/ncu.py RAW.csv --shape 4096x4096 --ladder elu --out ncu.json
        [--spec 01_elu/proof/codegen.json] [--context BENCH.json]

    python3 common/tools/maintain/ncu.py COLD.csv WARM.csv --order COLD.json WARM.json --out h200_behind_ncu.json

`./tutorial record` runs ncu and this; its log has the whole commands. The clocks are left as they are, as in the
benchmark. TUTORIAL_PROFILE=1 makes each row launch its kernel three times and no more, and ncu takes the second and the
third launch of every kernel, the first being a warm-up; of several launches of one kernel, the one with the median
duration is reported. ncu flushes the caches before each pass, so that reads are cold; bytes that the kernel wrote may
still lie in the L2 when it ends, so the DRAM's write traffic is a lower bound for a buffer that the L2 can hold.

The JSON holds, per kernel:

    kernel, rung, block, grid, launches    rung is what the spec of codegen.py calls the kernel, or
                                 its name without elu_ and _kernel; when one kernel was launched in
                                 several shapes, all but the first add their block size to it
    duration_us
    dram_gbps                    bytes read from and written to DRAM over the duration, 10^9 / s
    dram_pct                     percent of the DRAM's peak
    instructions                 warp instructions executed
    instructions_per_element     instructions of one thread per element: warp instructions * 32 / n
    issue_pct                    percent of the cycles in which a scheduler issued an instruction
    registers                    per thread
    shared_bytes                 of shared memory that a block takes, with what the system keeps of it
    load_requests, store_requests
                                 requests of warps for global memory, at the L1
    sectors_per_load, _store     32-byte sectors per request
    occupancy_pct                active warps in percent of the most that fit
    sm_mhz                       the multiprocessors' clock while the kernel ran
    pipes                        per unit that instructions go to, percent of the warp instructions that it
                                 can take: alu, fma, fma_heavy, fp16, xu (special functions, conversions),
                                 lsu (loads and stores), cbu (branches), uniform, adu
    stalls                       why warps do not issue: for each reason, warps that wait for it per
                                 instruction issued; "selected" is the one that issues
    l2_read_sectors, l2_write_sectors
                                 32-byte sectors between the L1s and the L2
    l1_hit_pct, l2_hit_pct       sectors found there
    local_sectors                32-byte sectors of local memory, loaded and stored
    shared_load, shared_store    {"instructions", "wavefronts", "conflicts", "passes"}: warp instructions on
                                 shared memory, the cycles that they took of the L1's data stage, those
                                 beyond the least, and the passes that their addresses need. Wavefronts and
                                 conflicts count cycles lost to other traffic of the L1 too, and change from
                                 run to run; "passes" does not

A value whose metric the GPU or the version of ncu does not have is null.

With --order, the files that say which rows were called, in which order and how often (table.py --profile writes one),
the kernels of each row's last call are reported: "rung" is the row's name, "part" says which of the call's kernels,
"threads" those of a block, and an element is one of the shape in the name. A launch belongs to the NVTX range that it
lies in; where ncu wrote no ranges, to the calls in the order of the files.
"""

import argparse
import csv
import math
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reader"))
import recorded
import runs

METRICS = {
    "duration_us": "gpu__time_duration.sum",
    "dram_read": "dram__bytes_read.sum",
    "dram_write": "dram__bytes_write.sum",
    "dram_pct": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "instructions": "smsp__inst_executed.sum",
    "issue_pct": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
    "shared_bytes": "launch__shared_mem_per_block_allocated",
    "occupancy_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "cycles_per_second": "smsp__cycles_elapsed.avg.per_second",
    "l2_read_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_write_sectors": "lts__t_sectors_srcunit_tex_op_write.sum",
    "l1_hit_pct": "l1tex__t_sector_hit_rate.pct",
    "l2_hit_pct": "lts__t_sector_hit_rate.pct",
}
for way, operation in (("load", "ld"), ("store", "st")):
    METRICS.update({
        f"{way}_sectors": f"l1tex__t_sectors_pipe_lsu_mem_global_op_{operation}.sum",
        f"{way}_requests": f"l1tex__t_requests_pipe_lsu_mem_global_op_{operation}.sum",
        f"local_{way}s": f"l1tex__t_sectors_pipe_lsu_mem_local_op_{operation}.sum",
        f"shared_{way}_instructions": f"smsp__inst_executed_op_shared_{operation}.sum",
        f"shared_{way}_wavefronts": f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{operation}.sum",
        f"shared_{way}_conflicts": f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{operation}.sum",
        f"shared_{way}_passes": f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{operation}.sum"})
#: The units that execute instructions.
PIPES = ("alu", "fma", "fma_heavy", "fp16", "xu", "lsu", "cbu", "uniform", "adu")
STALLS = ("long_scoreboard", "short_scoreboard", "wait", "not_selected", "math_pipe_throttle",
          "lg_throttle", "mio_throttle", "barrier", "branch_resolving", "dispatch_stall",
          "no_instruction", "drain", "membar", "selected")
METRICS.update({f"pipe_{name}": f"sm__inst_executed_pipe_{name.replace('_', '')}.avg.pct_of_peak_sustained_active"
                for name in PIPES})
METRICS.update({f"stall_{name}": f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio"
                for name in STALLS})
#: Units that ncu scales a value to, as factors to bytes and to microseconds.
UNITS = {
    "byte": 1.0, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12,
    "ns": 1e-3, "nsecond": 1e-3, "us": 1.0, "usecond": 1.0, "ms": 1e3, "msecond": 1e3,
    "s": 1e6, "second": 1e6,
    "Khz": 1e3, "Mhz": 1e6, "Ghz": 1e9, "KHz": 1e3, "MHz": 1e6, "GHz": 1e9,
}
HOW = "make it with `ncu --csv --page raw`, as ./tutorial record does"


def read_table(text, path):
    """(column names, units, rows) of ncu's CSV; lines before the table are skipped."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        reason = next((line for line in lines if "==ERROR==" in line), None)
        raise runs.ToolError(f"{path}: holds no ncu table"
                             + (f" ({reason.strip()})" if reason else "") + f"; {HOW}")
    names, *rows = csv.reader(line for line in lines[start:] if line.startswith('"'))
    if "Kernel Name" not in names:
        raise runs.ToolError(f"{path}: has no column Kernel Name; {HOW}")
    units = [""] * len(names)
    if rows and not rows[0][0].strip():  # the units' row has no ID
        units, rows = rows[0], rows[1:]
    rows = [row for row in rows if len(row) == len(names)]
    if not rows:
        raise runs.ToolError(f"{path}: holds no profiled launch; did --kernel-id match any?")
    return names, units, rows


def metric(launch, units, name):
    """The value of a metric in bytes, microseconds or plain, or None."""
    text = launch.get(name, "").replace(",", "").strip()
    try:
        value = float(text)
    except ValueError:
        return None
    return value * UNITS.get(units.get(name, ""), 1.0) if math.isfinite(value) else None


def read_launches(text, path):
    """One dict per profiled launch: the metrics by our names, kernel, block and grid."""
    names, units, rows = read_table(text, path)
    units = dict(zip(names, units))
    return [{**{key: metric(launch, units, name) for key, name in METRICS.items()},
             "full_name": launch["Kernel Name"], "kernel": runs.short_kernel_name(launch["Kernel Name"]),
             "block": launch.get("Block Size", "").strip(), "grid": launch.get("Grid Size", "").strip(),
             "ranges": next((launch[name] for name in names if "Push/Pop_Range" in name), "")}
            for launch in (dict(zip(names, row)) for row in rows)]


def ratio(above, below):
    return above / below if above is not None and below else None


def rounded(value, digits=4):
    """The value, rounded to a few significant digits."""
    return None if value is None else float(f"{value:.{digits}g}")


def middle(launches):
    """The launch with the median duration."""
    return sorted(launches, key=lambda launch: launch["duration_us"] or 0.0)[(len(launches) - 1) // 2]


def named(launch, prefix, names):
    """{name: value} of the launch's metrics prefix_name that have a value other than 0; None where
    the GPU has none of them."""
    values = {name: launch[f"{prefix}_{name}"] for name in names}
    if all(value is None for value in values.values()):
        return None
    return {name: rounded(value, 3) for name, value in values.items() if value}


def shared_accesses(launch, way):
    """{"instructions", "wavefronts", "conflicts", "passes"} of loads or stores, the last if it was
    recorded; None where there are none."""
    values = {name: launch[f"shared_{way}_{name}"]
              for name in ("instructions", "wavefronts", "conflicts", "passes")}
    if not values["wavefronts"]:
        return None
    return {name: total(value) for name, value in values.items() if name != "passes" or value is not None}


def total(*values):
    """The sum of the values that are not None; None if all are."""
    known = [value for value in values if value is not None]
    return int(sum(known)) if known else None


def entry(launches, n, rung):
    """The JSON entry of one kernel's launches."""
    launch = middle(launches)
    moved = [launch["dram_read"], launch["dram_write"]]
    gbps = ratio(None if None in moved else sum(moved), (launch["duration_us"] or 0) * 1e3)
    issued, ways = launch["instructions"], ("load", "store")
    return {
        "kernel": launch["kernel"], "rung": rung(launch),
        "block": launch["block"], "grid": launch["grid"], "launches": len(launches),
        "duration_us": rounded(launch["duration_us"], 5),
        "dram_gbps": rounded(gbps),
        "dram_pct": rounded(launch["dram_pct"]),
        "instructions": total(issued),
        "instructions_per_element": rounded(ratio(issued * 32, n) if issued else None),
        "issue_pct": rounded(launch["issue_pct"]),
        **{key: total(launch[key]) for key in ("registers", "shared_bytes", "load_requests", "store_requests")},
        **{f"sectors_per_{way}": rounded(ratio(launch[f"{way}_sectors"], launch[f"{way}_requests"])) for way in ways},
        "occupancy_pct": rounded(launch["occupancy_pct"]),
        "sm_mhz": rounded(ratio(launch["cycles_per_second"], 1e6)),
        "pipes": named(launch, "pipe", PIPES), "stalls": named(launch, "stall", STALLS),
        **{key: total(launch[key]) for key in ("l2_read_sectors", "l2_write_sectors")},
        **{key: rounded(launch[key], 3) for key in ("l1_hit_pct", "l2_hit_pct")},
        "local_sectors": total(launch["local_loads"], launch["local_stores"]),
        **{f"shared_{way}": shared_accesses(launch, way) for way in ways},
    }


def element_type(name):
    """The dtype of a kernel's first pointer, by its name: f16 for one that has `const __half *`."""
    types = {"__half": "f16", "__nv_bfloat16": "bf16", "float": "f32", "__nv_fp8_e4m3": "e4m3", "__nv_fp8_e5m2": "e5m2"}
    found = re.search(rf"\b({'|'.join(types)}) ?\*", name)
    return types[found.group(1)] if found else "other"


def rung_namer(ladder, spec):
    """launch -> the name of its rung, by a codegen spec (or None) and else by the kernel's name."""
    spec = spec or {}

    def name(launch):
        names = [one for one in spec.get("names", []) if one.get("block", launch["block"]) == launch["block"]]
        names.sort(key=lambda one: "block" not in one)  # of two that are equally long the first is found
        library = "cub::" in launch["full_name"]
        found = runs.entry_for(launch["full_name"], names if library else names + spec.get("kernels", []))
        if found and "rung" in found:
            return found["rung"]
        return "cub_" + element_type(launch["full_name"]) if library else runs.rung_of_kernel(launch["kernel"], ladder)
    return name


def summarise(launches, n, rung):
    """An entry per kernel and launch shape, in the order of first launch."""
    entries, seen = [], set()
    for group in runs.grouped(launches, lambda launch: (launch["kernel"], launch["block"], launch["grid"])).values():
        item = entry(group, n, rung)
        if (item["kernel"], item["rung"]) in seen:  # a sweep launches one kernel in several shapes
            item["rung"] += f" {item['block'].replace(' ', '')}"
        seen.add((item["kernel"], item["rung"]))
        entries.append(item)
    return entries


def called(paths):
    """(context, [(row's name, calls)]) of the files that table.py --profile wrote, in that order."""
    context, order = None, []
    for path in paths:
        data = runs.load_json(path)
        if not isinstance(data.get("profiled"), list):
            raise runs.ToolError(f'{path}: has no list "profiled"; name what common/torch/table.py --profile --json wrote')
        if context not in (None, data["context"]):
            raise runs.ToolError(f"{path}: was not written on the machine and at the commit of {paths[0]}; name files of one run")
        context = data["context"]
        order += [(one["name"], one["calls"]) for one in data["profiled"]]
    return context, order


def by_range(launches, order):
    """{row's name: its launches}, by the NVTX ranges."""
    marks = {name: re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name, _ in order}
    return {name: [one for one in launches if mark.search(one["ranges"])] for name, mark in marks.items()}


def by_order(launches, order):
    """The same by the order: a row's launches are the next ones that are equal calls."""
    shapes = [(one["full_name"], one["block"], one["grid"]) for one in launches]
    groups, begin = {}, 0
    for name, calls in order:
        kernels = next((size for size in range(1, (len(shapes) - begin) // calls + 1) if shapes[begin:begin + size] * calls
                        == shapes[begin:begin + size * calls]), 0)
        groups[name] = launches[begin:begin + kernels * calls]
        begin += kernels * calls
    return groups if begin == len(launches) else {}


def contenders(launches, order):
    """The JSON entries of what table.py --profile called: the kernels of each row's last call."""
    launches = [one for one in launches if not re.match(r"\w+_128bit_kernel", one["kernel"])]  # the copies beside them
    groups = by_range(launches, order)
    if not any(groups.values()):
        groups = by_order(launches, order)
    entries = []
    for name, calls in order:
        group = groups.get(name, [])
        kernels = len(group) // calls
        if not group or len(group) % calls:
            raise runs.ToolError(f"{name}: was called {calls} times by the files --order, and {len(launches)} launches "
                                 f"cannot be divided so (here {len(group)}); name the files of the runs in the CSVs, in their order")
        n = recorded.elements_of(name.split("/")[2])
        for i, launch in enumerate(group[-kernels:]):
            threads, blocks = (math.prod(map(int, re.findall(r"\d+", launch[key]))) for key in ("block", "grid"))
            entries.append({**entry([launch], n, lambda _, row=name: row), "part": f"{i + 1} of {kernels}", "threads": threads,
                            "elements_per_thread": rounded(ratio(n, threads * blocks))})
    return entries


def context_of(path, shape):
    """The benchmark run's context, and the shape that was profiled."""
    context = runs.load_run(path).context if path else {}
    kept = ("date", "backend", "gpu", "driver", "cuda", "commit")
    return {**{key: context[key] for key in kept if key in context}, "shape": shape}


def known_metrics(path):
    """The metrics that ncu can be asked for on this GPU, given what `ncu --query-metrics` printed: all that
    it names, and those of the launch, which it does not list."""
    listed = {line.split()[0] for line in runs.read_text(path).splitlines() if line.strip()}
    return [name for name in METRICS.values()
            if name.split(".")[0] in listed or name.startswith("launch__")]


def main():
    parser = argparse.ArgumentParser(description="ncu's CSV as JSON for the report.")
    parser.add_argument("csv", nargs="*", help="what ncu --csv --page raw wrote")
    parser.add_argument("--order", nargs="+", help="the CSVs are of common/torch/table.py --profile, which wrote these files")
    parser.add_argument("--shape", help="the profiled shape, e.g. 4096x4096")
    parser.add_argument("--ladder", default="", help="prefix to remove from kernel names, e.g. elu")
    parser.add_argument("--spec", help="the chapter's codegen.json, which names the rungs")
    parser.add_argument("--context", help="a benchmark result of the same machine and build")
    parser.add_argument("--out", help="the JSON file to write")
    arguments = parser.parse_args()
    if arguments.order and arguments.csv and arguments.out:
        context, order = called(arguments.order)
        launches = [one for path in arguments.csv for one in read_launches(runs.read_text(path), path)]
        runs.write_recorded(arguments.out, {"context": context, "ncu": contenders(launches, order)})
        return 0
    if not (len(arguments.csv) == 1 and arguments.shape and arguments.out):
        raise runs.ToolError("needs the CSV, --shape and --out (or CSVs, --order and --out)")
    if not re.fullmatch(r"\d+(x\d+)*", arguments.shape):
        raise runs.ToolError(f"--shape {arguments.shape}: write it as 4096x4096")
    launches = read_launches(runs.read_text(arguments.csv[0]), arguments.csv[0])
    rung = rung_namer(arguments.ladder, runs.load_json(arguments.spec) if arguments.spec else None)
    entries = summarise(launches, recorded.elements_of(arguments.shape), rung)
    runs.write_recorded(arguments.out, {"context": context_of(arguments.context, arguments.shape), "ncu": entries})


if __name__ == "__main__":
    runs.run_tool(main)
