#!/usr/bin/env python3
"""Records a GPU: everything that the pages show of one, step by step, into the repository.

    ./tutorial record h200                    all that is missing, on the machine with that GPU
    ./tutorial record h200 --list             the steps: what is done, and the minutes of the others
    ./tutorial record h200 --only bench       these steps alone: 01_elu/bench, 01_elu, bench, '*/ncu*'
    ./tutorial record h200 --minutes 9        start no step that would not end within nine minutes
    ./tutorial record h200 --again bench      these steps once more, though they are done

A step's files lie under their names in the repository, 01_elu/results/h200.json, as soon as it has ended, and in the
folder (--folder, by default build/record/h200), beside its log and the list of finished steps. So a recording can go
on where it stopped, also in another clone: carry the folder there; what is finished is put in place and not run again.

--list names the steps. Of the pages' main GPU alone are answers (what the worked answers that are programs say of their
speed), codegen (machine code) and counts, for rungs that a chapter's profile does not tell apart; results/headline.json
asks for more profiles and, by "ten_seconds", for after_10s. The last step, report, renews the pages. Needs CUDA's
toolkit, CMake, compute-sanitizer and ncu; torch needs a python3 with PyTorch.

A step that fails is named at the end, and runs again the next time. Where there is no .git, set TUTORIAL_COMMIT: each
file says of which commit it is. Exit code: 0, 1 if one failed, 2 for bad arguments.
"""

import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reader"))
import behind
import front
import model
import ncu
import recorded
import runs

#: The controls that limit residency.
RESIDENCY = (r"^controls/(flight_\d.*|load_\d+_r.*|store_\d+_r\d.*|lanes_.*|own_.*|chain_.*|outer_8_.*"
             r"|(fma|fma_f16|min_f16)_\d+_r.*)/.*/cold")
#: Those that take some sectors of each line from memory.
SECTORS = r"^controls/sectors_memory_"
SANITIZERS = ("memcheck", "racecheck", "initcheck", "synccheck")
#: Minutes of a step on 16 cores, before it was run once here. The benchmarks' follow from the dates in the recordings of
#: 422af14, the tests' from a whole `./tutorial test --long` on an H200; the others are guesses.
MINUTES = {"build": 2, "test": 2, "bench": 1, "torch": 4, "memcheck": 3, "racecheck": 3, "initcheck": 3, "synccheck": 2,
           "controls": 2, "answers": 1, "codegen": 2, "report": 1}
PROFILE_MINUTES = 3


class Step:
    """One thing to record. commands(work) yields a Command after the other, each once the one before has ended;
    files: {the file's path in the repository: its name in the step's folder}, all made by the last command."""

    def __init__(self, name, commands, files=(), gpu=True):
        self.name, self.commands, self.files, self.gpu = name, commands, dict(files), gpu
        self.minutes = MINUTES.get(name.split("/")[-1], PROFILE_MINUTES)

    def is_called(self, patterns):
        chapter, _, what = self.name.partition("/")
        return any(fnmatch.fnmatchcase(word, pattern) for pattern in patterns for word in (self.name, chapter, what))


class Command:
    """A program's arguments, its environment beside ours, and the file for what it prints."""

    def __init__(self, *arguments, out=None, **environment):
        self.arguments, self.out, self.environment = [str(one) for one in arguments], out, environment


def run(command, log):
    """Runs a command, what it says into its file or the log; its exit code."""
    with open(log, "a", encoding="utf-8") as says:
        says.write(f"$ {shlex.join(command.arguments)}\n")
        says.flush()
        with open(command.out, "w", encoding="utf-8") if command.out else says as out:
            try:
                return subprocess.run(command.arguments, stdout=out, stderr=says, cwd=runs.ROOT, check=False,
                                      env={**os.environ, **command.environment}).returncode
            except OSError as error:
                says.write(f"{error}\n")
                return 127


def tool(name):
    """A program of the toolkit, which need not be on PATH."""
    beside = Path(os.environ.get("CUDA_PATH", "/usr/local/cuda"), "bin", name)
    return name if shutil.which(name) or not beside.exists() else beside


def answer(query):
    """What nvidia-smi says of the first GPU, or nothing."""
    try:
        said = runs.call(["nvidia-smi", query, "--format=csv,noheader"], stderr=subprocess.DEVNULL).stdout
        return said.strip().split("\n")[0]
    except OSError:
        return ""


def torch_python():
    return os.environ.get("TUTORIAL_TORCH_PYTHON", sys.executable)


# -------------------------------------------------------------------------------------------------
# The steps


class Plan:
    """The steps of one GPU."""

    def __init__(self, gpu):
        self.gpu, self.build = gpu, runs.ROOT / "build" / "cuda"
        self.tools, self.python = runs.ROOT / "common" / "tools", sys.executable

    def steps(self):
        chapters = runs.find_chapters()
        found = [step for folder in chapters for step in self.of_chapter(folder)]
        found += self.of_common(chapters)
        if self.gpu == runs.shown()["main"]:
            found += [step for folder in chapters for step in self.of_main(folder)]
        return found + [Step("report", self.report, gpu=False)]

    def prepare(self, _):
        yield Command("cmake", "-S", runs.ROOT, "--preset", "cuda")
        yield Command("cmake", "--build", self.build, "--parallel", os.cpu_count())

    def step(self, name, commands, made="ncu.json", gpu=True):
        """A step with one file, which has the step's name in results/."""
        folder, _, what = name.partition("/")
        return Step(name, commands, {f"{folder}/results/{self.gpu}_{what}.json": made}, gpu)

    def of_chapter(self, folder):
        name, results = folder.name, f"{folder.name}/results/{self.gpu}"
        yield Step(f"{name}/test", lambda work: self.test(name, work), {f"{results}_accuracy.json": "accuracy.json"})
        yield Step(f"{name}/bench", lambda work: self.bench(name, work), {f"{results}.json": "bench.json"})
        if (folder / "proof" / "peers" / "torch_peers.py").exists():
            yield self.step(f"{name}/torch", lambda work: self.torch(name, work), "torch.json")
        for one in SANITIZERS:
            yield Step(f"{name}/{one}", lambda _, one=one: self.sanitize(name, one))
        spec = folder / "results" / "headline.json"
        spec = runs.load_json(spec) if spec.exists() else {}
        profiles = spec.get("profiles", [])
        for profile in [{"name": "ncu", "shape": "16384x16384"}, *profiles]:
            yield self.step(f"{name}/{profile['name']}", lambda work, profile=profile: self.profile(
                f"{name}_bench", name.split("_", 1)[1], folder / "proof", work, f"{results}.json", **profile))
        if "ten_seconds" in spec:
            rows = f"/({'|'.join(spec['ten_seconds'])})/16384x16384/cold"
            yield self.step(f"{name}/after_10s", lambda work: self.bench(
                name, work, "--shapes=16384x16384", f"--benchmark_filter={rows}", TUTORIAL_AFTER_SECONDS="10",
                TUTORIAL_CLOCK_INSIDE="1"), "bench.json")

    def of_common(self, chapters):
        results = f"common/results/{self.gpu}"
        yield Step("common/test", lambda work: self.test("common", work),
                   {"common/results/half_functions.json": "raw/half_functions.json"})
        program = "common_controls"
        yield self.step("common/controls", lambda work: self.bench(program, work, "--shapes=2048x2048,16384x16384"), "bench.json")
        yield self.step("common/controls_ncu", lambda work: self.profile(
            program, "control", runs.ROOT / "common/controls", work, f"{results}_controls.json", "controls_ncu", "16384x16384"))
        yield self.step("common/residency_ncu", lambda work: self.by_name(program, RESIDENCY, work, "--shapes=16384x16384"))
        yield self.step("common/sectors_ncu", lambda work: self.by_name(program, SECTORS, work))
        yield self.step("common/behind_ncu", lambda work: self.behind(chapters, work))
        yield self.step("common/views_ncu", lambda work: self.views(runs.ROOT / f"{results}_views.json", work))

    def of_main(self, folder):
        name = folder.name
        yield self.step(f"{name}/codegen", lambda work: self.codegen(folder, work), "codegen.json", gpu=False)
        yield self.step(f"{name}/counts", lambda work: self.counts(name, work))
        if any((folder / "answers").glob("*.cu")):
            yield self.step(f"{name}/answers", lambda work: self.answers(folder, work), "answers.json")

    def binary(self, name):
        """A built program; a multi-configuration build would have it deeper."""
        return next((path for path in sorted(self.build.rglob(name)) if path.is_file()), self.build / name)

    def test(self, chapter, work):
        yield Command("ctest", "--test-dir", self.build, "--output-on-failure", "-R", rf"^{chapter}\.",
                      TUTORIAL_REQUIRE_GPU="1", TUTORIAL_RECORD_DIR=str(work / "raw"))
        if list((work / "raw").glob("accuracy*.json")):
            runs.write_recorded(work / "accuracy.json", runs.merged_accuracy(work / "raw"))

    def bench(self, chapter, work, *more, **environment):
        program = chapter if chapter.endswith("_controls") else f"{chapter}_bench"
        yield Command(self.binary(program), *more, f"--benchmark_out={work / 'bench.json'}", "--benchmark_out_format=json",
                      **environment)

    def torch(self, chapter, work):
        yield Command(torch_python(), runs.ROOT / "common" / "torch" / "table.py", chapter, "--json", work / "torch.json")

    def answers(self, folder, work):
        """Each program's own sentence: "right: ..; 91.20 us, 99.1 % of a copy of as many bytes"."""
        yield Command("cmake", "--build", self.build, "--parallel", os.cpu_count(), "--target", f"{folder.name}_answers")
        rows = []
        for source in sorted((folder / "answers").glob("*.cu")):
            said = work / f"{source.stem}.txt"
            yield Command(self.binary(f"{folder.name}_answer_{source.stem}"), out=said)
            found = said.exists() and re.search(r"; ([\d.]+) us, ([\d.]+) % of a copy", said.read_text(encoding="utf-8"))
            if found:
                rows.append({"name": f"answers/{source.stem}/134217728/cold", "label": "any answer",
                             "median_us": float(found[1]), "copy_pct": float(found[2])})
        if not rows:
            return
        context = {"backend": "cuda", "gpu": answer("--query-gpu=name"), "commit": runs.commit()}
        runs.write_json(work / "answers.json", {"context": context, "benchmarks": rows})

    def sanitize(self, chapter, one):
        """Launches that are refused on purpose are no finding; tests that take minutes without it are left out."""
        yield Command(tool("compute-sanitizer"), "--tool", one, "--error-exitcode", "86", "--report-api-errors", "no",
                      self.binary(f"{chapter}_test"), "~[long]~[exhibit]", TUTORIAL_REQUIRE_GPU="1")

    def profile(self, program, ladder, proof, work, run_of, name, shape, filter=None):
        """ncu reports a kernel's second and third launch: where forms share a kernel, the filter names the form."""
        yield Command(tool("ncu"), "--query-metrics", out=work / "metrics.txt")
        grid = [f"--shapes={shape}"] if re.fullmatch(r"\d+x\d+", shape) else []  # any other is a row's own
        yield Command(*self.under_ncu(work, "--kernel-name-base", "mangled", "--kernel-id", "::regex:.:^(2|3)$"),
                      "--log-file", work / "ncu.csv", self.binary(program), *grid,
                      f"--benchmark_filter={filter or f'/{shape}/cold'}", TUTORIAL_PROFILE="1")
        spec = ["--spec", proof / "codegen.json"] if (proof / "codegen.json").exists() else []
        context = ["--context", runs.ROOT / run_of] if (runs.ROOT / run_of).exists() else []
        yield Command(self.python, self.tools / "maintain" / "ncu.py", work / "ncu.csv", "--shape", shape, "--ladder", ladder,
                      *spec, *context, "--out", work / "ncu.json")

    def counts(self, chapter, work):
        """What the chapter's profiles do not tell apart: rungs that share a kernel, and those of several launches."""
        names = self.not_told_apart(chapter)
        if names:
            yield from self.by_name(f"{chapter}_bench", f"^({'|'.join(names)})(/|$)", work)

    def not_told_apart(self, chapter):
        return [*model.counted_rows(chapter, self.gpu), *(row.name for row in model.kernels(chapter, self.gpu)[1])]

    def by_name(self, program, rows, work, *more):
        """ncu reports each row's launches under its name."""
        listed, order = work / "rows.txt", work / "order.json"
        yield Command(tool("ncu"), "--query-metrics", out=work / "metrics.txt")
        yield Command(self.binary(program), *more, "--benchmark_list_tests", f"--benchmark_filter={rows}", out=listed)
        names = runs.read_text(listed).split() if listed.exists() else []
        runs.write_json(order, {"context": {"commit": runs.commit()},
                                "profiled": [{"name": recorded.own_name(name), "calls": 3} for name in names]})
        yield Command(*self.under_ncu(work, "--kernel-name-base", "mangled"), "--log-file", work / "ncu.csv",
                      self.binary(program), *more, f"--benchmark_filter={rows}", TUTORIAL_PROFILE="1")
        yield Command(self.python, self.tools / "maintain" / "ncu.py", work / "ncu.csv", "--order", order, "--out", work / "ncu.json")

    def under_ncu(self, work, *more):
        return [tool("ncu"), "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base", "--force-overwrite",
                "--metrics", ",".join(ncu.known_metrics(work / "metrics.txt")), *more]

    def behind(self, chapters, work):
        """Both kernels of the cells in which PyTorch is ahead of our operator, cold ones with empty caches."""
        paths = [folder / "results" / f"{self.gpu}_torch.json" for folder in chapters]
        cells = [cell for path in paths if path.exists()
                 for cell in behind.torch_cells(runs.load_run(path), self.gpu.upper(), path.parents[1].name)]
        wanted = []
        for regime in ("cold", "warm"):
            for folder in chapters:
                rows = runs.unique(behind.row_of(one, who) for group in behind.lowest(cells) for one in group
                                   if (one.chapter, one.regime) == (folder.name, regime) for who in ("ours", "theirs"))
                if rows:
                    wanted.append((f"{folder.name}_{regime}", regime, ["table.py", folder.name, "--profile", ",".join(rows)]))
        yield from self.called(wanted, work)

    def views(self, path, work):
        """The kernels of each case of views.py in which a peer is ahead, where it is lowest."""
        rows = {row["name"]: row for row in runs.load_json(path)["benchmarks"]} if path.exists() else {}
        cells = behind.lowest_views(behind.views(rows, runs.unique(name.split("/")[0] for name in rows)))
        yield from self.called([(f"{size[2:]}_{regime}", regime, ["views.py", "--elements", size[2:], "--profile", regime, "--filter", ",".join(
            one.case for one in cells if (one.size, one.regime) == (size, regime))])
            for size, regime in sorted({(one.size, one.regime) for one in cells})], work)

    def called(self, wanted, work):
        """ncu on the calls of scripts of common/torch: of each (name, regime, words); cold ones with empty caches."""
        yield Command(tool("ncu"), "--query-metrics", out=work / "metrics.txt")
        csvs = [work / f"{name}.csv" for name, _, _ in wanted]
        orders = [path.with_suffix(".json") for path in csvs]
        for csv, order, (_, regime, (script, *words)) in zip(csvs, orders, wanted):
            yield Command(*self.under_ncu(work, "--profile-from-start", "off", "--nvtx", "--cache-control",
                                          "all" if regime == "cold" else "none", "--kernel-name-base", "demangled"),
                          "--log-file", csv, torch_python(), runs.ROOT / "common" / "torch" / script, *words, "--json", order)
        if csvs:
            yield Command(self.python, self.tools / "maintain" / "ncu.py", *csvs, "--order", *orders, "--out", work / "ncu.json")

    def codegen(self, folder, work):
        yield Command(self.python, self.tools / "maintain" / "codegen.py", "--nvcc", tool("nvcc"), "--arch",
                      f"sm_{answer('--query-gpu=compute_cap').replace('.', '') or '90'}",
                      "--spec", folder / "proof" / "codegen.json", "--json", work / "codegen.json")

    def report(self, _):
        for more in ([], ["--check"]):
            yield Command(self.python, self.tools / "maintain" / "report.py", *more)


# -------------------------------------------------------------------------------------------------
# A recording


class Recording:
    """The folder of a recording: which steps are done, their files and logs."""

    def __init__(self, folder, runner=run):
        self.folder, self.runner, self.state = Path(folder), runner, Path(folder) / "state.json"
        self.done = runs.load_json(self.state) if self.state.exists() else {}

    def put_in_place(self, step):
        """Copies a finished step's files to their places in the repository."""
        for name in self.done[step.name]["files"]:
            kept, place = self.folder / "files" / name, runs.ROOT / name
            if not place.exists() or place.read_bytes() != kept.read_bytes():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(kept, place)

    def perform(self, step):
        """Runs a step; why it failed, or None."""
        work, log = self.folder / "work" / step.name, self.folder / "logs" / f"{step.name.replace('/', '.')}.log"
        shutil.rmtree(work, ignore_errors=True)
        for path in (work / "raw", log.parent):
            path.mkdir(parents=True, exist_ok=True)
        log.write_text("", encoding="utf-8")
        began = time.monotonic()
        for command in step.commands(work):
            code = self.runner(command, log)
            if code:
                return f"{Path(command.arguments[0]).name} ended with {code}: {log}"
        files = {name: work / made for name, made in step.files.items() if (work / made).exists()}
        for name, made in files.items():
            kept = self.folder / "files" / name
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(recorded.text(recorded.short(runs.load_as_written(made))) + "\n", encoding="utf-8")
        self.done[step.name] = {"seconds": round(time.monotonic() - began), "commit": runs.commit(), "files": sorted(files)}
        self.state.write_text(json.dumps(self.done, indent=1) + "\n", encoding="utf-8")
        self.put_in_place(step)
        shutil.rmtree(work)
        return None


def minutes(number):
    return f"about {number} minute{'' if number == 1 else 's'}"


def listing(steps, recording):
    """A line per step, and one for all."""
    for step in steps:
        known = recording.done.get(step.name)
        print(f"{step.name:28} " + (f"done in {known['seconds']} s at {known['commit']}" if known else minutes(step.minutes)))
    open_steps = [step for step in steps if step.name not in recording.done]
    print(f"{len(steps) - len(open_steps)} of {len(steps)} steps are done; the others take {minutes(sum(s.minutes for s in open_steps))}")


def check_gpu(gpu):
    """ToolError unless the GPU of that name answers."""
    name = answer("--query-gpu=name")
    if not name:
        raise runs.ToolError(f"no GPU answers (nvidia-smi); run this on the machine with the {gpu}, or carry its folder here")
    if gpu not in re.sub(r"[^a-z0-9]", "", name.lower()):
        raise runs.ToolError(f"the GPU here is {name}, and {gpu} is to be recorded; name it by letters and digits of its own name")


def record(steps, plan, recording, limit):
    """Runs the steps; 1 if one failed."""
    failed, began, built = [], time.monotonic(), False
    for number, step in enumerate(steps, 1):
        left = limit - (time.monotonic() - began) / 60
        if step.minutes > left:
            print(f"record: stopped before {step.name}, {minutes(step.minutes)} of {left:.0f} left; run the same command again")
            break
        if step.gpu and not built:
            print(f"record: building, {minutes(MINUTES['build'])}", flush=True)
            why = recording.perform(Step("build", plan.prepare))
            if why:
                raise runs.ToolError(why)
            built = True
        print(f"record: {number} of {len(steps)}: {step.name}, {minutes(step.minutes)}", flush=True)
        why = recording.perform(step)
        if why:
            print(f"record: {step.name} failed: {why}", flush=True)
            failed.append(step.name)
    if failed:
        print(f"record: failed: {', '.join(failed)}; the same command tries these again", file=sys.stderr)
    return 1 if failed else 0


def main(runner=run):
    parser = runs.Parser(prog=front.command("record"), description="Records a GPU into the repository, step by step.")
    parser.add_argument("gpu", help="its short name, as in the files': h200")
    words = {"type": lambda text: text.split(","), "default": [], "metavar": "STEP,..."}
    parser.add_argument("--only", help="only these steps: 01_elu/bench, 01_elu, bench, '*ncu*'", **words)
    parser.add_argument("--again", help="these steps once more, though they are done", **words)
    parser.add_argument("--list", action="store_true", help="name the steps and their minutes, and run nothing")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="start no step that would not end within these")
    parser.add_argument("--folder", help="where the recording is kept (default: build/record/GPU)")
    arguments = parser.parse_args()
    if not re.fullmatch(r"[a-z]*\d+[a-z0-9]*", arguments.gpu):
        raise runs.ToolError(f"{arguments.gpu}: name the GPU as its files are to be called, in small letters and digits: h200")
    plan = Plan(arguments.gpu)
    recording = Recording(arguments.folder or runs.ROOT / "build" / "record" / arguments.gpu, runner)
    steps = plan.steps()
    for pattern in arguments.only + arguments.again:
        if not any(step.is_called([pattern]) for step in steps):
            raise runs.ToolError(f"no step is called {pattern}; --list names them")
    wanted = [step for step in steps if not arguments.only or step.is_called(arguments.only)]
    if arguments.list:
        return listing(wanted, recording)
    for step in steps:
        if step.name in recording.done:
            recording.put_in_place(step)
    missing = [step for step in wanted if step.name not in recording.done or step.name == "report" or step.is_called(arguments.again)]
    if not has_torch():
        for step in [step for step in missing if step.name.endswith(("/torch", "/behind_ncu", "/views_ncu"))]:
            print(f"record: {step.name} is left out: {torch_python()} has no PyTorch; TUTORIAL_TORCH_PYTHON names another Python")
            missing.remove(step)
    if any(step.gpu for step in missing):
        check_gpu(arguments.gpu)
    recording.folder.mkdir(parents=True, exist_ok=True)
    return record(missing, plan, recording, arguments.minutes)


def has_torch():
    return subprocess.run([torch_python(), "-c", "import torch"], capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    runs.run_tool(main, "tutorial")
