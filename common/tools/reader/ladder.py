"""Draws the ladder of a recorded benchmark run in the terminal: ./tutorial bench, and ./tutorial compare RUN.json.

One bar per rung, in the order of the climb, with GB/s, percent of the copy kernel measured in the
same run, and the step over the rung below. Without a shape it draws the largest; ladders that lack
it follow, each at the shape at which it has most rungs. Without a regime it draws the cold one.
"""

import os
import shutil
import sys

import runs

EIGHTHS = " ▏▎▍▌▋▊▉"
MOST_COLUMNS = 100
SECTIONS = (("rung", None), ("yours", "yours"), ("sweep", "sweep"), ("peer", "peers"))
COLOURS = {"title": "1", "rung": "34", "yours": "33", "sweep": "36", "peer": "90", "error": "31",
           "note": "90"}


class Paint:
    """Colours and characters that the terminal can show."""

    def __init__(self, stream):
        encoding = getattr(stream, "encoding", None) or "ascii"
        self.unicode = can_encode(encoding, "█▏×·µ─")
        self.colour = (stream.isatty() and "NO_COLOR" not in os.environ
                       and os.environ.get("TERM") != "dumb")
        self.times = "×" if self.unicode else "x"
        self.dot = "·" if self.unicode else "-"

    def style(self, text, name):
        return f"\033[{COLOURS[name]}m{text}\033[0m" if self.colour else text

    def bar(self, fraction, width):
        """A bar of fraction * width columns, padded to width."""
        fraction = min(max(fraction, 0.0), 1.0)
        if not self.unicode:
            return ("#" * round(fraction * width)).ljust(width)
        whole, eighth = divmod(round(fraction * width * 8), 8)
        return ("█" * whole + EIGHTHS[eighth].strip()).ljust(width)


def can_encode(encoding, text):
    try:
        text.encode(encoding)
        return True
    except (UnicodeEncodeError, LookupError):
        return False


def pick(options, wanted, default, what, path):
    """The wanted option, or the default; ToolError names the options when it is none of them."""
    if wanted is None:
        return default
    if wanted not in options:
        raise runs.ToolError(f"{path}: has no {what} {wanted}; it has {', '.join(options)}")
    return wanted


def section_of(row):
    return "peer" if row.kind in ("peer", "copy") else row.kind


def header(run, shape, regime, recorded, paint):
    """The lines above the ladder."""
    where = runs.context_line(run.context)
    lines = ["Ran on the CPU executor: these times say nothing about a GPU."] if run.on_cpu else []
    if recorded:
        lines.append(f"recorded on {where}")
    name = ", ".join(runs.unique(row.ladder for row in run.select(shape=shape)))
    lines.append(paint.style(f"{name} {paint.dot} {shape} {paint.dot} {regime}", "title"))
    if where and not recorded:
        lines.append(where)
    return [line for part in lines for line in wrap(part)]


def wrap(text):
    """The text in lines of at most MOST_COLUMNS (styled lines are short and stay whole)."""
    if len(text) <= MOST_COLUMNS or "\033" in text:
        return [text]
    cut = text.rfind(" ", 0, MOST_COLUMNS)
    cut = cut if cut > 0 else MOST_COLUMNS
    return [text[:cut]] + wrap("  " + text[cut:].strip())


def gpu_cells(row, step, paint):
    """GB/s, percent of copy, step: the three columns right of a bar."""
    gbps = f"{row.gbps:.0f}" if row.gbps else "?"
    percent = f"{row.copy_pct:.1f} %" if row.copy_pct else ""
    times = f"{step:.2f}{paint.times}" if step else ""
    return f"{gbps:>8}{percent:>10}{times:>9}"


def cpu_cells(row, step, paint):
    """Time, its spread, and 10^6 elements per second; on the executor a step would mean nothing."""
    if row.median_us is None:
        return ""
    rate = row.elements / row.median_us
    spread = f"{row.spread_pct:.0f} %" if row.spread_pct else ""
    return f"{row.median_us / 1e3:>9.3f}{spread:>8}{rate:>12.1f}"


def cell_titles(run):
    if run.on_cpu:
        return f"{'ms':>9}{'spread':>8}{'10^6 el./s':>12}"
    return f"{'GB/s':>8}{'% of copy':>10}{'step':>9}"


def bar_value(row, on_cpu):
    """What a bar's length shows: GB/s, or elements per microsecond when there is no GB/s."""
    if row.failed:
        return 0.0
    if on_cpu and row.median_us:
        return row.elements / row.median_us
    return row.gbps or 0.0


def draw_row(row, step, scale, widths, on_cpu, paint):
    """The line of one row."""
    name_width, bar_width = widths
    name = row.kernel  # a form's stands in the caption
    name = name if len(name) <= name_width else name[:name_width - 1] + "~"
    if row.failed:
        reason = f"failed: {row.error}"[:MOST_COLUMNS - name_width - 4]
        return f"  {name:<{name_width}}  {paint.style(reason, 'error')}"
    share = bar_value(row, on_cpu) / scale if scale else 0.0
    bar = paint.bar(share, bar_width) if share <= 1 else paint.bar(1.0, bar_width)[:-1] + ">"
    cells = (cpu_cells if on_cpu else gpu_cells)(row, step, paint)
    line = f"  {name:<{name_width}}  {paint.style(bar, section_of(row))}{cells}"
    return line.rstrip()


def draw_group(rows, caption, run, scale, widths, paint):
    """The lines of one dtype: its rungs, then the reader's rung, the sweep and the peers."""
    steps = runs.steps(rows)
    lines = ["", f"{caption:<{sum(widths) + 4}}{cell_titles(run)}".rstrip()]
    for section, name in sorted(SECTIONS, key=lambda one: one[0] != "yours") if run.on_cpu else SECTIONS:
        members = [row for row in rows if section_of(row) == section]
        if members and name:
            lines.append(paint.style(f"  {name}", "note"))
        lines += [draw_row(r, steps.get(r), scale, widths, run.on_cpu, paint) for r in members]
    return lines


def footer(run, shape, regime):
    """What else the file holds."""
    shapes = [name for name in run.shapes() if name != shape]
    regimes = [name for name in run.regimes() if name != regime]
    lines = []
    if shapes:
        more = f" and {len(shapes) - 6} more" if len(shapes) > 6 else ""
        lines.append(f"also in this run: --shape {' | '.join(shapes[-6:])}{more}")
    if regimes:
        lines.append(f"also in this run: --regime {' | '.join(regimes)}")
    if run.on_cpu:
        lines.append("Two times that differ by less than their spreads are the same. A bar that ends in > is cut.")
    return [""] + lines if lines else []


def draw(run, shape, regime, recorded, columns, paint):
    """All lines of the drawing; shape None: every ladder, each at one shape."""
    ladders_at = {shape: run.ladders()} if shape else ladders_by_shape(run)
    rows_at = {name: [row for row in run.select(shape=name, regime=regime)
                      if row.ladder in ladders] for name, ladders in ladders_at.items()}
    every = [row for rows in rows_at.values() for row in rows]
    first = next(iter(rows_at))
    if not rows_at[first]:
        raise runs.ToolError(f"{run.path}: has no row for {first} {regime}")
    name_width = min(max(len(row.kernel) for row in every), 28)
    cells = len(cell_titles(run))
    widths = (name_width, max(columns - name_width - cells - 4, 8))
    # The host's memcpy is a hundred times as fast as a kernel in the executor: its bar is cut.
    ours = [row for row in every if section_of(row) != "peer"] if run.on_cpu else []
    scale = max(bar_value(row, run.on_cpu) for row in ours or every)
    lines = header(run, first, regime, recorded, paint)
    for name, rows in rows_at.items():
        if name != first and rows:
            ladders = ", ".join(runs.unique(row.ladder for row in rows))
            heading = f"{ladders} {paint.dot} {name} {paint.dot} {regime}"
            lines += ["", paint.style(heading, "title")]
        lines += draw_groups(rows, run, scale, widths, paint)
    return lines + footer(run, first, regime)


def ladders_by_shape(run):
    """{shape: ladders}: the run's largest shape and all its ladders, then what is left."""
    first = run.default_shape()
    result = {first: runs.unique(row.ladder for row in run.select(shape=first))}
    for ladder in run.ladders():
        if ladder not in result[first]:
            result.setdefault(run.default_shape(ladder), []).append(ladder)
    return result


def draw_groups(rows, run, scale, widths, paint):
    """The lines of the ladders of one shape."""
    lines = []
    several = len({row.ladder for row in rows}) > 1
    for (ladder, dtype, form), group in runs.grouped(rows, lambda row: (row.ladder, row.dtype, row.form)).items():
        caption = " ".join(([ladder] if several else []) + [dtype] + ([form] if form else []))
        lines += draw_group(group, caption, run, scale, widths, paint)
    return lines


def show(run, shape=None, regime=None, recorded=False):
    """Draws the run; 1 if a row of it failed, else 0. recorded: says above it where and when it was recorded."""
    shape = pick(run.shapes(), shape, None, "shape", run.path)
    regime = pick(run.regimes(), regime, run.default_regime(), "regime", run.path)
    columns = min(max(shutil.get_terminal_size((MOST_COLUMNS, 24)).columns, 60), MOST_COLUMNS)
    if recorded:  # the reader's rung of a recorded run is the starter, and not the reader's
        run.rows = [row for row in run.rows if row.kind != "yours"]
    print(*draw(run, shape, regime, recorded, columns, Paint(sys.stdout)), sep="\n")
    failed = [row for row in run.rows if row.failed]
    if failed:
        sys.stderr.write(f"{len(failed)} of {len(run.rows)} rows failed; first: "
                         f"{failed[0].name}: {failed[0].error}\n")
    return 1 if failed else 0
