"""How long a kernel takes, by three terms: blocks, bytes, slots. common/notes/model.md tells the story.

    blocks   each costs 0.6 ns, whatever it does
    bytes    as long as a plain copy of as many; and what stores hand to the L2 in parts, by the sector
    slots    how full the schedulers are while the copy runs, or the busiest of a multiprocessor's units: the fill
             curve says what share of the copy's speed is left

The largest of the three decides. Of a kernel the model takes what does not depend on the GPU: its blocks, its bytes,
and what ncu counted: instructions, each unit's apart, and sectors stored. Nothing in it was fitted to the rungs: the
curve, the 0.6 ns and the sectors' rate come from control experiments (common/notes/controls.md).
"""

import math
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import runs

SCHEDULERS = 4           # of a multiprocessor; each issues one instruction a cycle
#: The unit of exponentials and conversions takes a warp in eight cycles, so it is kept busy by an instruction in eight
#: slots. It has a curve of its own, which stays at the copy's speed almost until every cycle is taken.
SLOW_UNIT = "xu"
#: The families of copies in common/controls/fill.cu: (what their instructions fill, cycles of it for each of a warp).
FAMILIES = {"fma": ("slots", 1), "both": ("slots", 1), "min": ("alu", 2), "xu": (SLOW_UNIT, 8)}
#: By type, a thread's elements there and what it issues beside the instructions that a row's name counts: in all, to the
#: half-rate unit, to the slow one (machine code of sm_90).
FRAMES = {"f32": (4, {"slots": 25, "alu": 8, SLOW_UNIT: 0}), "f16": (8, {"slots": 37, "alu": 12, SLOW_UNIT: 0})}
CLOSE = 5.0              # points of a copy's speed: what counts as predicted


@dataclass
class Device:
    """A GPU as the model sees it. copy: {name of a row of copies or of a kernel: GB/s}; recorded: its name in
    results/, or None."""
    name: str
    multiprocessors: int
    mhz: float
    bandwidth: float = None  # GB/s of its memory, as its maker gives it
    l2_mib: float = None
    recorded: str = None

    @property
    def slots_per_us(self):
        return self.multiprocessors * SCHEDULERS * self.mhz


@dataclass
class Kernel:
    """A rung at one shape, and what the model takes of it."""
    chapter: str
    row: runs.Row            # as the main GPU recorded it
    blocks: int
    threads: int
    instructions: float      # of all warps
    units: dict = field(default_factory=dict)  # unit: cycles that it is busy, of all multiprocessors together
    sectors: int = 0         # of 32 bytes that the L2 is handed to store

    @property
    def copy_us(self):
        """How long a copy of as many bytes took beside it."""
        return self.row.median_us * self.row.copy_pct / 100

    @property
    def stores_in_parts(self):
        """Whether the L2 is handed more to store than the operation has to move in all: the same sector again and
        again, a part of it each time."""
        return self.sectors * 32 > self.row.gbps * self.row.median_us * 1e3


@dataclass
class Prediction:
    percent: float           # of a copy's speed
    limit: str               # blocks, bytes, stores, slots, or a unit's name
    fill: float              # the share of the slots, or of that unit, that a copy's time would fill


class Curve:
    """Share of the slots filled at a copy's speed -> percent of that speed, from a control's rows."""

    def __init__(self, points):
        self.points = sorted(points)

    def percent(self, fill):
        """Between two points on the line through them; beyond the last, as many instructions a cycle as there."""
        fills = [point[0] for point in self.points]
        at = bisect_right(fills, fill)
        if at == 0:
            return self.points[0][1]
        low, percent = self.points[at - 1]
        if at == len(self.points):
            return percent * low / fill
        high, next_percent = self.points[at]
        return percent + (next_percent - percent) * (fill - low) / (high - low)


@lru_cache(None)
def loaded(path):
    return runs.load_run(path)


def results(gpu, chapter=None, what="", root=None):
    folder = Path(root or runs.ROOT) / (f"{chapter}/results" if chapter else "common/results")
    return folder / f"{gpu}{what}.json"


def counted(path):
    """{name: what ncu counted of the kernel of that name}, by rung and by kernel."""
    entries = runs.load_json(path)["ncu"]
    found = {entry["rung"]: entry for entry in entries}
    for entry in entries:
        found.setdefault(plain(entry["kernel"]), entry)
    return found


def plain(kernel):
    """A kernel's name as launches.txt has it: element types by their short names, no namespaces."""
    for long, short in (("__nv_bfloat16", "bf16"), ("__half2", "half2"), ("__half", "half"),
                        ("__nv_fp8_e4m3", "e4m3"), ("__nv_fp8_e5m2", "e5m2")):
        kernel = kernel.replace(long, short)
    return re.sub(r"\b\w+::", "", kernel)


def busy(entry, multiprocessors):
    """{unit: cycles that it is busy, of all multiprocessors together} of a kernel that ncu counted."""
    cycles = entry["duration_us"] * entry["sm_mhz"] * multiprocessors
    return {unit: share / 100 * cycles for unit, share in (entry["pipes"] or {}).items()}


def product(text):
    return math.prod(map(int, re.findall(r"\d+", text)))


@lru_cache(None)
def device(gpu, root=None):
    """The GPU that results/ calls h200 or h100; ToolError if it is not recorded."""
    path = results(gpu, what="_controls", root=root)
    known = sorted(found.stem[:-len("_controls")] for found in path.parent.glob("*_controls.json"))
    if gpu not in known:
        raise runs.ToolError(f"--gpu {gpu}: nothing is recorded of it; recorded are {', '.join(known)}. For another GPU "
                             "give --sms, --clock and --bandwidth")
    context = loaded(path).context
    return Device(context["gpu"], int(context["gpu_multiprocessors"]), float(context["gpu_clock_mhz"]),
                  memory_peak(gpu, root), float(context["gpu_l2_mib"]), gpu)


def memory_peak(gpu, root=None):
    """GB/s of the DRAM, by what ncu says of the plain copy: its rate, and that as a share of the peak."""
    copy = counted(results(gpu, what="_controls_ncu", root=root))["copy_128bit"]
    return copy["dram_gbps"] / copy["dram_pct"] * 100


def points(gpu, family, dtype="f32", root=None):
    """[(fill, percent of a copy)] of the controls that fill the slots, or one unit, more and more."""
    known, found = device(gpu, root), []
    (of, cycles), (each, frame) = FAMILIES[family], FRAMES[dtype]
    for row in loaded(results(gpu, what="_controls", root=root)).select(shape="16384x16384", regime="cold"):
        match = re.fullmatch(family + r"_(?:f16_)?(\d+)", row.rung)
        if match and row.dtype == dtype:
            copy_us = row.median_us * row.copy_pct / 100
            busy = cycles * (frame[of] + int(match.group(1)) * each) * row.elements / each / 32
            found.append((busy / (copy_us * known.slots_per_us), row.copy_pct))
    return sorted(found)


def curve(gpu, root=None):
    """The fill curve of a recorded GPU: its controls' copies with more and more multiply-adds for each float."""
    return Curve(points(gpu, "fma", root=root))


def slow_curve(gpu, root=None):
    """That of the slow unit. Of a GPU without it, every cycle can be used."""
    return Curve(points(gpu, "xu", root=root) or [(1.0, 100.0)])


@lru_cache(None)
def block_ns(gpu, threads, root=None):
    """What an empty block costs, by the control whose blocks are the next larger."""
    rows = {int(row.rung[len("empty_b"):]): row.counters["ns_per_block"]
            for row in loaded(results(gpu, what="_controls", root=root)).rows if row.rung.startswith("empty_b")}
    return rows[min((size for size in rows if size >= threads), default=max(rows))]


@lru_cache(None)
def sectors_per_us(gpu, root=None):
    """How many sectors stored in parts the L2 takes: the control whose lanes store 2 bytes at a time."""
    row, = loaded(results(gpu, what="_controls", root=root)).select(rung="store_elements", shape="16384x16384",
                                                                  regime="cold")
    return counted(results(gpu, what="_controls_ncu", root=root))["store_elements"]["l2_write_sectors"] / row.median_us


def launches(chapter, root=None):
    """{rung: (kernel, elements of a block, threads)} of the chapter's proof/launches*.txt."""
    found = {}
    for path in sorted((Path(root or runs.ROOT) / chapter / "proof").glob("launches*.txt")):
        for line in runs.read_text(path).splitlines():
            match = re.match(r"(\S+) +([\d,]+) +[\d, ]+? +([\d,]+) x ([\d,]+)  (\S.*)$", line)
            if match:
                size, blocks, threads = (int(match.group(i).replace(",", "")) for i in (2, 3, 4))
                each = threads * -(-size // (blocks * threads))
                found.setdefault(match.group(1), (match.group(5), each, threads))
    return found


#: The rung whose launch a file of counts of 04's broadcasts shows, where the kernel's name does not say it (record.sh).
BROADCASTS = {"packed_f16_vector_single": "packed_f16_1C11", "packed_f16_single_vector": "packed_f16_N1H1_1C1W",
              "limit_nhwc_f16": "limit_nhwc_f16_NCHW", "nhwc_pack_f16": "nhwc_pack_f16_NCHW"}


def recorded_counts(chapter, gpu, root=None):
    """{(shape, rung or kernel): what ncu counted of it} of a chapter."""
    counts = {}
    for path in sorted(results(gpu, chapter, root=root).parent.glob(f"{gpu}_ncu*.json")):
        if path.stem.endswith("_scalar"):
            continue  # many forms under one name
        shape = runs.load_json(path)["context"]["shape"]
        for name, entry in counted(path).items():
            if path.stem.endswith("_broadcast"):
                name = BROADCASTS.get(name, f"{name}_1C11")
            counts.setdefault((shape, name), entry)
    return counts


def kernels(chapter, gpu, root=None):
    """(the chapter's rungs that can be predicted, those that cannot) at the largest shapes, cold, by what is recorded
    of `gpu`. A rung that ncu did not see takes the counts of one that launches the same kernel, by the
    chapter's table of launches."""
    run, counts, table = loaded(results(gpu, chapter, root=root)), recorded_counts(chapter, gpu, root), launches(chapter, root)
    shapes, processors = {shape for shape, _ in counts}, device(gpu, root).multiprocessors
    known, unknown = [], []
    for row in run.rows:
        if row.regime != "cold" or row.shape not in shapes or row.kind not in ("rung", "sweep") or row.failed:
            continue
        kernel, each, threads = table.get(row.rung, (None, None, None))
        entry = counts.get((row.shape, row.rung))
        own = entry is not None
        entry = entry or counts.get((row.shape, kernel))
        if entry is None:
            unknown.append(row)
            continue
        if own or each is None:
            blocks, threads = product(entry["grid"]), product(entry["block"])
        else:
            blocks = -(-row.elements // each)
        known.append(Kernel(chapter, row, blocks, threads, entry["instructions"], busy(entry, processors),
                            entry["l2_write_sectors"] or 0))
    return known, unknown


class Model:
    """The three terms, with the curve, the block's cost and the sectors' rate of one recorded GPU."""

    def __init__(self, gpu, root=None):
        self.gpu, self.root = gpu, root
        self.curve, self.slow_curve = curve(gpu, root), slow_curve(gpu, root)

    def predict(self, kernel, target, copy_us):
        """What the kernel reaches on the device `target`, where a copy of as many bytes takes `copy_us`."""
        cycles = copy_us * target.mhz * target.multiprocessors
        fills = {unit: busy_cycles / cycles for unit, busy_cycles in kernel.units.items()}
        fills["slots"] = kernel.instructions / (copy_us * target.slots_per_us)
        slow = fills.pop(SLOW_UNIT, 0)
        fullest = max(fills, key=fills.get)
        percents = {
            "bytes": 100.0,
            "blocks": 100 * copy_us / (kernel.blocks * block_ns(self.gpu, kernel.threads, self.root) * 1e-3),
            fullest: self.curve.percent(fills[fullest]),
        }
        if kernel.stores_in_parts:
            percents["stores"] = 100 * copy_us * sectors_per_us(self.gpu, self.root) / kernel.sectors
        if slow:
            percents[SLOW_UNIT] = self.slow_curve.percent(slow)
        limit = min(percents, key=percents.get)
        return Prediction(percents[limit], limit, slow if limit == SLOW_UNIT else fills[fullest])
