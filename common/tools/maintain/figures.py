"""SVG figures for the READMEs. Without a plotting library, the same data always gives the same bytes.

Every figure carries its own <title> and <desc>, its own background, and colours for a light and a
dark page, chosen by prefers-color-scheme. Series differ in colour and in marker, so that neither
alone has to carry the meaning.
"""

import math
import re
import textwrap
from xml.sax.saxutils import escape

SANS = ("system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, "
        "sans-serif")
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
MONO_WIDTH = 7.3  # of one character at 12 pixels

COLOURS = {  # on a light page and on a dark one
    "page": ("#ffffff", "#0d1117"), "edge": ("#d1d9e0", "#30363d"), "ink": ("#1f2328", "#f0f6fc"),
    "muted": ("#59636e", "#9198a1"), "grid": ("#e4e8ec", "#21272e"), "axis": ("#9aa4af", "#59636e"),
    "rung": ("#0b63b8", "#4c9bf5"), "peer": ("#9aa4af", "#59636e"), "sweep": ("#4f9aa8", "#56a9b8"),
    "yours": ("#c2570c", "#f0883e"), "mark": ("#c2570c", "#f0883e"), "s0": ("#0b63b8", "#58a6ff"),
    "s1": ("#c2570c", "#f0883e"), "s2": ("#0f7b5f", "#3fc598"), "s3": ("#a0338a", "#e085cf"),
    "s4": ("#8a6d00", "#e3c04a"), "s5": ("#4f5d6b", "#b6c2cf"), "s6": ("#d6336c", "#ff8fb1"),
    "s7": ("#1098ad", "#66d9e8"),
}
SERIES = 8
KINDS = {"copy": "peer", "bound": "yours"}  # those that have the colour of another
WIDTH = 440  # of a figure, in pixels: on a phone its letters can still be read


# -------------------------------------------------------------------------------------------------
# The canvas


def fixed(value):
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def colours(page, used):
    """The CSS rules on a light page (0) or a dark one (1) for the classes that a figure uses: f- fills, l- draws lines."""
    return "".join(f".{kind}-{name}{{{rule}:{values[page]}}}" for name, values in COLOURS.items()
                   for kind, rule in (("f", "fill"), ("l", "stroke")) if f"{kind}-{name}" in used)


def block(x, y, width, height, radius=0):
    """Path data of a rectangle."""
    if not radius:
        return f"M{fixed(x)} {fixed(y)}h{fixed(width)}v{fixed(height)}h{fixed(-width)}z"
    r = min(radius, width / 2, height / 2)
    turn = f"a{fixed(r)} {fixed(r)} 0 0 1 "
    across, down = fixed(width - 2 * r), fixed(height - 2 * r)
    return (f"M{fixed(x + r)} {fixed(y)}h{across}{turn}{fixed(r)} {fixed(r)}v{down}{turn}{fixed(-r)} {fixed(r)}"
            f"h{fixed(2 * r - width)}{turn}{fixed(-r)} {fixed(-r)}v{fixed(2 * r - height)}{turn}{fixed(r)} {fixed(-r)}z")


#: Markers, drawn from their centre.
MARKERS = ("m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0", "m-3.6-3.6h7.2v7.2h-7.2z", "m0-4.6l4.6 8.2h-9.2z",
           "m0-5l5 5-5 5-5-5z", "m-4.6-3.6h9.2l-4.6 8.2z")


class Canvas:
    """Collects SVG elements; render() gives the file's text."""

    def __init__(self, width, height, title, description):
        self.width, self.height = width, height
        self.title, self.description = title, description
        self.elements = []  # in the order in which they are drawn

    def rect(self, x, y, width, height, name, radius=0):
        self.element(f'class="f-{name}"', block(x, y, max(width, 0), height, radius))

    def line(self, x1, y1, x2, y2, name, width=1.0, dash=None):
        pattern = f' stroke-dasharray="{dash}"' if dash else ""
        self.element(f'class="l-{name}" stroke-width="{fixed(width)}"{pattern}', f"M{fixed(x1)} {fixed(y1)}L{fixed(x2)} {fixed(y2)}")

    def text(self, x, y, words, name="ink", anchor="start", kind="t", turn=None):
        """kind: t body, m monospaced, h heading, n numbers, s small."""
        end = "" if anchor == "start" else f' text-anchor="{anchor}"'
        turned = "" if turn is None else f' transform="rotate({turn} {fixed(x)} {fixed(y)})"'
        self.elements.append(f'<text x="{fixed(x)}" y="{fixed(y)}"{turned}{end} class="{kind} f-{name}">{escape(words)}</text>')

    def path(self, points, name, dash=None, clip=None):
        """A line through runs of points; None breaks it."""
        data = [f"{'L' if before else 'M'}{fixed(point[0])} {fixed(point[1])}"
                for before, point in zip([None, *points], points) if point]
        if not data:
            return
        pattern = f' stroke-dasharray="{dash}"' if dash else ""
        inside = f' clip-path="url(#{clip})"' if clip else ""
        self.element(f'class="p l-{name}"{pattern}{inside}', "".join(data))

    def marker(self, x, y, number, name):
        """One of the marker shapes, centred on (x, y)."""
        self.element(f'class="k f-{name} l-page"', f"M{fixed(x)} {fixed(y)}{MARKERS[number % len(MARKERS)]}")

    def element(self, look, data):
        self.elements.append(f'<path {look} d="{data}"/>')

    def render(self):
        size = f'viewBox="0 0 {fixed(self.width)} {fixed(self.height)}"'
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" {size} width="{fixed(self.width)}" '
                f'height="{fixed(self.height)}" role="img" aria-labelledby="title desc">')
        frame = (f'<rect x="0.5" y="0.5" width="{fixed(self.width - 1)}" '
                 f'height="{fixed(self.height - 1)}" rx="8" class="f-page l-edge"/>')
        used = set(re.findall(r"\b[fl]-\w+", frame + "".join(self.elements)))
        style = (f"text{{font-family:{SANS};font-variant-numeric:tabular-nums}}"
                 f".h{{font-size:16px;font-weight:600}}.t{{font-size:12.5px}}.s{{font-size:11.5px}}"
                 f".n{{font-size:12.5px}}.m{{font-size:12px;font-family:{MONO}}}"
                 ".p{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}"
                 ".k{stroke-width:1}" + colours(0, used)
                 + "@media (prefers-color-scheme:dark){" + colours(1, used) + "}")
        lines = [head, f'<title id="title">{escape(self.title)}</title>',
                 f'<desc id="desc">{escape(self.description)}</desc>',
                 f"<style>{style}</style>", frame] + self.elements + ["</svg>"]
        return "\n".join(lines) + "\n"


# -------------------------------------------------------------------------------------------------
# Axes


def linear_ticks(low, high):
    """At the smallest of 1, 2, 2.5, 5 times a power of ten that cuts the axis into at most six."""
    raw = (high - low) / 6
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def log_ticks(low, high):
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / 8))
    return [10.0 ** i for i in range(first, last + 1, stride)]


def tick_text(value, log=False):
    """A tick's number: 4,000, 0.5, or 10 to a power on a log axis."""
    if log:
        exponent = round(math.log10(value))
        if -3 <= exponent <= 4:
            return f"{value:,.0f}" if exponent >= 0 else f"{value:.{-exponent}f}"
        return "10" + str(exponent).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
    return (f"{int(value):,}" if value == int(value) else f"{value:g}").replace("-", "\u2212")


class Axis:
    """One axis: maps values to pixels, and knows its ticks as (value, text)."""

    def __init__(self, low, high, log=False, ticks=None, label=""):
        if log and low <= 0:
            raise ValueError("a log axis begins above zero")
        if not high > low:
            high = low * 10 if log else low + 1
        self.low, self.high, self.log, self.label = low, high, log, label
        values = (log_ticks if log else linear_ticks)(low, high) if ticks is None else ticks
        self.ticks = [(value, tick_text(value, log)) for value in values]

    def fraction(self, value):
        """The position of value between low (0) and high (1), or None where it cannot be drawn."""
        if value is None or not math.isfinite(value) or (self.log and value <= 0):
            return None
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


class Panel:
    """A plot area with two axes."""

    def __init__(self, canvas, box, x, y, name):
        self.canvas, self.x, self.y, self.name = canvas, x, y, name
        self.left, self.top, self.width, self.height = box

    def place(self, x, y):
        fx, fy = self.x.fraction(x), self.y.fraction(y)
        if fx is None or fy is None:
            return None
        limit = lambda f: min(max(f, -4.0), 5.0)  # far outside points keep their direction
        return self.left + limit(fx) * self.width, self.top + (1 - limit(fy)) * self.height

    def draw(self, heading=None):
        """Grid, ticks and labels."""
        c, bottom, right = self.canvas, self.top + self.height, self.left + self.width
        inside = block(self.left - 5, self.top - 5, self.width + 10, self.height + 10)
        c.elements.append(f'<clipPath id="{self.name}"><path d="{inside}"/></clipPath>')
        for value, text in self.y.ticks:
            at = self.top + (1 - self.y.fraction(value)) * self.height
            c.line(self.left, at, right, at, "grid" if value else "axis")
            c.text(self.left - 8, at + 4, text, "muted", "end", "s")
        for value, text in self.x.ticks:
            at = self.left + self.x.fraction(value) * self.width
            c.line(at, self.top, at, bottom, "grid" if value else "axis")
            if text:
                c.text(at, bottom + 17, text, "muted", "middle", "s")
        c.line(self.left, bottom, right, bottom, "axis")
        if self.x.label:
            c.text(self.left + self.width / 2, bottom + 37, self.x.label, "muted", "middle", "s")
        if heading:
            c.text(self.left, self.top - 10, heading, "ink", "start", "t")

    def series(self, points, number, name, style="line", markers=False):
        """Draws one series; style: line, dashed or dots."""
        placed = [None if y is None else self.place(x, y) for x, y in points]
        if style != "dots":
            self.canvas.path(placed, name, "6 4" if style == "dashed" else None, self.name)
        if markers or style == "dots":
            for point in placed:
                if point and self.top - 5 <= point[1] <= self.top + self.height + 5:
                    self.canvas.marker(point[0], point[1], number, name)


def series_name(number):
    return f"s{number % SERIES}"


def legend(canvas, left, top, width, entries):
    """Entries of (words, class, marker number or None, dashed); returns the height used.

    dashed: False, True, or "none" for a marker without a line.
    """
    x, y = left, top
    for words, name, marker, dashed in entries:
        need = 34 + len(words) * MONO_WIDTH + 14
        if x + need > left + width and x > left:
            x, y = left, y + 20
        if dashed != "none":
            canvas.line(x, y - 4, x + 24, y - 4, name, 2, "6 4" if dashed else None)
        if marker is not None:
            canvas.marker(x + 12, y - 4, marker, name)
        canvas.text(x + 31, y, words, "ink", "start", "m")
        x += need
    return y - top + 20


def headings(canvas, title, subtitle):
    """The title and what stands below it, in as many lines as they need; returns the y below them."""
    y = 12
    for words, name, kind, letter, step in ((title, "ink", "h", 8.4, 21), (subtitle or "", "muted", "t", 6.2, 17)):
        for line in textwrap.wrap(words, int((canvas.width - 40) / letter)):
            y += step
            canvas.text(20, y, line, name, "start", kind)
    return y


# -------------------------------------------------------------------------------------------------
# The figures


def ladder_chart(title, subtitle, groups):
    """A bar per rung, its name and numbers above it.

    groups: list of (heading or None, bars, copy_gbps). A bar is a dict with name, kind, gbps (None:
    failed), copy_pct and step (either may be None); copy_gbps is drawn as a reference line across
    its group, if it is not None.
    """
    row, left = 32, 20
    words = [f"{bar['name']} {bar['gbps']:.0f}" for _, bars, _ in groups for bar in bars if bar["gbps"]]
    peaks = [f"{peak:.0f}" for _, _, peak in groups if peak]
    copies = f" The copy kernel makes {', '.join(peaks)} GB/s." if peaks else ""
    canvas = Canvas(WIDTH, 0, title, f"{subtitle}. GB/s: {', '.join(words)}.{copies}")
    plot, ends = WIDTH - 2 * left, [WIDTH - left - below for below in (136, 66, 8)]  # before the line of the copy
    high = max([bar["gbps"] or 0 for _, bars, _ in groups for bar in bars] + [peak or 0 for _, _, peak in groups])
    axis = Axis(0, high * 1.01 or 1.0)
    y = top = headings(canvas, title, subtitle) + 28
    heads = ("GB/s", "% of copy", "step")[:3 if any(bar["step"] for _, bars, _ in groups for bar in bars) else 2]  # no column of nothing
    for words, x in zip(heads, ends):
        canvas.text(x, top - 8, words, "muted", "end", "s")
    bottom = top + sum(row * len(bars) + (26 if heading or i else 0) for i, (heading, bars, _) in enumerate(groups)) + 4
    for value, text in axis.ticks:
        x = left + axis.fraction(value) * plot
        canvas.line(x, top, x, bottom, "axis" if value == 0 else "grid")
        canvas.text(x, bottom + 16, text, "muted", "middle", "s")
    canvas.text(left + plot / 2, bottom + 34, "GB/s (10\u2079 bytes per second)", "muted", "middle", "s")
    for i, (heading, bars, peak) in enumerate(groups):
        y += 26 if heading or i else 0
        if heading:
            canvas.text(left + 4, y - 8, heading, "muted", "start", "t")
        for at, bar in enumerate(bars):
            cells = (f"{bar['gbps']:,.0f}" if bar["gbps"] else "failed", f"{bar['copy_pct']:.1f} %" if bar["copy_pct"] else "",
                     f"{bar['step']:.2f}\u00d7" if bar["step"] else "")
            name, above = "muted" if bar["kind"] in ("peer", "copy") else "ink", y + at * row
            canvas.text(left + 4, above + 15, bar["name"], name, "start", "m")
            for words, x in zip(cells, ends):
                if words:
                    canvas.text(x, above + 15, words, name, "end", "n")
            if bar["gbps"]:
                look = KINDS.get(bar["kind"], bar["kind"])
                canvas.rect(left, above + 20, axis.fraction(bar["gbps"]) * plot, row - 23, look, 2)
        if peak:
            x = left + axis.fraction(peak) * plot
            for k in range(len(bars)):  # beside the bars, not through the numbers
                canvas.line(x, y + k * row + 18, x, y + (k + 1) * row, "mark", 1.5, "5 4")
            place = (left + 4, top - 8, "start") if i == 0 else (WIDTH - left, y - 8, "end")
            canvas.text(place[0], place[1], f"copy kernel {peak:,.0f}", "mark", place[2], "s")
        y += row * len(bars)
    canvas.height = bottom + 46
    return canvas.render()


def sizes_chart(title, subtitle, panels):
    """A line per rung over the number of elements, one panel per regime.

    panels: list of (heading, series, reference); series is a list of (name, [(elements, gbps)]),
    the same names in every panel; reference is the copy kernel's [(elements, gbps)], maybe empty.
    """
    names = list(dict.fromkeys(name for _, series, _ in panels for name, _ in series))
    every = [p for _, series, ref in panels for _, points in series + [("", ref)] for p in points]
    left, right, high = 58, 20, 220
    said = [f"{heading}, at the largest size: " + ", ".join(f"{name} {points[-1][1]:.0f}" for name, points in series if points)
            for heading, series, _ in panels]
    canvas = Canvas(WIDTH, 0, title, f"{subtitle}. " + " ".join(f"{words} GB/s." for words in said))
    top = headings(canvas, title, subtitle) + 29
    entries = [(name, series_name(i), i, False) for i, name in enumerate(names)]
    if any(ref for _, _, ref in panels):
        entries.append(("copy kernel", "axis", None, True))
    top += legend(canvas, 20, top, WIDTH - 40, entries) + 18
    y_axis = Axis(0, max(y for _, y in every) * 1.05)
    for place, (heading, series, reference) in enumerate(panels):
        x_axis = size_axis(sorted({x for x, _ in every}), "elements (1M = 2\u00b2\u2070)" if place == len(panels) - 1 else "")
        panel = Panel(canvas, (left, top, WIDTH - left - right, high), x_axis, y_axis, f"panel{place}")
        panel.draw(heading=f"{heading}, GB/s")
        panel.series(reference, 0, "axis", "dashed")
        for name, points in series:
            number = names.index(name)
            panel.series(points, number, series_name(number), markers=True)
        top += high + 54
    canvas.height = top
    return canvas.render()


def size_axis(sizes, label):
    """Elements on a log axis, with a tick per size that has room for its number."""
    low, high = sizes[0], sizes[-1] if len(sizes) > 1 else sizes[0] * 2
    pad = (high / low) ** 0.04
    axis = Axis(low / pad, high * pad, True, [], label)
    last = -1.0
    for size in sizes:
        here = axis.fraction(size)
        room = here - last > 0.1
        axis.ticks.append((size, size_text(size) if room else ""))
        last = here if room else last
    return axis


def size_text(elements):
    millions = elements / 2 ** 20
    if millions >= 1:
        return f"{millions:g}M" if millions == int(millions) else f"{millions:.1f}M"
    thousands = elements / 1024
    return f"{thousands:g}K" if thousands >= 1 else str(elements)


def dot_chart(title, subtitle, groups, marks):
    """A line per type with a dot per contender, at its percent of a plain copy's speed.

    groups: [(heading, [(type, {mark: percent}, copy_gbps)])]; marks: [(mark, words)], in the order of
    their colours. A mark that a line lacks is not drawn.
    """
    row, left, right = 20, 74, 66
    every = [v for _, lines in groups for _, values, _ in lines for v in values.values()]
    used = [(mark, words) for mark, words in marks
            if any(mark in values for _, lines in groups for _, values, _ in lines)]
    words = [f"{heading} {dtype}: " + ", ".join(f"{name} {values[mark]:.0f}" for mark, name in used
                                                if mark in values)
             for heading, lines in groups for dtype, values, _ in lines]
    canvas = Canvas(WIDTH, 0, title, f"{subtitle}. Percent of a plain copy: {'; '.join(words)}.")
    top = headings(canvas, title, subtitle) + 29
    places = {mark: i for i, (mark, _) in enumerate(marks)}
    entries = [(name, series_name(places[mark]), places[mark], "none") for mark, name in used]
    top += legend(canvas, 20, top, WIDTH - 40, entries) + 14
    height = sum(len(lines) * row + 28 for _, lines in groups)
    axis = Axis(0, max(every + [100.0]) * 1.03)
    plot = WIDTH - left - right
    for value, text in axis.ticks:
        canvas.text(left + axis.fraction(value) * plot, top + height + 17, text, "muted", "middle", "s")
    canvas.text(left + plot / 2, top + height + 36, "percent of the speed of a plain copy", "muted",
                "middle", "s")
    canvas.text(WIDTH - 16, top - 8, "copy, GB/s", "muted", "end", "s")
    y = top + 4
    for heading, lines in groups:
        canvas.text(20, y + 14, heading, "ink", "start", "t")
        y += 20
        for value, look in [(value, "grid" if value else "axis") for value, _ in axis.ticks] + [(100.0, "mark")]:
            x = left + axis.fraction(value) * plot
            canvas.line(x, y, x, y + len(lines) * row, look, 1.5 if look == "mark" else 1.0, "5 4" if look == "mark" else None)
        for dtype, values, copy in lines:
            canvas.text(left - 10, y + 14, dtype, "muted", "end", "m")
            canvas.text(WIDTH - 16, y + 14, f"{copy:,.0f}", "muted", "end", "n")
            if values:
                low, high = (left + axis.fraction(pick(values.values())) * plot for pick in (min, max))
                canvas.line(low, y + 10, high, y + 10, "axis")
            for mark, _ in reversed(used):  # ours last, on top of all
                if mark in values:
                    canvas.marker(left + axis.fraction(values[mark]) * plot, y + 10, places[mark],
                                  series_name(places[mark]))
            y += row
        y += 8
    canvas.height = top + height + 54
    return canvas.render()


def line_plot(data):
    """A plot of series from a JSON object; report.py documents its fields."""
    series = [one if "points" in one else {**one, "points": list(zip(data["at"], one["y"]))} for one in data["series"]]
    title, subtitle = data["title"], data.get("subtitle", "")
    points = [(x, y) for one in series for x, y in one["points"]]
    x_axis = plot_axis(data.get("x", {}), [x for x, _ in points])
    y_axis = plot_axis(data.get("y", {}), [y for _, y in points])
    left, right = 66 if y_axis.label else 50, 20
    canvas = Canvas(WIDTH, 0, title, data.get("desc") or subtitle or title)
    top = headings(canvas, title, subtitle) + 15
    if len(series) > 1:
        entries = [legend_entry(one, i) for i, one in enumerate(series)]
        top += 14 + legend(canvas, 20, top + 14, WIDTH - 40, entries)
    height = float(data.get("height", 240))
    panel = Panel(canvas, (left, top, WIDTH - left - right, height), x_axis, y_axis, "panel0")
    panel.draw()
    for line in data.get("lines", []):
        reference_line(panel, line)
    for number, one in enumerate(series):
        panel.series(one["points"], number, series_name(number), one.get("style", "line"))
    if y_axis.label:
        canvas.text(16, top + height / 2, y_axis.label, "muted", "middle", "s", turn=-90)
    canvas.height = top + height + (54 if x_axis.label else 34)
    return canvas.render()


def small_plots(data):
    """Plots of the same series side by side, half as wide each: "panels" of heading, x, y and points by series."""
    canvas = Canvas(WIDTH, 0, data["title"], data["desc"])
    top = headings(canvas, data["title"], data["subtitle"]) + 29
    top += legend(canvas, 20, top, WIDTH - 40, [legend_entry(one, i) for i, one in enumerate(data["series"]) if one["name"]]) + 18
    left, width, high, between = 44, 166, 170, 44
    for place, spec in enumerate(data["panels"]):
        axes = [plot_axis(spec[way], [point[i] for points in spec["points"] for point in points]) for i, way in enumerate("xy")]
        panel = Panel(canvas, (left + place * (width + between), top, width, high), *axes, f"panel{place}")
        panel.draw(heading=spec["heading"])
        for number, (one, points) in enumerate(zip(data["series"], spec["points"])):
            panel.series(points, number, one.get("colour", series_name(number)), one.get("style", "line"))
    canvas.height = top + high + 54
    return canvas.render()


def legend_entry(one, number):
    colour = one.get("colour", series_name(number))
    if one.get("style") == "dots":
        return one["name"], colour, number, "none"
    return one["name"], colour, None, one.get("style") == "dashed"


def reference_line(panel, line):
    """A dashed line across the panel at "y" or "x"; "side" says where its label stands."""
    right, bottom, is_left = panel.left + panel.width, panel.top + panel.height, line.get("side") == "left"
    if "y" in line:
        y = panel.top + (1 - panel.y.fraction(line["y"])) * panel.height
        ends, place, starts = (panel.left, y, right, y), (panel.left + 6 if is_left else right - 4, y - 6), is_left
    else:
        x = panel.left + panel.x.fraction(line["x"]) * panel.width
        ends, place, starts = (x, panel.top, x, bottom), (x - 5 if is_left else x + 5, panel.top + 13), not is_left
    panel.canvas.line(*ends, "muted", 1.5, "5 4")
    panel.canvas.text(*place, line.get("label", ""), "muted", "start" if starts else "end", "s")


def plot_axis(spec, values):
    """The axis that a plot's JSON asks for; limits default to the data's."""
    log = spec.get("scale") == "log"
    usable = [v for v in values if v is not None and math.isfinite(v) and (v > 0 or not log)]
    low = spec.get("min", min(usable, default=1.0 if log else 0.0))
    high = spec.get("max", max(usable, default=10.0 if log else 1.0))
    return Axis(low, high, log, spec.get("ticks"), spec.get("label", ""))
