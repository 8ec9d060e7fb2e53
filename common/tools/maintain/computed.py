"""What the scripts in the chapters' results/ share: arithmetic that Python does exactly as IEEE 754 says, rounding a double
to float or half being what struct does, and how their files are kept fresh."""

import functools
import math
import struct

import recorded


def rounded(value, letter):
    """`value` rounded to float ("f") or half ("e"), to nearest even; what is too large is infinite."""
    try:
        return struct.unpack(letter, struct.pack(letter, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


in_float = functools.partial(rounded, letter="f")


def write(folder, name, figure):
    (folder / name).write_text(recorded.plot_text(figure), encoding="utf-8")


def stale(files):
    """The paths of {path: text} at which there is no such file."""
    return [path for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text]


def keep(files, check):
    """Writes what differs of {path: text}, or with check names it; 1 if it named one."""
    paths = stale(files)
    for path in paths:
        if check:
            print(f"{path.name} is stale: run the script in {path.parents[1].name} that makes it")
        else:
            path.write_text(files[path], encoding="utf-8")
    return int(check and bool(paths))


def worst_nearby(first, last, each, letter, of, exact, at=float):
    """Points (x, largest relative error of of(x) in the neighbourhood) from first to last, `each` per unit; x, or at() of
    it, is of the type."""
    def error(x):
        return abs(of(x) / exact(x) - 1.0) if x else 0.0
    return [[at(step / each), max(error(rounded(at((step + part / 16) / each), letter)) for part in range(16))]
            for step in range(first * each, last * each)]


def function_plot(name, desc, first, last, series):
    """A plot of a function's curves from x = first to last, with both axes."""
    return {"title": name, "desc": desc, "height": 280, "x": {"label": "x", "min": first, "max": last},
            "y": {"label": f"{name}(x)"}, "series": series, "lines": [{"x": 0, "label": ""}, {"y": 0, "label": ""}]}


HALF_ULP = [{"y": 2.0 ** -12, "label": "half a ULP of a half", "side": "left"}]


def error_plot(title, subtitle, desc, x, least, series, lines=None):
    """A plot of relative errors, from `least` to 2."""
    return {"title": title, "subtitle": subtitle, "desc": desc, "height": 320, "x": x,
            "y": {"label": "relative error", "scale": "log", "min": least, "max": 2}, "series": series,
            **({"lines": lines} if lines else {})}
