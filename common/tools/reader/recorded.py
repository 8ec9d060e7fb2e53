"""The files that runs are recorded in: what a benchmark writes, and the short form that results/ keeps.

A benchmark writes Google Benchmark's JSON. A row of a ladder is named ladder/rung/SxK/regime and labelled
"dtype kind", or "dtype kind form" where a rung is timed on several forms of a problem; row() below makes its parts.

The short form says everything once. Its rows stand by ladder and rung:

    {"context": {..},
     "ladders": [{"ladder": "elu", "places": [["1024x1024", "cold"], ["1024x1024", "warm"], ..],
                  "rungs": [{"rung": "f16x8", "dtype": "f16", "kind": "rung", "bytes_per_element": 4, "median_us": [..],
                             ..}]}]}

with "form" behind "kind" where there is one, and a list of each number in the order of the places, or the number
alone if it is the same everywhere. GBps is left out: it is bytes / median_us; so are the bytes that follow from those of
an element. Every other list of objects is a table,
{"columns": [..], "rows": [[..], ..]}; the columns of an object inside an object are named "pipes.alu".
A number has the digits that the spread justifies, and more where rounding them again would show another number.
"""

import json
import math
from pathlib import Path

PARTS = ("ladder", "rung", "shape", "regime", "dtype", "kind", "form")
#: What nobody reads of a row and of a context that Google Benchmark wrote.
FORGOTTEN = {"name", "label", "run_name", "run_type", "family_index", "per_family_instance_index", "repetitions",
             "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit", "error_occurred",
             "error_message", "watts"}
FORGOTTEN_CONTEXT = {"host_name", "mhz_per_cpu", "cpu_scaling_enabled", "caches", "load_avg", "library_build_type",
                     "library_version", "json_schema_version"}
NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
DIGITS = {"median_us": 7, "spread_pct": 4, "probe_mhz": 4, "inside_mhz": 4, "sm_mhz": 4}
WIDTH = 500  # of a line of several members
ROW = 1500  # of a row, which has a line of its own


# -------------------------------------------------------------------------------------------------
# Rows


def elements_of(shape):
    return math.prod(map(int, shape.split("x")))


def mean_us(row):
    """Google Benchmark's own mean time in microseconds, or None."""
    time = row.get("real_time")
    return time * NANOSECONDS[row.get("time_unit", "ns")] / 1e3 if time else None


def row_of_google(data):
    """A row as {part or counter: value}; of another benchmark than a ladder's only its name and its numbers."""
    place, label = str(data["name"]).split("/"), str(data.get("label", "")).split()
    is_ladders = len(place) >= 4 and len(label) >= 2
    row = dict(zip(PARTS, [*place[:4], *label, ""])) if is_ladders else {"name": own_name(data["name"])}
    row.update((key, value) for key, value in data.items() if key not in FORGOTTEN)
    if data.get("error_occurred"):
        row["error"] = str(data.get("error_message") or "failed without a message")
    if not row.get("median_us"):
        row["median_us"] = mean_us(data)
    return row


def own_name(name):
    """A benchmark's name without what Google Benchmark appends: executor/barrier/32 of .../iterations:25/manual_time."""
    return "/".join(part for part in name.split("/") if ":" not in part and not part.endswith("_time"))


def middle(group):
    """Of the repetitions of a row the one with the median time; a failed one wins, so that no failure is hidden."""
    failed = [data for data in group if data.get("error_occurred")]
    return failed[0] if failed else sorted(group, key=lambda data: mean_us(data) or 0.0)[(len(group) - 1) // 2]


def rows_of_google(benchmarks):
    """(rows of ladders, rows of other benchmarks)."""
    groups = {}
    for data in benchmarks:
        if data.get("run_type", "iteration") == "iteration":  # and no aggregate of repetitions
            groups.setdefault(data["name"], []).append(data)
    rows = [row_of_google(middle(group)) for group in groups.values()]
    return [row for row in rows if "ladder" in row], [row for row in rows if "name" in row]


def rows_of_ladders(ladders):
    """The rows of the short form."""
    rows = []
    for ladder in ladders:
        for rung in ladder["rungs"]:
            for number, (shape, regime) in enumerate(ladder["places"]):
                values = {key: value[number] if isinstance(value, list) else value for key, value in rung.items()}
                row = {"ladder": ladder["ladder"], "shape": shape, "regime": regime, "form": "",
                       **{key: value for key, value in values.items() if value is not None}}
                if "bytes_per_element" in row:
                    row["bytes"] = row.pop("bytes_per_element") * elements_of(shape)
                if "GBps" not in row and row.get("bytes") and row.get("median_us"):
                    row["GBps"] = row["bytes"] / row["median_us"] / 1e3
                rows.append(row)
    return rows


def rows_of(data):
    """(rows, others) of a file's content in either form."""
    rows, others = rows_of_google(data.get("benchmarks", []))
    return rows_of_ladders(data.get("ladders", [])) + rows, others


# -------------------------------------------------------------------------------------------------
# The short form


def show_alike(one, other, digits):
    return all(f"{one:.{n}g}" == f"{other:.{n}g}" for n in range(1, digits + 1))


def shortened(value, digits=5, also=lambda value: True):
    """The value with as few digits as show it to that many, and to fewer, as it was; also() may want more."""
    if not isinstance(value, float):
        return value
    if value.is_integer() and abs(value) < 1e15:
        return int(value)
    for more in range(digits, 18):
        short = float(f"{value:.{more}g}")
        if show_alike(value, short, digits) and also(short):
            break
    return int(short) if short.is_integer() else short


def fewer_digits(value, digits=8):
    """The same with so many digits in every number, for points of a curve."""
    if isinstance(value, dict):
        return {key: fewer_digits(item, digits) for key, item in value.items()}
    return [fewer_digits(item, digits) for item in value] if isinstance(value, list) else shortened(value, digits)


def plot_text(figure):
    """The JSON of a plot of computed curves: their x once, where all series share it."""
    series = figure["series"]
    at = [x for x, _ in series[0]["points"]]
    if all([x for x, _ in one["points"]] == at for one in series):
        series = [{("y" if key == "points" else key): [y for _, y in value] if key == "points" else value
                   for key, value in one.items()} for one in series]
        figure = {**figure, "at": at, "series": series}
    return text(fewer_digits(figure, 5)) + "\n"


def short_row(row):
    """A row's numbers with fewer digits, without GBps if it follows."""
    numbers = {key: shortened(value, DIGITS.get(key, 5)) for key, value in row.items() if key not in PARTS}
    moved, time, speed = (row.get(key) for key in ("bytes", "median_us", "GBps"))
    if moved and time and speed and abs(moved / time / 1e3 / speed - 1) < 1e-9:
        numbers["median_us"] = shortened(time, DIGITS["median_us"], lambda us: show_alike(speed, moved / us / 1e3, 5))
        del numbers["GBps"]
    return numbers


def ladders_of(rows):
    """The rows of a run in the short form."""
    rungs = {}
    for row in rows:
        key = tuple(row[part] for part in ("ladder", "rung", "dtype", "kind", "form"))
        rungs.setdefault(key, {})[row["shape"], row["regime"]] = short_row(row)
    ladders = []
    for (ladder, rung, dtype, kind, form), at in rungs.items():
        places = [list(place) for place in at]
        if not ladders or (ladders[-1]["ladder"], ladders[-1]["places"]) != (ladder, places):
            ladders.append({"ladder": ladder, "places": places, "rungs": []})
        entry = {"rung": rung, "dtype": dtype, "kind": kind, **({"form": form} if form else {})}
        each = {numbers.get("bytes", 0) / (elements_of(shape) or 1) for (shape, _), numbers in at.items()}
        if len(each) == 1 and len(at) > 1 and all(each) and all(
                numbers["bytes"] == max(each) * elements_of(shape) for (shape, _), numbers in at.items()):
            entry["bytes_per_element"] = shortened(each.pop(), 17)
            at = {place: {key: value for key, value in numbers.items() if key != "bytes"} for place, numbers in at.items()}
        for key in dict.fromkeys(key for numbers in at.values() for key in numbers):
            values = [numbers.get(key) for numbers in at.values()]
            entry[key] = values[0] if values.count(values[0]) == len(values) else values
        ladders[-1]["rungs"].append(entry)
    return ladders


def is_table(value):
    return isinstance(value, dict) and set(value) == {"columns", "rows"}


def is_list_of_objects(value):
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def flat(item):
    """{"pipes.alu": 1} of {"pipes": {"alu": 1}}."""
    inner = {key: value for key, value in item.items() if isinstance(value, dict) and value}
    return {name: shortened(number, 9) for key, value in item.items() for name, number in
            (((f"{key}.{each}", one) for each, one in value.items()) if key in inner else [(key, value)])}


def tables(data):
    """data with a table for each list of objects."""
    if is_list_of_objects(data):
        items = [flat(item) for item in data]
        inner = {name.split(".")[0] for item in items for name in item if "." in name}
        columns = [name for name in dict.fromkeys(name for item in items for name in item) if name not in inner]
        return {"columns": columns, "rows": [[item.get(name) for name in columns] for item in items]}
    if isinstance(data, dict) and not is_table(data):
        return {key: tables(value) for key, value in data.items()}
    return data


def expanded(data):
    """data with lists of objects for its tables."""
    if is_table(data):
        return [expanded_row(data["columns"], [expanded(value) for value in row]) for row in data["rows"]]
    if isinstance(data, list):
        return [expanded(item) for item in data]
    return {key: expanded(value) for key, value in data.items()} if isinstance(data, dict) else data


def expanded_row(columns, values):
    item = {}
    for name, value in zip(columns, values):
        outer, dot, inner = name.partition(".")
        if not dot:
            item[name] = value
        elif value is not None:
            item[outer] = {**(item.get(outer) or {}), inner: value}
        else:
            item.setdefault(outer, None)
    return item


def short(data):
    """A recorded file's content in the short form; what is short already stays as it is."""
    data = dict(data)
    if isinstance(data.get("context"), dict):
        data["context"] = {key: value for key, value in data["context"].items() if key not in FORGOTTEN_CONTEXT}
        if "executable" in data["context"]:
            data["context"]["executable"] = Path(data["context"]["executable"]).name
    if isinstance(data.get("benchmarks"), list):
        rows, others = rows_of_google(data.pop("benchmarks"))
        data.update({"ladders": ladders_of(rows)} if rows else {}, **({"benchmarks": others} if others else {}))
    return {key: value if key in ("context", "ladders") else tables(value) for key, value in data.items()}


# -------------------------------------------------------------------------------------------------
# The text


def text(value, indent="", width=WIDTH):
    """value as JSON on lines of at most `width` characters where they can be broken: a list of objects or of long lists
    has one on a line, a row; and what does not fit on a line has as many members on each as fit."""
    line = json.dumps(value, ensure_ascii=False)
    items = list(value.values() if isinstance(value, dict) else value) if isinstance(value, (dict, list)) else []
    broken = isinstance(value, list) and any(
        isinstance(item, dict) or isinstance(item, list) and len(item) > 4 for item in items)
    is_row = width == ROW and (isinstance(value, list) or not any(map(is_list_of_objects, items)))
    if not items or (not broken or is_row) and len(indent) + len(line) <= width and (indent or isinstance(value, list)):
        return line
    names = [json.dumps(key, ensure_ascii=False) + ": " for key in value] if isinstance(value, dict) else [""] * len(items)
    members = [name + text(item, indent + "  ", ROW if broken else WIDTH) for name, item in zip(names, items)]
    lines = members[:1]
    for member in members[1:]:
        apart = broken or not indent or "\n" in member or "\n" in lines[-1]
        if apart or len(indent) + len(lines[-1]) + len(member) + 4 > WIDTH:
            lines.append(member)
        else:
            lines[-1] += ", " + member
    opening, closing = "[]" if isinstance(value, list) else "{}"
    if broken or not indent:
        opening, closing = f"{opening}\n{indent}  ", f"\n{indent}{closing}"
    return opening + f",\n{indent}  ".join(lines) + closing
