"""What common/notes/model.md shows: the fill curve, and predicted against recorded for every rung with counts."""

import dataclasses
import functools
import itertools
import re
import statistics
from unittest import mock

import model
import predict
import runs

AXIS = {"label": "recorded, % of a copy", "min": 0, "max": 110, "ticks": [0, 20, 40, 60, 80, 100]}


def recorded_gpus():
    return list(runs.shown().values())


@functools.lru_cache(None)
def recorded_rungs(gpu, source):
    """[(chapter, kernel as `source` counted it, the GPU, its copy's time, percent recorded)]."""
    found = []
    for chapter in runs.find_chapters():
        try:
            target = predict.recorded_target(gpu, chapter.name)
        except runs.ToolError:
            continue  # a chapter of which nothing is recorded
        for kernel in model.kernels(chapter.name, source)[0]:
            copy_us = target.copy_us(kernel)
            if copy_us and target.reached(kernel):
                found.append((chapter.name, kernel, target.device, copy_us, target.reached(kernel)))
    return found


def outcomes(gpu, source, terms=4):
    """[(chapter, kernel, prediction, percent recorded)] of a GPU, by the counts and the curve of the GPU `source`."""
    judge = model.Model(source, terms=terms)
    return [(chapter, kernel, judge.predict(kernel, device, copy_us), reached)
            for chapter, kernel, device, copy_us, reached in recorded_rungs(gpu, source)]


# -------------------------------------------------------------------------------------------------
# The controls that limit residency, by the law

@dataclasses.dataclass
class Limited:
    """A copy whose residency is limited. occupied: threads that a multiprocessor held, as ncu counted."""
    name: str
    launch: model.Launch
    us: float
    moved: float
    percent: float
    occupied: float

    @property
    def copy_us(self):
        return self.us * self.percent / 100

    def law(self, gpu, judge):
        return judge.of_launch(self.launch, model.device(gpu), self.copy_us, self.moved).percent

    def kib(self, device):
        """Asked for at once by the threads that a multiprocessor holds."""
        each = self.moved / 2 / (self.launch.blocks * self.launch.threads)
        return self.launch.resident(device) * each / 1024


SET_ASIDE = 64 * 1024    # bytes of shared memory that residency.cuh leaves these rows


def residency(gpu, rows=r"(flight|fma|fma_f16|min_f16)_\d"):
    """All such copies of a GPU that ncu counted, beside their times; or other rows."""
    device, found = model.device(gpu), []
    known = {row.rung: row for row in model.loaded(model.results(gpu, what="_controls")).select(regime="cold")
             if row.shape in ("16384x16384", "64x256x56x56")}
    for entry in runs.load_json(model.results(gpu, what="_residency_ncu"))["ncu"]:
        name = entry["rung"].split("/")[-3:][0]  # flight_4_r256 of controls/flight_4_r256/16384x16384/cold
        if re.match(rows, name):
            row = known[name]
            launch = model.launch_of(entry, device.multiprocessors)
            launch.shared = launch.shared * model.SHARED // SET_ASIDE
            found.append(Limited(row.rung, launch, row.median_us, row.gbps * row.median_us * 1e3, row.copy_pct,
                                 entry["occupancy_pct"] / 100 * device.thread_slots))
    return found


# -------------------------------------------------------------------------------------------------
# The law's constants: the set that comes closest to those copies

LAST_DIGIT = {"ALONE_US": 0.01, "BLOCK_US": 0.01, "ACCESS_US": 0.01, "INSTRUCTION_CYCLES": 0.1, "SHARPNESS": 0.1}
#: The set that is closest to the second GPU's copies; only to show how much hangs on the constants.
OF_SECOND = (0.60, 0.07, 0.20, 1.6, 2.9)


def constants():
    return tuple(getattr(model, name) for name in LAST_DIGIT)


def with_constants(values):
    """Within it the law has these constants."""
    return mock.patch.multiple(model, **dict(zip(LAST_DIGIT, values)))


def law_distance(copies, gpu, judge):
    """How many points the law is off these copies of a GPU, on average."""
    return statistics.mean(abs(one.law(gpu, judge) - one.percent) for one in copies)


def changed(values, steps):
    """Each constant so many units of its last digit away."""
    return tuple(round(value + step * digit, 2) for value, step, digit in zip(values, steps, LAST_DIGIT.values()))


def fitted(gpu, values):
    """From these constants, to the closest of all sets that differ by a unit in the last digits; again, until none is
    closer to the copies of `gpu`."""
    copies, judge = residency(gpu), model.Model(recorded_gpus()[0])

    def distance(values):
        with with_constants(values):
            return law_distance(copies, gpu, judge)
    while True:
        best = min((changed(values, steps) for steps in itertools.product((0, -1, 1), repeat=len(values))), key=distance)
        if best == values:
            return values
        values = best


def curves_plot(title):
    """What a copy keeps of its speed where the slots fill, and where few bytes are on their way."""
    gpus = recorded_gpus()

    def flights(gpu, pattern):
        device = model.device(gpu)
        return sorted((one.kib(device), one.percent) for one in residency(gpu) if re.fullmatch(pattern, one.name))
    percent = {"min": 0, "max": 105, "ticks": [0, 25, 50, 75, 100]}
    return {"title": title, "subtitle": "What a copy of floats keeps of its speed, %", "desc": "Left: nothing is lost up to "
            "some 60 % of the slots. Right: 32 KiB asked for at once keep the H200's memory busy, 24 the H100's.",
            "series": [{"name": gpu.upper()} for gpu in gpus]
            + [{"name": f"{gpu.upper()}, 2 to 32 bytes a thread", "style": "dots", "colour": f"s{i}"} for i, gpu in enumerate(gpus)],
            "panels": [{"heading": "Slots", "x": {"label": "filled at a copy's speed, %", "min": 0, "max": 155}, "y": percent,
                        "points": [[(100 * fill, left) for fill, left in model.curve(gpu).points] for gpu in gpus] + [[], []]},
                       {"heading": "Bytes in flight", "x": {"label": "KiB asked for, an SM", "min": 0, "max": 33,
                                                            "ticks": [0, 8, 16, 24, 32]}, "y": percent,
                        "points": [flights(gpu, r"flight_16_r\d+") for gpu in gpus]
                        + [flights(gpu, r"flight_(2|4|8|32)_r\d+") for gpu in gpus]}]}


#: Rows of the table of residency: widths and blocks, loads and stores alone, the outer sum.
SHOWN = ("flight_4_r256", "flight_4_r1024", "flight_4_r2048", "flight_4_r2048_b512", "flight_4_r2048_b1024", "flight_8_r2048",
         "flight_16_r256", "flight_16_r512", "flight_16_r1024", "flight_16_r1536", "flight_16_r2048", "flight_32_r512",
         "fma_56_r1024", "fma_56_registers64", "load_16_r512", "load_16_r2048", "store_16_r512", "store_16_r2048",
         "outer_8_fast_r512", "outer_8_fast_r2048")


def residency_rows():
    """Of some controls: threads held, KiB asked for, ncu's occupancy, and how long a thread and its place last, by GPU."""
    lines = {name: [f"`{name}`"] for name in SHOWN}
    for gpu in recorded_gpus():
        device = model.device(gpu)
        for one in residency(gpu, rf"({'|'.join(SHOWN)})$"):
            line, held = lines[one.name], one.launch.resident(device)
            threads = one.launch.blocks * one.launch.threads / device.multiprocessors
            if len(line) == 1:
                line.append(f"{held:,}")
            line += [f"{one.percent:.0f} %", f"{one.occupied:,.0f}", f"{one.us * one.occupied / threads:.2f} µs",
                     f"{one.us * held / threads:.2f} µs"]
    return list(lines.values())


def fewer_threads_rows():
    """The fill curve of floats where a multiprocessor holds fewer threads."""
    lines = {}
    for gpu in recorded_gpus():
        known = {row.rung: row for row in model.large_controls(gpu)}
        fills = dict(zip((0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88), (fill for fill, _ in model.points(gpu, "fma"))))
        for count in (0, 24, 40, 48, 56, 64, 80):
            lines.setdefault(count, [str(count)]).extend([f"{100 * fills[count]:.0f} %", *(
                f"{known[f'fma_{count}{held}'].copy_pct:.0f} %" for held in ("", "_r1536", "_r1024", "_r512"))])
    return list(lines.values())


def sector_rows():
    """Which sectors of each line, and the bytes that the DRAM moves for one of them, as ncu counts, by GPU."""
    names = {"all": "all", "1_of_2": "one of every two", "half_of_4": "two of every four, one half of the line", "1_of_4": "one of every four"}
    lines = {name: [words_of] for name, words_of in names.items()}
    for gpu in recorded_gpus():
        entries = {entry["rung"]: entry for entry in runs.load_json(model.results(gpu, what="_sectors_ncu"))["ncu"]}
        for name, line in lines.items():
            for way in ("load", "store"):
                entry = next(one for rung, one in entries.items() if f"memory_{way}_{name}/" in rung)
                sectors = int(entry["rung"].split("/")[2])
                line.append(f"{entry['dram_gbps'] * entry['duration_us'] * 1e3 / sectors:.0f}")
    return list(lines.values())


LAW = {"4 bytes": "flight_4", "16 bytes": "flight_16", "16 bytes, 56 multiply-adds": "fma_56"}


def law_plot(title):
    """Residency against speed: dots as measured, and the law."""
    judge = model.Model(recorded_gpus()[0])

    def points(gpu, name, what):
        found = [one for one in residency(gpu) if re.fullmatch(rf"{name}_r\d+", one.name)]
        return sorted((one.launch.resident(model.device(gpu)), what(one)) for one in found)
    return {"title": title, "subtitle": f"% of a copy; dots: measured; lines: by the {recorded_gpus()[0].upper()}'s constants",
            "desc": "The lines follow the dots within five points on both GPUs.",
            "series": [{"name": name if style == "line" else "", "style": style, "colour": f"s{i}"}
                       for style in ("line", "dots") for i, name in enumerate(LAW)],
            "panels": [{"heading": gpu.upper(), "x": {"label": "threads on an SM", "min": 0, "max": 2100,
                                                     "ticks": [512, 1024, 1536, 2048]},
                        "y": {"min": 0, "max": 105, "ticks": [0, 25, 50, 75, 100]},
                        "points": [points(gpu, name, what) for what in (lambda one, gpu=gpu: one.law(gpu, judge),
                                                                        lambda one: one.percent) for name in LAW.values()]}
                       for gpu in recorded_gpus()]}


CURVE = [0.5, 0.6, 0.75, 0.9, 1.0, 1.25]


def curve_rows():
    """At six fills, what each GPU's curve leaves of the copy's speed, and what its slow unit's does; only what was
    measured."""
    curves = [curve(gpu) for curve in (model.curve, model.slow_curve) for gpu in recorded_gpus()]
    return [[f"{100 * fill:.0f} %", *(f"{curve.percent(fill):.0f} %" if fill <= curve.points[-1][0] else "–"
                                      for curve in curves)] for fill in CURVE]


def curve_plot(title):
    gpus = recorded_gpus()
    main = gpus[0].upper()

    def series(name, *families, **how):
        return {"name": name, **how, "points": sorted(
            (100 * fill, percent) for family, dtype in families for fill, percent in model.points(gpus[0], family, dtype))}
    return {"title": title, "subtitle": "A copy with more and more instructions for each element, 16384 x 16384, cold",
            "desc": "Up to some 60 % of the slots the copy keeps its speed; with all of them taken it has four fifths of it.",
            "x": {"label": "filled at a copy's speed, %", "min": 0, "max": 155},
            "y": {"label": "% of a copy", "min": 50, "max": 104},
            "series": [{"name": f"{gpu.upper()}, floats", "points": [[100 * x, y] for x, y in model.curve(gpu).points]}
                       for gpu in gpus]
            + [series(f"{main}, halves", ("fma", "f16"), style="dots"),
               series(f"{main}, half-rate unit", ("min", "f32"), ("min", "f16"), style="dots"),
               series(f"{main}, both in turn, halves", ("both", "f16"), style="dots"),
               series(f"{main}, both in turn, floats", ("both", "f32"), style="dots"),
               series(f"{main}, slow unit", ("xu", "f32"))]}


def rows_of(gpu, chapter, what=""):
    """The rows of a chapter's recording that did not fail, by name; none where there is no recording."""
    path = model.results(gpu, chapter.name, what)
    return predict.rows_by_name(model.loaded(path)) if path.exists() else {}


def again(gpu, beside):
    """As outcomes(), of the long rows whose launches were timed a second time, warm, where no cache holds their arrays
    either; by the data sheet's clock, or by the one that was read beside the launches."""
    judge, found = model.Model(gpu), []
    for chapter in runs.find_chapters():
        rows = rows_of(gpu, chapter)
        for kernel in model.kernels(chapter.name, gpu)[0] if rows else []:
            warm = rows.get(kernel.row.name.replace("/cold", "/warm"))
            if warm and warm.copy_pct and warm.counters.get("inside_mhz"):
                device = model.device(gpu)
                if beside:
                    device = dataclasses.replace(device, mhz=warm.counters["inside_mhz"])
                prediction = judge.predict(kernel, device, warm.median_us * warm.copy_pct / 100)
                found.append((chapter.name, kernel, prediction, warm.copy_pct))
    return found


def share(off):
    return f"{100 * sum(distance <= model.CLOSE for distance in off) / len(off):.1f} %"


def of_hard(gpu, off):
    """Those of the rungs of which by three terms neither blocks nor bytes decide."""
    return [distance for distance, (*_, prediction, _) in zip(off, outcomes(gpu, recorded_gpus()[0], terms=3))
            if prediction.limit not in ("bytes", "blocks") and prediction.percent < 98]


def distances(gpu, terms=4):
    return [abs(reached - prediction.percent) for *_, prediction, reached in outcomes(gpu, recorded_gpus()[0], terms)]


def null_offsets(gpu):
    """By how many points a predictor that knows the copy and the blocks alone has each rung too fast."""
    main, off = recorded_gpus()[0], []
    for _, kernel, _, copy_us, reached in recorded_rungs(gpu, main):
        blocks_us = kernel.whole.blocks * model.block_ns(main, kernel.whole.threads) * 1e-3
        off.append(min(100, 100 * copy_us / blocks_us) - reached)
    return off


def predictor_rows():
    """Of each GPU: how often a copy or the blocks, three terms and four are close, over all rungs, over those where
    by three terms neither blocks nor bytes decide, and over those that the first has more than five points too fast."""
    main, lines = recorded_gpus()[0], []
    curve_points = len(model.curve(main).points) + len(model.slow_curve(main).points)
    for gpu in recorded_gpus():
        null = null_offsets(gpu)
        for name, constants, off in (("a copy, or the blocks", "3", list(map(abs, null))),
                                     ("three terms", f"4 + {curve_points} points", distances(gpu, terms=3)),
                                     ("four terms", f"13 + {curve_points} points", distances(gpu))):
            hard = of_hard(gpu, off)
            slower = [distance for distance, too_fast in zip(off, null) if too_fast > model.CLOSE]
            lines.append([gpu.upper(), name, constants, str(len(off)), share(off), str(len(hard)), share(hard), str(len(slower)), share(slower),
                          f"{statistics.mean(off):.1f}"])
    return lines


def sensitivity_rows():
    """What other constants of the law make of the shares: each alone one last digit away; and the set that is closest
    to the copies of the second GPU."""
    main, second = recorded_gpus()
    near = [changed(constants(), [step * (i == k) for i in range(len(LAST_DIGIT))]) for k in range(len(LAST_DIGIT)) for step in (-1, 1)]
    lines = []
    for name, sets in (("those of the table", [constants()]), ("one of them a last digit away: ten sets", near),
                       (f"closest to the {second.upper()}'s copies", [OF_SECOND])):
        cells = []
        for values in sets:
            with with_constants(values):
                off = {gpu: distances(gpu) for gpu in (main, second)}
                cells.append([f"{law_distance(residency(main), main, model.Model(main)):.1f}",
                              *(share(those) for gpu in off for those in (off[gpu], of_hard(gpu, off[gpu])))])
        lines.append([name, *(span(column) for column in zip(*cells))])
    return lines


def span(cells):
    """A cell for several: the least, or the least to the most."""
    least, most = (pick(cells, key=lambda cell: float(cell.removesuffix(" %"))) for pick in (min, max))
    return least if least == most else f"{least.removesuffix(' %')} to {most}"


def again_rows():
    """Rows of the main GPU that were timed a second time, by the two clocks."""
    main = recorded_gpus()[0]
    return [[name, str(len(off)), share(off), f"{statistics.mean(off):.1f}"] for name, beside in (
        ("the device's", False), ("that beside the launches", True)) for off in [
            [abs(reached - prediction.percent) for *_, prediction, reached in again(main, beside)]]]


def ten_second_rows():
    """Launches whose clock falls: as recorded, and after ten seconds of them, on each GPU."""
    lines = {}
    for chapter in runs.find_chapters():
        for gpu in recorded_gpus():
            first = rows_of(gpu, chapter)
            for row in rows_of(gpu, chapter, "_after_10s").values():
                lines.setdefault(f"{chapter.name[:2]} `{row.rung}`", {})[gpu] = [
                    f"{first[row.name].copy_pct:.1f} %", f"{row.copy_pct:.1f} %", f"{row.counters['inside_mhz']:,.0f}"]
    return [[name, *(cell for gpu in recorded_gpus() for cell in found.get(gpu, ["–"] * 3))] for name, found in lines.items()]


def scatter_plot(title):
    main, *others = recorded_gpus()
    series = [{"name": gpu.upper() + ("" if gpu == main else f", from the {main.upper()}'s curve"), "style": "dots",
               "points": [[reached, prediction.percent] for _, _, prediction, reached in outcomes(gpu, main) if reached]}
              for gpu in (main, *others)]
    series.append({"name": "as predicted", "points": [[0, 0], [110, 110]]})
    close = model.CLOSE
    series.append({"name": f"{close:g} points off", "style": "dashed",
                   "points": [[0, close], [110 - close, 110], [110, None], [close, 0], [110, 110 - close]]})
    return {"title": title, "subtitle": "Every rung whose instructions were counted, at its largest size, cold",
            "desc": "Most dots lie within the dashed lines; those outside are named in the page.", "height": 420,
            "x": AXIS, "y": {**AXIS, "label": "predicted, % of a copy"}, "series": series}


#: Of rungs that the model misses: what is known. The links are those of common/notes/model.md.
KNOWN = (
    (r"f16x8_pack_expm1", "The H100's own fill curve gives 90 %."), (r"pow_f32x4_pdl", "The H100's own fill curve gives 96 %."),
    (r"none_\w+", "Not known. All slots and nine tenths of the half-rate unit are filled; [a control](controls_slots.md#fill-curve) that does so in "
                  "halves lies on the curve, one in floats ten points below."),
    (r"swiglu_\w+|(add|mul|max|prelu)_(f32x4|b?f16x8|i32x4)_pdl|x?or_u8x16_pdl|and_operator|add_(f32|f16|bf16)",
     "Two arrays in blocks of 704 threads, which [are faster than the law says](controls_in_flight.md#bytes-in-flight) when they leave shared memory alone."),
    (r"rows_\w+", "Not known. For (1, C, 1, 1) the same kernel is within two points; (N, C, 1, 1) has its instructions and 1 % more sectors, "
                  "W a sixth fewer instructions, N1HW a quarter more sectors loaded."),
    (r"packed_f32_scalar", "The copy beside it took 104 µs, where others of as many bytes take 98; a copy itself has 106 % there."),
    (r"limit_nhwc_\w+", "Each access touches 32 sectors; the L2 serves them, and [memory moves each byte once](../../04_arithmetic/notes/nhwc8.md)."),
    (r"and_bool8|greater_half8", "Narrow loads that find their line in the L1. On the H200 ncu finds "
                                "[its data stage](controls_memory.md#requests) busy for 82 and 98 % of the time."),
    (r"greater_\w+ballot", "32 loads of 2 bytes a lane. [Loads and stores of that width](controls_memory.md#requests) cost a copy 8 % on the H200, nothing on the H100."),
    (r"where_\w+", "Two loads wait for another, as [the machine code](../../05_logical_relation/notes/where.md) has it. On the H100 a place is kept 1.6 µs, the law has 1.3."),
    (r"add_f32_adjacent", "It [asks for each sector twice](controls_memory.md#packs-and-indices)."),
    (r"sum_inner_\w+", "It only reads, which [a control](controls_in_flight.md#residency) does 6 to 8 % faster than a copy. Sums of columns, which only "
                       "read too, gain 4 % at most."),
    (r"causal_i32", "It only stores; its half-rate unit is 88 % full, for which a copy's curve takes 13 %."))


def known_of(rung):
    return next((words for pattern, words in KNOWN if re.fullmatch(pattern, rung)), "–")


def is_close(value, reached):
    return abs(value - reached) <= model.CLOSE


def pair(value, reached):
    """Predicted and recorded, which is bold where the two are far from each other."""
    return [f"{value:.0f} %", f"{reached:.0f} %" if is_close(value, reached) else f"**{reached:.0f} %**"]


def lines_of_far(found, known):
    """A line for each (chapter, rung) that is farther off on one of the GPUs, of {(chapter, rung): {gpu: (predicted,
    recorded)}}; known(chapter, rung) says why."""
    lines, last = [], None
    for (chapter, rung), by_gpu in found.items():
        if not all(is_close(*one) for one in by_gpu.values()):
            cells = [cell for gpu in recorded_gpus() for cell in (pair(*by_gpu[gpu]) if gpu in by_gpu else ["–", "–"])]
            words, last = ("as above" if known(chapter, rung) == last != "–" else known(chapter, rung)), known(chapter, rung)
            lines.append([f"{chapter[:2]} `{rung}`", *cells, words])
    return lines


def far_rows():
    """The rungs that are farther off, all predicted from the main GPU."""
    gpus, found = recorded_gpus(), {}
    for gpu in gpus:
        for chapter, kernel, prediction, reached in outcomes(gpu, gpus[0]):
            if reached:
                found.setdefault((chapter, kernel.row.rung), {})[gpu] = (prediction.percent, reached)
    return lines_of_far(found, lambda chapter, rung: known_of(rung))


#: Rows that are no copies, and beside which the clock was found lower: below this percent of a copy, and this many MHz.
LIMITED, LOWERED = 93, 1950


def clock_rows():
    """Rows of the main GPU at its largest size, cold, beside whose launches the clock was found lower; and the same rows
    warm, which come next in the program, and where no cache holds the arrays either: time, NVML, probe, inside."""
    found = []
    for chapter in runs.find_chapters():
        rows = rows_of(recorded_gpus()[0], chapter)
        for name, row in rows.items():
            if (name.endswith("/16384x16384/cold") and row.kind in ("rung", "sweep") and row.copy_pct and row.copy_pct < LIMITED
                    and row.counters.get("inside_mhz", LOWERED) < LOWERED):
                found.append([f"{chapter.name[:2]} `{row.rung}`"] + [
                    text for one in (row, rows[name.replace("/cold", "/warm")]) for text in (
                        f"{one.median_us:.0f}", *(f"{one.counters[of]:,.0f}" for of in ("sm_mhz", "probe_mhz", "inside_mhz")))])
    return found
