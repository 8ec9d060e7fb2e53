"""What common/notes/model.md shows: the fill curve, and predicted against recorded for every rung with counts."""

import dataclasses
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


CURVE = [0.5, 0.6, 0.75, 0.9, 1.0, 1.25]


def curve_rows():
    """At six fills, what each GPU's curve leaves of the copy's speed, and what its slow unit's does; only what was
    measured."""
    curves = [curve(gpu) for curve in (model.curve, model.slow_curve) for gpu in recorded_gpus()]
    return [[f"{100 * fill:.0f} %", *(f"{curve.percent(fill):.0f} %" if fill <= curve.points[-1][0] else "–"
                                      for curve in curves)] for fill in CURVE]


def curve_plot(title):
    gpus = recorded_gpus()
    main = words(gpus[0])

    def series(name, *families, **how):
        return {"name": name, **how, "points": sorted(
            (100 * fill, percent) for family, dtype in families for fill, percent in model.points(gpus[0], family, dtype))}
    return {"title": title, "subtitle": "A copy with more and more instructions for each element, 16384 x 16384, cold",
            "desc": "Up to some 60 % of the slots the copy keeps its speed; with all of them taken it has four fifths of it.",
            "x": {"label": "filled at a copy's speed, %", "min": 0, "max": 155},
            "y": {"label": "% of a copy", "min": 50, "max": 104},
            "series": [{"name": f"{words(gpu)}, floats", "points": [[100 * x, y] for x, y in model.curve(gpu).points]}
                       for gpu in gpus]
            + [series(f"{main}, halves", ("fma", "f16"), style="dots"),
               series(f"{main}, half-rate unit", ("min", "f32"), ("min", "f16"), style="dots"),
               series(f"{main}, both in turn, halves", ("both", "f16"), style="dots"),
               series(f"{main}, both in turn, floats", ("both", "f32"), style="dots"),
               series(f"{main}, slow unit", ("xu", "f32"))]}


def sources():
    """(GPU, the GPU whose counts and curve predict it): each from itself, and each other one from the main one."""
    main, *others = recorded_gpus()
    return [(main, main)] + [(gpu, source) for gpu in others for source in (main, gpu)]


def again(gpu, beside):
    """As outcomes(), of the long rows whose launches were timed a second time, warm, where no cache holds their arrays
    either; by the data sheet's clock, or by the one that was read beside the launches."""
    judge, found = model.Model(gpu), []
    for chapter in runs.find_chapters():
        path = model.results(gpu, chapter.name)
        rows = predict.rows_by_name(model.loaded(path)) if path.exists() else {}
        for kernel in model.kernels(chapter.name, gpu)[0] if rows else []:
            warm = rows.get(kernel.row.name.replace("/cold", "/warm"))
            if warm and warm.copy_pct and warm.counters.get("inside_mhz"):
                device = model.device(gpu)
                if beside:
                    device = dataclasses.replace(device, mhz=warm.counters["inside_mhz"])
                prediction = judge.predict(kernel, device, warm.median_us * warm.copy_pct / 100)
                found.append((chapter.name, kernel, prediction, warm.copy_pct))
    return found


def share_rows():
    main = recorded_gpus()[0]
    return [share_row(words(gpu), source, outcomes(gpu, source)) for gpu, source in sources()] + [
        share_row(f"{words(main)}, timed again{clock}", main, again(main, bool(clock)))
        for clock in ("", ", by the clock beside it")]


def share_row(name, source, found):
    off = [(abs(reached - prediction.percent), min(reached, prediction.percent))
           for _, _, prediction, reached in found if reached]
    slow = [distance for distance, least in off if least < 100 - model.CLOSE]
    close, slow_close = (sum(distance <= model.CLOSE for distance in all_) for all_ in ([one for one, _ in off], slow))
    return [name, words(source), str(len(off)), f"{100 * close / len(off):.0f} %", str(len(slow)),
            f"{100 * slow_close / len(slow):.0f} %", f"{statistics.mean(distance for distance, _ in off):.1f}"]


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


#: Rows that are no copies, and beside which the clock was found lower: below this percent of a copy, and this many MHz.
LIMITED, LOWERED = 93, 1950


def clock_rows():
    """Rows of the main GPU at its largest size, cold, beside whose launches the clock was found lower; and the same rows
    warm, which come next in the program, and where no cache holds the arrays either: time, NVML, probe, inside."""
    found = []
    for chapter in runs.find_chapters():
        path = model.results(recorded_gpus()[0], chapter.name)
        for row in model.loaded(path).select(shape="16384x16384", regime="cold") if path.exists() else []:
            if (row.failed or row.kind not in ("rung", "sweep") or not row.copy_pct or row.copy_pct >= LIMITED
                    or row.counters.get("inside_mhz", LOWERED) >= LOWERED):
                continue
            warm = next(one for one in model.loaded(path).rows if one.name == row.name.replace("/cold", "/warm"))
            found.append([f"{chapter.name[:2]} `{row.rung}`"] + [
                text for one in (row, warm)
                for text in (f"{one.median_us:.0f}",
                             *(f"{one.counters[of]:,.0f}" for of in ("sm_mhz", "probe_mhz", "inside_mhz")))])
    return found
