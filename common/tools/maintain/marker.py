"""One marker's request, and what the makers of tables and figures share: files, numbers as text, rows as asked for."""

import copy
import functools
import math
import os
import shlex
from pathlib import Path

import runs

#: The file that a marker shows if it names none.
FILES = {**dict.fromkeys(("value", "context", "results", "grid", "matrix", "ladder_figure", "sizes_figure"), ["main.json"]),
         "gpus": ["main.json,second.json"], "controls": ["controls/questions.json"],
         "torch": ["main_torch.json"], "accuracy": ["main_accuracy.json"], "ncu": ["main_ncu.json"]}


class NotRecorded(Exception):
    """The recorded file that a part is made from does not exist yet."""


def remembered(load):
    """load(path) that reads a file once for as long as it stays the same: pages quote one many times.
    Nobody may change what it returns."""
    known = functools.lru_cache(maxsize=None)(lambda path, when, size, **options: load(path, **options))

    def loaded(path, **options):
        path = Path(path)
        if not path.is_file():
            return load(path, **options)  # which says what is wrong with it
        status = path.stat()
        return known(path, status.st_mtime_ns, status.st_size, **options)
    return loaded


load_run, load_json = remembered(runs.load_run), remembered(runs.load_json)


def home_of(page):
    """The folder whose files a page shows: its own, or for a page in notes/ the one above."""
    return page.parent.parent if page.parent.name == "notes" else page.parent


class Part:
    """One marker's request: its file, its options, and where it stands."""

    def __init__(self, text, readme, where):
        self.where, self.folder, self.page = where, home_of(readme), readme
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise runs.ToolError(f"{where}: {error} in: {text}") from None
        self.kind = words[0] if words else ""
        self.names = [word for word in words[1:] if "=" not in word] or FILES.get(self.kind, [])
        self.options = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        self.used = set()
        self.files = {}

    def fail(self, text):
        raise runs.ToolError(f"{self.where}: {self.kind}: {text}")

    def option(self, name, default=None, known=()):
        self.used.add(name)
        value = self.options.get(name, default)
        if known and value not in known:
            self.fail(f"unknown {name}={value}; known: {', '.join(known)}")
        return value

    def listed(self, name, default=None):
        """An option's comma-separated words, or the default."""
        text = self.option(name)
        return text.split(",") if text else default

    def link(self, path):
        """How the page names a file of the repository."""
        return os.path.relpath(path, self.page.parent)

    def path(self, name):
        name = runs.shown_name(name)
        return self.folder / name if "/" in name else self.folder / "results" / name

    def file(self, name=None):
        """The recorded file; NotRecorded when it is not there."""
        if name is None:
            if len(self.names) != 1:
                self.fail("needs exactly one file")
            name = self.names[0]
        path = self.path(name)
        if not path.exists():
            raise NotRecorded(str(path))
        return path

    def run(self, name=None):
        """The run in a file, or in several joined by +, which must be of one GPU."""
        if name is None and len(self.names) == 1:
            name = self.names[0]
        names = name.split("+") if name else [None]
        first, *more = [load_run(self.file(one)) for one in names]
        for run in more:
            if run.device != first.device:
                self.fail(f"{run.path} was recorded on {run.device}, {first.path} on "
                          f"{first.device}; name runs of one GPU")
        joined = copy.copy(first)
        joined.rows = [row for run in (first, *more) for row in run.rows]
        return joined

    def check_options(self):
        unknown = sorted(set(self.options) - self.used)
        if unknown:
            self.fail(f"unknown option {unknown[0]}=; the kinds are described in report.py")


# -------------------------------------------------------------------------------------------------
# Numbers and tables

DASH = "\u2013"


def table(titles, rows, align):
    """A Markdown table; align is a text of l and r, one letter per column."""
    marks = {"l": ":--", "r": "--:"}
    lines = ["| " + " | ".join(titles) + " |", "|" + "|".join(marks[a] for a in align) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def significant(value, digits=4):
    """A number with that many significant digits, thousands separated; a dash for None."""
    if value is None:
        return DASH
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "\u221e" if value > 0 else "\u2212\u221e"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size < -4:
        return f"{value:.{digits - 1}e}".replace("-", "\u2212")
    return f"{value:,.{max(digits - 1 - size, 0)}f}".replace("-", "\u2212")


def gbps(value):
    return DASH if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def percent(value):
    return f"{value:.1f} %" if value is not None else DASH


def times(value):
    return f"{value:.2f}\u00d7" if value else ""


def count(value):
    return DASH if value is None else f"{int(value):,}"


def argument(value):
    """An input at which something happened, exactly enough to find it again."""
    value = runs.number(value)
    if value is None or not math.isfinite(value):
        return significant(value)
    return f"{value:.9g}".replace("-", "\u2212")


def code(text):
    return f"`{text}`"


# -------------------------------------------------------------------------------------------------
# What a marker asks for

def chosen(rows, part, kinds):
    """The rows that ladder=, rungs=, kinds= and dtype= leave, in the order of rungs= or of the file."""
    ladders = part.listed("ladder")
    rows = [r for r in rows if ladders is None or r.ladder in ladders]
    kinds = part.listed("kinds", kinds)
    unknown = [kind for kind in kinds if kind not in runs.KINDS]
    if unknown:
        part.fail(f"unknown kind {unknown[0]}; known: {', '.join(runs.KINDS)}")
    dtypes, rungs = part.listed("dtype"), part.listed("rungs")
    rows = [r for r in rows if dtypes is None or r.dtype in dtypes]
    if rungs is None:
        return [row for row in rows if row.kind in kinds]
    return in_order(rungs, runs.grouped(rows, lambda row: row.rung), part, "the run has no rung")


def in_order(rungs, groups, part, missing):
    """What there is of these rungs, in their order; {rung: list}."""
    for name in rungs:
        if name not in groups:
            part.fail(f"{missing} {name}")
    return [one for name in runs.unique(rungs) for one in groups[name]]


def one_shape(run, part):
    shape = part.option("shape", run.default_shape())
    if shape not in run.shapes():
        part.fail(f"{run.path} has no shape {shape}; it has {', '.join(run.shapes())}")
    return shape


def regimes_of(run, part, default=None):
    names = part.listed("regime", default or [run.default_regime()])
    for name in names:
        if name not in run.regimes():
            part.fail(f"{run.path} has no regime {name}; it has {', '.join(run.regimes())}")
    return names


def labelled(row):
    """The rung's name in a table; peers are said to be peers."""
    return code(row.rung) + (" (peer)" if row.kind in ("peer", "copy") else "")


def cpu_note(run):
    """A CPU run never stands in a README without its label."""
    return ["Ran on the CPU executor: these times say nothing about a GPU.", ""] if run.on_cpu else []


def entries_of(part, key):
    """The list named key in the part's file, as rungs= wants it."""
    entries = load_json(part.file()).get(key)
    if not isinstance(entries, list):
        part.fail(f"{part.file()}: holds no list named {key}; record it again")
    return pick_rungs(entries, part)


def pick_rungs(entries, part):
    rungs = part.listed("rungs")
    return entries if rungs is None else in_order(
        rungs, runs.grouped(entries, lambda entry: entry.get("rung")), part, "nothing is recorded for the rung")


def field(entry, path):
    """entry["pipes"]["alu"] of pipes.alu, or None."""
    for name in path.split("."):
        entry = entry.get(name) if isinstance(entry, dict) else None
    return entry
