"""./tutorial trace: shows which bytes a warp asks for, on the CPU executor.

A rung is named as in the
ladder (f16x8), with its ladder's name where two have it (bias/bias_cycle_f16). --warp counts warps
through the whole grid; without it, one in the middle is shown; --tail: the last that does anything.
With several rungs the numbers of their launches stand side by side, and then each warp.

The numbers are those of the source as g++ compiled it: requests of warps, the sectors of 32 bytes
that they touch, the bytes that were asked for, the bank conflicts in shared memory. ./tutorial trace
counts and does not time: of caches, latency and occupancy it knows nothing.
"""

import difflib
import functools
import itertools
import json
import math
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import front
import runs
from running import Running

LANES = "0123456789abcdefghijklmnopqrstuv"
COLOURS = (34, 33, 36, 35)  # of a terminal, by lane
SECTOR = 32
PIECE = 64          # what memory reads at once
WASTED = 1.02       # times the sectors: from there on pieces are named
MOST_SECTORS = 32   # in a picture
MOST_ROWS = 28      # of a warp's list
ALL_ROWS = 12       # a longer list joins accesses that look alike
MOST_NAMED = 40     # lines: more kernels are compiled anew rather than kept
LIMITS = ("Counted from the source, as the executor ran it. Of caches, latency, occupancy\nand time it "
          "says nothing.")
TRACEABLE = ("rung", "yours", "sweep")
EXCEPTIONS = Path(__file__).resolve().parents[2] / "trace/exceptions.json"


# -------------------------------------------------------------------------------------------------
# The program


def ask(program, arguments):
    """The JSON that the tracing program prints; ToolError with its sentence if it has none."""
    try:
        running = Running([program, "trace", *arguments], environment={"TUTORIAL_CPU_REPORT": "none"})
    except OSError as error:
        raise runs.ToolError(f"{program}: {error.strerror}; build it with ./tutorial trace") from None
    if running.end() != 0:
        lines = [line for line in running.complained.splitlines() if line.strip()]
        raise runs.ToolError(lines[-1].removeprefix("trace: ") if lines else f"the kernel {running.ending}")
    rungs = json.loads(running.said)["rungs"]
    if running.lines:
        rungs[0]["printed"] = running.printed
    return rungs


def names_of(program):
    return ask(program, ["--list"])


def check_name(program, name):
    """ToolError that names rungs like it, unless there is one of that name."""
    known = names_of(program)
    if any(name in (rung["rung"], f"{rung['ladder']}/{rung['rung']}") for rung in known):
        return
    refuse(name, runs.unique(rung["rung"] for rung in known if rung["kind"] in TRACEABLE))


def refuse(name, names):
    chosen = difflib.get_close_matches(name, names, 8, 0.5) or names[:8]
    more = "" if len(chosen) == len(names) else ", ... (--list names all)"
    raise runs.ToolError(f"there is no rung {name}; there are {', '.join(chosen)}{more}")


def known_names(folder):
    """The rungs of a chapter as far as they can be known without a build: those that were recorded."""
    recorded = (runs.load_run(Path(folder) / "results" / f"{gpu}.json") for gpu in front.recorded_gpus(folder))
    return runs.unique(row.rung for run in recorded for row in run.rows if row.kind in TRACEABLE)


def refuse_unknown(folder, wanted):
    """ToolError, before anything is built, for a name that stands nowhere in the chapter."""
    recorded = known_names(folder)
    # A rung that is new may be called by any words that stand in the chapter, with other numbers.
    sources = [path for pattern in ("*.h", "*.cpp", "*/*.h", "results/*.json", "../common/bench/*.h")
               for path in Path(folder).glob(pattern)]
    for name in wanted if recorded else []:
        known = (one for path in sources for one in re.findall(r'"([\w/.<>]+)"', runs.read_text(path)))
        if not words_of(name) <= words_of(" ".join(known)):
            refuse(name, recorded)


def words_of(names):
    return set(re.findall(r"[A-Za-z]+", names))


def small_program(folder):
    """The program that sees the reader's own kernel alone, the quickest to build. It runs all others too, unseen."""
    return f"{Path(folder).name}_see_{front.your_file(folder).stem}"


def homes_of(folder):
    """{kernel: the source of the library that it is of}."""
    library = front.program("cpu", f"{Path(folder).name}/lib{runs.ladder_of_chapter(folder)}.a")
    done = subprocess.run(["nm", "-AC", "--defined-only", str(library)], capture_output=True, text=True, check=False)
    found = re.findall(r"(?m)\.a:(\w+)\.cu\.o:\w* \w (.*)$", done.stdout)
    paths = {path.stem: path for path in Path(folder).rglob("*.cu")}
    return {name: paths[source] for source, name in found if source in paths}


def named_source(folder):
    """The source of the program 01_elu_see_named."""
    return front.program("cpu", Path(folder).name) / "traced.cu"


def texts_naming(kernels, homes, before):
    """What that source may be, the best first. Templates are instantiated, and nothing else of their sources: that is
    compiled in a tenth of the time. What was named before stays, so that two commands do not undo each other."""
    paths = sorted({homes[kernel] for kernel in kernels})
    includes = {line for path in paths for line in re.findall(r"(?m)^#include .*", runs.read_text(path))}
    few = includes | {f"template {kernel};" for kernel in kernels if kernel.startswith("void ")}
    before = [line for line in before.splitlines() if not line.endswith('.cu"')]
    whole = [f'#include "{path.resolve()}"' for path in paths]
    texts = (few.union(before if len(before) < MOST_NAMED else ()), few, whole)
    return runs.unique("".join(f"{line}\n" for line in sorted(lines)) for lines in texts)


def build_named(folder, kernels, homes, build):
    """Builds 01_elu_see_named so that it sees the kernels; returns it."""
    path, name = named_source(folder), f"{Path(folder).name}_see_named"
    texts = texts_naming(kernels, homes, runs.read_text(path))
    for text in texts:
        if text != runs.read_text(path):
            path.write_text(text, encoding="utf-8")
        try:
            build("cpu", name, errors=text == texts[-1])
            break
        except front.BuildFailed:
            if text == texts[-1]:
                raise
    return front.program("cpu", name)


def count(folder, wanted, options=(), build=None):
    """What the rungs ask for. The small program is there; another is built for what it does not see."""
    build = build or functools.partial(front.build, known=True)
    rungs = ask(front.program("cpu", small_program(folder)), [*wanted, *options])
    homes, own = homes_of(folder), front.your_file(folder).stem
    needed = [{launch["kernel"] for launch in rung["launches"]} & homes.keys() for rung in rungs]
    unseen = [i for i, kernels in enumerate(needed) if any(homes[kernel].stem != own for kernel in kernels)]
    if unseen:
        program = build_named(folder, set().union(*(needed[i] for i in unseen)), homes, build)
        for i, rung in zip(unseen, ask(program, [*(wanted[i] for i in unseen), *options])):
            rungs[i] = rung
    return rungs


def require_gcc():
    compiler = os.environ.get("CXX", "c++")
    done = subprocess.run([compiler, "-v"], capture_output=True, text=True, check=False)
    if "gcc version" not in done.stderr:
        raise runs.ToolError(f"trace needs g++, whose -fsanitize=thread names every access; {compiler} is another "
                             f"compiler: CXX=g++ {front.command('trace')}")


# -------------------------------------------------------------------------------------------------
# Words


def lanes_of(request):
    return [lane for lane, offset in enumerate(request["offsets"]) if offset is not None]


def pattern(request):
    """The offsets of the active lanes in words."""
    offsets = [offset for offset in request["offsets"] if offset is not None]
    if len(offsets) == 1:
        return "one lane"
    steps = {b - a for a, b in zip(offsets, offsets[1:])}
    if steps == {0}:
        return "one address for all"
    if len(steps) == 1:
        step = steps.pop()
        return "consecutive" if step == request["bytes"] else f"stride {step}"
    if len(set(offsets)) <= 4:
        return f"{len(set(offsets))} addresses"
    if steps <= {0, request["bytes"]}:
        return "consecutive, some shared"
    if len(steps) == 2:
        common = max(steps, key=lambda step: sum(b - a == step for a, b in zip(offsets, offsets[1:])))
        jumps = sum(b - a != common for a, b in zip(offsets, offsets[1:]))
        if jumps <= 3:
            return f"{jumps + 1} runs" if common == request["bytes"] else \
                f"stride {common}, {front.plural(jumps, 'jump')}"
    return "irregular"


def percent(part, whole):
    return f"{100 * part / whole:.3g} %" if whole else ""


def place(request):
    """The kernel's line, and where a primitive that it calls makes the access, that primitive's."""
    name, inner = (request.get(key, "").rsplit("/", 1)[-1] for key in ("line", "inner_line"))
    return f"{name or '?'} > {inner}" if inner else name or "?"


def shape_text(dimensions):
    return re.sub("( x 1)+$", "", " x ".join(f"{n:,}" for n in dimensions))


def totals(launch, operation, space):
    """The sum over the launch's places of one kind; None if there is none."""
    chosen = [p for p in launch["places"] if (p["operation"], p["space"]) == (operation, space)]
    if not chosen:
        return None
    keys = ("requests", "lanes", "used", "sectors", "phases", "passes")
    result = {key: sum(p.get(key, 0) for p in chosen) for key in keys}
    result["widths"] = sorted({w for p in chosen for w in (p["least_bytes"], p["most_bytes"])})
    result["ways"] = max(p.get("ways", 0) for p in chosen)
    return result


KINDS = (("load", "global"), ("store", "global"), ("atomic", "global"), ("load", "shared"),
         ("store", "shared"), ("atomic", "shared"))


# -------------------------------------------------------------------------------------------------
# A launch, and a warp of it, as text


def kernel_name(launch):
    name = runs.short_kernel_name(launch["kernel"])
    return name.replace("tutorial::", "").replace("primitives::", "").replace(" >", ">")


def launch_lines(launch):
    """What was launched."""
    blocks, threads = math.prod(launch["grid"]), math.prod(launch["block"])
    name = kernel_name(launch) or "a kernel"
    lines = [textwrap.fill(name, 80, subsequent_indent="    "), f"  {front.plural(blocks, 'block')} ({shape_text(launch['grid'])}) of "
             f"{front.plural(threads, 'thread')} ({shape_text(launch['block'])}), "
             f"{blocks * threads:,} threads in all"]
    moved = sum(p["used"] for p in launch["places"] if p["space"] == "global")
    per_block = moved / max(launch["busy_blocks"], 1)
    lines.append(f"  {per_block:,.0f} bytes asked for by a block, "
                 f"{moved / max(launch['busy_threads'], 1):,.1f} by a thread")
    idle = blocks - launch["busy_blocks"]
    idle_threads = blocks * threads - launch["busy_threads"]
    if idle:
        lines.append(f"  {front.plural(idle, 'block')} touched no global memory")
    elif idle_threads:
        lines.append(f"  {front.plural(idle_threads, 'thread')} touched no global memory")
    return lines


def totals_lines(launch):
    lines = ["  the whole launch  requests    sectors  a request       used of moved   lanes"]
    for operation, space in KINDS:
        total = totals(launch, operation, space)
        if total is None:
            continue
        head = f"  {space} {operation}"
        lanes = f"{total['lanes'] / total['requests']:.1f}".removesuffix(".0")
        if space == "global":
            per = total["sectors"] / total["requests"]
            lines.append(f"{head:<16}{total['requests']:>12,}{total['sectors']:>11,}{per:>11.2f}"
                         f"{percent(total['used'], total['sectors'] * SECTOR):>20}{lanes:>8}")
        else:
            extra = total["passes"] - total["phases"]
            ways = f"conflicts of {total['ways']} ways, {extra:,} extra passes" if extra else "no bank conflict"
            lines.append(f"{head:<16}{total['requests']:>12,}   {ways:<39}{lanes:>8}")
    return lines + piece_lines(launch)


def piece_lines(launch):
    """What memory reads beyond the sectors that are loaded, where its pieces are larger."""
    sectors, pieces = launch.get("loaded_sectors", 0), launch.get("loaded_pieces", 0)
    if pieces * PIECE <= WASTED * sectors * SECTOR:
        return []
    return textwrap.wrap(f"memory reads {PIECE} bytes at once: {pieces:,} pieces for the {sectors:,} sectors that blocks load, "
                         f"which are {percent(sectors * SECTOR, pieces * PIECE)} of them", 80, initial_indent="  ", subsequent_indent="    ")


def kind_of(request):
    """What two requests that stand in one line of a list have in common."""
    keys = ("line", "operation", "space", "bytes", "sectors", "passes", "used")
    return [request.get(key) for key in keys], len(lanes_of(request)), pattern(request)


def request_lines(requests):
    """A line per access in program order; long lists join what repeats."""
    callers = [place(request) for request in requests if "inner_line" in request]
    room = min(max([20, *map(len, callers)]), 46)
    lines = [f"    # {'line':<{room}} access    bytes lanes pattern        sectors   used"]
    kinds = [kind_of(request) for request in requests] if len(requests) > ALL_ROWS else range(len(requests))
    joined = [list(same) for _, same in itertools.groupby(range(len(requests)), lambda i: kinds[i])]
    for first, *others in joined[:MOST_ROWS]:
        request = requests[first]
        number = f"{first + 1}-{others[-1] + 1}" if others else f"{first + 1}"
        access = f"{request['operation']} {request['space'] if request['space'] == 'shared' else request['buffer']}"
        if request["space"] == "global":
            cost = f"{request['sectors']:>3} {percent(request['used'], request['sectors'] * SECTOR):>6}"
        else:
            ways = request["ways"]
            cost = f"  {ways} ways" if ways > 1 else " no conflict"
        name = place(request)
        name = name if len(name) <= room else "..." + name[3 - room:]
        lines.append(f"{number:>5} {name:<{room}} {access:<12}{request['bytes']:>3}{len(lanes_of(request)):>5}"
                     f" {pattern(request)[:19]:<19}{cost}")
    if len(joined) > MOST_ROWS:
        lines.append(f"      ... and {len(requests) - joined[MOST_ROWS][0]} more")
    return lines


# -------------------------------------------------------------------------------------------------
# A picture of a request


def painter(coloured):
    """Colours by lane, where the terminal has them."""
    def paint(letter, lane):
        return f"\033[{COLOURS[lane % len(COLOURS)]}m{letter}\033[0m" if coloured and lane is not None else letter
    return paint


def bytes_of(request):
    """{byte: the lane that asks for it, or -1 for several}."""
    owners = {}
    for lane in lanes_of(request):
        for k in range(request["bytes"]):
            at = request["offsets"][lane] + k
            owners[at] = lane if at not in owners else -1
    return owners


def global_picture(request, paint):
    """Sectors, two to a line, a letter for each byte."""
    owners = bytes_of(request)
    sectors = sorted({at // SECTOR for at in owners})
    shown = sectors[:MOST_SECTORS]
    lines, previous = [], None

    def letter(at):
        lane = owners.get(at)
        return paint("." if lane is None else "*" if lane < 0 else LANES[lane], lane)
    for i in range(0, len(shown), 2):
        pair = shown[i:i + 2]
        text = " ".join("".join(map(letter, range(sector * SECTOR, (sector + 1) * SECTOR))) for sector in pair)
        if previous is not None and pair[0] != previous + 1:
            lines.append("             :")
        lines.append(f"  {request['buffer']} +{pair[0] * SECTOR:<10}"[:13].ljust(13) + text)
        previous = pair[-1]
    if len(sectors) > len(shown):
        lines.append(f"            ... and {len(sectors) - len(shown)} sectors more")
    return lines


def phases_of(request):
    """The lanes that shared memory serves together."""
    size = 32 if request["bytes"] <= 4 else 16 if request["bytes"] <= 8 else 8
    return [range(first, first + size) for first in range(0, 32, size)]


def bank_columns(request, lanes):
    """For each of the 32 banks, {word: the lanes that ask for it}."""
    banks = [{} for _ in range(32)]
    for lane in lanes_of(request):
        offset = request["offsets"][lane]
        for word in range(offset // 4, (offset + request["bytes"] - 1) // 4 + 1):
            if lane in lanes:
                banks[word % 32].setdefault(word, []).append(lane)
    return banks


def shared_picture(request, paint):
    """The 32 banks, and below each the lanes that wait for it: a line is a pass."""
    banks = bank_columns(request, phases_of(request)[0])
    lines = ["  bank       " + "".join(f"{bank:<8}" for bank in range(0, 32, 4)).rstrip()]
    for turn in range(max(len(bank) for bank in banks)):
        text = ""
        for bank in banks:
            words = sorted(bank)
            if turn >= len(words):
                text += ". "
                continue
            asking = bank[words[turn]]
            text += paint(LANES[asking[0]] if len(asking) == 1 else "*", asking[0]) + " "
        lines.append(f"  pass {turn + 1:<6}{text.rstrip()}")
    if len(phases_of(request)) > 1:
        lines.append(f"  (the first {len(phases_of(request)[0])} lanes; wider accesses take "
                     f"{len(phases_of(request))} turns anyway)")
    return lines


def pictured(requests):
    """One request of each kind: a load and a store, of global and of shared memory. Of several, the
    one that wastes most."""
    chosen = []
    for (_, space), of_kind in runs.grouped(requests, lambda r: (r["operation"], r["space"])).items():
        if space == "global":
            worst = min(of_kind, key=lambda r: (r["used"] / max(r["sectors"], 1), -r["lanes"]))
        else:
            worst = max(of_kind, key=lambda r: r["ways"])
        chosen.append((requests.index(worst), worst))
    return sorted(chosen, key=lambda pair: pair[0])


LEGENDS = {"global": ["a letter is a byte, named after its lane (0-9, a-v); . is moved unasked;",
                      "* is asked for by several lanes"],
           "shared": ["a letter is a lane (0-9, a-v); * are several that ask for one word"]}


def picture_lines(requests, paint):
    lines, explained, drawn = [], set(), {}
    for number, request in pictured(requests):
        origin = min(o for o in request["offsets"] if o is not None)
        shape = (request["space"], request["bytes"],
                 tuple(None if o is None else o - origin for o in request["offsets"]))
        head = f"access {number + 1}: {request['operation']} {front.plural(request['bytes'], 'byte')} a lane, {place(request)}"
        if shape in drawn:
            lines += ["", f"{head}: as access {drawn[shape] + 1}"]
            continue
        drawn[shape] = number
        lines += ["", head]
        if request["space"] not in explained:
            explained.add(request["space"])
            lines += [f"  {line}" for line in LEGENDS[request["space"]]]
        lines += global_picture(request, paint) if request["space"] == "global" else \
            shared_picture(request, paint)
    return lines


# -------------------------------------------------------------------------------------------------
# The whole


def warps_of(launch):
    return math.prod(launch["grid"]) * -(-math.prod(launch["block"]) // 32)


def no_warp(launch, wanted):
    """Why the launch does not have the warp."""
    warps = warps_of(launch)
    if (wanted or 0) >= warps:
        return f"there is no warp {wanted}: this launch has {front.plural(warps, 'warp')}, counted from 0"
    return f"{'the warp in the middle' if wanted is None else f'warp {wanted}'} accesses no memory"


def show_launch(launch, tail, paint, wanted):
    if not launch["places"]:
        print(f"{kernel_name(launch)}: was not built for tracing, or touched nothing")
        return
    print("\n".join(launch_lines(launch)))
    print()
    print("\n".join(totals_lines(launch)))
    warp = launch.get("last" if tail else "middle")
    if warp is None:
        print("\n" + textwrap.fill(no_warp(launch, wanted), 78, initial_indent="  ",
                                   subsequent_indent="  "))
        return
    where = ", ".join(str(n) for n in warp["block"]) if launch["grid"][1:] != [1, 1] else \
        f"{warp['block'][0]:,}"
    print(f"\nwarp {warp['warp']} of block {where}"
          + (", the last that does anything" if tail else ""))
    print("\n".join(request_lines(warp["requests"])))
    print("\n".join(picture_lines(warp["requests"], paint)))


def show_rung(chapter, rung, tail, paint, wanted):
    print(f"{chapter}  {rung['rung']}  {rung['shape']}")
    if "wrong" in rung:
        print(f"  its output is wrong ({rung['wrong']}); these are its accesses all the same")
    launches = rung["launches"]
    if not launches:
        print("  nothing was launched")
    for launch in launches:
        print()
        show_launch(launch, tail, paint, wanted)
    unseen = unseen_bytes(rung)
    known = [one for one in runs.load_json(EXCEPTIONS).get("exceptions", [])  # why nvcc makes other accesses of this rung
             if one["chapter"] == chapter and rung["rung"] in one["rungs"]]
    if unseen and not any("unseen" in exception["rules"] for exception in known):
        print(f"\n{unseen:,} bytes of the output were written where no access was seen: g++ did not\n"
              "inline a function that returns a half; declare it __forceinline__.")
    for exception in known:
        print("\n" + textwrap.fill(f"Known: {exception['reason']}.", 80))
    print(f"\n{LIMITS}")


def show_each(items, show):
    """Each with a line across the page before it, but for the first; show: what prints one, with its colours."""
    paint = painter(sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    for i, item in enumerate(items):
        if i:
            print("\n" + "-" * 78 + "\n")
        show(item, paint)


def show_program(launches):
    """The launches of a whole program, as common/check/program.cpp has recorded them."""
    if not launches:
        print("nothing that was to be traced has been launched")
        return
    show_each(launches, lambda launch, paint: show_launch(launch, False, paint, None))
    print(f"\n{LIMITS}")


def unseen_bytes(rung):
    """Bytes of a right output that nobody was seen to store."""
    output = rung["buffers"][-1]
    if "wrong" in rung or not any(launch["places"] for launch in rung["launches"]):
        return 0
    return output["bytes"] - output["stores_once"] - output["stores_again"]


def summed_totals(rung, operation, space):
    """totals() over all launches of the rung."""
    return totals({"places": [one for launch in rung["launches"] for one in launch["places"]]}, operation, space)


class Traced:
    """What one launch of a rung asks for."""

    def __init__(self, rung):
        self.name, launches = rung["rung"], rung["launches"]
        self.blocks = sum(math.prod(one["grid"]) for one in launches)
        self.threads = sum(math.prod(one["grid"]) * math.prod(one["block"]) for one in launches)
        self.idle_blocks = self.blocks - sum(one["busy_blocks"] for one in launches)
        self.busy = sum(one["busy_threads"] for one in launches)
        self.kinds = {kind: summed_totals(rung, kind, "global") for kind in ("load", "store", "atomic")}
        self.atomics = self.kinds["atomic"]["lanes"] if self.kinds["atomic"] else 0
        self.buffers = rung.get("buffers", [])

    def widths(self, kind):
        return self.kinds[kind]["widths"] if self.kinds[kind] else []

    def requests(self, kind):
        """Of a warp that does anything."""
        warps = -(-self.busy // 32)
        return self.kinds[kind]["requests"] / warps if self.kinds[kind] and warps else 0

    @property
    def warps(self):
        return -(-self.threads // 32)

    def moved(self, kind):
        """Bytes, in whole sectors."""
        return self.kinds[kind]["sectors"] * SECTOR if self.kinds[kind] else 0

    def twice(self, may):
        """Of the work that is done twice a phrase, or "": most bytes of an array are loaded or stored more than once. A small
        one may be loaded again, for it is broadcast, and atomic operations may store again; so may arrays of these names."""
        largest = max((one["bytes"] for one in self.buffers), default=0)
        for one in (one for one in self.buffers if one["name"] not in may):
            for kind in ("loads", "stores"):
                if one[f"{kind}_again"] > one["bytes"] / 2 and \
                        (one["bytes"] > largest / 4 if kind == "loads" else not self.atomics):
                    return f"it {kind} {one[f'{kind}_again']:,} of {one['bytes']:,} bytes of {one['name']} more than once"
        return ""

    def json(self):
        """For programs."""
        return {"blocks": self.blocks, "idle_blocks": self.idle_blocks, "threads": self.threads, "idle_threads": self.threads - self.busy,
                **{kind + "s": {"bytes_a_lane": self.widths(kind), "requests_a_warp": round(self.requests(kind), 3)}
                   for kind in ("load", "store")}}

    def phrase(self, kind):
        """"loads: 16 bytes a lane, 1 request a warp"."""
        if not self.kinds[kind]:
            return f"{kind}s: none"
        total = self.kinds[kind]
        used = 100 * total["used"] / (total["sectors"] * SECTOR) if total["sectors"] else 100
        waste = f", {used:.3g} % of what a request moves is used" if used < 95 else ""
        count = f"{self.requests(kind):.3g}"
        unit = "byte" if self.widths(kind) == [1] else "bytes"
        return f"{kind}s: {' and '.join(map(str, self.widths(kind)))} {unit} a lane, {count} " \
               f"{'request' if count == '1' else 'requests'} a warp{waste}"


def comparison(rungs):
    """A line per number, a column per rung."""
    rows = [("blocks", [f"{sum(math.prod(one['grid']) for one in r['launches']):,}" for r in rungs]),
            ("threads", [f"{sum(math.prod(one['grid'] + one['block']) for one in r['launches']):,}" for r in rungs])]
    for operation, space in KINDS:
        found = [summed_totals(rung, operation, space) for rung in rungs]
        if not any(found):
            continue

        def cells(show):
            return [show(total) if total else "" for total in found]
        rows.append((f"{space} {operation}s: requests", cells(lambda t: f"{t['requests']:,}")))
        rows.append(("  bytes a lane", cells(lambda t: ", ".join(map(str, t["widths"])))))
        if space == "global":
            rows.append(("  sectors", cells(lambda t: f"{t['sectors']:,}")))
            rows.append(("  sectors a request", cells(lambda t: f"{t['sectors'] / t['requests']:.2f}")))
            rows.append(("  bytes used of moved", cells(lambda t: percent(t["used"], t["sectors"] * SECTOR))))
            if operation == "load" and any(piece_lines(launch) for rung in rungs for launch in rung["launches"]):
                rows.append(("  pieces of 64 from memory", [
                    f"{sum(launch['loaded_pieces'] for launch in rung['launches']):,}" for rung in rungs]))
        else:
            rows.append(("  extra passes", cells(lambda t: f"{t['passes'] - t['phases']:,}")))
    names = [rung["rung"] for rung in rungs]
    width = max(12, *(len(name) for name in names))
    for title, cells_of_row in [("", names), *rows]:
        print(f"{title:<26}" + "".join(f"  {cell:>{width}}" for cell in cells_of_row))


def list_rungs(program, chapter):
    print(f"{chapter}: the rungs that can be traced")
    for rung in names_of(program):
        if rung["kind"] in TRACEABLE:
            name = f"{rung['ladder']}/{rung['rung']}"
            print(f"  {name:<44}{rung['dtype']:<6}{rung['kind']:<6}  {', '.join(rung['shapes'])}".rstrip())


def add_arguments(parser):
    """What the command takes behind the chapter; returns the argument that names the rungs."""
    rungs = parser.add_argument("rungs", nargs="*", metavar="RUNG",
                                help="rungs, as in the ladder; your_elu is your own. Two stand side by side")
    parser.add_argument("--list", action="store_true", help="name the rungs")
    parser.add_argument("--shape", default="", help="rows x columns, as in 1000x3")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--warp", type=int, help="the warp to show, counted through the grid from 0")
    which.add_argument("--tail", action="store_true", help="show the last warp that does anything")
    parser.add_argument("--json", metavar="FILE", help="write all that was recorded")
    return rungs


def traced(folder, arguments):
    options = [f"--shape={arguments.shape}"] if arguments.shape else []
    if arguments.warp is not None:
        options.append(f"--warp={arguments.warp}")
    for name in arguments.rungs:
        check_name(front.program("cpu", small_program(folder)), name)
    return count(folder, arguments.rungs, options)


def verdict(rungs):
    """The first rung beside the second, in a line: what it asks for more, or that it asks for the same."""
    mine, other = Traced(rungs[0]), Traced(rungs[1])
    differences = [
        f"{mine.phrase(kind)}, where {other.name} has {other.phrase(kind)}" for kind in ("load", "store")
        if mine.widths(kind) != other.widths(kind) or abs(mine.requests(kind) - other.requests(kind)) > 0.005]
    if mine.blocks != other.blocks:
        differences.append(f"{mine.blocks:,} blocks, where {other.name} has {other.blocks:,}")
    if mine.idle_blocks > other.idle_blocks:
        differences.append(f"{mine.idle_blocks:,} of its blocks touch no memory")
    text = "; ".join(differences) or f"asks for the same accesses as {other.name}, in as many requests and blocks"
    return textwrap.fill(f"{mine.name}: {text}.", 100, subsequent_indent="  ")


def run(arguments, folder):
    chapter = Path(folder).name
    if arguments.list:
        list_rungs(front.program("cpu", small_program(folder)), chapter)
        return 0
    rungs = traced(folder, arguments)
    if arguments.json:
        runs.write_json(arguments.json, {"context": {"chapter": chapter}, "rungs": rungs})
    printed = rungs[0].get("printed", [])
    if printed:
        print("printed by the kernel:\n" + "".join(f"  {line}\n" for line in printed))
    if len(rungs) > 1:
        comparison(rungs)
        print()
        if len(rungs) == 2:
            print(verdict(rungs) + "\n")
    show_each(rungs, lambda rung, paint: show_rung(chapter, rung, arguments.tail, paint, arguments.warp))
    refuse_warp(rungs, arguments.warp)
    return 1 if any("wrong" in rung for rung in rungs) else 0


def refuse_warp(rungs, wanted):
    """ToolError if no launch of a rung has the warp that was asked for."""
    for rung in rungs:
        counts = [warps_of(launch) for launch in rung["launches"]]
        if wanted is not None and not any(0 <= wanted < count for count in counts):
            raise runs.ToolError(f"--warp={wanted}: {rung['rung']} has {front.plural(max(counts, default=0), 'warp')} at "
                                 f"{rung['shape']}, counted from 0")
