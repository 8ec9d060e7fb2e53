"""How long a kernel takes, by four terms: blocks, bytes, slots, latency. common/notes/model.md tells the story.

    blocks   each costs 0.6 ns, whatever it does
    bytes    as long as a plain copy of as many; and what stores hand to the L2 in parts, by the sector
    slots    how full the schedulers are while the copy runs, or the busiest of a multiprocessor's units: the fill
             curve says what share of the copy's speed is left
    latency  threads / threads that the GPU holds at once x how long one keeps its place where nothing queues

Blocks do not add to the others. Bytes or slots, whichever is longer, and latency do where they are about equal: the
requests of threads that wait for the memory queue there. Of a kernel the model takes what does not depend on the GPU:
its blocks, its bytes, its registers and shared memory, and what ncu counted: instructions, each unit's apart, and
sectors. Nothing in it was fitted to the rungs: the curve, the 0.6 ns, the sectors' rate, the ceilings and the six
constants of latency come from control experiments (common/notes/controls.md).
"""

import math
import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
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

WARP = 32
REGISTER_UNIT = 256      # a warp takes so many at a time, all from its scheduler's quarter of them
SHARED = 228 * 1024      # bytes of a multiprocessor of compute capability 9.0

#: How long a thread keeps its place where nothing queues, in microseconds: any thread; for each 256 threads of its block,
#: whose places are free together; for 16 sectors that one load of its warp touches. In cycles: for each of its instructions.
#: And how sharp the turn is from latency to bytes or slots. They are the set that comes closest, on average, to the controls
#: that limit residency on the main GPU (fitted() of model_report.py; a test repeats it).
ALONE_US, BLOCK_US, ACCESS_US, INSTRUCTION_CYCLES, SHARPNESS = 0.58, 0.07, 0.15, 2.0, 2.3
NOTED = 1.02             # times a copy's time: from there on latency is said to decide
#: A plain copy's launch: 256 threads a block, 16 bytes, ten instructions, every thread slot.
COPY_INSTRUCTIONS = 10


@dataclass
class Device:
    """A GPU as the model sees it. recorded: its name in results/, or None. What a multiprocessor holds is that of
    compute capability 9.0 where nothing else is said."""
    name: str
    multiprocessors: int
    mhz: float
    bandwidth: float = None  # GB/s of its memory, as its maker gives it
    l2_mib: float = None
    recorded: str = None
    thread_slots: int = 2048
    block_slots: int = 32
    registers: int = 65536
    shared: int = SHARED

    @property
    def slots_per_us(self):
        return self.multiprocessors * SCHEDULERS * self.mhz


@dataclass
class Launch:
    """What the model takes of a launch."""
    blocks: int
    threads: int             # of a block
    instructions: float      # of all warps
    units: dict = field(default_factory=dict)  # unit: cycles that it is busy, of all multiprocessors together
    loaded: int = 0          # bytes in sectors that the L1s ask the L2 for
    stored: int = 0          # and that they hand to it
    access: float = 0        # sectors that a load of a warp touches, on average; 16 of 16 bytes a lane, side by side
    registers: int = 0       # of a thread
    shared: int = 0          # bytes of a block
    waiting: int = 0         # loads that wait for another load

    def resident(self, device):
        """Of its threads, how many a multiprocessor holds at once, by CUDA's rule of occupancy."""
        warps = -(-self.threads // WARP)
        registers = -(-max(self.registers, 1) * WARP // REGISTER_UNIT) * REGISTER_UNIT
        fitting = device.registers // SCHEDULERS // registers * SCHEDULERS
        blocks = min(device.block_slots, device.thread_slots // (warps * WARP), fitting // warps,
                     device.shared // max(self.shared, 1))
        return blocks * warps * WARP

    def waves(self, device):
        return self.blocks * self.threads / (device.multiprocessors * self.resident(device))

    @property
    def stores_alone(self):
        return self.stored > 19 * self.loaded

    @property
    def reads_two(self):
        """Two arrays loaded for one stored."""
        return 0.6 < self.loaded / max(self.loaded + self.stored, 1) < 0.72


@dataclass
class Kernel:
    """A rung at one shape."""
    row: runs.Row            # as the main GPU recorded it
    launches: list           # one after the other; nearly all rungs have one

    @property
    def moved(self):
        return self.row.gbps * self.row.median_us * 1e3

    @property
    def copy_us(self):
        """How long a copy of as many bytes took beside it."""
        return self.row.median_us * self.row.copy_pct / 100

    @property
    def whole(self):
        """Its launches as if they were one."""
        first, *others = self.launches
        if not others:
            return first
        units = {unit: sum(one.units.get(unit, 0) for one in self.launches) for one in self.launches for unit in one.units}
        return replace(first, units=units, threads=max(one.threads for one in self.launches), **{
            part: sum(getattr(one, part) for one in self.launches) for part in ("blocks", "instructions", "loaded", "stored")})


@dataclass
class Prediction:
    percent: float           # of a copy's speed
    limit: str               # blocks, bytes, stores, latency, slots, or a unit's name
    fill: float              # the share of the slots, or of that unit, that a copy's time would fill
    us: float = 0


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


def large_controls(gpu, root=None, rung=None):
    """The rows of the controls whose arrays no cache holds, cold."""
    return loaded(results(gpu, what="_controls", root=root)).select(rung=rung, shape="16384x16384", regime="cold")


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
    for row in large_controls(gpu, root):
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
    """That of the slow unit."""
    return Curve(points(gpu, "xu", root=root))


@lru_cache(None)
def block_ns(gpu, threads, root=None):
    """What an empty block costs, by the control whose blocks are the next larger."""
    rows = {int(row.rung[len("empty_b"):]): row.counters["ns_per_block"]
            for row in loaded(results(gpu, what="_controls", root=root)).rows if row.rung.startswith("empty_b")}
    return rows[min((size for size in rows if size >= threads), default=max(rows))]


@lru_cache(None)
def ceiling(gpu, rung, root=None):
    """Percent of a copy that a control reaches whose bytes go another way; 100 if it was not recorded."""
    rows = large_controls(gpu, root, rung)
    return rows[0].copy_pct if rows else 100.0


@lru_cache(None)
def load_us(gpu, root=None):
    """How long one load from memory takes, alone."""
    return next(row.counters["ns"] for row in loaded(results(gpu, what="_controls", root=root)).rows
                if row.rung == "latency_dram") * 1e-3


@lru_cache(None)
def sectors_per_us(gpu, root=None):
    """How many sectors stored in parts the L2 takes: the control whose lanes store 2 bytes at a time. As much less on
    another GPU as its L2 is smaller."""
    row, = large_controls(gpu, root, "store_elements")
    return counted(results(gpu, what="_controls_ncu", root=root))["store_elements"]["l2_write_sectors"] / row.median_us


def launches(chapter, root=None):
    """{rung: (kernel, elements of a block, threads)} of the chapter's launches*.txt."""
    found = {}
    for name, size, aligned, (blocks, threads), kernel in runs.launches(Path(root or runs.ROOT) / chapter):
        if re.fullmatch(r"\S+ [\d,]+ [\d, ]+", f"{name} {size} {aligned}"):
            found.setdefault(name, (kernel, threads * -(-int(size.replace(",", "")) // (blocks * threads)), threads))
    return found


#: Loads that wait for another load, by the machine code (05_logical_relation/notes/where.md): the mask's value says
#: which array is asked next; of halves a warp goes both ways.
WAITING = {"where_f32": 1, "where_f16": 2, "where_bf16": 2}
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


def counted_rows(chapter, gpu, root=None):
    """{row's name: what ncu counted of each of its launches} of rows that were profiled by their names."""
    path = results(gpu, chapter, "_counts", root)
    return runs.grouped(runs.load_json(path)["ncu"] if path.exists() else [], lambda entry: entry["rung"])


def launch_of(entry, multiprocessors, blocks=None, threads=None):
    """What ncu counted as a Launch; of a kernel in another grid with that."""
    cycles = entry["duration_us"] * entry["sm_mhz"] * multiprocessors
    return Launch(blocks or product(entry["grid"]), threads or product(entry["block"]), entry["instructions"],
                  {unit: share / 100 * cycles for unit, share in (entry["pipes"] or {}).items()}, 32 * (entry.get("l2_read_sectors") or 0),
                  32 * (entry.get("l2_write_sectors") or 0), entry.get("sectors_per_load") or 0,
                  entry.get("registers") or 0, entry.get("shared_bytes") or 0)


def kernels(chapter, gpu, root=None):
    """(the chapter's rungs that can be predicted, those that cannot) at the largest shapes, cold, by what is recorded
    of `gpu`. A rung that ncu did not see takes the counts of one that launches the same kernel, by the
    chapter's table of launches."""
    run, counts, table = loaded(results(gpu, chapter, root=root)), recorded_counts(chapter, gpu, root), launches(chapter, root)
    by_name = counted_rows(chapter, gpu, root)
    shapes, processors = {shape for shape, _ in counts}, device(gpu, root).multiprocessors
    known, unknown = [], []
    for row in run.rows:
        if row.regime != "cold" or row.shape not in shapes or row.kind not in ("rung", "sweep") or row.failed:
            continue
        if row.name in by_name:
            known.append(Kernel(row, [launch_of(entry, processors) for entry in by_name[row.name]]))
            continue
        kernel, each, threads = table.get(row.rung, (None, None, None))
        own = counts.get((row.shape, row.rung))
        entry = own or counts.get((row.shape, kernel))
        if entry is None:
            unknown.append(row)
            continue
        launch = launch_of(entry, processors, *(() if own else (-(-row.elements // each), threads)))
        launch.waiting = WAITING.get(row.rung, 0)
        known.append(Kernel(row, [launch]))
    return known, unknown


def place_us(launch, device):
    """How long one of its threads keeps its place where nothing queues."""
    each = launch.instructions * WARP / (launch.blocks * launch.threads)
    return (ALONE_US + BLOCK_US * launch.threads / 256 + ACCESS_US * min(launch.access, 16) / 16
            + INSTRUCTION_CYCLES * each / device.mhz)


def copy_launch(moved, reads_two):
    """A copy of so many bytes, or the kernel that reads two arrays."""
    threads = moved / (48 if reads_two else 32)
    return Launch(threads / 256, 256, COPY_INSTRUCTIONS * threads / WARP, access=16)


def joined(*times):
    """The time of two limits: the longer one's, and more where they are about equal."""
    return sum(time ** SHARPNESS for time in times) ** (1 / SHARPNESS)


class Model:
    """The four terms, with the curve, the block's cost, the sectors' rate and the ceilings of one recorded GPU; or the
    first three of them, as the model was without the fourth."""

    def __init__(self, gpu, root=None, terms=4):
        self.gpu, self.root, self.terms = gpu, root, terms
        self.curve, self.slow_curve, self.load_us = curve(gpu, root), slow_curve(gpu, root), load_us(gpu, root)

    def predict(self, kernel, target, copy_us):
        """What the kernel reaches on the device `target`, where a copy of as many bytes takes `copy_us`."""
        if self.terms == 3 or len(kernel.launches) == 1:
            return self.of_launch(kernel.whole, target, copy_us, kernel.moved)
        parts = [self.of_launch(one, target, copy_us * (one.loaded + one.stored) / kernel.moved, one.loaded + one.stored)
                 for one in kernel.launches]
        longest = max(parts, key=lambda part: part.us)
        return Prediction(100 * copy_us / sum(part.us for part in parts), longest.limit, longest.fill)

    def of_launch(self, launch, target, copy_us, moved):
        """The same of one launch, beside a copy of the bytes that it has to move."""
        bytes_us = copy_us * 100 / self.best(launch, target) if self.terms == 4 else copy_us
        cycles = bytes_us * target.mhz * target.multiprocessors
        fills = {unit: busy_cycles / cycles for unit, busy_cycles in launch.units.items()}
        fills["slots"] = launch.instructions / (bytes_us * target.slots_per_us)
        slow = fills.pop(SLOW_UNIT, 0)
        fullest = max(fills, key=fills.get)
        times = {"bytes": bytes_us, fullest: bytes_us * 100 / min(self.curve.percent(fills[fullest]), 100)}
        if launch.stored > moved:  # the same sector again and again, a part of it each time
            times["stores"] = launch.stored / 32 / (sectors_per_us(self.gpu, self.root) * self.smaller_l2(target))
        if slow:
            times[SLOW_UNIT] = bytes_us * 100 / min(self.slow_curve.percent(slow), 100)
        alone = joint = 0.0
        if self.terms == 4:
            alone, joint = self.latency_us(launch, target, max(times.values()), copy_us, moved)
        if joint > NOTED * bytes_us >= max(times.values()):
            alone = joint  # bytes would be a little longer, but it is latency that keeps it from a copy's speed
        times.update(latency=min(alone, joint), blocks=launch.blocks * block_ns(self.gpu, launch.threads, self.root) * 1e-3)
        limit, us = max(times, key=times.get), max(joint, *times.values())
        return Prediction(100 * copy_us / us, limit, slow if limit == SLOW_UNIT else fills[fullest], us)

    def smaller_l2(self, target):
        return target.l2_mib / device(self.gpu, self.root).l2_mib if self.terms == 4 and target.l2_mib else 1

    def best(self, launch, target):
        """Percent of a copy that memory allows: it is faster where it is only written, and the kernel beside which
        those that read two arrays were timed has more bytes on their way than is best. If all threads are held at
        once, each loops over a fixed share of the arrays, which is slower."""
        if launch.stores_alone:
            return ceiling(self.gpu, "store_16_r2048", self.root)
        if not launch.reads_two:
            return 100.0
        return ceiling(self.gpu, "add_stride" if launch.waves(target) <= 1 else "add_b704_overlap", self.root)

    def latency_us(self, launch, target, other_us, copy_us, moved):
        """Latency times residency, alone and joined with the longest of the other terms. The copy that all are
        compared with pays for its own latency. 0 where the GPU holds all threads at once."""
        waves = launch.waves(target)
        if waves <= 1:
            return 0.0, 0.0
        copy = copy_launch(moved, launch.reads_two)
        alone, of_copy = (one.waves(target) * (place_us(one, target) + one.waiting * self.load_us) for one in (launch, copy))
        return alone, joined(alone, other_us) / (joined(of_copy, copy_us) / copy_us)
