"""What report.py writes about the chapters: their order, and the table of the front page."""

import re

import runs
from marker import load_json


def titles():
    """[(page, name, subtitle)] of the lessons, from `# 01 · ELU: from one element ...`: a chapter's README.md,
    and what other pages lie beside it."""
    found = []
    for page in (page for folder in runs.find_chapters(runs.ROOT) for page in runs.lessons_of(folder)):
        heading = re.match(r"# (.*?): (.*)\n", page.read_text(encoding="utf-8"))
        if not heading:
            raise runs.ToolError(f"{page}: begin it with a line like '# 07 · ReLU: what it teaches'")
        found.append((page, *heading.groups()))
    return found


def around(part):
    """The titles before and after the page's own, each None at an end."""
    every = titles()
    place = next((i for i, title in enumerate(every) if title[0] == part.page.resolve()), None)
    if place is None:
        part.fail("stands on a lesson alone")
    beside = [None, *every, None]
    return beside[place], beside[place + 2]


def sittings(page):
    """" (35 and 40 minutes)", if the page says how long its sittings are."""
    said = re.search(r"sittings of (\d+(?:, \d+)* and \d+ minutes)", page.read_text(encoding="utf-8"))
    return f" ({said.group(1)})" if said else ""


def make_chapters(part):
    return [f"- [{name}]({part.link(page)}): {subtitle}{sittings(page)}" for page, name, subtitle in titles()]


def make_neighbours(part):
    before, after = around(part)
    pages = [("Overview", "README.md"), ("The machinery", "common/README.md"),
             ("Glossary", "common/GLOSSARY.md")]
    words = [f"[{name}]({part.link(runs.ROOT / page)})" for name, page in pages]
    words += [f"previous: [{before[1]}]({part.link(before[0])})"] if before else []
    words += [f"next: [{after[1]}]({part.link(after[0])})" if after else "the last chapter"]
    return [" · ".join(words)]


def make_next(part):
    _, after = around(part)
    if after:
        return [f"Next: [{after[1]}]({part.link(after[0])}): {after[2]}."]
    return [f"This is the last chapter. Back to [the overview]({part.link(runs.ROOT / 'README.md')})."]


def headlines():
    """{chapter's folder: its results/headline.json}, in order: which rows the figure against the peers shows
    ("against": as beside_torch.headline takes them), which rows are the operators ("operators": behind.py)."""
    paths = ((folder, folder / "results" / "headline.json") for folder in runs.find_chapters(runs.ROOT))
    return {folder: load_json(path) for folder, path in paths if path.exists()}
