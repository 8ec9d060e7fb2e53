"""Builds the kernels that run in the book's pages, as WebAssembly, by Debian's emscripten.

A chapter's proof/live.cu says which. Clang compiles it, with lines; every function that a kernel calls is compiled
into it, and before each access to memory a call tells of it, as `g++ -fsanitize=thread` does for ./tutorial trace: its
address, its width, and the number of its place, of which a table knows the lines. So the module needs nothing of a
browser to find a line.
"""

import hashlib
import os
import re
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import front
import runs
from source import found_here

WORK = runs.ROOT / "build" / "live"
FILES = ("live.js", "live.wasm")
EXECUTOR = ("block", "block_texts", "cluster", "device_api", "device_memory", "error_texts", "errors", "executor", "worker", "worker_pool")
FLAGS = ["-std=c++17", "-I.", "-DTUTORIAL_BACKEND_CPU=1", "-DTUTORIAL_TRACE=1", "-fno-strict-aliasing", "-ffp-contract=off"]
LINK = ["-O2", "-sASYNCIFY", "-sASYNCIFY_IGNORE_INDIRECT", "-sASYNCIFY_ADD=*tutorial::live::*,*tutorial::cpu::*,*tutorial::launch*,"
        "*tutorial::detail::launch*,*__function*,tutorial_ask,dynCall_vi", "-sMODULARIZE", "-sEXPORT_NAME=TutorialLive", "-sENVIRONMENT=web,node", "-sFILESYSTEM=0",
        "-sALLOW_MEMORY_GROWTH", "-sEXPORTED_FUNCTIONS=_tutorial_ask,_tutorial_answer,_tutorial_deepest_stack", "-sEXPORTED_RUNTIME_METHODS=ccall,UTF8ToString"]
BYTES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4, "double": 8}
NAME = r'@(?:"[^"]*"|[\w.$]+)'
LOAD = re.compile(r"\s+%\S+ = load (?:volatile )?(\S+), (\S+\*) (.+?), align (\d+)")
STORE = re.compile(r"\s+store (?:volatile )?(\S+) .+?, (\S+\*) (.+?), align (\d+)")
COPY = re.compile(r"\s+call void @llvm\.memcpy\S*\(i8\* [\w ]*?align (\d+) (.+?), i8\* [\w ]*?align (\d+) (.+?), i(?:32|64) (\d+), i1 ")


def table(places):
    """The chains of lines of the accesses, by number, as C++."""
    ends, frames = [0], []
    for chain in places:
        frames += [f'    {{"{file}", {line}}},' for file, line in chain]
        ends.append(len(frames))
    return "\n".join(['#include "common/live/places.h"', "namespace tutorial::live {", "const PlaceFrame place_frames[] = {",
                      *frames, "};", f"const int place_ends[] = {{{', '.join(map(str, ends))}}};", "}", ""])


class Lines:
    """The debug information of a module of LLVM's."""

    def __init__(self, text):
        self.nodes = dict(re.findall(r"(?m)^(!\d+) = (.*)$", text))

    def field(self, node, name):
        found = re.search(rf"\b{name}: (\"[^\"]*\"|[^,)]+)", self.nodes[node])
        return found.group(1).strip('"') if found else None

    def chain(self, node):
        """(file, line) of a place, the innermost first."""
        frames = []
        while node:
            name = self.field(self.field(self.field(node, "scope"), "file"), "filename")
            name = os.path.normpath(runs.ROOT / name)  # which Clang cuts where it begins with the folder of the call
            is_ours = name.startswith(f"{runs.ROOT}/") and "/nvidia/" not in name  # headers that were fetched lie in .deps
            frames.append((os.path.relpath(name, runs.ROOT) if is_ours else name,
                           int(self.field(node, "line") or 0)))
            node = self.field(node, "inlinedAt")
        return tuple(frames)


def functions(text):
    """(first line, name, body) of each function."""
    for found in re.finditer(r"(?m)^define .*$", text):
        yield found.group(0), re.search(NAME, found.group(0)).group(0), text[found.end():text.index("\n}", found.end())]


def kernels_of(text):
    hot = set(re.findall(r"(?m)^attributes (#\d+) = \{.*\bhot\b", text))
    return {name for line, name, _ in functions(text) if hot & set(re.findall(r"#\d+", line))}


def inline_into_kernels(text):
    """Marks the functions that a kernel calls with pointers to be compiled into it. The others access no memory but
    their own, and #pragma unroll would only make the module larger."""
    text, kernels = re.sub(r", !llvm\.loop !\d+", "", text), kernels_of(text)
    bodies = {name: body for line, name, body in functions(text) if name in kernels or "*" in line.split(name)[1]}
    reached, waiting = set(), list(kernels)
    while waiting:
        called = set(re.findall(NAME, bodies[waiting.pop()])) & bodies.keys() - reached
        reached |= called
        waiting += called

    def marked(found):
        inside = re.search(NAME, found.group(0)).group(0) in reached
        return re.sub(r" (#\d+)", r" alwaysinline \1", found.group(0), count=1) if inside else found.group(0)

    return re.sub(r"(?m)^define .*$", marked, text)


def is_range(size, alignment):
    return size not in (1, 2, 4, 8, 16) or alignment < size


def accesses(line):
    """(pointer's type, pointer, bytes, 0 for a load and 1 for a store, is it no aligned access) of an instruction."""
    for operation, pattern in enumerate((LOAD, STORE)):
        if found := pattern.match(line):
            kind, pointer, name, alignment = found.groups()
            size = 4 if kind.endswith("*") else BYTES[kind]
            return [(pointer, name, size, operation, is_range(size, int(alignment)))]
    if found := COPY.match(line):
        at_to, to, at_from, source, size = found.groups()
        return [("i8*", source, int(size), 0, is_range(int(size), int(at_from))),
                ("i8*", to, int(size), 1, is_range(int(size), int(at_to)))]
    if re.search(r"= (load|atomicrmw|cmpxchg) |^\s+store |@llvm\.memcpy.*, i(32|64) \d+, i1", line):  # a copy of no fixed length is the library's
        raise runs.ToolError(f"the page's kernels have an access that live.py does not know: {line.strip()}")
    return []


def instrument(text, places):
    """A call before each access of the kernels; their chains of lines are added to the places."""
    lines, kernels, inside, count, result = Lines(text), kernels_of(text), False, 0, []
    for line in text.split("\n"):
        if line.startswith("define "):
            inside, local = re.search(NAME, line).group(0) in kernels, set()
        elif line == "}":
            inside = False
        elif inside:
            if found := re.match(r"\s+(%\S+) = alloca ", line):
                local.add(found.group(1))
            for pointer, name, size, operation, no_access in accesses(line):
                if name in local:
                    continue
                at = re.search(r"!dbg (!\d+)", line)
                place = len(places)
                places.append(lines.chain(at.group(1)) if at else ())
                if pointer != "i8*":
                    result.append(f"  %seen.{count} = bitcast {pointer} {name} to i8*")
                    name = f"%seen.{count}"
                    count += 1
                result.append(f"  call void @tutorial_access(i8* {name}, i32 {size}, i32 {operation + 4 * no_access}, i32 {place})")
        result.append(line)
    text = re.sub(r",? !dbg !\d+|(?m:^!llvm\.dbg\.cu = .*$)", "", "\n".join(result))  # the module carries no lines but the table's
    return text + "\ndeclare void @tutorial_access(i8*, i32, i32, i32)\n"


# -------------------------------------------------------------------------------------------------
# Building


def call(*command):
    done = runs.call(command, cwd=runs.ROOT, env={**os.environ, "NODE_PATH": "/usr/share/nodejs"})
    if done.returncode:
        raise runs.ToolError(f"{command[0]} could not build the page's kernels: "
                             + "\n".join(line for line in done.stdout.splitlines() if "error" in line)[:2000])


def sources():
    """(what is compiled as it is, the chapters' kernels)"""
    common = runs.ROOT / "common"
    plain = [*(common / "executor" / f"{name}.cpp" for name in EXECUTOR), *sorted((common / "live").glob("*.cpp")),
             *(common / "trace" / f"{name}.cpp" for name in ("cost", "joined", "json", "recorder")), common / "broadcast.cpp", common / "strided.cpp"]
    return plain, sorted(runs.ROOT.glob("[0-9]*/proof/live.cu"))


def compiled(text, made, *flags):
    call("em++", *flags, "-c", text, "-o", made)
    return made


def read_kernels(source, folder, flags):
    """LLVM's text of a chapter's kernels, each with all that it calls."""
    text = folder / f"{source.parents[1].name}.ll"
    call("em++", *flags, "-O1", "-g", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "-x", "c++",
         source.relative_to(runs.ROOT), "-o", text)
    text.write_text(inline_into_kernels(text.read_text(encoding="utf-8")), encoding="utf-8")
    call("opt-14", "-S", "-passes=always-inline,globaldce,function(mem2reg,simplifycfg)", text, "-o", text)
    return text


def build(headers, folder):
    """Builds the module into a folder."""
    flags = [*FLAGS, "-isystem", str(headers)]
    plain, kernels = sources()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = [pool.submit(read_kernels, source, folder, flags) for source in kernels]
        objects = [pool.submit(compiled, source.relative_to(runs.ROOT), folder / f"{source.stem}.o", *flags, "-O2")
                   for source in plain]
        places = []
        for text in (text.result() for text in texts):
            text.write_text(instrument(text.read_text(encoding="utf-8"), places), encoding="utf-8")
            objects.append(pool.submit(compiled, text, text.with_suffix(".o"), "-Os", "-g0"))
        places_text = folder / "table.cpp"
        places_text.write_text(table(places), encoding="utf-8")
        made = [one.result() for one in objects]
    call("em++", *LINK, *flags, *made, places_text, "-o", folder / "live.js")


def tools_are_here():
    return not os.environ.get("TUTORIAL_NO_LIVE") and all(map(shutil.which, ("em++", "opt-14", "cmake")))


def built():
    """The folder with the module's files, built anew where a source has changed; None without emscripten."""
    headers = found_here("headers") if tools_are_here() else None
    if headers is None:
        return None
    read = sorted([Path(__file__), *(path for pattern in ("common/*.*h", "common/*.cpp", "common/executor/*", "common/trace/*",
                                                          "common/live/*", "[0-9]*/**/*.*h", "[0-9]*/proof/live.cu")
                                     for path in runs.ROOT.glob(pattern) if path.is_file())])
    digest = hashlib.sha256(headers.encode() + b"".join(path.read_bytes() for path in read)).hexdigest()[:16]
    with front.locked(WORK):
        folder = WORK / digest
        if not all((folder / name).is_file() for name in FILES):
            print("book: building the kernels that run in its pages (em++, less than a minute)", flush=True)
            with tempfile.TemporaryDirectory(dir=WORK) as making:
                build(headers, Path(making))
                for old in WORK.glob("?" * 16):
                    shutil.rmtree(old)
                folder.mkdir()
                for name in FILES:
                    shutil.move(Path(making) / name, folder / name)
    return folder
