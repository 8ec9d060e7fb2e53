"""The speed to expect of a kernel that nobody has run on a GPU: what counts.py counts, judged by the model."""

import contextlib
import functools
import subprocess
import tempfile
from dataclasses import dataclass, replace

import counts
import front
import model
import predict
import runs
from counts import Unjudged

ELEMENTS = 1 << 28      # of the benchmark's largest shape
OFFER = "not predicted: that takes CUDA's compiler and disassembler; {} fetches what is missing"
#: Slots of an operation, as sm_90's machine code has them: the lessons' lists. test_counts.py compiles each and counts.
OPERATIONS = {"fmaf": 1, "exp2_approx": 1, "tanh_approx": 1, "rcp_approx": 1, "hexp": 14, "tanhf": 15, "expm1f": 28, "normcdff": 60}
#: Share of a launch's shared accesses that wait for another one; and from where on loads are more than what has to move.
CONFLICTS, WASTED = 0.1, 1.25
COPY_SPEED = 98         # percent of a copy: from there on nothing but the bytes is said to limit


def missing(nvcc):
    """What keeps a kernel from being counted, in a sentence; None if nothing does."""
    return None if nvcc and counts.disassembler(nvcc) else OFFER.format(front.command("setup --nvcc"))


class Compiling(contextlib.AbstractContextManager):
    """nvcc at work on a source, for its machine code; it runs beside the checks."""

    def __init__(self, nvcc, paths, flags=()):
        self.nvcc, self.folder, self.processes = nvcc, tempfile.TemporaryDirectory(), []
        for i, path in enumerate(paths):
            command = [nvcc, *counts.NVCC, "-std=c++17", *flags, f"-I{runs.ROOT}", "-DTUTORIAL_BACKEND_CUDA=1", "-o",
                       f"{self.folder.name}/{i}.cubin", str(path)]
            self.processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                                   errors="replace"))

    @functools.cached_property
    def said(self):
        """What nvcc says of each source, when it has ended."""
        return [process.communicate()[0] for process in self.processes]

    def machines(self):
        """The kernels of all sources; Unjudged if nvcc refuses one."""
        found = []
        for i, (process, said) in enumerate(zip(self.processes, self.said)):
            if process.returncode:
                raise Unjudged("nvcc does not compile it")
            found += counts.machines(self.nvcc, f"{self.folder.name}/{i}.cubin", said)
        return found

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.communicate()
        self.folder.cleanup()


# -------------------------------------------------------------------------------------------------
# The GPU


@dataclass
class Target:
    """The GPU of a verdict, and how fast it copies."""
    device: model.Device
    gbps: float

    @property
    def name(self):
        return f"an {self.device.recorded.upper()}" if self.device.recorded else self.device.name


def recorded(gpu):
    copy, = model.large_controls(gpu, rung="copy_f32")
    return Target(model.device(gpu), copy.gbps)


def target(options, main):
    """As predict's options have it."""
    if not options.sms:
        return recorded(options.gpu or main)
    described = predict.described_target(options, main)
    return Target(described.device, recorded(main).gbps * options.bandwidth / model.memory_peak(main))


# -------------------------------------------------------------------------------------------------
# The verdict


@dataclass
class Speed:
    """A kernel, or several one after the other, on a GPU."""
    counted: list            # a Count for each launch
    scale: float             # the benchmark's elements, of those that were traced
    moved: int               # bytes that have to move
    elements: int
    target: Target
    home: str = ""           # the reader's file
    what: str = "element"    # that slots are told of: that or thread

    def __post_init__(self):
        launches = [self.scaled(one.launch) for one in self.counted]
        parts = [self.predicted(one, launch) for one, launch in zip(self.counted, launches)]
        longest = max(parts, key=lambda part: part.us)
        self.launch = launches[parts.index(longest)]  # the one that takes longest
        self.us = sum(part.us for part in parts)
        self.percent = 100 * self.copy_us / self.us
        self.limit = "bytes" if self.percent >= COPY_SPEED else longest.limit

    @property
    def copy_us(self):
        return self.moved * self.scale / self.target.gbps / 1e3

    def scaled(self, launch):
        return replace(launch, units={unit: cycles * self.scale for unit, cycles in launch.units.items()}, **{
            part: getattr(launch, part) * self.scale for part in ("blocks", "instructions", "loaded", "stored")})

    def predicted(self, count, launch):
        moved = (self.moved if len(self.counted) == 1 else count.asked) * self.scale
        moved = max(moved, launch.loaded) if launch.loaded > WASTED * moved else moved
        return model.Model(runs.shown()["main"]).of_launch(launch, self.target.device, moved / self.target.gbps / 1e3, moved)

    def fills(self):
        """{kind: (of an element, how many there are in a copy's time)}."""
        rates, of_all = {"slots": 1, **dict(counts.UNITS.values())}, {"slots": 0.0}
        for count in self.counted:
            of_all["slots"] += count.launch.instructions * model.WARP
            for unit, cycles in count.launch.units.items():
                of_all[unit] = of_all.get(unit, 0) + cycles * model.SCHEDULERS * model.WARP / rates[unit]
        there = self.target.device.slots_per_us * self.copy_us * model.WARP / (self.elements * self.scale)
        return {kind: (slots / self.elements, there / rates[kind]) for kind, slots in of_all.items()}

    # ---- In words ----

    @property
    def why(self):
        launch = self.launch
        need, there = self.fills().get(self.limit, (0, 0))
        return {"blocks": f"the blocks limit it: {launch.blocks:,.0f} of {launch.threads} threads",
                "bytes": "the bytes limit it, as they should",
                "stores": f"its stores limit it: {launch.stored / 32 / self.elements / self.scale:.3g} sectors {article(self.what)}",
                "latency": f"latency limits it: a multiprocessor holds {launch.resident(self.target.device):,} threads, which ask for too little"
                }.get(self.limit, f"the {counts.NAMES.get(self.limit, self.limit)} limit{'' if self.limit == 'slots' else 's'} it: "
                                  f"{need:.3g} of {there:.3g}")

    @property
    def dearest(self):
        """(line, slots of an element, the function that takes most of them or "")."""
        lines = {}
        for count in self.counted:
            for (line, called), slots in count.lines.items():
                if not self.home or line.startswith(self.home + ":"):
                    lines.setdefault(line, {})[called] = lines.get(line, {}).get(called, 0) + slots * count.warps * model.WARP
        if not lines:
            return None
        line, called = max(lines.items(), key=lambda one: sum(one[1].values()))
        name = max(called, key=called.get)
        return line, sum(called.values()) / self.elements, name, called[name] / self.elements

    def sentence(self):
        text = f"about {self.percent:.0f} % of a copy on {self.target.name}; {self.why}"
        if self.dearest and self.limit not in ("blocks", "bytes", "stores"):
            line, slots, name, of_name = self.dearest
            text += f"; the dearest line is {line.rpartition(':')[2]} (" + (
                f"`{name}`, {of_name:.2g} slots)" if name and of_name > slots / 2 else f"{slots:.2g} slots)")
        return text

    def lines(self):
        """(label, text) each."""
        launch, device, fills = self.launch, self.target.device, self.fills()
        kinds = [f"{counts.NAMES[kind]} {need:.3g} of {there:.3g}" for kind, (need, there) in fills.items()
                 if kind != "slots" and need >= 0.05 * there]
        held = f"{launch.resident(device):,} of {device.thread_slots:,} threads held"
        return [("blocks", f"{launch.blocks:,.0f} of {launch.threads} threads; {front.plural(launch.registers, 'register')} a thread, "
                           f"{front.plural(launch.shared, 'byte')} of shared memory: {held}"),
                ("slots", f"{fills['slots'][0]:.3g} {article(self.what)}, of {fills['slots'][1]:.3g} in a copy's time"
                 + "".join(f"; {kind}" for kind in kinds))]

    def json(self):
        """Kinds and numbers, for programs."""
        launch, dearest = self.launch, self.dearest
        return {"gpu": self.target.device.recorded or "described", "percent_of_copy": round(self.percent, 1), "us": round(self.us, 2),
                "limit": self.limit, "elements": round(self.elements * self.scale), "bytes": round(self.moved * self.scale),
                "blocks": round(launch.blocks), "threads": launch.threads, "registers": launch.registers, "shared_bytes": launch.shared,
                "resident_threads": launch.resident(self.target.device),
                self.what: {kind: {"needs": round(need, 2), "has": round(there, 2)} for kind, (need, there) in self.fills().items()},
                "dearest_line": dearest and {"line": dearest[0], "slots": round(dearest[1], 2), "function": dearest[2]}}


def article(word):
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def refuse(machine, launch):
    """Unjudged, of what the model knows nothing."""
    if machine.local:
        raise Unjudged(f"{machine.local} bytes of a thread live in local memory, whose traffic the model does not know")
    shared = [place for place in launch["places"] if place["space"] == "shared"]
    passes, extra = (sum(place[what] for place in shared) for what in ("passes", "phases"))
    if passes - extra > CONFLICTS * max(passes, 1):
        raise Unjudged("its accesses to shared memory wait for each other, which the model does not know")
    if any(place["operation"] == "atomic" and place["space"] == "global" for place in launch["places"]):
        raise Unjudged("it has atomic operations, which the model does not know")


def counted(machines, launches, home=""):
    """A Count for each launch; Unjudged if one cannot be."""
    found = []
    for launch in launches:
        name = counts.plain_name(launch["kernel"])
        same = [one for one in machines if one.plain == name] or \
               [one for one in machines if one.plain.split("<")[0] == name.split("<")[0]]
        if len(same) != 1:
            raise Unjudged(f"the machine code has {len(same) or 'no'} kernel{'s' if len(same) > 1 else ''} of the name {name}")
        refuse(same[0], launch)
        found.append(counts.count(same[0], launch, home))
    if not found:
        raise Unjudged("nothing was launched")
    return found


def counted_rung(machines, traced, home=""):
    """(a Count for each launch, the bytes that have to move) of a rung as the trace wrote it; Unjudged where they do not say
    how many do."""
    found = counted(machines, traced["launches"], home)
    touched = [[one[f"{kind}_once"] + one[f"{kind}_again"] for kind in ("loads", "stores")] for one in traced["buffers"]]
    stores = sum(stored for _, stored in touched)
    loads = sum(loaded for loaded, stored in touched if not stored or len(found) == 1)  # what a launch leaves for the next need not move
    for one, launch in zip(found, traced["launches"]):
        asked = sum(place["used"] for place in launch["places"] if place["operation"] == "load" and place["space"] == "global")
        if len(found) == 1 and one.launch.loaded > WASTED * (loads + stores) and asked > WASTED * loads:
            raise Unjudged("its blocks load the same bytes again and again, and the model does not know which loads a cache serves")
    return found, loads + stores


def of_rung(machines, traced, target, home):
    """The verdict on a rung as the trace wrote it, at the benchmark's size."""
    found, moved = counted_rung(machines, traced, home)
    return Speed(found, max(1.0, ELEMENTS / traced["elements"]), moved, traced["elements"], target, home)


def of_program(machines, launches, target, home):
    """The verdict on the largest launch of a program, as if its arrays were as large as the benchmark's."""
    largest = max(launches, key=lambda one: sum(place["used"] for place in one["places"]), default=None)
    if largest is None:
        raise Unjudged("nothing was launched")
    count, = counted(machines, [largest], home)
    return Speed([count], max(1.0, 4 * ELEMENTS / max(count.asked, 1)), count.asked, count.warps * model.WARP, target, home, "thread")


def explain(compiling, launches, target):
    """Of each launch of a program a line each for blocks, bytes, slots and what limits it."""
    machines, reason = [], "nothing was launched"
    try:
        machines = compiling.machines()
    except Unjudged as refused:
        reason = str(refused)
    if not machines or not launches:
        front.say(f"explain: {reason}")
    for launch in launches if machines else []:
        front.say(f"\n{counts.plain_name(launch['kernel'])}:")
        try:
            count, = counted(machines, [launch])
        except Unjudged as refused:
            front.say(front.filled(f"not predicted: {refused}", "  "))
            continue
        found = Speed([count], 1.0, count.asked, count.warps * model.WARP, target, "", "thread")
        useful = f"{count.asked:,} asked for; {count.launch.loaded:,} loaded, {count.launch.stored:,} stored, in sectors of 32"
        for label, text in [*found.lines(), ("bytes", useful), ("speed", found.sentence())]:
            front.say(front.filled(text, f"  {label:<10} ", " " * 13))
        l2 = (target.device.l2_mib or 0) * (1 << 20)
        if count.launch.waves(target.device) < 1 or count.asked < predict.COLD * l2:
            front.say(front.filled("This holds for many more blocks and arrays beyond the L2: at this size the launch itself or the "
                                   "cache decides.", " " * 13))
