"""What the explorer and the warp view draw: the recorded runs of every chapter and GPU, made small by share.py, with an index of them and of the files that readers have added; and the recorded traces."""

import json
import re
from pathlib import Path

import runs
import share


def first_heading(folder):
    found = re.search(r"^# (.*)$", runs.read_text(folder / "README.md"), re.M) if (folder / "README.md").is_file() else None
    return found.group(1).split(":")[0].strip() if found else folder.name


def write(root, folder):
    """Writes index.json and a file for each chapter and GPU."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    chapters, files = {}, []
    found = list(share.recorded_ladders(root))
    order = runs.main_first({path.stem for _, path in found}, root)
    for chapter, path in sorted(found, key=lambda one: order.index(one[1].stem)):
        data, name = share.small(path), f"{chapter.name}.{path.name}"
        runs.write_json(folder / name, data)
        entry = chapters.setdefault(chapter.name, {"chapter": chapter.name, "title": first_heading(chapter), "ladders": []})
        entry["ladders"] = runs.unique(entry["ladders"] + [one["ladder"] for one in data["ladders"]])
        files.append({"file": name, "id": path.stem, "gpu": data["context"]["gpu"], "chapters": [chapter.name]})
    for path, data in share.added(root):
        runs.write_json(folder / path.name, data)
        files.append({"file": path.name, "id": path.stem, "gpu": data["gpu"], "added": True,
                      "chapters": [run["context"]["executable"].removesuffix("_bench") for run in data["runs"]]})
    text = json.dumps({"chapters": list(chapters.values()), "files": files}, ensure_ascii=False, indent=1)
    (folder / "index.json").write_text(text + "\n", encoding="utf-8")


# -------------------------------------------------------------------------------------------------
# Traces

def lines_of(rungs):
    """The places in the sources, as file:line, that the accesses of traced rungs come from."""
    return {request["line"] for rung in rungs for launch in rung["launches"]
            for which in ("middle", "last") for request in (launch.get(which) or {}).get("requests", []) if request.get("line")}


def write_traces(root, folder, site):
    """Writes index.json and a file for each chapter that has recorded traces; the index names the sources that
    have a page in the site."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    chapters, lines = [], set()
    for chapter in runs.find_chapters(root):
        rungs = {}
        for path in sorted((chapter / "results").glob("trace*.json")):
            for rung in runs.load_json(path).get("rungs", []):
                if any(launch.get("middle") or launch.get("last") for launch in rung["launches"]):
                    rungs.setdefault(rung["rung"], rung)
        if rungs:
            text = json.dumps({"rungs": list(rungs.values())}, separators=(",", ":"))
            (folder / f"{chapter.name}.json").write_text(text + "\n", encoding="utf-8")
            chapters.append({"chapter": chapter.name, "title": first_heading(chapter)})
            lines |= lines_of(rungs.values())
    sources = sorted(file for file in {line.split(":")[0] for line in lines} if (Path(site) / f"{file}.html").is_file())
    text = json.dumps({"chapters": chapters, "sources": sources})
    (folder / "index.json").write_text(text + "\n", encoding="utf-8")
