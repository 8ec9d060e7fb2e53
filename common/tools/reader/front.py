"""What the commands know of the front door: how the reader calls it, and what it does for them.

./tutorial is bash, because a fresh machine may have no Python; it chooses the backend, installs what
is missing and builds. The commands are Python, and call it back for that.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import runs

DOOR = runs.ROOT / "tutorial"
LOGS = runs.ROOT / "build" / "logs"
RESULTS = runs.ROOT / "build" / "results"


class BuildFailed(Exception):
    """The door has said why; the exception carries its exit code."""


def here(path):
    """A path as it is written from where the reader stands."""
    path = str(path)
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):
        return path
    return relative if len(relative) <= len(path) else path


def command(words=""):
    """A command line that holds where the reader stands: ./tutorial test elu --yours."""
    door = here(DOOR)
    door = door if "/" in door else f"./{door}"
    door = f"'{door}'" if " " in door else door
    return f"{door} {words}".strip()


def say(text=""):
    print(text, flush=True)


def filled(text, first="", rest=None):
    """The text in lines as wide as the terminal, up to 100 columns, 80 without one; first and rest stand before the first line
    and the others."""
    width = max(40, min(shutil.get_terminal_size().columns, 100))
    rest = first + "  " if rest is None else rest
    return textwrap.fill(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def plural(count, word):
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def choose_backend(wanted, for_what):
    """cuda or cpu, after the sentence that says which and why."""
    done = subprocess.run([str(DOOR), "choose-backend", wanted, for_what], stdout=subprocess.PIPE, text=True,
                          check=False)
    sys.stdout.write(done.stdout)
    sys.stdout.flush()
    if done.returncode:
        sys.exit(done.returncode)
    return "cuda" if done.stdout.startswith("backend: cuda") else "cpu"


def build(backend, *targets, quiet=False, errors=True, known=False):
    """Installs what is missing and builds the targets; without targets, everything. known: a build folder that is
    there is taken as it is, which saves what is most of the time of a small change. errors: they are shown."""
    while True:
        readers = ReadersObjects(backend)
        environment = {**os.environ, "TUTORIAL_STALE": "\n".join(readers.stale()), **({"TUTORIAL_CONFIGURED": "1"} if known else {})}
        done = subprocess.run([str(DOOR), "build-targets", backend, *targets], check=False, env=environment,
                              stdout=subprocess.DEVNULL if quiet else None, stderr=None if errors else subprocess.DEVNULL)
        readers.remember()
        if not readers.were_saved():
            break
        say("build: a file of yours was saved meanwhile: once more")
    if done.returncode:
        raise BuildFailed(done.returncode)


class ReadersObjects:
    """What a build folder holds of the reader's files, and of which text each object was made.

    A file that is saved while it is compiled leaves an object that is newer than the file, and of another text: make
    would never build it again. One that is put back from a copy is older than what was made of the version before.
    So an object is taken for that of a text only if a build here made it while the file was that text.
    """

    def __init__(self, backend):
        self.folder = program(backend, "")
        self.file = self.folder / "readers.json"
        self.texts = {path: digest(path) for folder in runs.find_chapters() for path in folder.glob("your_*.cu*")}
        try:
            self.known = json.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self.known = {}

    def objects(self):
        """(object, file) of all that are there. A program's text is rewritten before it is compiled."""
        for path in self.texts:
            chapter = path.parent.name
            if path.suffix == ".cuh":
                names = [f"CMakeFiles/{target}.dir/launchers/{path.stem}.cu.o"
                         for target in (runs.ladder_of_chapter(chapter), f"{chapter}_seen_{path.stem}")]
            else:
                text = f"programs/{path.name}.cpp"
                names = [text, *(f"CMakeFiles/{chapter}_{path.stem}{which}.dir/{made}.o" for which in ("", "_see_objects")
                                 for made in (text, path.name))]
            for name in names:
                found = self.folder / chapter / name
                if found.exists():
                    yield found, path

    def made(self, found, path):
        return [self.texts[path], found.stat().st_mtime_ns]

    def stale(self):
        """Objects that no build here has made of the text that is there now, from the root."""
        return [str(found.relative_to(runs.ROOT)) for found, path in self.objects()
                if self.known.get(str(found.relative_to(self.folder))) != self.made(found, path)]

    def remember(self):
        now = {str(found.relative_to(self.folder)): self.made(found, path)
               for found, path in self.objects() if digest(path) == self.texts[path]}
        if now != self.known and self.folder.is_dir():
            self.file.write_text(json.dumps(now, indent=0), encoding="utf-8")

    def were_saved(self):
        return any(digest(path) != was for path, was in self.texts.items())


def digest(path):
    """Of the content; of a file that is not there, nothing."""
    try:
        return hashlib.sha1(path.read_bytes()).hexdigest()
    except OSError:
        return ""


@contextlib.contextmanager
def locked(folder):
    """One build at a time in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def program(backend, name):
    return runs.ROOT / "build" / backend / name


def build_log(backend):
    path = LOGS / f"{backend}.build.log"
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def your_file(folder):
    """The file of the reader's rung: 01_elu/your_elu.cuh."""
    return Path(folder) / f"your_{runs.ladder_of_chapter(folder)}.cuh"


def recorded_gpus(folder):
    """The GPUs that a chapter has recorded runs of, that of the lessons first."""
    names = (path.stem for path in (Path(folder) / "results").glob("[a-z]*[0-9].json"))
    return runs.main_first(name for name in names if name.isalnum())
