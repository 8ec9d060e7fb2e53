"""What the explorer draws: the recorded runs of every chapter and GPU in the small form of share.py, and an
index of them and of the files that readers have added."""

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
    for chapter, run in share.recorded(root):
        data = share.ladders([run])
        name = f"{chapter.name}.{Path(run.path).stem}.json"
        (folder / name).write_text(share.text_of(data), encoding="utf-8")
        entry = chapters.setdefault(chapter.name, {"chapter": chapter.name, "title": first_heading(chapter), "ladders": []})
        entry["ladders"] = runs.unique(entry["ladders"] + run.ladders())
        files.append({"file": name, "id": Path(run.path).stem, "gpu": data["gpu"], "chapters": [chapter.name]})
    for path, data in share.added(root):
        (folder / path.name).write_text(share.text_of(data), encoding="utf-8")
        files.append({"file": path.name, "id": path.stem, "gpu": data["gpu"], "added": True,
                      "chapters": [entry["chapter"] for entry in data["chapters"]]})
    text = json.dumps({"chapters": list(chapters.values()), "files": files}, ensure_ascii=False, indent=1)
    (folder / "index.json").write_text(text + "\n", encoding="utf-8")
