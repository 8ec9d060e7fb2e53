"""What common/notes/model.md shows: the fill curve, and predicted against recorded for every rung with counts."""

import statistics

import model
import predict
import runs

AXIS = {"label": "recorded, % of a copy", "min": 0, "max": 110, "ticks": [0, 20, 40, 60, 80, 100]}


def recorded_gpus():
    return list(runs.shown().values())


def words(gpu):
    return gpu.upper()


def outcomes(gpu, source):
    """[(chapter, kernel, prediction, percent recorded)] of a GPU, by the counts and the curve of the GPU `source`."""
    found = []
    for chapter in runs.find_chapters():
        try:
            rows, _ = predict.predictions(chapter.name, predict.recorded_target(gpu, chapter.name), source)
        except runs.ToolError:
            continue  # a chapter of which nothing is recorded
        found += [(chapter.name, *row) for row in rows]
    return found


def curve_rows():
    """Share of the slots, and percent of a copy: a row for each point of each recorded GPU's curve."""
    return [[words(gpu), f"{100 * fill:.0f} %", f"{percent:.1f} %"]
            for gpu in recorded_gpus() for fill, percent in model.curve(gpu).points]


def curve_plot(title):
    return {"title": title, "subtitle": "A copy of floats with 8 to 64 multiply-adds for each, 16384 x 16384, cold",
            "desc": "Up to some 60 % of the slots the copy keeps its speed; at 113 % it has three quarters of it.",
            "x": {"label": "slots filled at a copy's speed, %", "min": 0, "max": 120},
            "y": {"label": "% of a copy", "min": 60, "max": 104},
            "series": [{"name": words(gpu), "points": [[100 * x, y] for x, y in model.curve(gpu).points]}
                       for gpu in recorded_gpus()]}


def sources():
    """(GPU, the GPU whose counts and curve predict it): each from itself, and each other one from the main one."""
    main, *others = recorded_gpus()
    return [(main, main)] + [(gpu, source) for gpu in others for source in (main, gpu)]


def share_rows():
    lines = []
    for gpu, source in sources():
        off = [(abs(reached - prediction.percent), min(reached, prediction.percent))
               for _, _, prediction, reached in outcomes(gpu, source) if reached]
        slow = [distance for distance, least in off if least < 100 - model.CLOSE]
        close = sum(distance <= model.CLOSE for distance, _ in off)
        slow_close = sum(distance <= model.CLOSE for distance in slow)
        lines.append([words(gpu), words(source), str(len(off)), f"{100 * close / len(off):.0f} %", str(len(slow)),
                      f"{100 * slow_close / len(slow):.0f} %",
                      f"{statistics.mean(distance for distance, _ in off):.1f}"])
    return lines


def scatter_plot(title):
    main, *others = recorded_gpus()
    series = [{"name": f"{words(gpu)}" + ("" if gpu == main else f", from the {words(main)}'s curve"), "style": "dots",
               "points": [[reached, prediction.percent] for _, _, prediction, reached in outcomes(gpu, main) if reached]}
              for gpu in (main, *others)]
    series.append({"name": "as predicted", "points": [[0, 0], [110, 110]]})
    close = model.CLOSE
    series.append({"name": f"{close:g} points off", "style": "dashed",
                   "points": [[0, close], [110 - close, 110], [110, None], [close, 0], [110, 110 - close]]})
    return {"title": title, "subtitle": "Every rung whose instructions were counted, at its largest size, cold",
            "desc": "Most dots lie within the dashed lines; those outside are named in the page.", "height": 420,
            "x": AXIS, "y": {**AXIS, "label": "predicted, % of a copy"}, "series": series}


def far_rows():
    """A row for each rung that is farther off on one of the GPUs, all predicted from the main one."""
    gpus = recorded_gpus()
    off = {}
    for gpu in gpus:
        for chapter, kernel, prediction, reached in outcomes(gpu, gpus[0]):
            if reached:
                off.setdefault((chapter, kernel.row.rung), {})[gpu] = (prediction, reached)
    lines = []
    for (chapter, rung), found in off.items():
        if all(abs(reached - prediction.percent) <= model.CLOSE for prediction, reached in found.values()):
            continue
        cells = [chapter, f"`{rung}`"]
        for gpu in gpus:
            if gpu in found:
                prediction, reached = found[gpu]
                far = abs(reached - prediction.percent) > model.CLOSE
                cells += [f"{prediction.percent:.0f} %", f"**{reached:.0f} %**" if far else f"{reached:.0f} %"]
            else:
                cells += ["–", "–"]
        lines.append(cells)
    return lines


#: A row whose instructions limit it, and whose clock therefore shows in its time: below this percent of a copy, and with
#: at least this percent of its slots busy.
LIMITED, BUSY = 93, 60
LOWERED = 1950  # MHz: rows for which the probe finds less


def clock_rows():
    """Rows of the main GPU that their instructions limit: the probe right after, NVML meanwhile, and the clock that as
    many cycles as ncu counted need for the benchmark's time. The control's copies first, then the rungs whose probe is
    low, peers too."""
    gpu = recorded_gpus()[0]
    found = []

    def add(name, row, entry):
        found.append([name, f"{row.counters['probe_mhz']:,.0f}", f"{row.counters['sm_mhz']:,.0f}",
                      f"{entry['duration_us'] * entry['sm_mhz'] / row.median_us:,.0f}", f"{row.spread_pct:.1f} %"])
    counts = model.counted(model.results(gpu, what="_controls_ncu"))
    for row in model.loaded(model.results(gpu, what="_controls")).select(shape="16384x16384", regime="cold"):
        entry = counts.get(row.rung)
        if entry and row.rung[:4] in ("fma_", "min_") and row.copy_pct < LIMITED:
            add(f"control `{row.rung}`", row, entry)
    for chapter in runs.find_chapters():
        if not model.results(gpu, chapter.name).exists():
            continue
        counts = model.recorded_counts(chapter.name, gpu)
        for row in model.loaded(model.results(gpu, chapter.name)).rows:
            entry = counts.get((row.shape, row.rung))
            if (row.regime == "cold" and entry and not row.failed and row.copy_pct and row.copy_pct < LIMITED
                    and entry["issue_pct"] >= BUSY and row.counters.get("probe_mhz", LOWERED) < LOWERED):
                add(f"{chapter.name[:2]} `{row.rung}`", row, entry)
    return found
