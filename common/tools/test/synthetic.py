"""Made-up runs for the tests of these tools. Nothing in here was measured.

The numbers follow simple rules so that a test can predict every line; the device is named
"Synthetic GPU" so that nobody can take them for results.
"""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import folders

RUNGS = (
    ("f32", "f32", "rung"), ("f32x4", "f32", "rung"),
    ("f16", "f16", "rung"), ("f16x2", "f16", "rung"), ("f16x8", "f16", "rung"),
    ("f16x8_pack", "f16", "rung"), ("block_64", "f16", "sweep"), ("block_512", "f16", "sweep"),
    ("your_elu", "f16", "yours"), ("copy", "f16", "copy"), ("cub", "f16", "peer"),
)
SHAPES = ("1024x1024", "2048x2048", "1024x4096", "4096x4096")


def context(backend="cuda"):
    gpu = {"gpu": "Synthetic GPU", "driver": "1.2", "cuda": "13.0"} if backend == "cuda" else {}
    return {"date": "2001-02-03T04:05:06+00:00", "backend": backend, "commit": "abc1234",
            "host_name": "synthetic", **gpu}


def row(rung, dtype, kind, shape="4096x4096", regime="cold", gbps=1000.0, **more):
    """One benchmark row; more overrides or adds fields, and None takes a field away."""
    data = {
        "name": f"elu/{rung}/{shape}/{regime}/iterations:15/manual_time",
        "run_type": "iteration", "label": f"{dtype} {kind}", "iterations": 15,
        "real_time": 20.0, "cpu_time": 21.0, "time_unit": "us",
        "GBps": gbps, "copy_pct": gbps / 40.0, "median_us": 20.0, "spread_pct": 1.0,
    }
    data.update(more)
    return {key: value for key, value in data.items() if value is not None}


def run_of(rows, **context_):
    """A run of these rows; the context has more, or differs in that."""
    return {"context": {**context(), **context_}, "benchmarks": rows}


def run(backend="cuda", shapes=SHAPES, regimes=("cold", "warm"), rungs=RUNGS, factor=1.0):
    """A whole run: the i-th rung makes (i + 1) * 300 GB/s, warm half as much again."""
    rows = []
    for regime in regimes:
        for shape in shapes:
            for index, (rung, dtype, kind) in enumerate(rungs):
                gbps = (index + 1) * 300.0 * (1.5 if regime == "warm" else 1.0) * factor
                rows.append(row(rung, dtype, kind, shape, regime, gbps))
    return {"context": context(backend), "benchmarks": rows}


def as_written(run):
    """A run as its benchmark wrote it."""
    return {"context": run.context, "benchmarks": [
        {"name": f"{row.name}/iterations:15/manual_time", "run_type": "iteration",
         "label": f"{row.dtype} {row.kind} {row.form}".rstrip(), **row.counters} for row in run.rows]}


def google_run():
    """A run with all that Google Benchmark writes, one aggregate of repetitions at its end."""
    data = run(shapes=("4096x4096",))
    data["context"].update(
        executable="some/folder/01_elu_bench", num_cpus=2, mhz_per_cpu=1000, cpu_scaling_enabled=False,
        caches=[{"type": "Data", "level": 1, "size": 32768, "num_sharing": 1}], load_avg=[0.5, 0.25],
        library_version="1.0", library_build_type="release")
    for index, one in enumerate(data["benchmarks"]):
        one.update(family_index=index, per_family_instance_index=0, run_name=one["name"],
                   repetitions=1, repetition_index=0, threads=1)
    data["benchmarks"].append({
        "name": "elu/f16_mean", "run_name": "elu/f16", "run_type": "aggregate", "repetitions": 2,
        "aggregate_name": "mean", "aggregate_unit": "time", "iterations": 2, "real_time": 20.0,
        "cpu_time": 20.0, "time_unit": "us"})
    return data


def forms_run():
    """A rung at 64x64; at 8x2x3 kernels on forms, 100 GB/s apart, one of them elsewhere too."""
    rows = [row("f16", "f16", "rung", "64x64")]
    rungs = ("one_f16_W", "packed_f16_W", "copy_f16_W", "two_f16_NC11", "packed_f16_NC11")
    for index, rung in enumerate(rungs):
        kind = "copy" if rung.startswith("copy") else "rung"
        rows.append(row(rung, "f16", f"{kind} {rung.split('_')[2]}", gbps=(index + 1) * 100.0,
                        name=f"forms/{rung}/8x2x3/cold"))
    return run_of([*rows, row("", "f16", "rung W", name="forms/packed_f16_W/9x9x9/cold")])


def buffer(name, size, **more):
    """What the trace says of an array of so many bytes that nobody has touched, but for what more says."""
    return {"name": name, "bytes": size, "loads_once": 0, "loads_again": 0, "stores_once": 0, "stores_again": 0, **more}


# -------------------------------------------------------------------------------------------------
# Helpers of the tests


class Scratch(unittest.TestCase):
    """Has a folder of its own: `folder`, and as a path `root`."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder, self.root = scratch.name, pathlib.Path(scratch.name)

    def put(self, name, data):
        """write() into this folder."""
        return write(self.root, name, data)

    def patch(self, target, value):
        """mock.patch() until the test has ended."""
        patch = mock.patch(target, value)
        patch.start()
        self.addCleanup(patch.stop)

    def assert_fine(self, answer):
        """Of what call() answers: exit code 0, and no word on stderr. Returns stdout."""
        code, out, errors = answer
        self.assertEqual((code, errors), (0, ""))
        return out

    def assert_refused(self, answer, words, code=2, silent=True):
        """Of what call() answers: no output where it is to be silent, and on stderr one sentence that holds these words."""
        exit_code, out, errors = answer
        self.assertEqual((exit_code, out if silent else "", errors.count("\n")), (code, "", 1), errors)
        self.assertIn(words, errors)


def write(folder, name, data):
    """Writes data as JSON (or text as it is) into folder/name; returns the path as text."""
    path = pathlib.Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return str(path)


def script(path, text):
    """Writes a program that can be called; it does not follow a link."""
    path.unlink(missing_ok=True)
    write(path.parent, path.name, text)
    path.chmod(0o755)


def ran(*words, **options):
    """A program that has ended, with its output as text."""
    return subprocess.run([str(word) for word in words], capture_output=True, encoding="utf-8", errors="replace", check=False, **options)


def call(tool, *arguments, **environment):
    """Runs a tool as a reader would; returns (exit code, stdout, stderr)."""
    done = ran(sys.executable, next(folders.TOOLS.glob(f"*/{tool}")), *arguments,
               env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment})
    return done.returncode, done.stdout, done.stderr


def printed(function, *arguments, **more):
    """(what a function returns, what it prints)."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        return function(*arguments, **more), out.getvalue()


def commit(folder):
    """Makes a repository of a folder."""
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
