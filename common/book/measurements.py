"""What the explorer and the warp view draw: the recorded runs of every chapter and GPU, made small by share.py, with an index of them and of the files that readers have added; and the recorded traces."""

import json

import runs
import share


def titled(book, chapter):
    return {"chapter": chapter.name, "title": book.title(f"{chapter.name}/README.md")}


def write(book, folder):
    """Writes index.json and a file for each chapter and GPU."""
    folder.mkdir(parents=True, exist_ok=True)
    chapters, files = {}, []
    found = list(share.recorded_ladders(book.root))
    order = runs.main_first({path.stem for _, path in found}, book.root)
    for chapter, path in sorted(found, key=lambda one: order.index(one[1].stem)):
        data, name = share.small(path), f"{chapter.name}.{path.name}"
        runs.write_json(folder / name, data)
        entry = chapters.setdefault(chapter.name, {**titled(book, chapter), "ladders": []})
        entry["ladders"] = runs.unique(entry["ladders"] + [one["ladder"] for one in data["ladders"]])
        files.append({"file": name, "id": path.stem, "gpu": data["context"]["gpu"], "chapters": [chapter.name]})
    for path, data in share.added(book.root):
        runs.write_json(folder / path.name, data)
        files.append({"file": path.name, "id": path.stem, "gpu": data["gpu"], "added": True,
                      "chapters": [run["context"]["executable"].removesuffix("_bench") for run in data["runs"]]})
    runs.write_json(folder / "index.json", {"chapters": list(chapters.values()), "files": files})


# -------------------------------------------------------------------------------------------------
# Traces

def sources_of(rungs):
    """The sources that the accesses of traced rungs come from."""
    return {request["line"].split(":")[0] for rung in rungs for launch in rung["launches"]
            for which in ("middle", "last") for request in (launch.get(which) or {}).get("requests", []) if request.get("line")}


def write_traces(book, folder, site):
    """Writes index.json and a file for each chapter that has recorded traces; the index names the sources that
    have a page in the site."""
    folder.mkdir(parents=True, exist_ok=True)
    chapters, sources = [], set()
    for chapter in runs.find_chapters(book.root):
        rungs = {}
        for path in sorted((chapter / "results").glob("trace*.json")):
            for rung in runs.load_json(path).get("rungs", []):
                if any(launch.get("middle") or launch.get("last") for launch in rung["launches"]):
                    rungs.setdefault(rung["rung"], rung)
        if rungs:
            text = json.dumps({"rungs": list(rungs.values())}, separators=(",", ":"))
            (folder / f"{chapter.name}.json").write_text(text + "\n", encoding="utf-8")
            chapters.append(titled(book, chapter))
            sources |= sources_of(rungs.values())
    shown = sorted(file for file in sources if (site / f"{file}.html").is_file())
    runs.write_json(folder / "index.json", {"chapters": chapters, "sources": shown})
