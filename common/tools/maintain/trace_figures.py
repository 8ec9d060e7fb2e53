"""Pictures of a warp's accesses for pages: what report.py's trace_figure draws."""

import itertools
import textwrap

import figures
import trace

SECTORS_A_ROW = 16
MARGIN, LABEL = 16, 17  # LABEL: the height of the words above a request
SECTOR_WIDTH = 28
STRIP = 20      # the height of a row of sectors
CELL = SECTORS_A_ROW * SECTOR_WIDTH / 32  # of a bank


def colour(lane):
    """s0 to s3, for a quarter of the warp each."""
    return f"s{lane // 8}" if lane >= 0 else "s5"


def shape_of(request):
    """What two requests have in common that look alike."""
    first = min(o for o in request["offsets"] if o is not None)
    first -= first % trace.SECTOR if request["space"] == "global" else 0
    return (request["operation"], request["space"], request["bytes"],
            tuple(None if o is None else o - first for o in request["offsets"]))


def chosen(requests):
    """The requests to draw: each shape once, and the stores only if they differ from the loads."""
    first = {}
    for request in requests:
        first.setdefault(shape_of(request), request)
    drawn = list(first.values())
    for space in ("global", "shared"):
        loads, stores = ({shape_of(r)[1:]: r for r in drawn if (r["operation"], r["space"]) == (operation, space)}
                         for operation in ("load", "store"))
        if loads.keys() >= stores.keys():
            drawn = [r for r in drawn if r not in stores.values()]
    return drawn[:8]


def pieces(request, sector):
    """[(lane or -1, first byte in the sector, bytes)] of one sector."""
    owners = trace.bytes_of(request)
    groups = itertools.groupby(range(trace.SECTOR), lambda k: owners.get(sector * trace.SECTOR + k))
    found = [(lane, list(group)) for lane, group in groups if lane is not None]
    return [(lane, those[0], len(those)) for lane, those in found]


def draw_global(canvas, request, y):
    """Rows of sectors from y on; the y below them."""
    sectors = sorted({at // trace.SECTOR for at in trace.bytes_of(request)})  # of 32 lanes 64 at most
    for begin in range(0, len(sectors), SECTORS_A_ROW):
        for i, sector in enumerate(sectors[begin:begin + SECTORS_A_ROW]):
            x = MARGIN + i * SECTOR_WIDTH
            canvas.rect(x + 1, y, SECTOR_WIDTH - 2, STRIP, "grid")
            for lane, first, count in pieces(request, sector):
                left = x + 1 + first * (SECTOR_WIDTH - 2) / trace.SECTOR
                width = count * (SECTOR_WIDTH - 2) / trace.SECTOR
                canvas.rect(left, y, max(width - 0.6, 0.8), STRIP, colour(lane))
                if lane >= 0 and (width >= 18 or width >= 11 and lane % 4 == 0):  # numbers that do not touch
                    canvas.text(left + width / 2, y + 14, str(lane), "page", "middle", "s")
        y += STRIP + 3
    return y


def draw_shared(canvas, request, y):
    """The 32 banks, a row for each pass."""
    phases = trace.phases_of(request)
    banks = trace.bank_columns(request, phases[0])
    for bank in range(0, 32, 4):
        canvas.text(MARGIN + (bank + 0.5) * CELL, y + 8, str(bank), "muted", "middle", "s")
    y += 13
    for turn in range(max(len(bank) for bank in banks)):
        for number, bank in enumerate(banks):
            x, words = MARGIN + number * CELL, sorted(bank)
            if turn >= len(words):
                canvas.rect(x + 0.5, y, CELL - 1, STRIP, "grid")
                continue
            asking = bank[words[turn]]
            canvas.rect(x + 0.5, y, CELL - 1, STRIP, colour(asking[0]))
            canvas.text(x + CELL / 2, y + 14, str(asking[0]) if len(asking) == 1 else "*", "page",
                        "middle", "s")
        y += STRIP + 2
    return y


def cost_words(request):
    if request["space"] == "global":
        used = trace.percent(request["used"], request["sectors"] * trace.SECTOR)
        count = request["sectors"]
        return [f"{count} sector{'s' if count != 1 else ''}", f"{used} used"]
    first = len(trace.phases_of(request)[0])
    return [f"{request['ways']}-way conflict" if request["ways"] > 1 else "no conflict"] + (
        [f"lanes 0\u2013{first - 1} shown"] if first < 32 else [])


def head_of(title, requests):
    loads = [r for r in requests if r["operation"] == "load" and r["space"] == "global"]
    stores = [r for r in requests if r["operation"] == "store" and r["space"] == "global"]
    shared = [r for r in requests if r["space"] == "shared"]
    words = [f"{len(group)} {one if len(group) == 1 else many}" for group, one, many in
             ((loads, "load", "loads"), (stores, "store", "stores"), (shared, "shared access", "shared accesses")) if group]
    moved = sum(r["sectors"] for r in loads + stores)
    return f"{title}: " + ", ".join(words) + (f"; {moved} sectors in all" if moved else "")


def warps_of(rungs):
    """[(title, requests)] of each rung's launches that have the warp."""
    found = []
    for title, rung in rungs:
        warps = [launch["middle"]["requests"] for launch in rung["launches"] if launch.get("middle")]
        found += [(f"{title}, launch {number}" if len(warps) > 1 else title, warp) for number, warp in enumerate(warps, 1)]
    return found


def figure(rungs, title="What one warp asks for"):
    """SVG of the warps of [(title, traced rung)]."""
    warps = warps_of(rungs)
    if not warps:
        raise trace.runs.ToolError("there is no warp to draw")
    drawn = [(name, requests, chosen(requests)) for name, requests in warps]
    spaces = {r["space"] for _, _, those in drawn for r in those}
    legend = []
    if "global" in spaces:
        legend.append("A box is a sector of 32 bytes; the coloured part is what lanes ask for.")
    if any(r["operation"] == "store" for _, requests, those in drawn for r in requests
           if r not in those and shape_of(r) not in {shape_of(d) for d in those}):
        legend.append("Stores that look like the loads are left out.")
    if "shared" in spaces:
        legend.append("Shared memory: a column is a bank, a row is a pass, a number is the lane that it serves, * several lanes.")
    description = "; ".join(head_of(name, requests) for name, requests, _ in drawn)
    canvas = figures.Canvas(2 * MARGIN + SECTORS_A_ROW * SECTOR_WIDTH, 0, title, description)
    y = figures.headings(canvas, title, " ".join(legend)) + 12
    for name, requests, those in drawn:
        for line in textwrap.wrap(head_of(name, requests), 78):
            canvas.text(MARGIN, y + 14, line, kind="t")
            y += 17
        y += 3
        for request in those:
            where = "shared " if request["space"] == "shared" else ""
            times = sum(shape_of(r) == shape_of(request) for r in requests)
            label = f"{where}{request['operation']}, {request['bytes']} B" + (
                f" \u00d7{times}" if times > 1 else "") + (", by bank" if where else "")
            canvas.text(MARGIN, y + 11, label, "muted", kind="s")
            canvas.text(canvas.width - MARGIN, y + 11, ", ".join(cost_words(request)), "ink", "end", "s")
            draw = draw_global if request["space"] == "global" else draw_shared
            y = draw(canvas, request, y + LABEL) + 7
        y += 4
    canvas.height = y + 6
    return canvas.render()
