"""The figures of report.py: a function make_KIND for each kind of marker, which gives the lines of Markdown."""

import re

import beside_torch
import figures
import recorded
import runs
import trace_figures
from chapters import headlines
from marker import NotRecorded, load_json, home_of, chosen, one_shape, regimes_of


def picture(part, title, text):
    """The Markdown of a figure, and its file on the side."""
    out = part.option("out")
    if not out or not out.endswith(".svg"):
        part.fail("needs out=NAME.svg")
    path = part.path(out)
    part.files[path] = text
    return [f"![{title}]({part.link(path)})"]


def copy_reference(run, dtype, shape, regime, ladder=None):
    """GB/s of the copy kernel for this dtype, of a ladder if one is named: its own row, else from a row's percent of it."""
    rows = run.select(ladder=ladder, dtype=dtype, shape=shape, regime=regime)
    rows = [row for row in rows if row.gbps and not row.failed]
    own = [row.gbps for row in rows if row.kind == "copy"]
    return next(iter(own + [row.gbps / row.copy_pct * 100.0 for row in rows if row.copy_pct]), None)


def subtitle_of(run, *words):
    where = "CPU executor (says nothing about a GPU)" if run.on_cpu else run.device
    return " \u00b7 ".join([word for word in words if word] + [where])


def make_ladder_figure(part):
    run = part.run()
    shape, regime = one_shape(run, part), regimes_of(run, part)[0]
    rows = chosen(run.select(shape=shape, regime=regime), part, ["rung", "peer", "copy"])
    if not rows:
        part.fail("the run has no such rows")
    steps = runs.steps(rows)  # over the bar above, not over a rung that is not drawn
    dtypes = runs.unique(row.dtype for row in rows)
    groups = []
    for dtype in dtypes:
        bars = [{"name": r.rung, "kind": r.kind, "gbps": None if r.failed else r.gbps,
                 "copy_pct": r.copy_pct, "step": steps.get(r)} for r in rows if r.dtype == dtype]
        bars.sort(key=lambda bar: bar["kind"] in ("peer", "copy"))
        peak = copy_reference(run, dtype, shape, regime, rows[0].ladder)
        groups.append((dtype if len(dtypes) > 1 else None, bars, peak))
    title = part.option("title", f"The ladder of {rows[0].ladder}")
    subtitle = subtitle_of(run, dtypes[0] if len(dtypes) == 1 else "", shape.replace("x", "\u00d7"),
                           regime)
    return picture(part, title, figures.ladder_chart(title, subtitle, groups))


def make_sizes_figure(part):
    run = part.run()
    regimes = regimes_of(run, part, run.regimes())
    if len(run.dtypes()) > 1 and "dtype" not in part.options:
        part.fail(f"needs dtype=, one of {', '.join(run.dtypes())}")
    dtype = part.option("dtype", run.dtypes()[0])
    panels = []
    for regime in regimes:
        rows = chosen(run.select(regime=regime), part, ["rung"])
        series = [(name, curve([r for r in rows if r.rung == name]))
                  for name in runs.unique(row.rung for row in rows)]
        reference, timed = {}, {row.shape for row in rows}
        for shape in [shape for shape in run.shapes() if shape in timed]:
            if peak := copy_reference(run, dtype, shape, regime):
                reference.setdefault(recorded.elements_of(shape), peak)
        panels.append((regime, series, list(reference.items())))
    if not any(points for _, series, _ in panels for _, points in series):
        part.fail("the run has no such rows")
    title = part.option("title", "GB/s over the size")
    subtitle = subtitle_of(run, dtype, "read and written bytes per second")
    return picture(part, title, figures.sizes_chart(title, subtitle, panels))


def curve(rows):
    """[(elements, GB/s)] of one rung; of shapes with equally many elements the first counts."""
    return sorted({row.elements: row.gbps for row in reversed(rows) if row.gbps and not row.failed}.items())


def make_headline_figure(part):
    specs = {home_of(part.page): load_json(part.file())} if part.names else headlines()
    rows = [{**row, "chapter": folder.name} for folder, spec in specs.items() for row in spec["against"]]
    try:
        gpu, groups = beside_torch.headline(rows, runs.ROOT, "cold")
    except (KeyError, re.error) as error:
        part.fail(f"{part.names[0] if part.names else 'a headline.json'} is no list of rows ({error!r})")
    if not groups:
        raise NotRecorded("main.json")
    title = part.option("title", "Every chapter against a plain copy")
    subtitle = f"{gpu}, cold, at the largest recorded shape of each operation"
    return picture(part, title, figures.dot_chart(title, subtitle, groups, beside_torch.MARKS))


def make_plot(part):
    data = load_json(part.file())
    try:
        text = figures.line_plot(data)
    except (KeyError, TypeError, ValueError) as error:
        part.fail(f"{part.file()} is no plot ({error!r}); its fields are described in report.py")
    return picture(part, data["title"], text)


def make_trace_figure(part):
    data = load_json(part.file())
    if not data.get("rungs"):
        part.fail(f"{part.file()} holds no trace")
    title = part.option("title", "What one warp asks for")
    text = trace_figures.figure([(rung["rung"], rung) for rung in data["rungs"]], title)
    return picture(part, title, text)
