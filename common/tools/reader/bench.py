"""./tutorial bench: runs a chapter's benchmark, keeps its result and the one before, draws the ladder."""

import contextlib
import fcntl
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import exercises
import front
import ladder
import runs
import trace

# Few rows on the executor, where the machine's other work moves a time by half: each three times, in mixed order.
REPEATED = ["--benchmark_repetitions=3", "--benchmark_enable_random_interleaving=true"]
SHAPES = re.compile(r"^\d+(x\d+)+(,\d+(x\d+)+)*$")


def run(arguments, folders, rest):
    arguments.rungs += [word for word in rest if not word.startswith("-")]  # behind an option
    rest = [word for word in rest if word.startswith("-")]
    given = {name: getattr(arguments, name) for name in ("shapes", "benchmark_filter", "benchmark_out")}
    flags = [*rest, *(f"--{name}={value}" for name, value in given.items() if value is not None)]
    gpus = [gpu for gpu in arguments.gpu.split(",") if gpu]
    refuse(arguments, folders, rest, gpus)
    if arguments.rungs:
        flags.append(f"--benchmark_filter={filter_of(folders[0], arguments.rungs)}")
    backend = front.choose_backend(arguments.backend, "bench")
    if arguments.share and backend == "cpu":
        raise runs.ToolError("--share is for the ladders of a GPU, and the CPU executor's times say nothing about "
                             "one; omit it")
    with one_at_a_time():
        codes = [Bench(folder, backend, flags, arguments).run(gpus) for folder in folders]
    if arguments.share and not any(codes):
        import share
        (front.RESULTS / "shared").mkdir(parents=True, exist_ok=True)
        files = [front.RESULTS / f"{folder.name}.{backend}.json" for folder in folders]
        return share.write(front.RESULTS / "shared", files)
    return max(codes)


def filter_of(folder, rungs):
    """The regular expression of exactly these rungs: a row's name is elu/f16x8_pack/4096x4096/cold."""
    ladders = [row.ladder for gpu in front.recorded_gpus(folder)[:1] for row in runs.load_run(folder / "results" / f"{gpu}.json").rows]
    ladders = "|".join(runs.unique(ladders)) or r"\w+"
    return f"^({ladders})/({'|'.join(re.escape(rung) for rung in rungs)})/"


def refuse(arguments, folders, rest, gpus):
    """What can be known to be wrong before a build."""
    if arguments.rungs:
        if len(folders) > 1 or arguments.benchmark_filter is not None:
            raise runs.ToolError("name rungs of one chapter, or give --benchmark_filter, not both")
        known = trace.known_names(folders[0])
        try:
            trace.refuse_unknown(folders[0], [rung for rung in arguments.rungs if rung not in known])
        except runs.ToolError as error:
            trace_all = front.command(f"trace {runs.ladder_of_chapter(folders[0])} --list")
            raise runs.ToolError(str(error).replace("--list", trace_all)) from None
    for flag in rest:
        if not re.match(r"--(benchmark_|v=|help)", flag):
            raise runs.ToolError(f"bench does not know {flag}: {front.command('bench --help')} lists its flags")
    if arguments.shapes is not None and not SHAPES.match(arguments.shapes):
        raise runs.ToolError(f"--shapes={arguments.shapes}: write rows x columns, joined by commas, as in "
                             "1024x1024,4096x4096")
    if arguments.benchmark_filter is not None:
        try:
            re.compile(arguments.benchmark_filter)
        except re.error as error:
            raise runs.ToolError(f"--benchmark_filter={arguments.benchmark_filter} is no regular expression: "
                                 f"{error}") from None
    if (arguments.share or len(folders) > 1) and (arguments.benchmark_out or arguments.svg):
        raise runs.ToolError("--benchmark_out and --svg name one file; omit them with all and --share")
    for name in ("benchmark_out", "svg"):
        require_writable(name, getattr(arguments, name))
    for folder in folders:
        recorded = front.recorded_gpus(folder)
        for gpu in gpus:
            if gpu not in recorded:
                raise runs.ToolError(f"{folder.name} has no recorded run of {gpu}; --gpu takes one or more, joined "
                                     f"by commas, of: {' '.join(recorded)}")


def require_writable(flag, path):
    """A result is written after the run. This checks before it that it can be."""
    if path is None:
        return
    path = Path(path)
    if path.is_dir():
        raise runs.ToolError(f"--{flag}={path} is a folder; name a file inside it")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise runs.ToolError(f"--{flag}={path} cannot be written; name a file in a folder that you can write to")


@contextlib.contextmanager
def one_at_a_time():
    """Two benchmarks at once would disturb each other's times."""
    front.LOGS.mkdir(parents=True, exist_ok=True)
    with open(front.LOGS / "bench.lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            front.say("bench: waiting for another ./tutorial bench: two at once would disturb each other's times")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Bench:
    """A chapter's benchmark."""

    def __init__(self, folder, backend, flags, arguments):
        self.folder, self.backend, self.flags, self.arguments = folder, backend, flags, arguments
        self.name = f"{folder.name}.{backend}"
        self.program = front.program(backend, f"{folder.name}_bench")
        self.log = front.LOGS / f"{self.name}.bench.log"
        self.chosen = next((flag for flag in flags if flag.startswith("--benchmark_filter=")), None)
        self.selects = self.chosen is not None or arguments.shapes is not None
        part = ".selected" if self.selects else ""  # a run of all rows stays the one to compare with
        self.out = Path(arguments.benchmark_out or front.RESULTS / f"{self.name}{part}.json")
        self.running = front.RESULTS / f"{self.name}.running.json"

    def run(self, gpus):
        try:
            name = self.folder.name  # of a whole chapter its test, too: the reader's first verdict needs it next
            front.build(self.backend, f"{name}_bench", *([] if self.selects else [f"{name}_test"]))
        except front.BuildFailed:
            import yours
            yours.tell_build(self.backend, [self.folder])
            raise
        if not os.access(self.program, os.X_OK):
            raise runs.ToolError(f"{self.folder.name} has no benchmark")
        if any(flag.startswith(("--benchmark_list_tests", "--benchmark_format=", "--help")) for flag in self.flags):
            return subprocess.run([str(self.program), *self.flags], check=False).returncode  # these print no rows
        self.tell_selection()
        self.measure()
        self.keep()
        front.say()
        code = self.show(runs.load_run(self.out), gpus)
        if self.arguments.svg:
            self.draw()
        return code

    def tell_selection(self):
        if self.chosen is None:
            return
        said = " ".join(self.arguments.rungs) or self.chosen
        done = subprocess.run([str(self.program), *self.flags, "--benchmark_list_tests"], capture_output=True, text=True,
                              check=False)
        names = [line.strip() for line in done.stdout.splitlines() if line.count("/") >= 3]
        rungs = runs.unique(name.split("/")[1] for name in names)
        if done.returncode or not names:
            raise runs.ToolError(f"{said} matches no row: "
                                 f"{front.command(f'bench {runs.ladder_of_chapter(self.folder)} --benchmark_list_tests')} "
                                 "lists the rows")
        more = f", ... ({len(rungs)} in all)" if len(rungs) > 8 else ""
        front.say(f"bench: {said} selects {front.plural(len(names), 'row')}: "
                  f"{', '.join(rungs[:8])}{more}")

    def measure(self):
        """Runs it; the result is in self.running."""
        self.running.unlink(missing_ok=True)
        flags = [flag for flag in self.flags if not flag.startswith("--benchmark_out=")]
        front.say(" ".join([f"bench: build/{self.backend}/{self.program.name}", *flags]))
        errors = Path(f"{self.log}.errors")
        repeats = self.backend == "cpu" and self.chosen is not None and not any("repetitions" in flag for flag in flags)
        flags += REPEATED if repeats else []
        words = [str(self.program), *flags, f"--benchmark_out={self.running}", "--benchmark_out_format=json"]
        with open(self.log, "w", encoding="utf-8") as log, open(errors, "w", encoding="utf-8") as complaints, \
                subprocess.Popen(words, stdout=subprocess.PIPE, stderr=complaints, text=True, errors="replace") as running:
            try:
                show_progress(running.stdout, log)
            except KeyboardInterrupt:
                running.wait()
                self.running.unlink(missing_ok=True)
                raise runs.ToolError("the benchmark was stopped; its result is discarded") from None
        if running.returncode:
            self.running.unlink(missing_ok=True)
            self.fail(running.returncode, errors)
        if repeats:
            keep_fastest(self.running)

    def fail(self, code, errors):
        """Ends with the benchmark's own sentence, or with what its exit code means."""
        found = re.findall(rf"(?m)^{self.program.name}: (.*)$", errors.read_text(encoding="utf-8", errors="replace"))
        sentence, name = found[-1] if found else "", runs.ladder_of_chapter(self.folder)
        logs = f"logs: {front.here(self.log)} and its .errors"
        test = front.command(f"test {name}")
        if code == 2 and sentence:
            raise runs.ToolError(f"bench: {sentence}")
        if code == 1 and sentence:
            if "your_" in sentence:
                test += " --yours"
            words = f"the benchmark failed: {sentence} ({test} checks the same kernels; {logs})"
        elif code in (-9, 137):
            words = "the system killed the benchmark, as it does when memory runs out: choose smaller --shapes, or " \
                f"close other programs ({logs})"
        elif code in (-2, -15, 130, 143):
            words = "the benchmark was stopped; its result is discarded"
        else:
            words = f"the benchmark crashed (exit code {code}): {test} checks the same kernels ({logs})"
        print(f"tutorial: {words}", file=sys.stderr)
        sys.exit(1)

    def keep(self):
        previous = self.out.with_name(f"{self.out.stem}.previous.json")
        if self.out.exists():
            os.replace(self.out, previous)
        try:
            runs.write_recorded(self.out, runs.load_as_written(self.running))
        finally:
            self.running.unlink(missing_ok=True)
        front.say(f"bench: the result is in {front.here(self.out)}")
        if self.selects and not self.arguments.benchmark_out:
            front.say("bench: it is a selection; the last run of all rows is kept as it is")
        if previous.exists():
            front.say("bench: compare with the previous result: "
                      + front.command(f"compare {front.here(previous)} {front.here(self.out)}"))

    def show(self, run, gpus):
        """The ladders, and the recorded ones that were asked for. Without a GPU no time is worth anything: of all rows
        those beside the reader's, the same as the lessons' GPU has them, and how to count what her kernel asks for."""
        yours = next((row for row in run.rows if row.kind == "yours"), None)
        brief = self.backend == "cpu" and yours is not None and not self.selects
        everything = len(run.rows)

        def beside_yours(shown):
            chosen = [row for row in shown.rows if row.kind in ("rung", "yours") and
                      (row.ladder, row.dtype, row.form) == (yours.ladder, yours.dtype, yours.form)] if brief else []
            shown.rows = chosen or shown.rows
            return shown
        names = {row.rung for row in run.rows}
        code = ladder.show(beside_yours(run))
        for gpu in gpus or (front.recorded_gpus(self.folder)[:1] if self.backend == "cpu" else []):
            front.say()
            recorded = runs.load_run(self.folder / "results" / f"{gpu}.json")
            if self.chosen is not None:
                recorded.rows = [row for row in recorded.rows if row.rung in names]
            if not recorded.rows:
                front.say(f"Of these rows none is recorded on an {gpu.upper()}.")
                continue
            ladder.show(recorded if gpus else beside_yours(recorded), recorded=True)
        if self.backend == "cuda" or yours is None:
            return code
        name = runs.ladder_of_chapter(self.folder)
        front.say()
        if brief:
            front.say(f"All {everything} rows gave right results: {front.command(f'compare {front.here(self.out)}')} draws them.")
        front.say("These times say nothing about a GPU. What your kernel asks of memory, beside a rung: "
                  + front.command(f"trace {name} {yours.rung} {exercises.Chapter(self.folder).beside}"))
        return code

    def draw(self):
        sys.path.insert(0, str(runs.ROOT / "common" / "tools" / "maintain"))
        import marker
        import pictures
        words = f"ladder_figure '{self.out.resolve()}' out=/ladder.svg kinds=rung,yours,peer,copy"
        part = marker.Part(words, runs.ROOT / "README.md", "bench --svg")
        part.options["out"] = str(Path(self.arguments.svg).resolve().with_suffix(".svg"))
        pictures.make_ladder_figure(part)
        for text in part.files.values():
            Path(self.arguments.svg).write_text(text, encoding="utf-8")
        front.say(f"bench: the ladder is drawn in {self.arguments.svg}")


def keep_fastest(path):
    """Of a row's repetitions the fastest, with what the slowest took more as its spread, if that is larger."""
    data = json.loads(path.read_text(encoding="utf-8"))
    rows = runs.grouped((row for row in data["benchmarks"] if row.get("run_type") == "iteration"), lambda row: row["name"])
    for repeated in rows.values():
        timed = [row for row in repeated if row.get("median_us")]
        if len(timed) == len(repeated):
            fastest, slowest = (choose(timed, key=lambda row: row["median_us"]) for choose in (min, max))
            between = 100 * (slowest["median_us"] / fastest["median_us"] - 1)
            fastest["spread_pct"] = max(between, fastest.get("spread_pct", 0))
            repeated[:] = [fastest]
        else:
            repeated.sort(key=lambda row: not row.get("error_occurred"))  # one that failed stands for all
    data["benchmarks"] = [repeated[0] for repeated in rows.values()]
    path.write_text(json.dumps(data), encoding="utf-8")


def show_progress(lines, log):
    """On a terminal, the row that is being timed; the first rows that fail. The log has all rows."""
    terminal, errors = sys.stdout.isatty(), 0
    for line in lines:
        log.write(line)
        if "ERROR OCCURRED" in line:
            errors += 1
            if errors <= 3:
                front.say(line.rstrip())
        elif terminal and "/" in line:
            sys.stdout.write(f"\r\033[K  {line.split(' ')[0].split('/iterations')[0]}")
            sys.stdout.flush()
    if terminal:
        sys.stdout.write("\r\033[K")
