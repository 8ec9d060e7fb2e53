#!/usr/bin/env python3
"""The chapters' kernels as operators of PyTorch.

    import elementwise_tutorial                     # with common/torch on the path
    ops = elementwise_tutorial.load("01_elu")       # builds what is missing, then loads it
    y = ops.elu_f16x8_pack(x)                       # also torch.ops.elementwise_tutorial...
    ops.elu.out(x, alpha=1.0, out=y)

    python3 common/torch/elementwise_tutorial.py [CHAPTER ...]

As a program: builds and loads the chapters, all if none is named, and lists what they bind.

A chapter is named by folder, name or number: 01_elu, elu, 1. CUDA tensors need nvcc and a PyTorch
with CUDA; CPU tensors run on the CPU executor. What is built stays in build/torch.cuda and
build/torch.cpu, and is brought up to date by every load(). README.md says what the operators promise.

Environment: TUTORIAL_TORCH_MODULES names folders (separated by :) with modules that are built
already; nothing is built then. TUTORIAL_JOBS: how many compilers may run at once.
"""

import collections
import ctypes
import importlib
import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "tools" / "reader"))

import runs  # noqa: E402

LOADED = {}  # (chapter's folder, backend) -> [Bound]
COMPLAINED = set()


# One operator that a module binds: its name in torch.ops.elementwise_tutorial; the ladder, the rung and the type
# (rung is empty for whole operators, dtype if it takes several); kind is rung, yours (the reader's) or operator.
Bound = collections.namedtuple("Bound", "name ladder rung dtype kind")


def find_torch():
    """The module torch; ToolError when this Python has none."""
    try:
        return importlib.import_module("torch")
    except ImportError:
        raise runs.ToolError(
            f"PyTorch is not installed for {sys.executable}; install it (pip install torch; on "
            "Debian or Ubuntu: apt-get install python3-torch libtorch-dev)") from None


def module_file(chapter, backend):
    """The built module in one of the folders of TUTORIAL_TORCH_MODULES, or None."""
    files = (Path(folder, f"{chapter.name}_torch.so") for folder in os.environ["TUTORIAL_TORCH_MODULES"].split(":"))
    return next((file for file in files if file.exists() and built_for(file.with_name("CMakeCache.txt")) == backend), None)


def built_for(cache):
    """The backend of a build folder, by its CMakeCache.txt."""
    if not cache.exists():
        return ""
    found = re.search(r"^TUTORIAL_BACKEND:\w+=(\w+)$", cache.read_text(encoding="utf-8"), re.M)
    return found.group(1) if found else ""


def run_quietly(command, what, log):
    """Runs a step of the build; ToolError with the first error it printed, if it fails."""
    log.parent.mkdir(parents=True, exist_ok=True)
    try:
        done = runs.call(command, cwd=ROOT)
    except FileNotFoundError:
        raise runs.ToolError(f"{command[0]} is not installed; ./tutorial setup installs it") from None
    log.write_text(done.stdout, encoding="utf-8")
    if done.returncode:
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        wrong = [i for i, line in enumerate(lines) if re.search(r"\berror\b", line, re.I)]
        first = " ".join(lines[wrong[0]:wrong[0] + 3]) if wrong else " ".join(lines[-1:])
        raise runs.ToolError(f"{what} failed: {first} (log: {log.relative_to(ROOT)})")


def build(chapters, backend):
    """Configures and builds the modules of these chapters; returns the build folder."""
    folder = ROOT / "build" / f"torch.{backend}"
    logs = ROOT / "build" / "logs"
    cache = folder / "CMakeCache.txt"
    moved = f"CMAKE_HOME_DIRECTORY:INTERNAL={ROOT}\n"
    if cache.exists() and moved not in cache.read_text(encoding="utf-8"):
        shutil.rmtree(folder)
    run_quietly(["cmake", "-S", ".", "-B", str(folder), f"-DTUTORIAL_BACKEND={backend}",
                 "-DTUTORIAL_TORCH=ON", "-DTUTORIAL_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Release",
                 f"-DTUTORIAL_TORCH_PYTHON={sys.executable}"],
                f"configuring build/torch.{backend}", logs / f"torch.{backend}.configure.log")
    jobs = os.environ.get("TUTORIAL_JOBS") or str(os.cpu_count() or 1)
    targets = [f"{chapter.name}_torch" for chapter in chapters]
    run_quietly(["cmake", "--build", str(folder), "--parallel", jobs, "--target", *targets],
                f"building {', '.join(targets)}", logs / f"torch.{backend}.build.log")
    return folder


def open_module(file):
    """Loads a module; its operators register themselves. Returns what it binds."""
    try:
        # RTLD_LOCAL, the default: other modules do not see its symbols.
        library = ctypes.CDLL(str(file))
    except OSError as error:
        raise runs.ToolError(f"{file}: cannot be loaded ({error})") from None
    library.tutorial_torch_catalogue.restype = ctypes.c_char_p
    text = library.tutorial_torch_catalogue().decode()
    return [Bound(*line.split("\t")) for line in text.splitlines()]


def load_backend(chapters, backend):
    missing = [chapter for chapter in chapters if (chapter.name, backend) not in LOADED]
    if not missing:
        return
    if "TUTORIAL_TORCH_MODULES" in os.environ:
        files = {chapter: module_file(chapter, backend) for chapter in missing}
        absent = [chapter.name for chapter, file in files.items() if file is None]
        if absent:
            raise runs.ToolError(f"TUTORIAL_TORCH_MODULES has no module of {absent[0]} for {backend}")
    else:
        folder = build(missing, backend)
        files = {chapter: folder / f"{chapter.name}_torch.so" for chapter in missing}
    for chapter in missing:
        LOADED[chapter.name, backend] = open_module(files[chapter])


def load(*names, backends=None):
    """Builds the missing modules of the chapters and loads all of them; every chapter if none is named.

    backends: "cuda", "cpu" or both, for tensors of which devices; by default cpu, and cuda where
    PyTorch sees a GPU. One of two defaults may be missing (no nvcc, no Boost): stderr says so.
    Returns torch.ops.elementwise_tutorial. Raises ToolError with one line on what to do.
    """
    torch = find_torch()
    chapters = [runs.find_chapter(name) for name in names] or bound_chapters()
    for chapter in chapters:
        if chapter not in bound_chapters():
            raise runs.ToolError(f"{chapter.name} has no bindings to PyTorch")
    failures = []
    wanted = backends or (["cuda", "cpu"] if torch.cuda.is_available() else ["cpu"])
    for backend in wanted:
        try:
            load_backend(chapters, backend)
        except runs.ToolError as error:
            failures.append(f"{backend} tensors: {error}")
    if failures and (backends or len(failures) == len(wanted)):
        raise runs.ToolError(failures[0])
    for failure in failures:
        if failure not in COMPLAINED:
            print(f"elementwise_tutorial: nothing for {failure}", file=sys.stderr)
        COMPLAINED.add(failure)
    return torch.ops.elementwise_tutorial


def bound_chapters():
    """The folders of the chapters that have bindings."""
    return [folder for folder in runs.find_chapters()
            if (folder / "proof" / "peers" / f"{runs.ladder_of_chapter(folder)}_torch.cpp").exists()]


def bound(chapter):
    """What a loaded chapter binds, in the order of its ladders."""
    name = runs.find_chapter(chapter).name
    return next((LOADED[name, backend] for backend in ("cuda", "cpu") if (name, backend) in LOADED), [])


def main():
    if set(sys.argv[1:]) & {"-h", "--help"}:
        print(__doc__)
        return
    names = sys.argv[1:]
    operators = load(*names)
    chapters = [runs.find_chapter(name) for name in names] or bound_chapters()
    for chapter in chapters:
        devices = " and ".join(backend.upper() for backend in ("cuda", "cpu") if (chapter.name, backend) in LOADED)
        listed = bound(chapter.name)
        print(f"{chapter.name}: {len(listed)} operators for {devices} tensors, each also as .out")
        for one in listed:
            print(f"  {one.kind:9} {str(getattr(operators, one.name).default._schema).split('::', 1)[-1]}")


if __name__ == "__main__":
    runs.run_tool(main)
