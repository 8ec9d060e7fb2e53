"""./tutorial elu: a chapter on one screen: where the kernels are, how fast each rung is and by what, what to type next."""

import re
import textwrap

import export
import front
import predict
import runs

WIDTH = 80


def shown_rungs(folder):
    """The rungs of the table of the lesson's results."""
    page = (folder / "README.md").read_text(encoding="utf-8")
    found = re.search(r"(?m)^<!-- report:gpus .*?rungs=(\S+)", page)
    return found[1].split(",") if found else []


def kernel_files(folder, rungs):
    """The files that define the kernels of these rungs, the chapter's own first."""
    launches = [export.launch_of(folder, name) for name in rungs]
    kernels = {launch[3].split("<")[0] for launch in launches if launch}
    paths = [*runs.headers(folder), *sorted((runs.ROOT / "common").glob("*.cuh"))]
    texts = {path: path.read_text(encoding="utf-8") for path in paths if not re.match("your_|.*backward", path.name)}
    return [path for path, text in texts.items() if any(re.search(rf"\b{kernel}\(const", text) for kernel in kernels)] or [
        path for path, text in texts.items() if "__global__" in text and folder in path.parents]


def limits(folder, gpu):
    """{rung: what the model says that limits it}, and nothing where nothing is counted."""
    try:
        found, _ = predict.predictions(folder.name, predict.recorded_target(gpu, folder.name), gpu)
    except (runs.ToolError, OSError, KeyError):
        return {}
    return {kernel.row.rung: prediction.limit for kernel, prediction, _ in found}


def ladder(folder):
    """The lines of the ladder, and the rung that comes closest to a copy."""
    gpu = runs.shown()["main"]
    recorded = folder / "results" / f"{gpu}.json"
    if not recorded.exists():  # a new chapter
        return [], None
    run = runs.load_run(recorded)
    by = limits(folder, gpu)
    found = (next((row for row in run.select(rung=name, regime="cold", kind="rung")
                   if row.shape == run.default_shape(row.ladder)), None) for name in shown_rungs(folder))
    rows = [row for row in found if row and row.copy_pct]
    if not rows:
        return [], None
    best = max(rows, key=lambda row: row.copy_pct)
    width = max(len(row.rung) for row in rows)
    lines = [f"Recorded on an {gpu.upper()}, cold: GB/s, percent of a copy, what limits it (a model):"]
    for row in rows:
        mark = "  the fastest" if row is best else ""
        lines.append(f"  {row.rung:{width}} {row.gbps:7.0f} {row.copy_pct:7.1f} %   {by.get(row.rung, ''):9}{mark}".rstrip())
    return lines, best.rung


def lines_of(folder):
    name = runs.ladder_of_chapter(folder)
    title = re.search(r"(?m)^# (.+)$", (folder / "README.md").read_text(encoding="utf-8"))[1]
    files = ", ".join(path.name if path.parent == folder else front.here(path) for path in kernel_files(folder, shown_rungs(folder)))
    drawn, best = ladder(folder)
    rung = best or "RUNG"
    lines = textwrap.wrap(title, WIDTH)
    lines.append(f"in {front.here(folder)}: README.md, {front.your_file(folder).name} (yours), kernels")
    lines += textwrap.wrap(files, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    lines += ["", *drawn] if drawn else []
    lines.append("")
    takes = rung in export.names(folder)
    for words, what in ((f"bench {name} {rung}", "time this rung alone"), (f"trace {name} {rung}", "the bytes it asks for"),
                        (f"predict {name}", "where the time goes"), (f"export {name} {rung if takes else ''}".strip(), "a file to take along"),
                        (f"test {name} --yours", "judge your own kernel")):
        lines.append(f"{front.command(words):<55} {what}")
    return lines


def run(folder):
    print(*lines_of(folder), sep="\n")
    return 0
