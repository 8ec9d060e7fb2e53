"""What the book is made of: which Markdown files are its pages, where each of them lies in the book,
what stands under what in the sidebar, and which sources the pages lead to.

Nothing here is a list that somebody keeps: a folder that appears in the repository appears in the
book. `stage` copies the pages to a folder for Sphinx to read. There a README.md is an index.md, so that a
folder's address shows it, and the sidebar's tree is appended to each page that has pages below it.
"""

import html
import os
import re
import shlex
import shutil
import urllib.parse
from pathlib import Path, PurePosixPath

import links
import runs

#: Pages that exist in the book only to be used there; they stand in a group of their own.
TOOLS = "common/book"
#: A file that is longer is handed out as it is instead of being shown with colours.
LONGEST_SHOWN = 200_000
SHOWN = {".cu", ".cuh", ".h", ".cpp", ".py", ".sh", ".cmake", ".json", ".txt", ".csv", ".js", ".css",
         ".yml", ".ipynb", ""}
FIGURE = re.compile(r"^<!-- report:(?:ladder|sizes)_figure (.*?) -->$\n.*?^<!-- /report -->\n\n(?:[^\n]+\n)+", re.M | re.S)
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.M)


def is_page(name):
    return name.endswith(".md") and not name.startswith(".")


def page_of(name):
    """The page of a Markdown file, without a suffix: 01_elu/README.md is 01_elu/index."""
    path = PurePosixPath(name).with_suffix("")
    return str(path.with_name("index") if path.name == "README" else path)


def normal(folder, target):
    """The repository path of a link's target, seen from a folder."""
    return os.path.normpath(os.path.join(folder, target)).replace(os.sep, "/")


class Repository:
    """The repository's files, its pages with their titles, and what the pages lead to."""

    def __init__(self, root=runs.ROOT):
        self.root = Path(root)
        self.files = set(runs.tracked_files(self.root))
        self.pages = sorted(name for name in self.files if is_page(name))
        self.texts = {name: runs.read_text(self.root / name) for name in self.pages}
        self.page_names = {page_of(name): name for name in self.pages}

    # ---------------------------------------------------------------------------------------------
    # The sidebar

    def title(self, name):
        """A page's title as the sidebar shows it: the first heading; a README's up to its colon."""
        heading = re.search(r"^# (.*)$", self.texts[name], re.M)
        text = heading.group(1) if heading else PurePosixPath(name).stem
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", text)
        return (text.split(":")[0] if name.endswith("README.md") else text).strip()

    def parent(self, name):
        """The page under which a page stands: the README of its own or of the next folder above."""
        folder = PurePosixPath(name).parent
        if PurePosixPath(name).name == "README.md":
            if str(folder) == ".":
                return None
            folder = folder.parent
        if str(PurePosixPath(name).parent) == TOOLS and not name.endswith("README.md"):
            return "README.md"
        while f"{folder}/README.md" not in self.texts and str(folder) != ".":
            folder = folder.parent
        return "README.md" if str(folder) == "." else f"{folder}/README.md"

    def children(self, name):
        """The pages under a page, in the order in which it mentions them, then by name."""
        mentioned = [normal(str(PurePosixPath(name).parent), target.partition("#")[0])
                     for target in self.targets(name)]

        def place(child):
            return (mentioned.index(child) if child in mentioned else len(mentioned), child)

        return sorted((page for page in self.pages if self.parent(page) == name), key=place)

    def groups(self, name):
        """(caption, pages) of the sidebar's tree below a page."""
        below = self.children(name)
        if name != "README.md":
            return [("", below)] if below else []
        chapters = sorted(page for page in below if re.match(r"\d\d_", page))
        tools = [page for page in below if page.startswith(TOOLS + "/")]
        rest = [page for page in below if page not in chapters and page not in tools]
        groups = [("Lessons", chapters), ("Look for yourself", tools), ("Behind it", rest)]
        return [(caption, pages) for caption, pages in groups if pages]

    def tree(self, name):
        """The sidebar's tree below a page, as MyST's directive."""
        blocks = []
        for caption, pages in self.groups(name):
            lines = ["```{toctree}", ":hidden:"] + ([f":caption: {caption}"] if caption else [])
            lines += [f"{self.title(page)} </{page_of(page)}>" for page in pages]
            blocks.append("\n".join(lines) + "\n```\n")
        return "\n".join(blocks)

    # ---------------------------------------------------------------------------------------------
    # What the pages lead to

    def targets(self, name):
        """The relative targets of a page's links and images, in their order."""
        document = links.Document(self.root / name, name)
        found = []
        for _, line in document.text_lines():
            found += [target.strip("<>") for target in links.targets_of(line)]
        return [target for target in found if target and target[0] != "#" and not links.SCHEME.match(target)]

    def is_folder(self, name):
        return name == "." or any(file.startswith(name + "/") for file in self.files)

    def listing(self, folder):
        """(name, is it a folder) of what a folder holds."""
        start = "" if folder == "." else folder + "/"
        inside = {file[len(start):] for file in self.files if file.startswith(start)}
        return sorted({(name.split("/")[0], "/" in name) for name in inside})

    def linked(self):
        """(sources, folders): what pages lead to that is no page itself. A folder brings its files, and
        a source the headers that it includes."""
        waiting = []
        for name in self.pages:
            folder = str(PurePosixPath(name).parent)
            waiting += [normal(folder, target.partition("#")[0]) for target in self.targets(name)]
        sources, folders = set(), set()
        while waiting:
            name = waiting.pop()
            if name in sources or name in folders or name in self.texts:
                continue
            if name in self.files:
                sources.add(name)
                waiting += self.included(name)
            elif self.is_folder(name) and f"{name}/README.md" not in self.texts:
                folders.add(name)
                waiting += [f"{name}/{inside}" for inside, _ in self.listing(name)]
        return sorted(sources), sorted(folders)

    def included(self, name):
        if PurePosixPath(name).suffix not in (".cu", ".cuh", ".h", ".cpp"):
            return []
        return [found for found in INCLUDE.findall(runs.read_text(self.root / name)) if found in self.files]

    def is_shown(self, name):
        """Is a source shown on a page, rather than handed out as a file?"""
        return (PurePosixPath(name).suffix in SHOWN
                and (self.root / name).stat().st_size <= LONGEST_SHOWN)

    def address(self, name):
        """Where the book has a file or folder of the repository, or None."""
        if name in self.texts:
            return page_of(name) + ".html"
        if f"{name}/README.md" in self.texts or (name == "." and "README.md" in self.texts):
            return normal(name, "index.html")
        if name in self.files:
            return f"{name}.html" if self.is_shown(name) else name
        return f"{name}/index.html" if self.is_folder(name) else None


# -------------------------------------------------------------------------------------------------
# The copy for Sphinx


def for_sphinx(text):
    """A page's text with the math that only GitHub writes in the common form: $`x`$ becomes $x$."""
    lines = text.splitlines(keepends=True)
    for number, in_code in enumerate(links.fence_flags([line.rstrip("\n") for line in lines])):
        if not in_code:
            lines[number] = re.sub(r"\$`([^`]+)`\$", r"$\1$", lines[number])
    return "".join(lines)


def explorer_link(name, options):
    """The line below a figure of a recorded ladder: the same numbers in the explorer."""
    words = shlex.split(options)
    given = dict(word.split("=", 1) for word in words[1:] if "=" in word)
    folder = normal(str(PurePosixPath(name).parent), words[0])
    chapter = re.search(r"\b\d\d_\w+", folder if "/" in words[0] else name)
    if not chapter:
        return ""
    query = {"chapter": chapter.group(0), "type": given.get("dtype"), "size": given.get("shape"),
             "rung": given.get("rungs", "").split(",")[0]}
    address = os.path.relpath(f"{TOOLS}/explorer.html", PurePosixPath(name).parent)
    address += "?" + urllib.parse.urlencode({key: value for key, value in query.items() if value})
    return f'\n<p class="explore"><a href="{html.escape(address)}">This ladder in the explorer</a></p>\n'


def with_explorer_links(name, text):
    return FIGURE.sub(lambda found: found.group(0) + explorer_link(name, found.group(1)), text)


def write_if_new(path, data):
    """Writes a file unless it holds the same already, so that Sphinx reads only what has changed."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def stage(repository, folder):
    """Makes the folder that Sphinx reads: the pages and their images, and nothing else."""
    folder = Path(folder)
    wanted = {}
    for name in repository.pages:
        text = with_explorer_links(name, for_sphinx(repository.texts[name])) + "\n" + repository.tree(name)
        wanted[folder / (page_of(name) + ".md")] = text.encode("utf-8")
        for target in repository.targets(name):
            image = normal(str(PurePosixPath(name).parent), target)
            if image.endswith((".svg", ".png")) and image in repository.files:
                wanted[folder / image] = (repository.root / image).read_bytes()
    for path in folder.rglob("*") if folder.is_dir() else ():
        if path.is_file() and path not in wanted:
            path.unlink()
    for path, data in wanted.items():
        write_if_new(path, data)


def copy_files(repository, folder):
    """Puts the linked files that are not shown on a page beside the pages."""
    for name in repository.linked()[0]:
        if not repository.is_shown(name):
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(repository.root / name, Path(folder) / name)
