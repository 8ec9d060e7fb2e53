"""Builds the book, a site of all pages, and serves it or leaves it in a folder.

    ./tutorial read                  builds it, serves it on this machine alone, and prints the address
    ./tutorial read --build site     builds it into the folder site, for any web server
    ./tutorial read --live           installs emscripten first, so that kernels run in its pages

The pages are the repository's Markdown files; common/book/README.md says how they become a book.
What builds it is installed from PyPI into build/book/venv, once.
"""

import functools
import hashlib
import http.server
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import front
import live
import runs

BOOK = runs.ROOT / "common" / "book"
WORK = runs.ROOT / "build" / "book"
MANIFEST = ".book"  # lists the files of a book in its folder
FIRST_PORT = 8000
EMSCRIPTEN = "109 MB to fetch, 840 MB on the disk, and clang where it is not here"


def say(text):
    print(f"book: {text}", flush=True)


# -------------------------------------------------------------------------------------------------
# What builds it


def quietly(command, logfile, problem):
    """Runs a command with its output in a file; ToolError with its last words if it fails."""
    with open(logfile, "a", encoding="utf-8") as log:
        done = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        words = [line for line in logfile.read_text(encoding="utf-8").splitlines() if line.strip()]
        print("\n".join(words[-8:]), file=sys.stderr)
        raise runs.ToolError(f"{problem} (log: {front.here(logfile)})")


def environment(folder, files):
    """The Python of a virtual environment that holds the packages of these files, made where it is missing."""
    python, stamp = folder / "bin" / "python", folder / "made_for"
    wanted = hashlib.sha256(sys.version.encode() + str(folder).encode()
                            + b"".join(file.read_bytes() for file in files)).hexdigest()
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted and python.exists():
        return python
    log = folder.with_suffix(".log")
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("", encoding="utf-8")
    say(f"installing what builds it from PyPI into {front.here(folder)}")
    quietly([sys.executable, "-m", "venv", str(folder)], log,
            "python3 cannot make a virtual environment; on Debian and Ubuntu: apt-get install python3-venv")
    for file in files:  # complete lists, so that nothing else comes along
        quietly([str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-deps", "-r", str(file)], log,
                f"the packages of {front.here(file)} could not be fetched from PyPI: check the network and run again")
    stamp.write_text(wanted, encoding="utf-8")
    return python


# -------------------------------------------------------------------------------------------------
# Building


def can_be_written(folder):
    """Whether it can be made, or what is there changed."""
    return os.access(next(above for above in (folder, *folder.parents) if above.exists()), os.W_OK)


def check_folder(folder):
    """ToolError unless a site may be written there: a new or empty folder, or an earlier book."""
    if folder.exists() and not folder.is_dir():
        raise runs.ToolError(f"{folder} is a file; name a folder for the book")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        raise runs.ToolError(f"{folder} holds other files; name a new folder for the book")
    if not can_be_written(folder):
        raise runs.ToolError(f"{folder} cannot be written; name a folder that you may write to")


def build(site, work=WORK):
    """Builds the book into a folder and returns what Sphinx warned of."""
    if sys.version_info < (3, 10):
        raise runs.ToolError(f"the book needs Python 3.10 or newer, and this is {sys.version.split()[0]}; "
                             "install a newer python3")
    with front.locked(work):
        python = environment(work / "venv", [BOOK / "requirements.txt"])
        sys.path[:0] = [str(BOOK), str(runs.ROOT / "common" / "tools" / "maintain")]
        import pages
        log, fresh = work / "sphinx.log", work / "fresh"
        kernels = kernels_of_pages()
        pages.stage(pages.Repository(), work / "source", bool(kernels))
        say(f"building it in {front.here(site)}")
        log.write_text("", encoding="utf-8")
        shutil.rmtree(fresh, ignore_errors=True)
        quietly([str(python), "-m", "sphinx", "-q", "-a", "-j", "auto", "-b", "html", "-c", str(BOOK), "-d",
                 str(work / "doctrees"), str(work / "source"), str(fresh)], log, "Sphinx could not build the book")
        if kernels:
            add_kernels(kernels, fresh / "common" / "book")
        publish(fresh, site)
        return log.read_text(encoding="utf-8").strip()


def kernels_of_pages():
    """The folder of the kernels that run in the pages; the book is whole without them."""
    try:
        return live.built()
    except runs.ToolError as problem:
        say(f"its kernels will not run in the pages: {problem}")
        return None


def add_kernels(kernels, tools):
    """Puts the kernels that run in the pages where the warp view looks for them, and says so in its index."""
    shutil.copytree(kernels, tools / "live")
    index = tools / "traces" / "index.json"
    known = runs.load_json(index)
    own = sorted(str(path.relative_to(runs.ROOT)) for path in runs.ROOT.glob("[0-9]*/proof/live.cu"))
    known["sources"] += [name for name in own if (tools.parents[1] / f"{name}.html").is_file()]
    index.write_text(json.dumps({**known, "live": True}) + "\n", encoding="utf-8")


def publish(fresh, site):
    """Puts a new book in the place of the one before; what else lies there stays."""
    manifest = site / MANIFEST
    for name in manifest.read_text(encoding="utf-8").splitlines() if manifest.is_file() else ():
        (site / name).unlink(missing_ok=True)
    names = sorted(str(path.relative_to(fresh)) for path in fresh.rglob("*") if path.is_file())
    shutil.copytree(fresh, site, dirs_exist_ok=True)
    manifest.write_text("\n".join(names) + "\n", encoding="utf-8")


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


# -------------------------------------------------------------------------------------------------
# Serving


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files, without a line for each and without anything kept by the browser."""

    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map,
                      ".js": "text/javascript", ".svg": "image/svg+xml", ".json": "application/json"}

    def log_message(self, *_):
        pass

    def send_error(self, code, message=None, explain=None):
        missing = Path(self.directory) / "404.html"
        if code != 404 or not missing.is_file():
            return super().send_error(code, message, explain)
        data = missing.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
        return None

    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()


def server(site):
    """A server on the loopback address, on the first port that is free."""
    for candidate in [*range(FIRST_PORT, FIRST_PORT + 10), 0]:
        try:
            return http.server.ThreadingHTTPServer(("127.0.0.1", candidate), functools.partial(Handler, directory=str(site)))
        except OSError:
            continue
    raise runs.ToolError("no port is free on 127.0.0.1")


def serve(site):
    with server(site) as running:
        say(f"open http://127.0.0.1:{running.server_address[1]}/ (Ctrl-C stops it)")
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            print()


def add_arguments(parser):
    parser.add_argument("--build", metavar="FOLDER", type=Path,
                        help="build a static site into FOLDER instead of serving it")
    parser.add_argument("--live", action="store_true",
                        help=f"install emscripten, which compiles the kernels that run in the pages: {EMSCRIPTEN}")


def run(arguments):
    work = work_for(arguments.build)
    site = (arguments.build or work / "site").resolve()
    check_folder(site)
    warnings = build(site, work)
    if warnings:
        print(warnings, file=sys.stderr)
    if arguments.build:
        say(f"{front.here(site)}: {size_of(site) / 1e6:.1f} MB; any web server can show it, for example: "
            f"python3 -m http.server --bind 127.0.0.1 --directory {front.here(site)}")
    else:
        serve(site)
    return 0


def work_for(site):
    """Where it is built: in the clone, or where that cannot be written, beside the site."""
    if can_be_written(WORK):
        return WORK
    if site is None:
        raise runs.ToolError(f"{front.here(runs.ROOT / 'build')} cannot be written: name a folder for the book, "
                             f"{front.command('read --build FOLDER')}")
    return site.resolve().with_name(f"{site.resolve().name}.work")
