#!/usr/bin/env python3
"""Tests of ./tutorial and its commands: what it says where something is missing, and what it runs. It runs
in a folder with a space in its name, with scripts in the place of the programs that it calls."""

import compileall
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import folders
import bench
import runs
import synthetic

# What the script itself needs of a system.
NEEDED = "basename bash cat cp dirname env flock grep head mkdir mv nproc readlink realpath rm sed sort tail tee tput true".split()


class Door(synthetic.Scratch):
    """./tutorial in a folder of its own, with none of the programs that it calls."""

    more = {}  # of the environment

    @classmethod
    def setUpClass(cls):
        # Compiled once: Python would parse all tools again in each call of the door.
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tools = Path(folder.name) / "tools"
        shutil.copytree(folders.TOOLS, cls.tools, ignore=shutil.ignore_patterns("test", "__pycache__"))
        compileall.compile_dir(cls.tools, quiet=1)

    def setUp(self):
        super().setUp()
        self.clone, self.programs, self.calls = (self.root / name for name in ("a clone", "bin", "calls"))
        self.programs.mkdir()
        for chapter in ("01_one", "02_two"):
            synthetic.write(self.clone, f"{chapter}/CMakeLists.txt", "")
        shutil.copy(runs.ROOT / "tutorial", self.clone)
        shutil.copytree(self.tools, self.clone / "common/tools")
        synthetic.write(self.clone, "common/results/shown.json", runs.shown())
        for name in NEEDED:
            if shutil.which(name):
                (self.programs / name).symlink_to(shutil.which(name))
        self.fake("id", 'case $1 in -u) echo 1000 ;; *) echo reader ;; esac')

    def fake(self, name, text=""):
        """A program on PATH that notes how it was called and does what `text` says."""
        self.script(self.programs / name, f'printf "%s\\n" "{name} $*" >>"{self.calls}"\n{text}')

    @staticmethod
    def script(path, text):
        synthetic.script(path, f"#!{shutil.which('bash')}\n{text}\n")

    def environment(self, **more):
        return {"PATH": str(self.programs), "HOME": str(self.clone), "TERM": "dumb", **self.more, **more}

    def call(self, *arguments, code=None, **more):
        """(exit code, stdout, stderr); code: what it must be."""
        done = synthetic.ran(self.clone / "tutorial", *arguments, env=self.environment(**more), cwd=self.clone, stdin=subprocess.DEVNULL)
        self.assertIn(code, (None, done.returncode), done.stderr)
        return done.returncode, done.stdout, done.stderr

    def called(self, name):
        lines = self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []
        return [line.split(" ", 1)[1] for line in lines if line.startswith(name + " ")]


class Missing(Door):
    def test_without_rights_it_names_all_that_is_missing(self):
        self.fake("apt-get")
        _, out, errors = self.call("test", "--backend", "cpu", code=1)
        self.assertIn("setup: missing: cmake (describes the build)", out)
        self.assertRegex(errors, r"as root, run: apt-get install g\+\+ make cmake python3\b.*no sudo here")
        self.assertEqual(self.called("apt-get"), [])

    def test_what_setup_says_where_it_cannot_install(self):
        for fakes, words in (
                ({}, (r"by this system's package manager .*: g\+\+ make cmake",)),
                ({"apt-get": "", "sudo": "exit 1"}, (r"run first: sudo apt-get install g\+\+",)),
                ({"apt-get": 'echo "E: Could not resolve host"; exit 100',
                  "sudo": 'if [ "$1" = -n ]; then shift; fi; exec "$@"'},
                 ("E: Could not resolve host", r"check the network and run again \(log: build/logs/setup.log\)"))):
            for name, text in fakes.items():
                self.fake(name, text)
            errors = self.call("test", "--backend", "cpu", code=1)[2]
            for part in words:
                self.assertRegex(errors, part)

    def test_a_fresh_clone_installs_what_the_book_needs(self):
        """`./tutorial read` asks for packages where nothing has been built yet."""
        self.fake("id", "echo 0")
        self.fake("apt-get", 'echo "E: no such host"; exit 100')
        errors = self.call("install", code=1)[2]
        self.assertTrue(errors.startswith("E: no such host\n"), errors)

    def test_the_book_needs_pythons_environments(self):
        self.fake("python3", f'case $* in *ensurepip*) exit 1 ;; esac; exec "{sys.executable}" "$@"')
        _, out, errors = self.call("read", code=1)
        self.assertIn("setup: missing: python3-venv", out)
        self.assertIn("python3-venv", errors)


class Tutorial(Door):
    def setUp(self):
        """Everything that is ever missing, as if it were there."""
        super().setUp()
        for name in ("c++", "g++", "make", "ctest"):
            self.fake(name)
        self.fake("python3", f'exec "{sys.executable}" "$@"')
        self.fake("cmake", 'if [ "$1" = --version ]; then echo cmake version 3.25.1; fi')
        for name in ("include/catch2/catch.hpp", "include/benchmark/benchmark.h", "lib/libboost_context.a",
                     "include/boost/context/fiber.hpp"):
            self.put(f"prefix/{name}", "")
        self.more = {"CMAKE_PREFIX_PATH": str(self.root / "prefix")}

    def test_mistakes_are_one_line_before_anything_is_built(self):
        for arguments, words in ((("tset",), "no command 'tset'"), (("bench",), "bench needs a chapter"),
                                 (("test", "9"), "the chapters are: 01_one, 02_two"),
                                 (("test", "--shor"), "test does not know --shor"),
                                 (("test", "--backend", "gpu"), "choose from 'auto', 'cuda', 'cpu'"),
                                 (("bench", "one", "--shapes=big"), "write rows x columns"),
                                 (("bench", "one", "--benchmark_filter=("), "is no regular expression"),
                                 (("bench", "one", "--fast"), "bench does not know --fast"),
                                 (("--frob",), "tutorial does not know --frob"),
                                 (("predict", "one", "--frob"), "predict: unrecognized arguments: --frob (./tutorial predict"),
                                 (("report", "--frob"), "report: unrecognized arguments: --frob (./tutorial report"),
                                 (("compare", "nowhere.json"), "no such file"),
                                 (("exercises", "one", "nothing"), "has no exercise nothing"),
                                 (("trace", "one"), "trace needs a rung"),
                                 (("watch",), "watch needs a chapter"),
                                 (("setup", "now"), "setup takes --nvcc or nothing")):
            with self.subTest(arguments):
                self.assert_refused(self.call(*arguments), words)
        self.assertEqual([call for call in self.called("cmake") if not call.startswith("--version")], [])

    def test_every_command_helps(self):
        self.assertRegex(self.call("--version", TUTORIAL_COMMIT="abc1234")[1], r" abc1234\n$")
        for command in ("test", "bench", "trace", "compare", "exercises", "watch", "read", "torch", "report", "record"):
            self.assertIn(f"usage: ./tutorial {command}", self.assert_fine(self.call(command, "--help")))
        self.assertIn("--benchmark_filter", self.call("bench", "one", "--help")[1])

    def test_a_full_disk_leaves_no_half_of_a_file(self):
        synthetic.write(self.clone, "01_one/answers/own.cu", "int f() {\n  return 1;\n}\n")
        synthetic.write(self.clone, "01_one/answers/exercises.json",
                        {"exercises": [{"name": "own", "task": "x", "answer": "own.cu", "write": ["f"]}]})
        own = self.clone / "01_one/your_own.cu"

        def full(*arguments):
            done = synthetic.ran("bash", "-c", 'ulimit -f 0; exec "$0" "$@"', sys.executable,
                                 self.clone / "common/tools/reader/commands.py", "exercises", "one", "own", *arguments,
                                 env=self.environment(PYTHONDONTWRITEBYTECODE="1"), cwd=self.clone)
            self.assert_refused((done.returncode, done.stdout, done.stderr), "make room on this disk")

        full("--start")
        self.assertFalse(own.exists())
        own.write_text("mine", encoding="utf-8")
        full("--restore")
        self.assertEqual(runs.read_text(own), "mine")
        self.assertEqual([path.name for path in (self.clone / ".exercises/01_one").iterdir()], [])

    def test_it_may_be_called_through_a_link_and_from_elsewhere(self):
        link = self.root / "link"
        link.symlink_to(self.clone / "tutorial")
        for door, cwd, prefix in ((link, self.root, "'a clone/tutorial'"),
                                  (self.clone / "tutorial", self.clone / "01_one", "../tutorial")):
            done = synthetic.ran(door, "bench", env=self.environment(), cwd=cwd)
            self.assertEqual(done.stderr, f"tutorial: bench needs a chapter, or all: {prefix} bench one\n")

    def test_help_names_the_chapters_and_every_command(self):
        out = self.assert_fine(self.call("--help"))
        self.assertIn("chapters: 01_one 02_two\n", out)
        commands = self.call("nothing")[2].partition("no command 'nothing': ")[2].partition(" (")[0]
        for command in commands.replace(" or ", ", ").split(", "):
            self.assertRegex(out, rf"(?m)^    {command}\b")

    def test_what_it_says_of_the_backend_fits_80_columns(self):
        self.fake("old_nvcc", "echo release 11.0,")
        for reason, backend, gpu in (("as requested", "cpu", ""), ("no GPU here", "auto", ""),
                                     ("no nvcc here", "auto", "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)")):
            self.fake("nvidia-smi", f"echo '{gpu}'")
            out = self.call("choose-backend", backend, "test", code=0, CUDACXX=str(self.programs / "old_nvcc"))[1]
            self.assertTrue(out.startswith(f"backend: cpu ({reason}): "), out)
            self.assertLessEqual(max(map(len, out.splitlines())), 80, out)

    def test_sources_that_cannot_be_written(self):
        self.fake("mkdir", "exit 1")
        self.assert_refused(self.call("test", "--backend", "cpu"), f"cmake -S '{self.clone}' -B FOLDER", 1, silent=False)

    def test_a_build_folder_of_somebody_else(self):
        (self.clone / "build").touch()
        self.assert_refused(self.call("test", "--backend", "cpu"), "a clone/build cannot be written by reader", 1, silent=False)

    def test_a_configured_folder_without_its_logs(self):
        synthetic.write(self.clone, "build/cpu/CMakeCache.txt", f"CMAKE_HOME_DIRECTORY:INTERNAL={self.clone}\n")
        self.assert_fine(self.call("build-targets", "cpu", "01_one", TUTORIAL_CONFIGURED="1"))
        self.assertTrue((self.clone / "build/logs/cpu.build.log").exists())

    def test_what_it_runs(self):
        self.assert_fine(self.call("test", "2", "one", "--backend", "cpu"))
        built = [call for call in self.called("cmake") if call.startswith(("--preset", "--build"))]
        self.assertEqual(built[0], "--preset cpu")
        self.assertRegex(built[1], r"^--build build/cpu --parallel \d+ --target 02_two 01_one$")
        self.assertRegex(self.called("ctest")[0],
                         r"a clone/build/cpu .* -L \^\(two\|one\)\$ --label-exclude \^\(long\)\$$")
        self.assertNotIn("left out", self.call("test", "--long", "--backend", "cpu")[1])
        self.assertNotIn("--label-exclude", self.called("ctest")[1])
        self.assertIn("test --all", self.call("test", "--backend", "cpu")[1])
        self.assertRegex(self.called("cmake")[-1], "--target tutorial_tests$")
        self.assertRegex(self.called("ctest")[2], r"--label-exclude \^\(long\|house\)\$ --exclude-regex \S*trace")
        self.assertNotIn("test --all", self.call("test", "--all", "--backend", "cpu")[1])
        self.assertRegex(self.called("cmake")[-1], r"^--build build/cpu --parallel \d+$")
        self.assertRegex(self.called("ctest")[3], r"--label-exclude \^\(long\)\$ --exclude-regex \S*trace")

    #: A benchmark that writes the run that lies beside it and lists one row.
    WRITES = ('for flag; do case $flag in --benchmark_out=*) cp "$0.json" "${flag#*=}" ;; '
              '--benchmark_list_tests) echo one/f16/8x8/cold; exit ;; esac; done')

    def write_run(self, path, **more):
        rungs = (("f16", "f16", "rung"), ("your_one", "f16", "yours"), ("copy", "f16", "copy"))
        synthetic.write(path.parent, path.name, synthetic.run(rungs=rungs, shapes=("8x8",), **more))

    def bench(self, text, *flags):
        """./tutorial bench one, with a benchmark that does what `text` says."""
        self.script(self.clone / "build/cpu/01_one_bench", text)
        self.write_run(self.clone / "build/cpu/01_one_bench.json", backend="cpu")
        return self.call("bench", "one", "--backend", "cpu", *flags)

    def test_a_benchmark_ends_in_one_sentence(self):
        chatter = 'printf "gpu_clock_mhz: none\\nRunning x\\n" >&2; '
        for text, code, words in (
                (f'{chatter}echo "01_one_bench: choose a smaller shape" >&2; exit 2', 2,
                 "tutorial: bench: choose a smaller shape\n"),
                (f'{chatter}echo "01_one_bench: 1 row failed: one/f16: wrong" >&2; exit 1', 1,
                 "tutorial: the benchmark failed: 1 row failed: one/f16: wrong (./tutorial test one checks "
                 "the same kernels; logs: build/logs/01_one.cpu.bench.log and its .errors)\n"),
                (f"{chatter}kill -KILL $$", 1, "tutorial: the system killed the benchmark, as it does when "
                 "memory runs out: choose smaller --shapes, or close other programs (logs: "
                 "build/logs/01_one.cpu.bench.log and its .errors)\n"),
                (f"{chatter}exit 139", 1, "tutorial: the benchmark crashed (exit code 139): ./tutorial test one "
                 "checks the same kernels (logs: build/logs/01_one.cpu.bench.log and its .errors)\n")):
            self.assertEqual(self.bench(text)[::2], (code, words), text)
            self.assertFalse(list((self.clone / "build/results").glob("*.cpu.json")))

    def test_of_many_rows_that_failed_it_shows_three(self):
        _, out, _ = self.bench("for i in 1 2 3 4 5; do echo \"one/$i ERROR OCCURRED: 'x'\"; done; exit 1")
        self.assertEqual(out.count("ERROR OCCURRED"), 3)

    def test_a_result_that_cannot_be_written_stops_the_benchmark_before_it_runs(self):
        ran = self.clone / "ran"
        for name, words in (("none/a.json", "cannot be written; name a file in a folder that you can write"),
                            ("", "is a folder; name a file inside it")):
            self.assert_refused(self.bench(f'touch "{ran}"', f"--benchmark_out={self.clone}/{name}"), words)
        self.assertFalse(ran.exists())

    def results(self):
        return sorted(path.name for path in (self.clone / "build/results").iterdir())

    def test_a_run_is_kept_and_the_one_before_it(self):
        for kept in (["01_one.cpu.json"], ["01_one.cpu.json", "01_one.cpu.previous.json"]):
            out = self.assert_fine(self.bench(self.WRITES))
            self.assertIn("bench: the result is in build/results/01_one.cpu.json", out)
            self.assertEqual(self.results(), kept)
        self.assertIn("CPU executor", out)
        self.assertRegex(self.called("cmake")[-1], "--target 01_one_bench 01_one_test$")  # and no fuzz program, no exhibit
        self.assertIn("./tutorial trace one your_one", out)  # what is worth looking at without a GPU
        self.assertRegex(out, r"yours\n +your_one .*\n +f16 ")  # the reader's row first, and what stands beside it
        self.assertNotIn("  copy", out)
        self.assertIn("All 6 rows gave right results: ./tutorial compare build/results/01_one.cpu.json draws them.", out)

    def test_a_selection_is_said_and_does_not_replace_the_run_of_all_rows(self):
        self.bench(self.WRITES)
        out = self.assert_fine(self.bench(self.WRITES, "--benchmark_filter=f16"))
        self.assertIn("bench: --benchmark_filter=f16 selects 1 row: f16\n", out)
        self.assertEqual(self.results(), ["01_one.cpu.json", "01_one.cpu.selected.json"])
        self.assert_refused(self.bench("exit 0", "--benchmark_filter=nothing"), "matches no row", silent=False)

    def test_a_rung_alone(self):
        self.write_run(self.clone / "01_one/results/h200.json")
        out = self.assert_fine(self.bench(f'echo "$*" >>"{self.clone}/flags"; {self.WRITES}', "f16"))
        self.assertIn("bench: f16 selects 1 row: f16\n", out)
        self.assertRegex(self.called("cmake")[-1], "--target 01_one_bench$")  # and no test
        self.assertIn("--benchmark_filter=^(elu)/(f16)/", runs.read_text(self.clone / "flags"))
        self.assertIn("\n  f16 ", out.partition("recorded on")[2])

    def test_of_repetitions_the_fastest_counts_and_the_slowest_is_its_spread(self):
        data = synthetic.run(rungs=(("f16", "f16", "rung"),), shapes=("8x8",), regimes=("warm",), backend="cpu")
        data["benchmarks"] = [{**data["benchmarks"][0], "median_us": time} for time in (30.5, 48.7, 33.0)]
        path = Path(synthetic.write(self.clone, "one.json", data))
        bench.keep_fastest(path)
        row, = runs.load_run(path).rows
        self.assertEqual((row.median_us, round(row.spread_pct)), (30.5, 60))

    def test_after_a_selection_nothing_else_of_the_record_is_printed(self):
        self.write_run(self.clone / "01_one/results/h200.json")
        synthetic.write(self.clone, "one.json", synthetic.run(rungs=(("f16", "f16", "rung"),), shapes=("8x8",), backend="cpu"))
        out = self.assert_fine(self.bench(self.WRITES.replace('"$0.json"', f'"{self.clone}/one.json"'), "--benchmark_filter=f16"))
        self.assertNotIn("copy", out.partition("recorded on")[2].replace("of copy", ""))
        code, out, errors = self.bench(self.WRITES, "none_like_it")
        self.assertEqual((code, errors.count("\n")), (2, 1), out)
        self.assertNotIn("cmake --build", " ".join(self.called("cmake")[-1:]))
        self.assertEqual(self.bench(self.WRITES, "f16", "--benchmark_filter=f16")[0], 2)

    def test_the_ladder_as_a_picture(self):
        self.assert_fine(self.bench(self.WRITES, "--svg=ladder.svg"))
        self.assertIn("your_one", runs.read_text(self.clone / "ladder.svg"))
        self.assertEqual(self.bench(self.WRITES, "--svg=none/ladder.svg")[0], 2)

    @unittest.skipUnless(shutil.which("flock"), "no flock here, so ./tutorial does not wait")
    def test_two_benchmarks_take_turns(self):
        (self.clone / "build/logs").mkdir(parents=True)
        with open(self.clone / "build/logs/bench.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            first = threading.Timer(3, fcntl.flock, (lock, fcntl.LOCK_UN))
            first.start()
            answer = self.bench(self.WRITES)
            first.join()
        self.assertIn("bench: waiting for another ./tutorial bench", self.assert_fine(answer))

    def test_ctrl_c_ends_in_one_line(self):
        self.script(self.clone / "build/cpu/01_one_bench", "echo one/started; exec sleep 30")
        (self.programs / "sleep").symlink_to(shutil.which("sleep"))
        with subprocess.Popen([str(self.clone / "tutorial"), "bench", "one", "--backend", "cpu"], cwd=self.clone,
                              env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as running:
            for line in running.stdout:
                if line.startswith("bench: build/"):
                    break
            time.sleep(1)
            os.killpg(running.pid, signal.SIGINT)
            errors = running.stderr.read()
        self.assertEqual(errors, "tutorial: the benchmark was stopped; its result is discarded\n")
        self.assertEqual(self.results(), [])

    def bench_all(self, *flags, gpu=False):
        """./tutorial bench all, with two benchmarks that write a run."""
        backend = "cuda" if gpu else "cpu"
        if gpu:
            self.fake("nvidia-smi", 'echo "GPU 0: NVIDIA X (UUID: y)"')
            self.fake("nvcc", 'echo "release 13.0, V13.0.1"')
        for name in ("01_one", "02_two"):
            self.script(self.clone / f"build/{backend}/{name}_bench", self.WRITES)
            self.write_run(self.clone / f"build/{backend}/{name}_bench.json", backend=backend)
        return self.call("bench", "all", *flags)

    def test_all_benchmarks_in_turn(self):
        out = self.assert_fine(self.bench_all("--backend", "cpu"))
        for name in ("01_one", "02_two"):
            self.assertIn(f"bench: the result is in build/results/{name}.cpu.json", out)

    def test_a_gpus_ladders_are_shared_and_no_others(self):
        errors = self.bench_all("--share", gpu=True)[2]
        self.assertIn("01_one.cuda.json: is the run of no chapter here", errors)  # the runs are made up
        for name in ("nvidia-smi", "nvcc"):
            (self.programs / name).unlink()
        built = len(self.called("cmake"))
        self.assert_refused(self.bench_all("--share"), "--share is for the ladders of a GPU", silent=False)
        self.assertEqual(len(self.called("cmake")), built)
        self.assertIn("name one file", self.bench_all("--benchmark_out=x.json")[2])

    def test_recorded_ladders_follow(self):
        results = self.clone / "01_one/results"
        for name in ("h100", "h200", "h200_ncu", "fuzz"):
            self.write_run(results / f"{name}.json")
        for flags, names in (((), ["h200"]), (("--gpu", "h100"), ["h100"]),
                             (("--gpu=h200,h100",), ["h200", "h100"])):
            out = self.assert_fine(self.bench(self.WRITES, *flags))
            self.assertEqual(out.count("recorded on Synthetic GPU"), len(names))
            self.assertEqual(out.count("  your_one"), 1)  # in a recorded run it is the starter, and not the reader's
            self.assertFalse(any("--gpu" in call for call in self.called("cmake")))
        for flags in (("--gpu", "h300"), ("--gpu=fuzz",), ("--gpu", "h200_ncu")):
            self.assert_refused(self.bench(self.WRITES, *flags), "joined by commas, of: h200 h100")

    def test_it_says_why_tests_were_skipped(self):
        cases = "".join(
            f'<testcase name="{name}" status="{status}">{inside}<system-out>{said}</system-out></testcase>'
            for name, status, inside, said in (
                ("a", "run", "", "x\nskipped: 8 claims about a.cu: no nvcc 13.0\ny"), ("b", "notrun", '<skipped message="SKIP_RETURN_CODE=4"/>', "Skipped: no GPU"),
                ("c", "notrun", '<skipped message="SKIP_RETURN_CODE=4"/>', "x\nskipped: no GPU"),
                ("d", "notrun", '<skipped message="SKIP_RETURN_CODE=4"/>', ""),
                ("01_one: your rung (forward)", "fail", '<failure message=""/>', "")))
        self.fake("ctest", 'while [ "$1" != --output-junit ]; do shift; done\n'
                  f"printf '%s' '<testsuite>{cases}</testsuite>' >\"$2\"; echo '80% tests passed'; exit 8")
        out = self.call("test", "--backend", "cpu", code=8)[1]
        self.assertEqual(out.splitlines()[-7], "not checked: 8 claims about a.cu: no nvcc 13.0")
        self.assertEqual(out.splitlines()[-6:-4], ["skipped (1): it does not say why", "skipped (2): no GPU"])
        self.assertRegex(out.splitlines()[-4], "^left out: the reverse thread order .*: ./tutorial test --long$")
        self.assertEqual(out.splitlines()[-2:], [
            "80% tests passed",
            "01_one/your_one.cuh: your rung fails: ./tutorial test one --yours says what is wrong with it"])

    def errors_with_a_cmake_that(self, *answers):
        self.fake("cmake", " ;; ".join(["case $1 in --version) echo cmake version 3.25.1", *answers])
                  + " ;; esac")
        return self.call("test", "--backend", "cpu", code=1)[2]

    def test_a_build_that_fails(self):
        errors = self.errors_with_a_cmake_that('--build) echo "x.cu:1: error: no"; exit 2')
        self.assertIn("x.cu:1: error: no", errors)
        self.assertIn("(log: build/logs/cpu.build.log)", errors)
        self.assertEqual(self.called("ctest"), [])

    def test_packages_that_cannot_be_fetched_are_one_sentence(self):
        errors = self.errors_with_a_cmake_that(
            '--preset) printf "CMake Error: x\\ny\\nFailed to clone repository: z\\n"; exit 1')
        self.assertIn("catch2, libbenchmark-dev", errors)
        self.assertEqual(errors.count("\n"), 1)

    @unittest.skipUnless(shutil.which("flock"), "no flock here, so ./tutorial does not wait")
    def test_a_compiler_is_fetched_where_there_is_none(self):
        script, elsewhere = self.clone / "tutorial", "/usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc "
        text = runs.read_text(script)
        self.assertIn(elsewhere, text)
        script.write_text(text.replace(elsewhere, ""), encoding="utf-8")
        (self.clone / "common/cmake").mkdir()
        shutil.copy(runs.ROOT / "common/cmake/cuda.cmake", self.clone / "common/cmake")
        fetched = self.clone / ".deps/cuda/nvidia/cu13/bin/nvcc"
        self.fake("nvcc", "echo release 13.0, V13.0.1")
        arrive = f'mkdir -p "{fetched.parent}" && mv "{self.programs}/nvcc" "{fetched}"'
        self.fake("nvcc-old", "echo release 11.8, V11.8.1")  # too old, on PATH: another one is taken
        compiler = (self.programs / "nvcc").rename(self.programs / "arriving")
        (self.programs / "nvcc-old").rename(self.programs / "nvcc")
        self.fake("cmake", f'case "$*" in *--version*) echo cmake version 3.25.1 ;;\n'
                           f'*WHAT=nvcc*) {arrive.replace("/nvcc", "/arriving", 1)} ;; esac')
        self.assertIn("./tutorial setup --nvcc fetches one", self.call("test", "--backend", "cuda", code=1)[2])
        self.assertTrue(compiler.exists())
        out = self.assert_fine(self.call("setup", "--nvcc", "--backend", "cpu"))
        self.assertRegex(out, r"from PyPI into \.deps/cuda:\n(setup:   nvidia-cuda-[a-z]+==13.*\n){3}"
                              r"(setup:   nvidia-[a-z-]+==13.*\n){4}setup: everything is installed, nvcc 13.0 too")
        self.assertEqual([call for call in self.called("cmake") if "FETCH" in call],
                         ["-DWHAT=nvcc -DFETCH=ON -P common/cmake/cuda_fetch.cmake"])
        self.assertIn("nvcc 13.0)", self.call("test", "--backend", "cuda")[1])
        self.call("setup", "--nvcc", "--backend", "cpu")  # it is here: nothing is fetched again
        self.assertEqual(len([call for call in self.called("cmake") if "FETCH" in call]), 1)

    def test_two_at_a_time_take_turns(self):
        (self.clone / "build/logs").mkdir(parents=True)
        with open(self.clone / "build/logs/cpu.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            print("77", file=lock, flush=True)
            with subprocess.Popen([str(self.clone / "tutorial"), "test", "--backend", "cpu"],
                                  env=self.environment(), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, text=True) as running:
                for line in running.stdout:
                    if line.startswith("build: waiting for another ./tutorial (process 77)"):
                        break
                time.sleep(0.1)
                self.assertEqual([c for c in self.called("cmake") if c.startswith("--preset")], [])
                fcntl.flock(lock, fcntl.LOCK_UN)
                running.stdout.read()
        self.assertEqual(running.returncode, 0)
        self.assertEqual(len(self.called("ctest")), 1)


if __name__ == "__main__":
    unittest.main()
