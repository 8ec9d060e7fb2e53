"""What the commands know of the front door: how the reader calls it, and what it does for them.

./tutorial is bash, because a fresh machine may have no Python; it chooses the backend, installs what
is missing and builds. The commands are Python, and call it back for that.
"""

import os
import subprocess
import sys
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
    done = subprocess.run([str(DOOR), "build-targets", backend, *targets], check=False,
                          stdout=subprocess.DEVNULL if quiet else None, stderr=None if errors else subprocess.DEVNULL,
                          env={**os.environ, **({"TUTORIAL_CONFIGURED": "1"} if known else {})})
    if done.returncode:
        raise BuildFailed(done.returncode)


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
