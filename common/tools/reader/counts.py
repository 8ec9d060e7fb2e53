"""Counts what a warp executes of a kernel, from its machine code; common/notes/counts.md tells how a count becomes a time.

nvcc says which line each instruction is from, and the trace how often a warp made the accesses of each line. A stretch of
code runs as often as the accesses in it: a loop so many times, what no warp has reached not at all. Between accesses a
branch is counted on both sides, because the lanes of a warp seldom agree. What the compiler branches around for rare
operands, by a call of a function of its own, is taken not to happen.
"""

import collections
import functools
import math
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import model
import runs

ARCHITECTURE = "sm_90"  # of the GPUs whose curves are recorded
NVCC = ["-cubin", f"-arch={ARCHITECTURE}", "-lineinfo", "-O3", "-Xptxas", "-v"]

#: By opcode, the unit that it keeps busy and for how many cycles a warp. All others fill their issue slot alone.
HALF_RATE = ("IADD3 IABS ISETP IMNMX VIMNMX VIADDMNMX LOP3 LEA SHF SEL FSEL FSET FSETP FMNMX PRMT PLOP3 HSETP2 HSET2 HMNMX2 "
             "VHMNMX F2FP I2FP BMSK SGXT VABSDIFF VIADD MOV P2R R2P").split()
SLOW = "MUFU F2F F2I I2F FRND FCHK POPC FLO BREV".split()  # FCHK: before a division; ncu counts it there in six rungs
UNITS = {**dict.fromkeys(HALF_RATE, ("alu", 2)), **dict.fromkeys(SLOW, (model.SLOW_UNIT, 8)), "IMAD": ("fma_heavy", 2),
         **dict.fromkeys("HFMA2 HADD2 HMUL2".split(), ("fma_heavy", 2)), **dict.fromkeys("DADD DMUL DFMA DSETP".split(), ("fp64", 2))}
NAMES = {"slots": "slots", "alu": "half-rate unit", model.SLOW_UNIT: "transcendental unit",
         "fma_heavy": "unit of halves and integer products", "fp64": "double-precision unit"}

ACCESSES = {"LDG": ("load", "global"), "STG": ("store", "global"), "LDS": ("load", "shared"), "STS": ("store", "shared"),
            "LDSM": ("load", "shared"), "LD": ("load", None), "ST": ("store", None), "ATOMG": ("atomic", "global"),
            "ATOM": ("atomic", None), "REDG": ("atomic", "global"), "RED": ("atomic", "global"), "ATOMS": ("atomic", "shared")}
#: Instructions between two stores that leave most of the merging (01_elu/notes/stores.md).
BACK_TO_BACK = 3
ENDS = {"BRA", "EXIT", "RET", "CALL", "BSYNC", "BRX", "JMX", "JMP"}


class Unjudged(Exception):
    """Why the model cannot judge a kernel, in a sentence without an end."""


# -------------------------------------------------------------------------------------------------
# The machine code


@dataclass
class Instruction:
    guarded: bool
    opcode: str          # without its modifiers
    text: str
    paths: tuple         # "/a/file.cuh:30", the innermost of functions that were inlined first

    @functools.cached_property
    def lines(self):
        return tuple(path.rpartition("/")[2] for path in self.paths)

    @property
    def bytes(self):
        sizes = re.findall(r"\.[US]?(8|16|32|64|128|256)\b", self.text.split()[0])
        return int(sizes[-1]) // 8 if sizes else 4

    @property
    def target(self):
        found = re.search(r"`\(([^)]+)\)", self.text)
        return found.group(1) if found else None


@dataclass
class Block:
    """Instructions that are executed one after the other."""
    number: int
    code: list = field(default_factory=list)
    next: list = field(default_factory=list)
    calls: str = None

    @property
    def accesses(self):
        return [one for one in self.code if one.opcode in ACCESSES]


@dataclass
class Machine:
    """A kernel as ptxas made it."""
    name: str            # readable
    section: str = field(repr=False)
    registers: int = 0
    shared: int = 0
    local: int = 0       # bytes of a thread that live in memory: spills, and arrays that registers cannot hold

    @functools.cached_property
    def blocks(self):
        return blocks_of(self.section)

    @property
    def plain(self):
        return plain_name(self.name)


def plain_name(name):
    """A kernel's name without its parameters, namespaces and blanks."""
    return model.plain(runs.short_kernel_name(name)).replace(" ", "").removeprefix("void")


def disassembler(nvcc):
    """nvdisasm: beside nvcc, on PATH, or fetched; None without."""
    beside = Path(shutil.which(nvcc) or nvcc).resolve().parent / "nvdisasm"
    fetched = sorted(runs.ROOT.glob(".deps/*/nvidia/cu*/bin/nvdisasm"))
    on_path = shutil.which("nvdisasm")
    return next((str(one) for one in (beside, on_path, *fetched) if one and Path(one).exists()), None)


def machines(nvcc, cubin, report):
    """The kernels of a cubin; report: what ptxas -v said."""
    done = subprocess.run([disassembler(nvcc), "-c", "-gi", str(cubin)], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise Unjudged(f"nvdisasm cannot read the machine code ({(done.stderr.strip().splitlines() or ['no reason given'])[-1]})")
    return parse(done.stdout, report)


def parse(text, report):
    found = []
    for section in re.split(r"(?m)^//-+ \.text\.", text)[1:]:
        name = section.split(maxsplit=1)[0]
        if f".text.{name}:" in section and "STO_CUDA_ENTRY" in section:
            found.append(Machine(name, section))
    for one, readable in zip(found, demangled([one.name for one in found])):
        used = re.search(rf"entry function '{re.escape(one.name)}'.*?Used (\d+) registers[^\n]*", report, re.S)
        if used:
            one.registers = int(used.group(1))
            shared, frame = re.search(r"(\d+) bytes smem", used.group()), re.search(r"(\d+) bytes stack frame", used.group())
            one.shared, one.local = (int(part.group(1)) if part else 0 for part in (shared, frame))
        one.name = readable
    return found


def demangled(names):
    """Readable names; without c++filt they stay as they are."""
    program = shutil.which("c++filt") or shutil.which("cu++filt") or "cat"
    lines = subprocess.run([program], input="\n".join(names), capture_output=True, text=True, check=False).stdout.splitlines()
    return lines if len(lines) == len(names) else names


def blocks_of(section):
    """The blocks of a section; each knows what may be executed after it."""
    functions = set(re.findall(r"(?m)^\s*\.type\s+(\S+),@function", section))
    labels, blocks, lines, fresh, reconverge = {}, [Block(0)], (), True, {}
    for line in section.splitlines():
        place = re.match(r'\s*//## File "([^"]+)", line (\d+)', line)
        label = re.match(r"([.$\w]+):\s*$", line)
        code = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(@!?U?P\w+ )?\s*([^;]+?)\s*;", line)
        if place:
            lines, fresh = (() if fresh else lines) + (f"{place.group(1)}:{place.group(2)}",), False
        elif label:
            if blocks[-1].code:
                blocks.append(Block(len(blocks)))
            labels[label.group(1)] = blocks[-1].number
        elif code and not code.group(2).startswith("NOP"):
            fresh = True
            one = Instruction(bool(code.group(1)), re.split(r"[.\s]", code.group(2))[0], code.group(2), lines)
            blocks[-1].code.append(one)
            if one.opcode in ENDS:
                blocks.append(Block(len(blocks)))
    blocks = [one for one in blocks if one.code]
    for i, block in enumerate(blocks):
        for one in block.code:
            if one.opcode == "BSSY":
                reconverge[re.split(r"[\s,]+", one.text)[1]] = one.target
        last = block.code[-1]
        after = block.next = [i + 1] if i + 1 < len(blocks) else []
        if last.opcode in ("BRX", "JMX"):
            raise Unjudged("it branches through a table")
        if last.opcode == "BSYNC":
            target = reconverge.get(re.split(r"[\s,]+", last.text)[1])
            block.next = [labels[target]] if target in labels else after
        elif last.opcode == "CALL":
            block.calls = last.target
        elif last.opcode in ("BRA", "JMP"):
            block.next = [labels[last.target]] if last.target in labels else []
            conditional = last.guarded or re.match(r"BRA(\.\w+)* (!?U?P\d|\w+, `)", last.text)
            block.next += [one for one in after if conditional and one not in block.next]
        elif last.opcode in ("EXIT", "RET") and not last.guarded:
            block.next = []
    starts = {labels[name]: name for name in functions if name in labels}
    for block in blocks:  # nothing falls through into another function
        block.next = [one for one in block.next if one < len(blocks) and (one not in starts or one == 0)]
        block.calls = labels.get(block.calls) if block.calls else None
    return blocks


# -------------------------------------------------------------------------------------------------
# How often a warp executes each block


def is_at(one, place, lines=("line", "inner_line")):
    """Whether an access of the machine code may be a place of the trace, by these lines."""
    operation, space = ACCESSES[one.opcode]
    return operation == place["operation"] and space in (None, place["space"]) \
        and all(place[what].rsplit("/", 1)[-1] in one.lines for what in lines if what in place) \
        and ("line" in place or place["most_bytes"] == one.bytes)  # where g++ has lost the line, the width tells


def has_width(one, place):
    return place["least_bytes"] <= one.bytes <= place["most_bytes"]


def reachable(start, after, seen):
    """What is seen, and where ways from `start` lead that do not pass it."""
    found, waiting = set(seen), [start]
    while waiting:
        i = waiting.pop()
        if i not in found:
            found.add(i)
            waiting += after(i)
    return found


class Flow:
    """The executions of each block by a warp, on average: `times`. traced: a launch of the kernel as the trace wrote it."""

    def __init__(self, blocks, traced):
        self.blocks, self.places = blocks, traced["places"]
        self.warps = math.prod(traced["grid"]) * -(-math.prod(traced["block"]) // model.WARP)
        accesses = [one for block in blocks for one in block.accesses]
        # Where no access stands at a place, g++ and nvcc name two lines of one statement, or two branches of an #if.
        self.vague = [i for i, place in enumerate(self.places) if "inner_line" in place and not any(is_at(one, place) for one in accesses)]
        self.keys = {id(one): self.key(one) for one in accesses}
        self.live = self.reached()
        if not any(map(self.keys_in, self.live)):
            raise Unjudged("none of its accesses was seen")
        self.dominators = self.dominate()
        self.loops = self.find_loops()
        self.times = self.count()

    def key(self, one):
        """The places in the trace that are this access's, as numbers; () if it was never made; None if the trace says
        nothing of it."""
        alike = [i for i, place in enumerate(self.places) if is_at(one, place)] or \
                [i for i in self.vague if is_at(one, self.places[i], ("line",)) and has_width(one, self.places[i])]
        wide = [i for i in alike if has_width(one, self.places[i])]
        return tuple(wide) if wide or not alike else None

    def keys_in(self, i):
        """Those of a block's accesses that the trace knows to have been made."""
        return [key for one in self.blocks[i].accesses if (key := self.keys[id(one)])]

    def merged(self):
        """The places of stores that follow one another so closely that their parts of a sector reach the L2 as one."""
        found = set()
        for i in self.live:
            code = self.blocks[i].code
            stores = [at for at, one in enumerate(code) if one.opcode == "STG"]
            for at, after in zip(stores, stores[1:]):
                if after - at <= BACK_TO_BACK + 1:
                    found.update(self.keys[id(code[at])] or (), self.keys[id(code[after])] or ())
        return found

    def traced(self, key):
        return sum(self.places[i]["requests"] for i in key) / self.warps

    def reached(self):
        """The blocks that some warp has been in: none whose accesses were never made, nor what leads to such blocks or
        comes from them alone."""
        blocks = self.blocks
        dead = {one.number for one in blocks for access in one.accesses if self.keys[id(access)] == ()}
        rare = {one.number for one in blocks if one.calls is not None}
        before = {one.number: [] for one in blocks}
        for one in blocks:
            for after in one.next:
                before[after].append(one.number)
        dead |= self.sides(dead)
        for unwanted in (dead | rare, dead, set()):
            live = self.alive(set(unwanted), before)
            if 0 in live and any(blocks[i].code[-1].opcode == "EXIT" for i in live):
                return live
        raise Unjudged("its way through the machine code was not found")

    def sides(self, dead):
        """Of branches, the sides that no warp has taken: nothing behind them was accessed, but behind the other side."""
        behind, found = {}, set()
        for block in reversed(self.blocks):
            seen = reachable(block.number, lambda i: self.blocks[i].next, ())
            with_accesses = {i for i in seen if any(self.keys[id(one)] is not None for one in self.blocks[i].accesses)}
            behind[block.number] = (bool(with_accesses), bool(with_accesses - dead))
        for block in self.blocks:
            if any(behind[i][1] for i in block.next):
                found.update(i for i in block.next if behind[i] == (True, False))
        return found

    def alive(self, dead, before):
        def cut_off(one):
            return one.next and dead.issuperset(one.next) or \
                one.number and before[one.number] and dead.issuperset(before[one.number])

        while more := {one.number for one in self.blocks if cut_off(one)} - dead:
            dead |= more
        calls = {one.number: [] if one.calls is None else [one.calls] for one in self.blocks}
        return reachable(0, lambda i: self.blocks[i].next + calls[i], dead) - dead

    def after(self, i):
        return [j for j in self.blocks[i].next if j in self.live]

    def dominate(self):
        """{block: those that every way to it goes through}."""
        found = {i: set(self.live) for i in self.live}
        roots = {0, *(self.blocks[i].calls for i in self.live if self.blocks[i].calls is not None)}
        self.before = {i: [] for i in self.live}
        for i in self.live:
            for j in self.after(i):
                self.before[j].append(i)
        for root in roots:
            found[root] = {root}
        changed = True
        while changed:
            changed = False
            for i in sorted(self.live - roots):
                new = {i} | set.intersection(*(found[j] for j in self.before[i])) if self.before[i] else {i}
                if new != found[i]:
                    found[i], changed = new, True
        return found

    def find_loops(self):
        """{first block: all blocks}, the outermost first."""
        loops = {}
        for i in self.live:
            for head in self.after(i):
                if head in self.dominators[i]:
                    loops[head] = reachable(i, self.before.get, loops.get(head, {head}))
        return dict(sorted(loops.items(), key=lambda one: -len(one[1])))

    def innermost(self, i):
        """The head of the smallest loop around a block; None outside all."""
        return next((head for head, body in reversed(self.loops.items()) if i in body), None)

    def count(self):
        """{block: times}."""
        static = {}  # key: {head of the loop: instructions}
        for i in sorted(self.live):
            for key in self.keys_in(i):
                static.setdefault(key, collections.Counter())[self.innermost(i)] += 1
        turns = {}
        for head, body in self.loops.items():
            found = self.turns(head, body, static, turns)
            if found is None:
                line = next((one.lines[-1] for i in sorted(body) for one in self.blocks[i].code if one.lines), "?")
                raise Unjudged(f"nothing tells how often its loop at {line} runs: it accesses no memory there")
            turns[head] = found
        times = {}
        for _ in range(2):
            for i in sorted(self.live):
                times[i] = self.of_block(i, times, static, turns)
        for i in sorted(self.live, reverse=True):  # what leads to one place alone runs no oftener than that
            if len(self.after(i)) == 1 and not self.blocks[i].accesses and self.innermost(i) == self.innermost(self.after(i)[0]):
                times[i] = min(times[i], times[self.after(i)[0]])
        return times

    def turns(self, head, body, static, turns):
        """How often a warp goes through a loop in all; of a loop and its rest, which nvcc writes apart, the longer takes
        what it can."""
        ends = [i for i in body if head in self.after(i)]
        always = {i for i in body if all(i in self.dominators[end] for end in ends)}
        found = []
        for key in (key for i in sorted(always) if self.innermost(i) == head for key in self.keys_in(i)):
            counts = static[key]
            left = self.traced(key) - counts.get(None, 0)
            for other, number in sorted(((h, n) for h, n in counts.items() if h is not None), key=lambda pair: -pair[1]):
                share = left / number
                share = share if len(counts) == 1 or other == list(counts)[-1] else int(share)
                if other == head:
                    found.append(max(share, 0))
                    break
                left -= share * number
        if found:
            return min(found)
        inner = [turns[other] for other in turns if other in body and other != head]
        return min(inner) if inner else None

    def of_block(self, i, times, static, turns):
        loop = self.innermost(i)
        if i in self.loops:
            base = turns[i]
        else:
            base = max([self.out_of(j, i, times) for j in self.before[i]] + [1.0 if i == 0 else 0.0]
                       + [times.get(j, 0) for j in self.live if self.blocks[j].calls == i])
        made = [self.traced(key) / static[key][loop] for key in self.keys_in(i) if len(static[key]) == 1]
        return min(base, max(made, default=base))

    def out_of(self, i, to, times):
        """How often a block hands on: behind a loop as often as the loop was entered."""
        head = self.innermost(i)
        while head is not None and to not in self.loops[head]:
            entries = [j for j in self.before[head] if j not in self.loops[head]]
            i = max(entries, key=lambda j: times.get(j, 0), default=None)
            if i is None:
                return 1.0
            head = self.innermost(i)
        return times.get(i, 0)


# -------------------------------------------------------------------------------------------------
# The count


@dataclass
class Count:
    """What one launch of a kernel executes and asks for. slots and units: of a warp; units in cycles."""
    slots: float
    units: dict
    lines: dict          # ("file.cuh:30", function called there or ""): slots of a warp
    launch: model.Launch
    asked: int           # bytes that the lanes ask for
    warps: int


def count(machine, traced, home=""):
    """A kernel beside a launch of it as the trace wrote it. home: the file whose lines are told."""
    flow = Flow(machine.blocks, traced)
    slots, units, lines = 0.0, {}, {}
    for i, times in flow.times.items():
        # Where lanes meet again, each side that comes there issues the instruction.
        meets = machine.blocks[i].code[0].opcode == "BSYNC"
        times *= max(len(flow.before[i]), 1) if meets else 1
        for one in machine.blocks[i].code:
            slots += times
            if one.opcode in UNITS:
                unit, cycles = UNITS[one.opcode]
                units[unit] = units.get(unit, 0) + times * cycles
            where = place_of(one, home)
            lines[where] = lines.get(where, 0) + times
    return Count(slots, units, lines, launch_of(machine, traced, slots, units, flow),
                 sum(place["used"] for place in traced["places"] if place["space"] == "global"), flow.warps)


def place_of(one, home):
    """The innermost line of the file `home` that an instruction is from, and the function that is called there."""
    for i, line in enumerate(one.lines):
        if not home or line.startswith(home + ":"):
            return line, called_at(one.paths[i - 1]) if i else ""
    return "", ""


@functools.lru_cache(None)
def called_at(place):
    """The function that holds a line of a header."""
    path, _, line = place.rpartition(":")
    for text in reversed(runs.read_text(path).splitlines()[:int(line)]):
        found = re.match(r"[\w:<>*& ]*?\b(\w+)\s*\([^;]*$", text)
        if found and not text.startswith(" "):
            return found.group(1)
    return ""


def launch_of(machine, traced, slots, units, flow):
    """What the model takes of a launch."""
    moved = {kind: [place for place in traced["places"] if place["operation"] == kind and place["space"] == "global"]
             for kind in ("load", "store", "atomic")}
    loads, warps = sum(place["requests"] for place in moved["load"]), flow.warps
    merged = [traced["places"][i] for i in flow.merged()]
    return model.Launch(
        math.prod(traced["grid"]), math.prod(traced["block"]), slots * warps,
        {unit: cycles * warps / model.SCHEDULERS for unit, cycles in units.items()},
        32 * traced.get("loaded_sectors", sum(place["sectors"] for place in moved["load"])),
        sum(place["used"] if place in merged else 32 * place["sectors"] for kind in ("store", "atomic") for place in moved[kind]),
        sum(place["sectors"] for place in moved["load"]) / loads if loads else 0,
        machine.registers, machine.shared + traced["dynamic_shared"])
