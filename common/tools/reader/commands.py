#!/usr/bin/env python3
# PYTHON_ARGCOMPLETE_OK
"""The commands of ./tutorial: what each takes, and which program does it.

A mistake is one sentence, before anything is built; exit code 2. Everything that can be known without
a build is checked first: chapters, rungs, recorded GPUs, files to write.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys

import book
import compare
import export
import front
import live
import predict
import run
import runs
import trace

EXAMPLES = """examples:
  {0} test                         {0} bench 01_elu
  {0} test elu --yours             {0} bench elu --benchmark_filter=f16x8
  {0} exercises                    {0} trace elu your_elu f16x8_pack
  {0} watch elu                    {0} torch elu
  {0} compare build/results/01_elu.cpu.previous.json build/results/01_elu.cpu.json

A chapter can be named by folder, name or number: 01_elu, elu, 1.
auto, the default backend, is cuda if a GPU answers and nvcc 12.4 or newer is found, else cpu: the
kernels then run on the CPU executor, which checks their results; its times say nothing about a GPU.
{0} COMMAND --help says what a command takes.

chapters: {1}"""


class Parser(runs.Parser):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, allow_abbrev=False,
                         formatter_class=argparse.RawDescriptionHelpFormatter, **options)


# -------------------------------------------------------------------------------------------------
# What each command takes


def chapters():
    return [path for path in runs.find_chapters() if (path / "CMakeLists.txt").exists()]


def chapter_names(**_):
    return [runs.ladder_of_chapter(path) for path in chapters()]


def needed(arguments, what, example):
    """The chapter of a command that needs one."""
    if not arguments.chapter:
        raise runs.ToolError(f"{arguments.command} needs {what}: {front.command(example)}")
    return runs.find_chapter(arguments.chapter)


def of_chapter(names):
    """For completion: what names(folder) finds in the chapter that is named."""
    return lambda parsed_args=None, **_: names(runs.find_chapter(parsed_args.chapter)) if parsed_args.chapter else []


@of_chapter
def exercise_names(folder):
    import exercises
    return [one.name for one in exercises.Chapter(folder).exercises]


def with_chapter(parser, **options):
    parser.add_argument("chapter", metavar="CHAPTER", nargs="?", **options).completer = chapter_names


def make_parser():
    me = front.command()
    parser = Parser(prog=me, epilog=EXAMPLES.format(me, " ".join(path.name for path in chapters())),
                    description="Six lessons on elementwise CUDA kernels: read, build, test, measure.")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--backend", choices=("auto", "cuda", "cpu"), default=argparse.SUPPRESS,
                        help="where the kernels run (default: auto)")
    parser.add_argument("--backend", choices=("auto", "cuda", "cpu"), default="auto", help=argparse.SUPPRESS)
    parser.add_argument("--version", action="version", version=f"elementwise-cuda-tutorial {runs.commit()}",
                        help="print which commit this is")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)

    def add(name, words, run, **options):
        one = commands.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".",
                                  parents=[shared], **options)
        one.set_defaults(run=run)
        return one

    test = add("test", "build everything, or these chapters, and run the tests; --yours judges your own rung", run_test)
    test.add_argument("chapters", metavar="CHAPTER", nargs="*").completer = chapter_names
    test.add_argument("--yours", action="store_true",
                      help="judge your own rung (your_*.cuh); without a chapter, all that you have edited")
    test.add_argument("--json", metavar="FILE", help="with --yours: write the verdict there too, for programs")
    predict.add_device(test.add_argument_group("with --yours, the GPU whose speed is predicted (default: the lessons')"))
    test.add_argument("--all", action="store_true",
                      help="also what proves this repository's tools, pages and book; with a chapter, all of its own")
    test.add_argument("--long", action="store_true",
                      help="all of that, and what takes minutes: on a GPU long sweeps, on the CPU every "
                      "test with the threads of a block in reverse order too")

    watch = add("watch", "judge your own rung each time that you save it, until Ctrl-C", run_watch)
    with_chapter(watch)

    exercises = add("exercises", "list the exercises, with a tick for what passes, and the next one", run_exercises)
    with_chapter(exercises)
    exercises.add_argument("exercise", metavar="EXERCISE", nargs="?", help="its name or number").completer = exercise_names
    exercises.add_argument("--hint", type=int, metavar="N", help="show hint N of the exercise (without EXERCISE, of the next one)")
    exercises.add_argument("--start", action="store_true", help="write the frame of an exercise that is a program of its own")
    exercises.add_argument("--restore", action="store_true",
                           help="put the starter back into your file, or the program of EXERCISE; the old file is kept")

    bench = add("bench", "build one chapter, or all, run the benchmark, draw the ladder", run_bench,
                epilog="Other flags of Google Benchmark pass through: --benchmark_list_tests, --benchmark_repetitions=N.\n"
                "A run of all rows is kept, and the one before it; a selection is kept apart.")
    with_chapter(bench, help="a chapter, or all")
    bench.add_argument("rungs", metavar="RUNG", nargs="*", help="time these alone: f16x8_pack").completer = of_chapter(trace.known_names)
    bench.add_argument("--shapes", metavar="RxC,...", help="time these shapes only, as in 1024x1024,4096x4096")
    bench.add_argument("--benchmark_filter", metavar="REGEX", help="time the rows whose names it matches anywhere; a row is elu/f16x8_pack/4096x4096/cold, so "
                       "f16x8 takes all that begin so, and /f16x8_pack/ one")
    bench.add_argument("--benchmark_out", metavar="FILE", help="write the result there (JSON)")
    bench.add_argument("--gpu", metavar="GPU,...", default="", help="show what is recorded of these GPUs too: h200,h100")
    bench.add_argument("--svg", metavar="FILE", help="draw the ladder into a file, as the pages do")
    bench.add_argument("--share", action="store_true",
                       help="write one small file of this GPU's ladders, to send or to look at")

    tracing = add("trace", "show which bytes a warp asks for, on the CPU executor; two rungs side by side", run_trace)
    with_chapter(tracing)
    trace.add_arguments(tracing).completer = of_chapter(trace.known_names)

    predicting = add("predict", "show the ladder as a model of four terms has it, beside what is recorded", run_predict,
                  epilog="On a GPU with its own copy; --gpu h100: by that GPU's recorded copies; of any other\n"
                  "--sms=128 --clock=2.52 --bandwidth=1008 (GHz, GB/s), as its data sheet has them.")
    with_chapter(predicting)

    compare.add_arguments(add("compare", "draw one benchmark result, or compare two, a line per rung", compare.run))

    torch = add("torch", "the chapter's kernels beside PyTorch's, called from Python, at every size", run_torch,
                epilog="Further flags: --json OUT.json, --operators (without the rungs), and what its own --help lists.")
    with_chapter(torch)

    exporting = add("export", "write a rung as one file that nvcc compiles; without RUNG, list them", run_export)
    with_chapter(exporting)
    export.add_arguments(exporting).completer = of_chapter(export.names)

    run.add_arguments(add("run", "run your own CUDA program, with or without a GPU; --check judges every access", run.run,
                          usage=f"{me} run [OPTION ...] FILE.cu [FILE ...] [ARGUMENT ...]"))

    book.add_arguments(add("read", "build the book, a site of all pages, and serve it on this machine alone", run_read))
    add("record", "record this machine's GPU for the pages, step by step; it goes on where it stopped", run_maintain,
        add_help=False)
    add("report", "write the tables, figures and excerpts into all pages (--check: name what is stale)", run_maintain,
        add_help=False)
    add("setup", "install what is missing, and nothing else", None)
    completion = add("completion", "print what a shell needs to complete these commands", run_completion,
                     epilog=f'bash: eval "$({me} completion bash)"\nzsh:  eval "$({me} completion zsh)"   (after compinit)')
    completion.add_argument("shell", choices=("bash", "zsh"))
    with_chapter(add("chapter", "show a chapter on one screen; its name alone does it too", run_chapter))
    add("help", "say all this", lambda arguments, rest: parser.print_help())
    return parser


PASSES_ON = ("bench", "torch", "predict", "record", "report")  # unknown flags go to the program behind the command


# -------------------------------------------------------------------------------------------------
# test, and what follows from it


def run_test(arguments, _):
    folders = [runs.find_chapter(name) for name in arguments.chapters]
    if arguments.yours:
        import yours
        predict.check_device(arguments)
        return yours.judge_all(folders, arguments)
    backend = front.choose_backend(arguments.backend, "test")
    programs = [folder.name for folder in folders] or ([] if arguments.all or arguments.long else ["tutorial_tests"])
    try:
        front.build(backend, *programs)
    except front.BuildFailed:
        import yours
        yours.tell_build(backend, folders or chapters())
        raise
    return run_ctest(backend, folders, arguments.long, arguments.all)


def run_ctest(backend, folders, long, everything):
    labels = "|".join(runs.ladder_of_chapter(folder) for folder in folders)
    report = front.LOGS / "test.xml"
    report.unlink(missing_ok=True)
    words = ["ctest", "--test-dir", str(runs.ROOT / "build" / backend), "--output-on-failure", "--no-tests=error",
             "--parallel", str(os.cpu_count()), "--output-junit", str(report)]
    words += ["-L", f"^({labels})$"] if labels else []
    house = everything or long or bool(labels)
    left_out = [] if long else ["long"] if house else ["long", "house"]
    words += ["--label-exclude", f"^({'|'.join(left_out)})$"] if left_out else []
    # The tracing programs take as long to build as everything else.
    traces = long or bool(labels) or os.environ.get("TUTORIAL_EVERY_TRACE") == "1"
    words += [] if traces else ["--exclude-regex", r"\.(trace(: build)?|check)$"]
    closing = ""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, errors="replace") as running, \
            open(front.LOGS / "test.log", "w", encoding="utf-8") as log:
        for line in running.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            log.write(line)
            if "% tests passed" in line:
                closing = line.strip()
    tests = tests_of(report)
    for part in unchecked(report):
        front.say(f"not checked: {part}")
    for reason, count in skipped(tests):
        front.say(f"skipped ({count}): {reason}")
    if not long:
        what = "the long sweeps (every float, every pair of halves, more than 2^31 elements)" if backend == "cuda" \
            else "the reverse thread order of kernels whose threads exchange nothing, and of the longest sweeps"
        what += "" if traces else f", what every rung asks of the memory ({front.command('test CHAPTER')})"
        front.say(f"left out: {what}: {front.command('test --long')}")
    if not house:
        front.say("left out: the tests of this repository's tools, pages, book and museums, and the benchmarks: "
                  f"{front.command('test --all')}")
    if closing:
        front.say(closing)  # CTest's closing line, once more, at the end
    for folder in broken_rungs(tests):
        front.say(f"{front.here(front.your_file(folder))}: your rung fails: "
                  f"{front.command(f'test {runs.ladder_of_chapter(folder)} --yours')} says what is wrong with it")
    return running.returncode


def tests_of(report):
    """CTest's own record: (name, passed, why it was skipped or None) of every test."""
    import xml.etree.ElementTree as ElementTree
    if not report.exists():
        return []
    tests = []
    for test in ElementTree.parse(report).getroot().iter("testcase"):
        why = None
        if test.find("skipped") is not None:
            found = re.search(r"(?im)^\s*skipped: (.+)$", test.findtext("system-out") or "")
            why = found.group(1).strip() if found else test.find("skipped").get("message", "")
            why = why if found or "SKIP" not in why else "it does not say why"
        tests.append((test.get("name"), test.find("failure") is None, why))
    return tests


def unchecked(report):
    """What tests that passed left out, as codegen.py says it."""
    text = report.read_text(encoding="utf-8", errors="replace") if report.exists() else ""
    return re.findall(r"(?m)^skipped: (\d+ claims about .+)$", text)


def skipped(tests):
    """[(reason, how many)]: together as many as CTest counts as skipped."""
    reasons = [why for _, _, why in tests if why is not None]
    return [(why, reasons.count(why)) for why in sorted(set(reasons))]


def broken_rungs(tests):
    """The chapters whose reader's rung failed."""
    failed = [name for name, passed, why in tests if not passed and why is None and "your rung" in name]
    return [folder for folder in chapters() if any(name.startswith(folder.name) for name in failed)]


def run_watch(arguments, _):
    import yours
    return yours.watch(needed(arguments, "a chapter", f"watch {chapter_names()[0]}"), arguments.backend)


def run_exercises(arguments, _):
    import exercises
    return exercises.run(arguments, runs.find_chapter(arguments.chapter) if arguments.chapter else None)


# -------------------------------------------------------------------------------------------------
# bench


def run_bench(arguments, rest):
    import bench
    folders = chapters() if arguments.chapter == "all" else [needed(arguments, "a chapter, or all", f"bench {chapter_names()[0]}")]
    return bench.run(arguments, folders, rest)


# -------------------------------------------------------------------------------------------------
# trace, torch, predict, read, report, completion


def run_trace(arguments, _):
    """Counting needs no GPU, and no GPU can be asked: it is always the executor that runs the rung."""
    folder = needed(arguments, "a chapter and a rung", "trace elu f16x8")
    if not arguments.rungs and not arguments.list:
        raise runs.ToolError(f"trace needs a rung: {front.command(f'trace {arguments.chapter} --list')} names them")
    if arguments.backend == "cuda":
        raise runs.ToolError("trace runs on the CPU executor: leave --backend cuda away")
    trace.refuse_unknown(folder, arguments.rungs)
    front.choose_backend("cpu", "trace")
    trace.require_gcc()
    small = trace.small_program(folder)
    front.build("cpu", small, known=front.program("cpu", small).exists())
    front.say()
    return trace.run(arguments, folder)


def run_export(arguments, _):
    return export.run(arguments, needed(arguments, "a chapter and a rung", "export elu f16x8_pack"))


def python_with_torch():
    """The first Python that has PyTorch: it need not be the first python3 on PATH."""
    for python in (os.environ.get("TUTORIAL_TORCH_PYTHON"), "python3", "/usr/bin/python3"):
        if python and shutil.which(python) and subprocess.run(
                [python, "-c", "import torch"], cwd="/", capture_output=True, check=False).returncode == 0:
            return python
    raise runs.ToolError("PyTorch is not installed for python3: pip install torch, or on Debian and Ubuntu apt-get "
                         "install python3-torch libtorch-dev; TUTORIAL_TORCH_PYTHON names another Python")


def run_torch(arguments, rest):
    folder = needed(arguments, "a chapter", f"torch {chapter_names()[0]}")
    python = python_with_torch()
    sees_gpu = subprocess.run([python, "-c", "import sys, torch; sys.exit(not torch.cuda.is_available())"], cwd="/",
                              check=False).returncode == 0
    if arguments.backend == "cuda" and not sees_gpu:
        raise runs.ToolError(f"--backend cuda: the PyTorch of {python} sees no CUDA GPU; omit --backend")
    backend = "cpu" if arguments.backend == "cpu" or not sees_gpu else "cuda"
    if backend == "cpu":  # the bindings for a GPU need nvcc and CMake alone; those for the CPU what the executor needs
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        subprocess.run([str(front.DOOR), "setup", "--backend", "cpu"], check=True)
    front.say(f"torch: building the bindings of {folder.name} in build/torch.{backend}")
    os.execvp(python, [python, str(runs.ROOT / "common/torch/table.py"), folder.name, *rest])


def run_predict(arguments, rest):
    """With nothing but a chapter, the GPU of this machine: by what `bench` has measured here, else by its copies."""
    folder = needed(arguments, "a chapter", "predict elu --gpu h200")
    if not rest and shutil.which("nvidia-smi"):
        backend = front.choose_backend(arguments.backend, "predict")
        file = front.RESULTS / f"{folder.name}.cuda.json"
        if backend == "cuda" and not file.exists():
            file = front.RESULTS / f"{folder.name}.copies.json"
            measure_copies(folder, file)
        rest = ["--run", str(file)] if backend == "cuda" else []
    return predict.main([folder.name, *rest])


def measure_copies(folder, file):
    front.build("cuda", f"{folder.name}_bench")
    log = front.LOGS / "copies.log"
    with open(log, "w", encoding="utf-8") as out:
        done = subprocess.run([str(front.program("cuda", f"{folder.name}_bench")), "--shapes=16384x16384",
                               "--benchmark_filter=/copy2?_.*cold", f"--benchmark_out={file}", "--benchmark_out_format=json"],
                              stdout=out, stderr=out, check=False)
    if done.returncode:
        example = f"predict {runs.ladder_of_chapter(folder)} --gpu h200"
        raise runs.ToolError(f"the copies could not be measured: see {front.here(log)}, or name a GPU: "
                             f"{front.command(example)}")


def run_read(arguments, _):
    """The book needs neither a compiler nor CMake."""
    found = subprocess.run(["python3", "-c", "import ensurepip, venv"], cwd="/", capture_output=True, check=False)
    if found.returncode and not installed("python3-venv holds what builds the book\n"):
        return 1
    if arguments.live and not install_emscripten():
        return 1
    return book.run(arguments)


def installed(packages):
    """Whether these are installed now: a line each, its name and what it is for."""
    return subprocess.run([str(front.DOOR), "install"], input=packages, text=True, check=False).returncode == 0


def install_emscripten():
    """Whether the kernels of the pages can be compiled now."""
    if not live.tools_are_here():
        book.say(f"kernels in the pages take emscripten: {book.EMSCRIPTEN}")
        if not installed("emscripten compiles the kernels of the pages\ncmake finds NVIDIA's headers\n"):
            return False
    done = runs.call(["cmake", "-DWHAT=headers", "-DFETCH=ON", "-P", "common/cmake/cuda_fetch.cmake"], cwd=runs.ROOT)
    if done.returncode:
        print("book: NVIDIA's headers, which the kernels in the pages include, could not be fetched from PyPI: check the network, "
              "or leave out --live", file=sys.stderr)
    return done.returncode == 0


def run_maintain(arguments, rest):
    os.chdir(runs.ROOT)
    os.execv(sys.executable, [sys.executable, f"common/tools/maintain/{arguments.command}.py", *rest])


# -------------------------------------------------------------------------------------------------


def parse(parser, words):
    """(arguments, what only the program behind the command knows)."""
    names = [name for action in parser._actions if action.dest == "command" for name in action.choices]
    given = next((word for word in words if not word.startswith("-") and word not in ("auto", "cuda", "cpu")), None)
    if given and given not in names and is_chapter(given):
        words = [word for word in words if word != given] + ["chapter", given]
    elif given and given not in names:
        raise runs.ToolError(f"there is no command '{given}': {', '.join(names[:-1])} or {names[-1]} (--help says more)")
    if given == "run":
        words, theirs = run.divide(words)
        return parser.parse_args(words), theirs
    arguments, rest = parser.parse_known_args(words)
    if rest and arguments.command not in PASSES_ON:
        words = f"{arguments.command} --help" if arguments.command else "--help"
        raise runs.ToolError(f"{arguments.command or 'tutorial'} does not know {rest[0]}: {front.command(words)} says what it "
                             "takes")
    return arguments, rest


def is_chapter(word):
    try:
        return bool(runs.find_chapter(word))
    except runs.ToolError:
        return False


def run_chapter(arguments, _):
    import chapter
    return chapter.run(runs.find_chapter(arguments.chapter))


def run_completion(arguments, _):
    try:
        import argcomplete
    except ImportError:
        raise runs.ToolError("completion needs argcomplete: apt-get install python3-argcomplete, or pip install "
                             "argcomplete") from None
    print(argcomplete.shellcode(["tutorial", "./tutorial"], shell=arguments.shell))
    return 0


def main():
    parser = make_parser()
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete
        argcomplete.autocomplete(parser)
    arguments, rest = parse(parser, sys.argv[1:])
    if not getattr(arguments, "run", None):
        parser.print_help(sys.stderr)
        return 2
    return arguments.run(arguments, rest)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        runs.run_tool(main, "tutorial")
    except front.BuildFailed as failure:
        sys.exit(failure.args[0])
    except KeyboardInterrupt:
        print(file=sys.stderr)
        sys.exit(130)
