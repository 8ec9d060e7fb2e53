"""What the book is made of: which Markdown files are its pages, where each of them lies in the book,
what stands under what in the sidebar, and which sources the pages lead to.

Nothing here is a list that somebody keeps: a folder that appears in the repository appears in the
book. `stage` copies the pages to a folder for Sphinx to read. There a README.md is an index.md, so that a
folder's address shows it, and the sidebar's tree is appended to each page that has pages below it.
"""

import html
import os
import posixpath
import re
import shlex
import subprocess
import urllib.parse
from pathlib import Path, PurePosixPath

import links
import runs

#: Pages that exist in the book only to be used there; they stand in a group of their own.
TOOLS = "common/book"
GLOSSARY = "common/GLOSSARY.md"
#: A file that is longer, or that a program recorded, is handed out as it is instead of being shown with colours.
LONGEST_SHOWN = 200_000
RECORDED = re.compile(r"/results/.*\.json$|\.csv$")
READ_A_MINUTE = 120
CUDA = {".cu", ".cuh", ".h", ".cpp"}
SHOWN = CUDA | {".py", ".sh", ".cmake", ".json", ".txt", ".csv", ".js", ".css", ".yml", ""}
FIGURE = re.compile(r"^<!-- report:(ladder|sizes|trace)_figure (.*?) -->$\n.*?^<!-- /report -->\n\n(?:[^\n]+\n)+", re.M | re.S)
WARPS = re.compile(r"^<!-- view:warps (\w+) (\w+) -->$", re.M)
LIVE = re.compile(r"^<!-- view:live (\w+) (\w+) (.+) -->$", re.M)
COMMANDS = re.compile(r"^## Two commands$\n", re.M)
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.M)


def is_tool(name):
    """The explorer and the warp view: not for reading from top to bottom."""
    return name.startswith(TOOLS + "/") and not name.endswith("README.md")


def page_of(name):
    """The page of a Markdown file, without a suffix: 01_elu/README.md is 01_elu/index."""
    path = PurePosixPath(name).with_suffix("")
    return str(path.with_name("index") if path.name == "README" else path)


def normal(folder, target):
    """The repository path of a link's target, seen from a folder."""
    return os.path.normpath(os.path.join(folder, target)).replace(os.sep, "/")


def relative(address, page):
    """An address of the book, seen from a page of it."""
    return posixpath.relpath(address, posixpath.dirname(page) or ".")


class Repository:
    """The repository's files, its pages with their titles, and what the pages lead to."""

    def __init__(self, root=runs.ROOT):
        self.root = Path(root)
        self.files = set(runs.tracked_files(self.root))
        self.pages = sorted(name for name in self.files if name.endswith(".md") and not name.startswith("."))
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
        if name == "README.md":
            return None
        folder = PurePosixPath(name).parent
        if name.endswith("/README.md"):
            folder = folder.parent
        while f"{folder}/README.md" not in self.texts and str(folder) != ".":
            folder = folder.parent
        return "README.md" if is_tool(name) or str(folder) == "." else f"{folder}/README.md"

    def children(self, name):
        """The pages under a page, in the order in which it mentions them, then by name."""
        mentioned = self.targets(name)
        below = [page for page in self.pages if self.parent(page) == name]
        return sorted(below, key=lambda page: [*mentioned, page].index(page))

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

    def lessons(self):
        """The lessons in their order: the chapters' READMEs, and what else lies at a chapter's root."""
        return [page for page in self.pages if re.fullmatch(r"\d\d_\w+/[^/]+\.md", page)]

    def neighbours(self, name):
        """(previous, next) of a page in reading order: from lesson to lesson; any other page leads back to the
        page under which it stands."""
        order = ["README.md", *self.lessons()]
        if name not in order:
            return self.parent(name), None
        at = order.index(name)
        return (order[at - 1] if at else None), (order[at + 1] if at + 1 < len(order) else None)

    def minutes(self, name):
        """How long a page takes by its length, at a pace at which technical pages are read; None where it says so
        itself below its title."""
        text = self.texts[name]
        if re.search(r"\b\d+ minutes\b", text[:1500]):
            return None
        words = len(re.findall(r"[A-Za-z][\w'-]*", re.sub(r"<!--.*?-->|^\|.*$", "", text, flags=re.S | re.M)))
        return max(1, round(words / READ_A_MINUTE))

    # ---------------------------------------------------------------------------------------------
    # What the pages lead to

    def targets(self, name):
        """The files and folders of the repository that a page's links and images lead to, in their order."""
        lines = links.Document(self.root / name, name).text_lines()
        found = [target.strip("<>") for _, line in lines for target in links.targets_of(line)]
        return [normal(str(PurePosixPath(name).parent), target.partition("#")[0]) for target in found
                if target and target[0] != "#" and not links.SCHEME.match(target)]

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
        waiting = [target for name in self.pages for target in self.targets(name)]
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
        if PurePosixPath(name).suffix not in CUDA:
            return []
        return [found for found in INCLUDE.findall(runs.read_text(self.root / name)) if found in self.files]

    def is_shown(self, name):
        """Is a source shown on a page, rather than handed out as a file?"""
        return (PurePosixPath(name).suffix in SHOWN and not RECORDED.search(name)
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
    return "".join(line if in_code else re.sub(r"\$`([^`]+)`\$", r"$\1$", line)
                   for line, in_code in zip(lines, links.fence_flags(lines)))


def view(name, page, words, **query):
    """A line that opens one of the book's tools, here on the page where there is JavaScript (book.js)."""
    address = relative(f"{TOOLS}/{page}.html", name) + "?" + urllib.parse.urlencode({key: value for key, value in query.items() if value}, safe=",")
    return f'\n<p class="explore"><a class="view" href="{html.escape(address)}">{words}</a></p>\n'


def chapter_of(name, file):
    """The chapter of a recorded file that a marker on a page names, else of the page."""
    folder = normal(str(PurePosixPath(name).parent), file) if "/" in file else name
    found = re.search(r"\b\d\d_\w+", folder)
    return found.group(0) if found else None


def view_of_figure(name, kind, options):
    """What stands below a recorded figure: the same numbers in the explorer, or the same warps in the warp view."""
    words = shlex.split(options)
    given = dict(word.split("=", 1) for word in words if "=" in word)
    chapter = chapter_of(name, next((word for word in words if "=" not in word), ""))
    if not chapter:
        return ""
    if kind == "trace":
        return view(name, "warps", "Step through the accesses", chapter=chapter)
    return view(name, "explorer", "This ladder in the explorer", chapter=chapter, type=given.get("dtype"),
                size=given.get("shape"), rung=given.get("rungs", "").split(",")[0])


def with_views(name, text, live=False):
    """A page with its buttons; `live`: the kernels that the tools show can also run there."""
    own = WARPS.search(text)  # a page that names its two rungs

    def below(found):
        kind, options = found.groups()
        return found.group(0) + ("" if own and kind == "trace" else view_of_figure(name, kind, options))

    def warps(left, right, words, **query):
        return view(name, "warps", words, chapter=chapter_of(name, ""), a=left, b=right, **query)

    text = FIGURE.sub(below, text)
    text = WARPS.sub(lambda found: warps(*found.groups(), f"Step through the accesses of {found[1]} and {found[2]}"), text)
    return LIVE.sub(lambda found: warps(*found.groups(), live="yes") if live else "", text)


# -------------------------------------------------------------------------------------------------
# Where the files are


def web_address(remote):
    """The address of a Git remote as a browser and `git clone` take it, or None where it is no public one."""
    remote = remote.strip()
    short = re.fullmatch(r"(?:ssh://)?git@([\w.-]+)[:/](.+)", remote)
    if short:
        remote = f"https://{short.group(1)}/{short.group(2)}"
    found = re.fullmatch(r"(https://)(?:[^@/]*@)?([\w.-]+\.[a-z]+/.+?)(?:\.git)?/?", remote)
    return found.group(1) + found.group(2) if found else None


def repository_address(root):
    """TUTORIAL_REPOSITORY, else the clone's own remote; None if neither is an address of the web."""
    given = os.environ.get("TUTORIAL_REPOSITORY")
    if given:
        return web_address(given)
    try:
        done = subprocess.run(["git", "-C", str(root), "remote", "get-url", "origin"], text=True,
                              capture_output=True, check=False)
    except OSError:
        return None
    return web_address(done.stdout) if done.returncode == 0 else None


def with_clone_line(text, address):
    """The front page with the line that gets the files, which a reader of the site does not have yet."""
    if address:
        words = f"First get the files:\n\n```bash\ngit clone {address}\ncd {address.rsplit('/', 1)[1]}\n```\n"
    else:
        words = ("First get the files that these pages belong to. This copy of the book does not know their address: "
                 "ask whoever sent you here.\n")
    return COMMANDS.sub(lambda found: found.group(0) + "\n" + words, text, count=1)


def write_if_new(path, data):
    """Writes a file unless it holds the same already, so that Sphinx reads only what has changed."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def stage(repository, folder, live=False):
    """Makes the folder that Sphinx reads: the pages and their images, and nothing else."""
    folder = Path(folder)
    wanted = {}
    for name in repository.pages:
        text = with_views(name, for_sphinx(repository.texts[name]), live) + "\n" + repository.tree(name)
        if name == "README.md":
            text = with_clone_line(text, repository_address(repository.root))
        wanted[folder / (page_of(name) + ".md")] = text.encode("utf-8")
        for image in repository.targets(name):
            if image.endswith((".svg", ".png")) and image in repository.files:
                wanted[folder / image] = (repository.root / image).read_bytes()
    for path in folder.rglob("*") if folder.is_dir() else ():
        if path.is_file() and path not in wanted:
            path.unlink()
    for path, data in wanted.items():
        write_if_new(path, data)
