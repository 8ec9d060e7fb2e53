"""Where a peer is faster than our operator, in all recorded runs of the chapters.

A *cell* is one operation, type, size and regime on one GPU beside one peer. Its ratio is the peer's
time over our operator's: below 1, the peer is faster. What counts as ours is what a user calls:

- beside PyTorch (results/GPU_torch.json) the row `bound`, the operator called from PyTorch;
- beside CUB (results/GPU.json) the row with `operator` for `cub` in its name, elu/operator_f16 for
  elu/cub_f16, or the one that "operators" in the chapter's results/headline.json names, with {} for
  the type: {"swiglu/swiglu_cub_{}": "swiglu/swiglu_{}"}.

Copies, fills and the rows `_by_hand` (our own kernels) are yardsticks and no peers.
"""

import math
from collections import namedtuple

import beside_torch
import compare
import recorded
import runs

PEERS = {"torch": "PyTorch", "compile": "torch.compile", "cub": "cub::DeviceTransform",
         "cub_block": "CUB's block primitives"}
Cell = namedtuple("Cell", "gpu peer chapter operation dtype shape regime ratio spread_pct ours theirs")


def name_of(row):
    return f"{row.ladder}/{row.rung}"


def cub_cells(run, gpu, chapter, operators):
    """The cells of a chapter's own run; ToolError where it is not known which row is ours."""
    known = {(name_of(row), row.shape, row.regime): row for row in run.rows}
    found = []
    for row in run.rows:
        words = row.rung.split("_")
        if row.kind != "peer" or "cub" not in words:
            continue
        named = {peer.replace("{}", row.dtype): operator.replace("{}", row.dtype) for peer, operator in operators.items()}
        name = named.get(name_of(row), f"{row.ladder}/{row.rung.replace('cub', 'operator')}")
        ours = known.get((name, row.shape, row.regime))
        if ours is None:
            raise runs.ToolError(f"{run.path}: has no {name} at {row.shape}, {row.regime}, to compare with "
                                 f"{name_of(row)}; name the operator's row under \"operators\" in headline.json")
        peer = "cub_block" if "block" in words else "cub"
        words = "_".join(word for word in words if word not in ("cub", "block", "transpose"))
        found += cell(gpu, peer, chapter, beside_torch.in_words(row, words), row, ours)
    return found


def torch_cells(run, gpu, chapter):
    """The cells of a chapter's run beside PyTorch."""
    return [one for found in beside_torch.cells(run) if "bound" in found.rows
            for who in ("torch", "compile") if who in found.rows
            for one in cell(gpu, who, chapter, found.operation, found.rows[who], found.rows["bound"])]


def cell(gpu, peer, chapter, operation, theirs, ours):
    """[the cell], or nothing where a row has failed."""
    if theirs.failed or ours.failed or not (theirs.median_us and ours.median_us):
        return []
    return [Cell(gpu, peer, chapter, operation, ours.dtype, ours.shape, ours.regime,
                 theirs.median_us / ours.median_us, max(theirs.spread_pct, ours.spread_pct),
                 name_of(ours), name_of(theirs))]


def cut(ratio):
    """Three digits, cut and not rounded, so that what is below 1 shows as below 1."""
    return f"{math.floor(ratio * 1000 + 1e-6) / 1000:.3f}"


def place(one):
    sides = one.shape.split("x")
    size = f"{sides[0]}²" if len(sides) == 2 and sides[0] == sides[1] else "×".join(sides)
    return f"{one.chapter[:2]} {one.operation}, {one.dtype}, {size}, {one.regime}"


def summary_table(cells, gpus):
    """(titles, rows, alignment): a row per GPU and peer; dashes where nothing is recorded."""
    body = []
    for gpu in gpus:
        for peer, title in PEERS.items():
            mine = [one for one in cells if (one.gpu, one.peer) == (gpu, peer)]
            if not mine:
                body.append([gpu, title, "not recorded"] + ["–"] * 5)
                continue
            low, worst = [one for one in mine if one.ratio < 1], min(mine, key=lambda one: one.ratio)
            beyond = sum(compare.judge(one.ratio, one.spread_pct, False) != compare.WITHIN for one in low)
            body.append([gpu, title, str(len(mine)), str(len(low)), str(beyond),
                         str(sum(one.ratio < 0.99 for one in low)), cut(worst.ratio), place(worst)])
    return ["GPU", "Peer", "Cells", "below 1.00", "of them beyond the spread", "below 0.99", "Worst", "where"], body, "llrrrrrl"


def lowest(cells, wanted=lambda cell: True):
    """Of the cells below 0.99 beside PyTorch and torch.compile, per launch (one operation, type, regime and number of
    elements on one GPU) the list of those at the shape that is lowest, or lowest of the wanted."""
    groups = {}
    for one in sorted(cells, key=lambda one: (not wanted(one), one.ratio)):
        if one.ratio < 0.99 and one.peer in ("torch", "compile"):
            launch = (one.gpu, one.ours, one.regime, recorded.elements_of(one.shape))
            group = groups.setdefault(launch, [])
            if not group or group[0].shape == one.shape:
                group.append(one)
    order = runs.unique((one.gpu, one.ours) for one in cells)
    return sorted(groups.values(), key=lambda group: order.index((group[0].gpu, group[0].ours)))


def row_of(one, who):
    return f"{getattr(one, who)}/{one.shape}/{one.regime}"


def profile_table(cells, entries, shown):
    """(titles, rows, alignment) and the cells that are missing: ncu's figures of the kernels in the lowest cells;
    entries: {GPU: {row's name: its kernels' entries}}; shown formats a number."""
    def known(one):
        return all(row_of(one, who) in entries.get(one.gpu, {}) for who in ("ours", "theirs"))
    body, missing = [], []
    for group in lowest(cells, known):
        first, label = group[0], f"{group[0].gpu} {place(group[0])}"
        if not known(first):
            missing += [label] if first.gpu in entries else []
            continue
        lines = [("ours", row_of(first, "ours"))]
        lines += [(f"{PEERS[one.peer]}, {cut(one.ratio)}", row_of(one, "theirs")) for one in group if known(one)]
        body += kernels_of(label, [(who, entries[first.gpu][name]) for who, name in lines], shown)
    return (KERNEL_TITLES, body, KERNEL_ALIGNMENT), missing


KERNEL_TITLES = ["Cell", "Whose", "Threads × elements", "Registers", "µs", "% DRAM", "% occupancy", "Instructions", "First wait"]
KERNEL_ALIGNMENT = "ll" + "r" * 6 + "l"


def kernels_of(label, contenders, shown):
    """A line for each kernel of each contender (who, [entry of ncu.py]); the cell's label stands in the first."""
    body = []
    for who, kernels in contenders:
        for one in kernels:
            part = "" if one["part"] == "1 of 1" else f", kernel {one['part']}"
            waits = {reason: value for reason, value in (one["stalls"] or {}).items() if reason != "selected"}
            stall = max(waits, key=waits.get, default="–")
            body.append([label, who + part, f"{one['threads']:g} × {one['elements_per_thread']:g}", f"{one['registers']:g}",
                         shown(one["duration_us"]), shown(one["dram_pct"], 3), shown(one["occupancy_pct"], 3),
                         shown(one["instructions_per_element"], 3), f"{stall.replace('_', ' ')} {shown(waits.get(stall), 3)}"])
            label = ""
    return body


#: Beside which a run of common/torch/views.py or serving.py has ours: in each row's name, and as a column.
VIEWS_PEERS = {"torch": "PyTorch", "compile": "torch.compile", "liger": "Liger-Kernel", "quack": "quack"}
View = namedtuple("View", "case size regime ratio who")  # who: the faster peer


def views(rows, cases):
    """A cell for each case and regime in which ours has a peer; rows: {CASE/WHO/REGIME: row}."""
    cells = []
    for case in cases:
        for regime in ("cold", "warm"):
            ours = rows.get(f"{case}/bound/{regime}")
            theirs = {rows[name]["median_us"]: who for who in VIEWS_PEERS if (name := f"{case}/{who}/{regime}") in rows}
            if ours and theirs:
                cells.append(View(*case.rsplit("_", 1), regime, min(theirs) / ours["median_us"], theirs[min(theirs)]))
    return cells


def lowest_views(cells):
    """Of each case that is below 0.99 somewhere, the cell where it is lowest."""
    found = {}
    for one in sorted(cells, key=lambda one: one.ratio):
        if one.ratio < 0.99:
            found.setdefault(one.case, one)
    return list(found.values())
