"""The tables and the single numbers of report.py: a function make_KIND for each kind of marker, and value()."""

import re
import statistics

import beside_torch
import behind
import controls
import counted
import model_report
import mutate
import runs
import speed
from chapters import headlines
from figures import line_plot, small_plots
from marker import (
    NotRecorded, load_run, load_json, DASH, table, significant, gbps, percent, times, count, argument, code, chosen,
    one_shape, regimes_of, labelled, cpu_note, entries_of, pick_rungs, field)
from pictures import picture


def make_context(part):
    context = load_json(part.file()).get("context", {})
    line = runs.context_line(context)
    return [f"Recorded on {line}." if line else "Recorded without a context."]


def make_results(part):
    run = part.run()
    shape, regimes = one_shape(run, part), regimes_of(run, part)
    rows = chosen(run.select(shape=shape, regime=regimes[0]), part, ["rung", "peer", "copy"])
    steps = runs.steps(rows)
    last = part.option("last", "step", ("step", "spread"))
    titles, align = ["Rung", "Type"], "ll"
    for regime in regimes:
        titles += [f"GB/s, {regime}", f"% of copy, {regime}"]
        align += "rr"
    shown = last == "spread" or any(steps.get(row) for row in rows)  # a column of nothing is left out
    body = []
    for row in rows:
        cells = [labelled(row), row.dtype]
        for regime in regimes:
            same = run.select(ladder=row.ladder, rung=row.rung, dtype=row.dtype, shape=shape,
                              regime=regime)
            cells += result_cells(same[0] if same else None)
        body.append(cells + [times(steps.get(row)) if last == "step" else percent(row.spread_pct)] * shown)
    return cpu_note(run) + table(titles + [last.capitalize()] * shown, body, align + "r" * shown)


def result_cells(row):
    if row is None:
        return [DASH, DASH]
    return ["failed", DASH] if row.failed else [gbps(row.gbps), percent(row.copy_pct)]


def make_grid(part):
    run = part.run()
    regimes, value = regimes_of(run, part), part.option("value", "GBps", CELL_VALUES)
    rows = chosen([row for regime in regimes for row in run.select(regime=regime)], part, ["rung", "peer", "copy"])
    columns = [(regime, shape) for regime in regimes for shape in part.listed("shapes", run.shapes())]
    body = []
    for key in runs.unique((r.ladder, r.rung, r.dtype) for r in rows):
        mine = {(r.regime, r.shape): r for r in rows if (r.ladder, r.rung, r.dtype) == key}
        body.append([labelled(next(iter(mine.values())))] + [grid_cell(mine.get(column), value) for column in columns])
    shown = [shape.replace("x", "\u00d7") + (f", {regime}" if len(regimes) > 1 else "") for regime, shape in columns]
    return cpu_note(run) + table(["Rung", *shown], body, "l" + "r" * len(columns))


def make_gpus(part):
    """A row per rung, its speed on each GPU that has been recorded."""
    if len(part.names) != 1:
        part.fail("needs a list of files, as main.json,second.json")
    found = [part.run(name) for name in part.names[0].split(",")
             if all(part.path(one).exists() for one in name.split("+"))]
    if not found:
        raise NotRecorded(part.names[0])
    regime, shape = part.option("regime", "cold"), part.option("shape", found[0].default_shape())
    rows = chosen(found[0].select(shape=shape, regime=regime), part, ["rung"])
    errors = part.option("accuracy")
    entries = load_json(part.path(errors))["accuracy"] if errors and part.path(errors).exists() else []
    known = {(e.get("rung"), e.get("dtype")): worst_ulp(e) for e in entries}
    several = len({row.dtype for row in rows}) > 1
    brief = part.option("brief") == "yes"  # a lesson's: of a further GPU the share of a copy alone
    titles = ["Rung"] + ["Type"] * several
    for number, run in enumerate(found):
        name = run.device.replace("NVIDIA ", "").split(" ")[0]
        titles += [f"{name}: % of copy"] if brief and number else [f"{name}: GB/s", "% of copy"]
    titles += ["spread"] * (not brief) + ["largest error, ULP"] * bool(known)
    body = []
    for row in rows:
        same = [next(iter(run.select(ladder=row.ladder, rung=row.rung, dtype=row.dtype, shape=shape,
                                     regime=regime)), None) for run in found]
        cells = [labelled(row)] + [row.dtype] * several
        for number, one in enumerate(same):
            cells += result_cells(one)[1 if brief and number else 0:]
        body.append(cells + [percent(max(one.spread_pct for one in same if one))] * (not brief)
                    + [known.get((row.rung, row.dtype), DASH)] * bool(known))
    return table(titles, body, ("ll" if several else "l").ljust(len(titles), "r"))


CELL_VALUES = {"GBps": lambda row: gbps(row.gbps), "copy_pct": lambda row: percent(row.copy_pct),
               "median_us": lambda row: significant(row.median_us), "spread_pct": lambda row: percent(row.spread_pct),
               "both": lambda row: f"{gbps(row.gbps)} ({percent(row.copy_pct)})"}


def grid_cell(row, value):
    return DASH if row is None else "failed" if row.failed else CELL_VALUES[value](row)


def make_matrix(part):
    run = part.run()
    ladder, dtype, value = part.option("ladder"), part.option("dtype"), part.option("value", "both", CELL_VALUES)
    rows, columns = titled(part.listed("rows")), titled(part.listed("columns"))
    if not (ladder and dtype and rows and columns):
        part.fail("needs ladder=, rows=, columns= and dtype=")
    if ladder not in run.ladders():
        part.fail(f"the run has no ladder {ladder}; it has {', '.join(run.ladders())}")
    shape = part.option("shape", run.default_shape(ladder))
    regime = regimes_of(run, part)[0]
    cells = {row.rung: row for row in run.select(ladder=ladder, dtype=dtype, shape=shape,
                                                 regime=regime)}
    for title, names in columns:
        if not any(f"{name}_{dtype}_{form}" in cells for name in names for _, forms in rows
                   for form in forms):
            part.fail(f"the run has nothing for the column {title} at {shape} {regime}")
    body = []
    for title, forms in rows:
        found = [[cells[rung] for name in names for form in forms
                  if (rung := f"{name}_{dtype}_{form}") in cells] for _, names in columns]
        if not any(found):
            part.fail(f"the run has nothing for the row {title} at {shape} {regime}")
        body.append([title] + [grid_cell(rows[0] if rows else None, value) for rows in found])
    return cpu_note(run) + table(["", *(title for title, _ in columns)], body, "l" + "r" * len(columns))


def titled(words):
    """[(title, [names])] of words like NAME, NAME|NAME and TITLE:NAME."""
    return [(title if colon else code(names.replace("|", ", ")), names.split("|"))
            for title, colon, names in (word.rpartition(":") for word in words or [])]


def make_torch(part):
    run = part.run()
    wanted = {name: part.listed(name) for name in ("ladder", "dtype", "regime", "shape")}
    chosen = [cell for cell in beside_torch.cells(run) if "bound" in cell.rows
              and all(getattr(cell, name) in words for name, words in wanted.items() if words)]
    if not chosen:
        raise NotRecorded(f"{run.path} has nothing of ours beside PyTorch")
    return cpu_note(run) + table(*beside_torch.summary_table(chosen, run.context.get("torch")))


def make_views(part):
    """A run of common/torch/views.py or serving.py: a line per case that has ours, beside the same operation on aligned
    arrays; or where a peer is faster than ours."""
    rows = {row["name"]: row for row in load_json(part.file())["benchmarks"]}
    of, wanted = part.option("of", "times", ("times", "summary", "below", "ncu")), part.listed("cases", [""])
    cases = [case for case in runs.unique(name.split("/")[0] for name in rows) if any(text in case for text in wanted)]
    if of != "times":
        return views_behind(part, rows, cases, of)
    regime, size, body = part.option("regime", "cold"), part.option("size", "2^28"), []
    for case in cases:
        ours, *theirs = (rows.get(f"{case}/{who}/{regime}") for who in ("bound", *behind.VIEWS_PEERS))
        if ours is None or not case.endswith(size):
            continue
        operation, dtype = case.split("_")[:2]
        aligned = next((rows[name] for zeros in ("0_0", "0_0_0")
                        if (name := f"{operation}_{dtype}_at_{zeros}_{size}/bound/{regime}") in rows), None)
        speed = ours["bytes"] / ours["median_us"]
        body.append([code(case.rsplit("_", 1)[0]), significant(ours["median_us"]), gbps(speed * 1e-3),
                     percent(100 * speed * aligned["median_us"] / aligned["bytes"]) if aligned else DASH,
                     *(times(other["median_us"] / ours["median_us"]) if other else DASH for other in theirs)])
    if not body:
        part.fail(f"{part.file()} has no such case")
    head = ["Case", "\u00b5s", "GB/s", "% of aligned", *behind.VIEWS_PEERS.values()]
    kept = [i for i in range(len(head)) if i < 3 or any(line[i] != DASH for line in body)]
    return table([head[i] for i in kept], [[line[i] for i in kept] for line in body], "l" + "r" * (len(kept) - 1))


def views_behind(part, rows, cases, of):
    """Their time over ours, of the faster peer, in every cell: how many are below 0.99, or which."""
    cells = behind.views(rows, cases)
    if not cells:
        part.fail(f"{part.file()} has no such case beside a peer")
    if of == "ncu":
        return views_ncu(part, cells)
    if of == "summary":
        body = []
        for size, regime in runs.unique((one.size, one.regime) for one in cells):
            chosen = [one for one in cells if (one.size, one.regime) == (size, regime)]
            ratios, worst = [one.ratio for one in chosen], min(chosen, key=lambda one: one.ratio)
            body.append([f"{size}, {regime}", str(len(ratios)), str(sum(ratio < 1 for ratio in ratios)),
                         str(sum(ratio < 0.99 for ratio in ratios)), times(statistics.median(ratios)), behind.cut(worst.ratio),
                         code(worst.case)])
        return table(["Elements, regime", "Cells", "below 1.00", "below 0.99", "Median", "Worst", "where"], body, "lrrrrrl")
    below = [one for one in cells if one.ratio < 0.99]
    body = [[code(name), ", ".join(f"{one.size} {one.regime} {behind.cut(one.ratio)}" for one in below if one.case == name)]
            for name in runs.unique(one.case for one in below)]
    return table(["Case", "Their time / ours"], body, "ll") if body else ["None is."]


def views_ncu(part, cells):
    """What ncu counts where a case is lowest, ours above the faster peer; FILE_ncu.json holds it."""
    path = part.file().with_name(part.file().stem + "_ncu.json")
    recorded = runs.grouped(load_json(path)["ncu"] if path.exists() else [],
                            lambda one: re.sub(r"/[^/]*(/[^/]*)$", r"\1", one["rung"]))  # CASE/WHO/REGIME, without the elements
    body = []
    for one in behind.lowest_views(cells):
        found = [(words, recorded.get(f"{one.case}_{one.size}/{who}/{one.regime}"))
                 for who, words in (("bound", "ours"), (one.who, f"{behind.VIEWS_PEERS[one.who]}, {behind.cut(one.ratio)}"))]
        if all(kernels for _, kernels in found):
            body += behind.kernels_of(f"{code(one.case)} {one.size} {one.regime}", found, significant)
    return table(behind.KERNEL_TITLES, body, behind.KERNEL_ALIGNMENT) if body else ["Not recorded yet."]


def make_behind(part):
    """Where a peer is faster than our operator, in the chapters' runs on the named GPUs."""
    of, cells, recorded, gpus = part.option("of", "summary", ("summary", "ncu")), [], {}, []
    for name in runs.shown().values():
        gpus.append(name.upper())
        for folder in runs.find_chapters(runs.ROOT):
            for path in (folder / "results" / f"{name}.json", folder / "results" / f"{name}_torch.json"):
                if not path.exists():
                    continue
                run, beside = load_run(path), path.stem.endswith("_torch")
                operators = headlines().get(folder, {}).get("operators", {})
                cells += (behind.torch_cells(run, name.upper(), folder.name) if beside
                          else behind.cub_cells(run, name.upper(), folder.name, operators))
                cub = run.context.get("cub") or f"of CUDA {run.context.get('cuda')}"
                words = f"{name.upper()}, beside " + (f"PyTorch {run.context.get('torch')}" if beside else f"CUB {cub}")
                recorded.setdefault(words, {}).setdefault(run.context.get("commit"), []).append(folder.name[:2])
    if not cells:
        raise NotRecorded("main.json")
    if of == "ncu":
        return behind_profiles(part, cells)
    commits = [f"{words}: " + ", ".join(f"{commit} ({', '.join(names)})" for commit, names in by.items())
               for words, by in recorded.items()]
    return table(*behind.summary_table(cells, gpus)) + ["", f"Recorded at these commits (chapters). {'; '.join(commits)}."]


def behind_profiles(part, cells):
    """ncu's figures of the kernels in the cells below 0.99, of the GPUs that have a profile."""
    entries, commits = {}, []
    for name in runs.shown().values():
        path = part.path(f"{name}_behind_ncu.json")
        if path.exists():
            entries[name.upper()] = runs.grouped(load_json(path)["ncu"], lambda one: one["rung"])
            commits.append(f"{name.upper()} {load_json(path)['context'].get('commit')}")
    if not entries:
        raise NotRecorded("main_behind_ncu.json")
    made, missing = behind.profile_table(cells, entries, significant)
    return table(*made) + ["", f"Profiled at these commits: {', '.join(commits)}."
                           + (f" Not profiled: {'; '.join(missing)}." if missing else "")]


def make_model(part):
    what, gpus = part.option("of"), model_report.recorded_gpus()
    names = [gpu.upper() for gpu in gpus]

    def each(*words):
        return [f"{name}, {word}" for name in names for word in words]
    plots = {"curve_figure": (line_plot, model_report.curve_plot), "scatter": (line_plot, model_report.scatter_plot),
             "curves_figure": (small_plots, model_report.curves_plot), "law_figure": (small_plots, model_report.law_plot)}
    far, of_far, close = ["Rung", *each("predicted", "recorded"), "What is known"], "l" + "rr" * len(names) + "l", "Within 5 points"
    tables = {  # titles; the first columns' sides, the others being numbers; rows
        "curve": (["Filled", *names, *each("slow unit")], "r", model_report.curve_rows),
        "predictors": (["GPU", "Predictor", "Constants", "Rungs", close, "Neither blocks nor bytes", "Of these within 5",
                        "Slower than null", "Of these within 5", "Mean distance"], "lll", model_report.predictor_rows),
        "sensitivity": (["Constants", f"{names[0]}'s copies, off by", *each("all", "neither blocks nor bytes")], "l",
                        model_report.sensitivity_rows),
        "counted": (["GPU", "Rungs with a time", "Judged", close, "Mean distance"], "l", lambda: counted.error_rows(gpus)),
        "counted_far": (far, of_far, lambda: counted.far_rows(gpus)),
        "operations": (["Operation", "Slots"], "l", lambda: [[f"`{name}`", str(slots)] for name, slots in speed.OPERATIONS.items()]),
        "residency": (["Row", "Held", *each("of a copy", "occupied", "a thread lives", "its place")], "l", model_report.residency_rows),
        "fewer_threads": (["Multiply-adds", *each("filled", "2,048 threads", "1,536", "1,024", "512")], "r",
                          model_report.fewer_threads_rows),
        "again": (["Clock", "Rungs", close, "Mean distance"], "l", model_report.again_rows),
        "ten_seconds": (["Row", *each("recorded", "after 10 s", "MHz inside")], "l", model_report.ten_second_rows),
        "far": (far, of_far, model_report.far_rows),
        "sectors": (["Sectors", *each("loaded", "stored")], "l", model_report.sector_rows),
        "clock": (["Row", *(f"{word}{unit}" for unit in (", cold", ", warm") for word in ("µs", "NVML", "probe", "inside"))], "l",
                  model_report.clock_rows)}
    if what in plots:
        title, (draw, plot) = part.option("title"), plots[what]
        return picture(part, title, draw(plot(title)))
    if what == "answers":
        return counted.answers_table(gpus)
    if what not in tables:
        part.fail(f"needs of=answers, {', '.join([*tables, *plots])}")
    titles, sides, rows = tables[what]
    return table(titles, rows(), sides.ljust(len(titles), "r"))


# -------------------------------------------------------------------------------------------------
# From other recorded files

def make_table(part):
    """A recorded list as it is: a column per name, a row per entry."""
    data, of = load_json(part.file()), part.option("of")
    every = field(data, of) if of else next((value for value in data.values() if isinstance(value, list)), None)
    if not isinstance(every, list) or not every:
        part.fail(f"{part.file()} holds no list {of or ''}".rstrip())
    entries = pick_rungs(every, part)
    columns = part.listed("columns", list(every[0]))
    unknown = [name for name in columns if not any(name in entry for entry in every)]
    if unknown:
        part.fail(f"nothing there has {unknown[0]}; known: {', '.join(every[0])}")
    return plain_table(entries, columns)


def make_mutations(part):
    """What mutate.py recorded of the faults that there are now, a line per test program."""
    entries = mutate.summary(mutate.load_table(*mutate.tables(runs.ROOT)), load_json(part.file())["results"])
    return plain_table(entries, list(entries[0]))


def plain_table(entries, columns):
    body = [[plain(entry.get(name), name == columns[0]) for name in columns] for entry in entries]
    numbers = [all(runs.number(entry.get(name)) is not None or entry.get(name) is None for entry in entries) for name in columns]
    return table([name.replace("_", " ") for name in columns], body, "".join("lr"[number] for number in numbers))


def plain(value, first):
    """A recorded value as it is; the first column names what the row is about."""
    if isinstance(value, int):
        return count(value)
    return significant(value) if isinstance(value, float) or value is None else code(value) if first else str(value)


def in_run_order(entries, part):
    """The entries in the order of the run that order= names; others follow as they are."""
    name = part.option("order")
    if not name or not part.path(name).exists():
        return entries
    order = {(row.dtype, row.rung): -i for i, row in enumerate(reversed(part.run(name).rows))}  # a rung's first row counts
    return sorted(entries, key=lambda e: order.get((e.get("dtype"), e.get("rung")), 1))


def make_accuracy(part):
    entries = in_run_order(entries_of(part, "accuracy"), part)
    body = [[code(e.get("rung")), str(e.get("dtype", DASH)), count(runs.number(e.get("inputs"))),
             worst_ulp(e), argument(e.get("at")),
             significant(runs.number(e.get("bound")), 3)] for e in entries]
    titles = ["Rung", "Type", "Inputs", "Largest error, ULP", "at x =", "Bound, ULP"]
    return table(titles, body, "llrrrr")


def worst_ulp(entry):
    """The largest error; the tests write null for one that is not finite."""
    value = runs.number(entry.get("max_ulp"))
    return "not finite" if value is None else significant(value)


NCU_COLUMNS = {
    "counts": (("dram_gbps", "DRAM GB/s", gbps), ("dram_pct", "% of DRAM peak", percent),
           ("instructions_per_element", "Instructions per element", significant),
           ("issue_pct", "Issue slots busy", percent), ("registers", "Registers", count),
           ("sectors_per_load", "Sectors per load", significant),
           ("sectors_per_store", "Sectors per store", significant),
           ("occupancy_pct", "Occupancy", percent)),
    "pipes": (("issue_pct", "Issue slots", percent), ("pipes.alu", "ALU", percent),
              ("pipes.fma", "FMA", percent), ("pipes.fma_heavy", "FMA heavy", percent),
              ("pipes.fp16", "FP16", percent), ("pipes.xu", "XU", percent),
              ("pipes.lsu", "LSU", percent), ("pipes.cbu", "CBU", percent), ("sm_mhz", "SM MHz", gbps)),
    "stalls": (("stalls", "Warps that wait, per instruction issued", None),
               ("stalls.selected", "that issue", significant), ("occupancy_pct", "Occupancy", percent)),
    "memory": (("l2_read_sectors", "L2 to L1, MB", None), ("l2_write_sectors", "L1 to L2, MB", None),
               ("l1_hit_pct", "L1 hits", percent), ("l2_hit_pct", "L2 hits", percent),
               ("local_sectors", "Local memory, MB", None),
               ("shared_load.conflicts", "Bank conflicts, loads", count),
               ("shared_store.conflicts", "stores", count)),
}


def ncu_cell(entry, path, show):
    value = field(entry, path)
    if path == "stalls":
        waits = sorted(((number, name) for name, number in (value or {}).items() if name != "selected"),
                       reverse=True)
        return ", ".join(f"{name.replace('_', ' ')} {significant(number, 3)}" for number, name in waits[:3]) or DASH
    if path.endswith("_sectors"):
        return DASH if value is None else significant(value * 32 / 1e6, 4)
    return show(runs.number(value))


def make_ncu(part):
    wanted = part.listed("of", ["counts"])
    if unknown := [of for of in wanted if of not in NCU_COLUMNS]:
        part.fail(f"of={unknown[0]}: known are {', '.join(NCU_COLUMNS)}")
    columns = runs.unique(column for of in wanted for column in NCU_COLUMNS[of])
    body = [[code(entry.get("rung"))] + [ncu_cell(entry, path, show) for path, _, show in columns]
            for entry in entries_of(part, "ncu")]
    align = "l" + "".join("l" if path == "stalls" else "r" for path, _, _ in columns)
    return table(["Kernel"] + [title for _, title, _ in columns], body, align)


def make_controls(part):
    spec, where = load_json(part.file()), part.names[0]
    files = [part.file(name) for name in part.listed("runs", ["main_controls.json", "second_controls.json"])]
    recorded = [(path.stem.split("_")[0], load_run(path)) for path in files]  # h200 of h200_controls.json
    try:
        asked = controls.questions(spec, where, part.option("group"))
    except runs.ToolError as error:
        part.fail(str(error))
    body, several = [], any(question.paired for question in asked)
    for question in asked:
        answers = [controls.Answer(question, run, gpu) for gpu, run in recorded]
        unit = controls.UNITS.get(question.data["of"], question.data["of"])
        variants = [code(question.variant(key)[0]) for key in ("a", "b") if key in question.data]
        expected = " / ".join(runs.unique(expected_range(*expected) for expected in
                                          (question.expected(gpu) for gpu, _ in recorded) if expected)) or DASH
        cells = [cell for answer in answers for cell in answer_cells(question, answer, unit, several)]
        body.append([question.data["question"], ", ".join(variants)] + cells
                    + [expected + ("" if question.paired else f" {unit}".rstrip())])
    titles = ["Question", "Kernel"]
    for gpu, _ in recorded:
        titles += [gpu.upper(), *["Ratio"] * several, "Spread", "As expected?"]
    return table(titles + ["Expected"], body, "ll" + "rrrl"[0 if several else 1:] * len(recorded) + "l")


def expected_range(low, high):
    """A narrow range about 1 to the tenth of a percent, any other to three digits."""
    narrow = high - low < 0.02 and 0.5 < low < 2
    return f"{low:.3f} to {high:.3f}" if narrow else f"{significant(low, 3)} to {significant(high, 3)}"


def answer_cells(question, answer, unit, with_ratio):
    """What a run says: the values, their ratio in a table that has one, the spread, and whether that was expected."""
    if not answer.complete:
        return [DASH, *[DASH if question.paired else ""] * with_ratio, DASH, DASH]
    values = ", ".join(significant(value, 4) for value in answer.values) + (f" {unit}" if unit else "")
    ratio = f"{answer.value:.3f}\u00d7" + (" =" if answer.same else "") if question.paired else ""
    return [values, *[ratio] * with_ratio, percent(answer.spread),
            {True: "yes", False: "**no**", None: DASH}[answer.held]]


# -------------------------------------------------------------------------------------------------
# Single numbers

VALUE_UNITS = {"copy_pct": " %", "spread_pct": " %", "GBps": " GB/s", "median_us": " \u00b5s",
               "step": "\u00d7", "dram_pct": " %", "occupancy_pct": " %", "issue_pct": " %",
               "dram_gbps": " GB/s", "duration_us": " \u00b5s", "max_ulp": " ULP"}


def value(part):
    path, of, rung = part.file(), part.option("of"), part.option("rung")
    if not of or not rung:
        part.fail("needs of= and rung=")
    data = load_json(path)
    pick = benchmark_value if "ladders" in data or "benchmarks" in data else entry_value
    value = pick(part, data, of, rung)
    other = part.option("over")
    if other:
        below = pick(part, data, of, other)
        value = value / below if value is not None and below else None
    if value is None:
        part.fail(f"{path} has no {of} for {rung}")
    digits = part.option("digits")
    shown = f"{value:,.{int(digits)}f}" if digits else default_text(value, of, other)
    unit = part.option("unit", "\u00d7" if other else VALUE_UNITS.get(of, ""))
    return shown.replace("-", "\u2212") + unit


def default_text(value, of, is_ratio):
    if is_ratio or of == "step":
        return f"{value:.2f}"
    if of.endswith("_pct"):
        return f"{value:.1f}"
    if of in ("GBps", "dram_gbps"):
        return gbps(value)
    return f"{value:,.0f}" if value == int(value) else significant(value)


def benchmark_value(part, _, of, rung):
    run = part.run()
    shape, regime = one_shape(run, part), regimes_of(run, part)[0]
    rows = run.select(rung=rung, shape=shape, regime=regime, dtype=part.option("dtype"))
    rows = [row for row in rows if row.ladder == part.option("ladder", row.ladder)]
    if len(rows) != 1:
        part.fail(f"{len(rows)} rows are called {rung} at {shape} {regime}"
                  + ("; say which dtype= or ladder=" if rows else ""))
    row = rows[0]
    if row.failed:
        part.fail(f"{row.name} failed in the recorded run: {row.error}")
    if of == "step":
        return runs.steps(run.select(shape=shape, regime=regime)).get(row)
    if of == "median_us":
        return row.median_us
    return row.counters.get(of)


def entry_value(part, data, of, rung):
    dtype = part.option("dtype")
    lists = [value for value in data.values() if isinstance(value, list)]
    found = [e for e in lists[0] if isinstance(e, dict) and e.get("rung", e.get("function")) == rung
             and (dtype is None or e.get("dtype") == dtype)] if lists else []
    if len(found) != 1:
        part.fail(f"{len(found)} entries are called {rung}"
                  + ("; say which dtype=" if found else ""))
    return runs.number(field(found[0], of))
