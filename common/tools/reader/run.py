"""`./tutorial run FILE.cu`: a complete CUDA program, as it stands, on the CPU executor or on the GPU.

Nothing of CMake takes part: the executor's sources are compiled once into build/run, with what every program includes
as a precompiled header; a program's texts are rewritten (launch_syntax.py) and compiled against it. All that this
says goes to stderr: stdout and the exit code are the program's.
"""

import collections
import concurrent.futures
import contextlib
import hashlib
import io
import itertools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import front
import launch_syntax
import predict
import runs
import source
import speed
import trace

CACHE = runs.ROOT / "build" / "run"
SUFFIXES = (".cu", ".cpp", ".cc", ".cxx")
OPTIMIZED = "-O1"  # -O2 takes longer to compile than most programs to run
FLAGS = ["-fno-strict-aliasing", "-ffp-contract=off", "-g1", "-w", "-DTUTORIAL_BACKEND_CPU=1", f"-I{runs.ROOT}",
         f"-I{runs.ROOT / 'common/run/include'}"]
SANITIZERS = shlex.split(os.environ.get("TUTORIAL_RUN_SANITIZERS", ""))  # the tests' own: -fsanitize=address,undefined
FLAGS += SANITIZERS
# What makes a compiler's accesses those of the source: common/cmake/see.cmake says of each why. There kernels are flattened;
# a program's own may be large, so the compiler is only asked to leave few calls, whose arguments would not be seen.
WATCHED = ["-DTUTORIAL_TRACE=1", "-fsanitize=thread", "-gdwarf-4", "-fno-tree-sra", "-finline-functions", "-finline-small-functions",
           "-findirect-inlining", "-fno-partial-inlining", "-fno-ipa-sra", "-fno-ipa-icf", "-fno-var-tracking",
           "--param=tsan-distinguish-volatile=1",
           "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"]
NVCC = ["-O3"]
ON_GPU = ["-DTUTORIAL_BACKEND_CUDA=1", "-Xcompiler=-fno-strict-aliasing", f"-I{runs.ROOT}"]  # for this repository's headers
OURS = re.compile(r"(--(check|explain|verbose|help)|-h)$|-[ID].|-(std|arch)=|--(limit|backend|trace|gpu|sms|clock|bandwidth|l2|slots)=")
FAULT = 3  # the exit code where --check has found something
TIME_IS_OVER = 124

EPILOG = f"""The first words that end in .cu, .cpp, .cc or .cxx are the program; what follows
is its arguments. An option of this command is taken wherever it stands; behind
-- everything is the program's.

Without a GPU, or with --backend cpu, --check or --trace, g++ compiles the
program ({OPTIMIZED}, C++17 unless -std says otherwise) and the CPU executor runs it.
With a GPU and nvcc: nvcc {' '.join(NVCC)} -arch=native (-arch says another). It builds in
build/run of this repository, which you may remove, never beside your files.

exit codes: the program's; {FAULT}: --check has found a fault; {TIME_IS_OVER}: --limit is
over; 2: it was not run."""


def add_arguments(parser):
    parser.epilog = EPILOG
    parser.add_argument("files", metavar="FILE", nargs="*", help="the program: one source or several")
    parser.add_argument("--check", action="store_true", help="judge every access, on the executor; a fault is told on stderr")
    parser.add_argument("--trace", metavar="KERNEL", nargs="?", const="", help="show what a warp asks for, of one kernel or of all")
    parser.add_argument("--explain", action="store_true", help="predict each kernel's speed on a GPU, and say what limits it")
    predict.add_device(parser)
    parser.add_argument("-I", metavar="DIR", action="append", default=[], dest="folders", help="look for headers there too")
    parser.add_argument("-D", metavar="NAME[=VALUE]", action="append", default=[], dest="macros", help="define a macro")
    parser.add_argument("-std", metavar="c++17", default="c++17", help="the version of C++")
    parser.add_argument("-arch", metavar="sm_90", default="native", help="what nvcc compiles for")
    parser.add_argument("--limit", metavar="SECONDS", type=int, help="end the program after so long")
    parser.add_argument("--verbose", action="store_true", help="show the backend and the commands")


def divide(words):
    """(the words of this command, the program's arguments)."""
    ours, theirs, words = [], [], collections.deque(words)
    has_source = False
    while words:
        word = words.popleft()
        is_source = word.endswith(SUFFIXES) and not theirs
        if word == "--":
            return ours, theirs + list(words)
        if word in ("-I", "-D", "-std", "-arch", "--limit", "--backend", "--gpu", "--sms", "--clock", "--bandwidth", "--l2", "--slots") and words and not theirs:
            ours += [word, words.popleft()]
        elif word == "--trace":
            named = bool(words) and re.fullmatch(r"[A-Za-z_]\w*(::\w+)*", words[0]) is not None
            ours.append(f"--trace={words.popleft() if named else ''}")
        elif is_source or not has_source or OURS.match(word):
            ours.append(word)
        else:
            theirs.append(word)
        has_source = has_source or is_source
    return ours, theirs


def tell(text):
    print(f"run: {text}", file=sys.stderr, flush=True)


def run(arguments, program_arguments):
    refuse(arguments)
    if arguments.explain:
        return explain(arguments, program_arguments)
    builder = (OnGpu if choose_backend(arguments) == "cuda" else OnExecutor)(arguments)
    if arguments.trace is None:
        return execute([builder.build(), *program_arguments], arguments, builder.environment())
    code, launches = counted(builder, program_arguments)
    with contextlib.redirect_stdout(sys.stderr):
        trace.show_program(launches)
    return code


def counted(builder, program_arguments):
    """Builds the program and runs it: (its exit code, its launches as the trace writes them)."""
    command = [builder.build(), *program_arguments]
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts.json"
        code = execute(command, builder.arguments, {**builder.environment(), "TUTORIAL_COUNTS": str(counts)})
        return code, runs.load_json(counts)["launches"] if counts.exists() else []


def explain(arguments, program_arguments):
    """Runs the program as --trace does, while nvcc compiles it; then a few lines for each launch."""
    arguments.trace = arguments.trace or ""
    predict.check_device(arguments)
    missing = speed.missing(source.found_here("nvcc"))
    if missing:
        raise runs.ToolError(missing)
    flags = [*(f"-I{one}" for one in arguments.folders), *(f"-D{one}" for one in arguments.macros)]
    with speed.Compiling(source.found_here("nvcc"), [name for name in arguments.files if name.endswith(".cu")], flags) as compiling:
        code, launches = counted(OnExecutor(arguments), program_arguments)
        with contextlib.redirect_stdout(sys.stderr):
            speed.explain(compiling, launches, speed.target(arguments, runs.shown()["main"]))
    return code


def refuse(arguments):
    """What can be known before anything is built."""
    if not arguments.files:
        raise runs.ToolError(f"run needs a program: {front.command('run FILE.cu')}")
    for name in arguments.files:
        if not name.endswith(SUFFIXES):
            raise runs.ToolError(f"{name}: the program's files end in {', '.join(SUFFIXES)}; its arguments stand behind them")
        runs.read_text(name, "surrogateescape")  # comments may be in any alphabet
    if (arguments.check or arguments.trace is not None or arguments.explain) and arguments.backend == "cuda":
        raise runs.ToolError("--check, --trace and --explain run on the CPU executor: leave --backend cuda away")
    if arguments.check + (arguments.trace is not None) + arguments.explain > 1:
        raise runs.ToolError("--check, --trace or --explain, one at a time")
    try:
        CACHE.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise runs.ToolError(f"{front.here(CACHE)} cannot be written ({error.strerror}): clone to where you can write") from None


def choose_backend(arguments):
    watched = arguments.check or arguments.trace is not None
    if watched or arguments.backend == "cpu" or (arguments.backend == "auto" and not shutil.which("nvidia-smi")):
        return "cpu"
    with contextlib.redirect_stdout(sys.stderr if arguments.verbose else io.StringIO()):
        return front.choose_backend(arguments.backend, "bench")


def execute(command, arguments, environment):
    """Runs the program in the reader's folder, with the reader's terminal."""
    if arguments.verbose:
        tell(shlex.join(map(str, command)))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the program's
    process = subprocess.Popen(command, env={**os.environ, **environment},
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        code = process.wait(arguments.limit)
    except subprocess.TimeoutExpired:
        tell(f"the limit of {arguments.limit} s is over")
        process.terminate()  # the executor says which launch was at work
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
        return TIME_IS_OVER
    if code < 0 and -code not in (signal.SIGINT, signal.SIGPIPE):
        hint = "" if arguments.check or arguments.trace is not None else ": --check says where, if a kernel or a copy did it"
        tell(f"the program was ended by {signal.strsignal(-code).lower()}{hint}")
    return code if code >= 0 else 128 - code


# -------------------------------------------------------------------------------------------------
# Builds


def digest(*parts):
    return hashlib.sha256("\0".join(map(str, parts)).encode(errors="surrogateescape")).hexdigest()[:16]


class Failed(Exception):
    """A compiler's answer: (command, its stderr)."""


class Builder:
    def __init__(self, arguments):
        self.arguments = arguments
        self.mode = "watched" if arguments.check or arguments.trace is not None else "plain"
        self.watched = WATCHED if self.mode == "watched" else []
        key = digest(type(self).__name__, self.mode, os.getcwd(), *arguments.files, arguments.std, *arguments.folders, "-D",
                     *arguments.macros)
        self.folder = CACHE / "programs" / f"{Path(arguments.files[0]).resolve().stem}-{key}"

    def environment(self):
        return {}

    def call(self, command):
        if self.arguments.verbose:
            tell(shlex.join(map(str, command)))
        done = runs.call(command)
        if done.returncode:
            raise Failed(command, done.stdout)

    @staticmethod
    def all(make, files):
        """Makes files side by side, from the arguments of each; raises the first failure."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for done in [pool.submit(make, *one) for one in files]:
                done.result()

    def write(self, target, command):
        """A file is there when it is whole."""
        fresh = target.with_name(f"{target.name}.{os.getpid()}")
        try:
            self.call([*command, "-o", fresh])
            fresh.replace(target)
        finally:
            fresh.unlink(missing_ok=True)

    def made(self, target, command, key):
        """Makes `target` unless it was already made from `key`."""
        mark = target.with_name(target.name + ".key")
        if target.exists() and mark.exists() and mark.read_text(encoding="utf-8") == key:
            return
        mark.unlink(missing_ok=True)
        self.write(target, command)
        mark.write_text(key, encoding="utf-8")

    def build(self):
        try:
            with front.locked(self.folder):
                return self.make()
        except Failed as failure:
            tell_failure(*failure.args, self.arguments)
            sys.exit(2)
        except OSError as error:
            raise runs.ToolError(f"{front.here(CACHE)}: {error.strerror}; make room there, or remove it") from None


class OnGpu(Builder):
    def make(self):
        nvcc = found("nvcc")
        these = self.arguments
        program = self.folder / "program"
        texts = [runs.read_text(name, "surrogateescape") for name in these.files]
        relocatable = ["-rdc=true", "-lcudadevrt"] if any(map(launch_syntax.launches_in_kernel, texts)) else []
        command = [nvcc, *NVCC, *relocatable, f"-arch={these.arch}", f"-std={these.std}", *ON_GPU, *(f"-I{one}" for one in these.folders),
                   *(f"-D{one}" for one in these.macros), *these.files]
        key = digest(command, *texts) if not re.search(r'#\s*include\s*"', "".join(texts)) else str(os.getpid())
        self.made(program, command, key)
        return program


def found(what):
    """NVIDIA's headers, or nvcc: where the build looks for them."""
    path = source.found_here(what)
    if path is None:
        raise runs.ToolError(f"{what} was not found: {front.command('setup')}" + (" --nvcc" if what == "nvcc" else ""))
    return path


class OnExecutor(Builder):
    def environment(self):
        if self.arguments.check:
            return {"TUTORIAL_SEE": "check"}
        return {} if self.arguments.trace is None else {"TUTORIAL_SEE": f"trace:{self.arguments.trace}"}

    def make(self):
        self.compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++") or "g++"
        executor = self.executor()
        texts = self.texts()
        flags = [f"-std={self.arguments.std}", OPTIMIZED, *FLAGS, "-isystem", self.headers, *self.watched]
        commands, objects = [], []
        overlay = self.folder / "sources"
        for folder in self.arguments.folders:
            flags += [f"-I{overlay}{Path(folder).resolve()}", f"-I{folder}"]
        flags += [f"-D{macro}" for macro in self.arguments.macros]
        openmp = ["-fopenmp"] if any("#include <omp.h>" in text for text in texts) else []
        for name in self.arguments.files:
            path = Path(name).resolve()
            prelude = ["-include", self.prelude] if name.endswith(".cu") else []
            objects.append(self.folder / f"{len(objects)}.o")
            commands.append((objects[-1], [self.compiler, *prelude, *flags, *openmp, "-x", "c++", f"-iquote{path.parent}", "-c",
                                           f"{overlay}{path}"]))
        key = digest(*executor, self.compiler, flags, *texts)
        self.all(self.made, [(*one, key) for one in commands])
        program = self.folder / "program"
        link = [self.compiler, *SANITIZERS, *openmp, *objects, *executor, "-lboost_context", "-lpthread", "-ldl"]
        link += [f"-Wl,@{runs.ROOT / 'common/check/wrapped.txt'}", "-Wl,-z,norelro"] if self.watched else []
        self.made(program, link, key)
        return program

    # ---- The executor, once

    def executor(self):
        """The object files of the executor, and of what watches; made once, with the precompiled header."""
        common = runs.ROOT / "common"
        folders = ["executor", "run"] + (["check", "trace"] if self.watched else [])
        sources = sorted(path for name in folders for path in (common / name).glob("*.cpp"))
        sources = [path for path in sources if "int main(" not in path.read_text(encoding="utf-8")]
        headers = sorted(path for name in ("executor", "run", "run/include", "check", "trace", ".") for path in (common / name).glob("*.h*"))
        state = [path.read_text(encoding="utf-8") for path in (*sources, *headers, Path(__file__))]
        folder = CACHE / f"executor-{self.mode}-{digest(self.compiler, *SANITIZERS, *state)}"
        self.prelude = folder / self.arguments.std / "program.h"
        objects = [folder / f"{path.parent.name}_{path.stem}.o" for path in sources]
        with front.locked(folder):
            self.make_executor(folder, sources, objects)
        return objects

    def make_executor(self, folder, sources, objects):
        mark, header = folder / "headers", self.prelude.with_suffix(".h.gch")
        missing = [(path, target) for path, target in zip(sources, objects) if not target.exists()]
        if not missing and header.exists():
            self.headers = mark.read_text(encoding="utf-8")
            return
        tell("building the executor, once")
        for old in CACHE.glob(f"executor-{self.mode}-*"):  # of earlier sources
            if old != folder and not SANITIZERS:
                shutil.rmtree(old, ignore_errors=True)
        subprocess.run([str(front.DOOR), "setup-run"], stdout=sys.stderr, check=True)
        self.headers = found("headers")
        mark.write_text(self.headers, encoding="utf-8")
        self.prelude.parent.mkdir(exist_ok=True)
        self.prelude.write_text('#include "common/run/program.h"\n', encoding="utf-8")
        flags = [self.compiler, OPTIMIZED, *FLAGS, "-isystem", self.headers]
        own = ["-DTUTORIAL_TRACE=1", f'-DTUTORIAL_ROOT="{runs.ROOT}"'] if self.watched else []
        commands = [] if header.exists() else [(header, [*flags, f"-std={self.arguments.std}", *self.watched, "-x", "c++-header",
                                                         self.prelude])]
        commands += [(target, [*flags, "-std=c++17", *(own if path.parent.name in ("check", "trace") else []), "-c", path])
                     for path, target in missing]
        self.all(self.write, commands)

    # ---- The program's texts

    def texts(self):
        """Writes what g++ compiles: each file of the program, and each header of its own, below sources/ under its path."""
        files = self.files()
        sources = launch_syntax.Sources()
        for _, text in files.values():
            sources.add(text)
        overlay = self.folder / "sources"
        for path, (name, text) in files.items():
            try:
                new = f'#line 1 "{name}"\n' + launch_syntax.rewrite(text, sources)
            except launch_syntax.Refused as refusal:
                line, sentence = refusal.args
                raise runs.ToolError(f"{name}:{line}: {sentence}") from None
            target = Path(f"{overlay}{path}")
            if not target.exists() or target.read_text(encoding="utf-8", errors="surrogateescape") != new:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(new, encoding="utf-8", errors="surrogateescape")
            files[path] = (name, new)
        return [new for _, new in files.values()]

    def files(self):
        """{path: (as it was named, text)} of the program's files and of the headers that they include from its folders."""
        known = {}
        waiting = [(Path(name).resolve(), name) for name in self.arguments.files]
        named = {path for path, _ in waiting}
        while waiting:
            path, name = waiting.pop()
            if path in known or (runs.ROOT / "common" in path.parents and path not in named):
                continue
            text = path.read_text(encoding="utf-8-sig", errors="surrogateescape").replace("\r\n", "\n")
            known[path] = (name, text)
            for mark, included in re.findall(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', text, re.M):
                for folder in [Path(name).parent] * (mark == '"') + [Path(one) for one in self.arguments.folders]:
                    candidate = folder / included
                    if candidate.is_file():
                        waiting.append((candidate.resolve(), str(candidate)))
                        break
        return known


# -------------------------------------------------------------------------------------------------
# What a compiler says, in few lines

MOST_ERRORS = 3
# The first words of headers that a toolkit may bring, or a library.
LIBRARIES = {"thrust", "curand", "curand_kernel", "cub", "cuda", "cutlass", "cute", "cublasXt", "cudnn_frontend", "cusolverSp", "nvshmem", "torch", "ATen"}


def tell_failure(command, output, arguments):
    """The first errors, each with its line; with --verbose all that the compiler says."""
    if arguments.verbose:
        print(output, file=sys.stderr)
    output = re.sub(r"[^\s:]*/programs/[^/\s]+/sources(?=/)", "", output).replace(f"{os.getcwd()}/", "")
    lines = output.splitlines()
    missing = re.findall(r"(?m)^(?:\S*ld: )?(?:(\S+?:\d+): )?(?:.*: )?undefined reference to `(?:\w[^'(<]* )?([\w:~]+)", output)
    missing = {name: where for where, name in reversed(missing)}
    told = 0
    lacking = [name for name in reversed(missing) if re.match(r"cu[a-z]*[A-Z]|nv", name)]
    for name in lacking[:1] or list(reversed(missing))[:MOST_ERRORS]:
        known = "the executor does not have it" if lacking else "it is declared, and no file of the program defines it"
        tell(f"{missing[name] + ': ' if missing[name] else ''}{name}: {known}")
        told += 1
    if lacking:
        return
    for i, line in enumerate(lines):
        found_error = re.match(r"(.+?:\d+)(?::\d+)?: (?:fatal )?error: (.*)", line)
        if not found_error or told >= MOST_ERRORS:
            continue
        at, sentence = found_error.groups()
        refused = re.match(r"#error (.*)|call to .* declared with attribute error: (.*)", sentence)
        where = includer(lines[:i]) or at if is_not_the_readers(at) else at
        missing = re.match(r"(\S+): No such file or directory", sentence)
        if missing and missing.group(1).split("/")[0].split(".")[0] in LIBRARIES:
            refused, sentence = True, f"{missing.group(1)}: the CPU executor runs kernels, and no libraries"
        elif refused:
            sentence = (refused.group(1) or refused.group(2)).strip('"')
        else:
            sentence = of_a_launch(sentence, lines[i + 1:])
        where = expanded_at(lines[i + 1:]) or where
        tell(f"{where}: {sentence}")
        for more in lines[i + 1:i + 3] if where == at else source_line(where):
            if re.match(r"\s*\d* \|", more):
                print(f"  {more}", file=sys.stderr)
        told += 1
        if refused:
            return
    if not told:
        print("\n".join(lines[-10:]), file=sys.stderr)
    tell(f"{Path(str(command[0])).name} refused the program" + ("" if arguments.verbose else "; --verbose shows all that it says"))


def of_a_launch(sentence, lines):
    """What a kernel takes and what it is given, where a compiler says it of the call that a launch became."""
    plain = re.search(r"no match for call to .*run::Typed<.*lambda[^>]*>(?:, (.*))?>\) \((.*)\)", sentence)
    if plain:
        name = next((found.group(1) for line in lines[:1] if (found := re.search(r"([\w:]+) *(?:<.*> *)?<<<", line))), "the kernel")
        return f"{name} takes ({plain.group(1) or ''}), and is given ({plain.group(2).replace('&', '')})"
    if "no matching function for call to" in sentence:
        sentence = re.sub(r" ?const&|&(?=[,)])", "", sentence)
        for line in lines:
            note = re.search(r"note: *(deduced conflicting .*|couldn.t deduce .*|candidate expects .*)", line)
            if note:
                return f"{sentence}: {note.group(1)}"
            if ": error: " in line:
                break
    return sentence


def source_line(where):
    """The line as a compiler shows it, where it has shown another one."""
    name, number = where.rsplit(":", 1)
    try:
        return [f"{number:>7} | {Path(name).read_text(encoding='utf-8', errors='replace').splitlines()[int(number) - 1]}"]
    except (OSError, IndexError):
        return []


def expanded_at(lines):
    """Where the macro stands that an error is in."""
    notes = "\n".join(itertools.takewhile(lambda line: ": error: " not in line, lines))
    found_here = re.findall(r"(?m)^(.+?:\d+):\d+: note: in expansion of macro", notes)
    return next((where for where in reversed(found_here) if not is_not_the_readers(where)), None)


def is_not_the_readers(where):
    """Whether a header is NVIDIA's, or stands before it."""
    return where.startswith("/usr/") or "/.deps/" in where or "common/run/" in where or "common/executor/" in where


def includer(lines):
    """The reader's line that includes what the last lines are about."""
    for line in reversed(lines):
        where = re.match(r"(?:In file included|\s+) from (.+?:\d+)", line)
        if where and not is_not_the_readers(where.group(1)):
            return where.group(1)
        if " error: " in line:
            break
    return None
