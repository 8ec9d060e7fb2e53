#!/usr/bin/env python3
"""Times the worked answers on a GPU, and counts them as `./tutorial test --yours` counts a reader's program.

    python3 common/tools/maintain/answers.py build FOLDER     a program for each, for sm_90; needs nvcc
    for program in FOLDER/0*[a-z]; do $program; done > h200.jsonl      on the GPU
    python3 common/tools/maintain/answers.py count [h200=FILE.jsonl ...]

count writes common/results/answers.json: of each answer what the model takes of it, or why it is not judged, by its machine code and
a launch of 2^18 elements on the CPU executor; and what the files say of its time.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reader"))
import counted
import counts
import run
import runs
import speed
from source import found_here

FILE = runs.ROOT / "common/results/answers.json"


def unary(kernel, claims):
    return ("n", "4 * n", "half x:n half y:n", f"{kernel}<<<n / (128 * {claims}.per_thread), 128, 0, s>>>(x, y, n)")


def inside(functor, dtype):
    return ("n", "4 * n", f"{dtype} x:n {dtype} y:n", f"launch_elementwise(x, y, n, FloatInside<{functor}>{{}}, s, {{}})")


def rows(launch, arrays="float x:n float y:n", moved="8 * n"):
    return ("n", moved, arrays, launch)


LISTS, TWO = "half a:n half b:n", "half a:n half b:n half y:n"
#: By answer: (elements, bytes of one, arrays as type name:length, launch).
ANSWERS = {
    **{f"01_elu/{name}.cuh": unary("your_elu_kernel", "kYourElu") for name in ("climb", "sharpen", "poly", "save")},
    "01_elu/first_program.cu": rows("elu_kernel<<<n / 256, 256, 0, s>>>(x, y, n)"),
    "01_elu/narrow.cu": ("n", "6 * n", "float x:n half y:n", "elu_narrow_kernel<<<n / 1024, 128, 0, s>>>(x, y, n)"),
    "02_gelu/one_exponential.cuh": unary("your_gelu_kernel", "kYourGelu"),
    "02_gelu/erf.cu": inside("GeluErf", "half"), "02_gelu/mish.cu": inside("Mish", "half"),
    **{f"03_swish/{name}.cuh": unary("your_swish_kernel", "kYourSwish") for name in ("polynomial", "sharpen")},
    "03_swish/range.cu": inside("SwishBf16", "__nv_bfloat16"), "03_swish/squareplus.cu": inside("Squareplus", "__nv_bfloat16"),
    "03_swish/fuse.cu": ("n", "6 * n", TWO, "geglu(a, b, y, n, s)"),
    "04_arithmetic/packs.cuh": ("m", "4 * m", "half x:m half y:m half b:256", "your_arithmetic_kernel<<<m / 1024, 128, 0, s>>>(x, b, y, m, 256, 3136)"),
    "04_arithmetic/broadcast.cu": ("m", "4 * m", "half x:m half y:m half b:256", "prelu_planes(x, b, y, kImages, 256, 3136, s)"),
    "04_arithmetic/ends.cu": ("e", "4 * e", "half x:e half y:e half b:256", "channel_sum_kernel<<<e / 1024, 128, 0, s>>>(x, b, y, e / 8, 256, 49)"),
    "04_arithmetic/pairs.cu": ("n", "6 * n", TWO, "prelu_pairs_kernel<<<n / 1024, 128, 0, s>>>(a, b, y, n)"),
    "04_arithmetic/outer.cu": ("8 * m / 56", "16 * m / 56", "half a:3584 half b:3584*32 half y:8*m/56",
                               "outer_sum_kernel<<<m / 56 / 256, 256, 0, s>>>(a, b, y, m / 56, "
                               "Extents{FastDivisor(256), FastDivisor(56), FastDivisor(56)})"),
    "05_logical_relation/climb.cuh": ("n", "5 * n", f"{LISTS} Byte y:n", "your_relation_kernel<<<n / 1024, 128, 0, s>>>(a, b, y, n, Greater{})"),
    "05_logical_relation/choose.cu": ("n", "6 * n + n / 8", f"{TWO} Byte c:n/8", "where_bits_kernel<<<n / (8 * kThreads), kThreads, 0, s>>>(c, a, b, y, n)"),
    "05_logical_relation/four.cu": ("n", "3 * n", "Byte a:n Byte b:n Byte y:n", "and_kernel<<<n / (16 * kThreads), kThreads, 0, s>>>(a, b, y, n)"),
    "05_logical_relation/merge.cu": ("n", "6 * n", f"{LISTS} Byte c:n Byte y:n", "greater_and_kernel<<<n / (8 * kThreads), kThreads, 0, s>>>(a, b, c, y, n)"),
    "05_logical_relation/same.cu": ("n", "2 * n + n / 8", "Byte a:n Byte b:n Byte y:n", "same_kernel<<<n / (kThreads * kPerThread), kThreads, 0, s>>>(a, b, y, n)"),
    "05_logical_relation/count.cu": ("n", "4 * n", f"{LISTS} float c:64", "count_greater_kernel<<<2112, kThreads, 0, s>>>(a, b, reinterpret_cast<unsigned long long*>(c), n)"),
    "06_primitives/climb.cuh": ("n", "6 * n", TWO, "your_primitives_kernel<<<n / 1024, 128, 0, s>>>(a, b, y, n)"),
    "06_primitives/widen.cu": ("n", "8 * n", f"{LISTS} float y:n", "widen_kernel<<<n / (128 * kVecSize), 128, 0, s>>>(a, b, y, n)"),
    "06_primitives/sgd.cu": ("n", "12 * n", "float w:n half g:n half c:n", "sgd_kernel<<<n / (128 * kVecSize), 128, 0, s>>>(w, g, c, 0.125f, n)"),
    **{f"06_primitives/{name}.cu": rows("LayerNorm<8><<<n / 4096, 512, 0, s>>>(x, y, 4096, 1e-5f)") for name in ("carry", "compose")},
    "06_primitives/softmax.cu": rows("Softmax<8><<<n / 4096, 512, 0, s>>>(x, y, 4096)"),
    "06_primitives/largest.cu": rows("SixteenLargest<<<n / 1024, 32, 0, s>>>(x, y)", "float x:n float y:n/64", "4 * n + n / 16"),
    "06_primitives/sums.cu": rows("block_kernel<<<n / 256, 256, 0, s>>>(x, y, z)", "float x:n float y:n float z:n", "12 * n"),
}


def name_of(answer):
    return answer.rpartition(".")[0]


def source(answer, is_small, folder):
    """Writes a program that launches an answer."""
    elements, moved, arrays, launch = ANSWERS[answer]
    text = runs.read_text(runs.ROOT / answer.replace("/", "/answers/")).replace("#pragma once", "")
    lines = [runs.read_text(runs.ROOT / "common/proof/answer_times.h").replace("#pragma once", "")]  # in the text: run rewrites its launches
    lines += [text] if answer.endswith(".cuh") else ["#define main answer_main", text, "#undef main"]
    lines += ["#include <cstdint>", "namespace tutorial {}", "using namespace tutorial;", "int main() {",
              f"  constexpr std::int64_t n = std::int64_t{{1}} << {18 if is_small else 28}, kImages = {1 if is_small else 64};",
              f"  constexpr std::int64_t m = kImages * 256 * 3136, e = std::int64_t{{{16 if is_small else 4096}}} * 256 * 49;",
              "  (void)n, (void)m, (void)e;"]
    for dtype, name, length in re.findall(r"(\w+) (\w+):(\S+)", arrays):
        lines.append(f"  auto* const {name} = test::filled<{dtype.replace('Byte', 'unsigned char')}>({length});")
    lines += [f'  test::time_answer("{name_of(answer)}", {elements}, {moved}, [&](cudaStream_t s) {{ {launch}; }});', "}", ""]
    path = Path(folder, name_of(answer).replace("/", "_") + ".cu")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def build(folder):
    Path(folder).mkdir(parents=True, exist_ok=True)

    def compiled(answer):
        path = source(answer, False, folder)
        subprocess.run([found_here("nvcc"), *run.NVCC, f"-arch={counts.ARCHITECTURE}", "-std=c++17", "-w", *run.ON_GPU, "-o", path.with_suffix(""), path],
                       check=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compiled, ANSWERS))


def count(answer):
    """An answer's entry: what the model takes of it, or why not."""
    with tempfile.TemporaryDirectory() as folder, \
            speed.Compiling(found_here("nvcc"), [path := source(answer, True, folder)]) as compiling:
        parser = argparse.ArgumentParser()
        run.add_arguments(parser)
        told = Path(folder, "counts.json")
        program = run.OnExecutor(parser.parse_args([str(path), "--trace=", "-I", str(runs.ROOT)])).build()
        done = subprocess.run([str(program)], env={**os.environ, "TUTORIAL_SEE": "trace:", "TUTORIAL_COUNTS": str(told)}, capture_output=True,
                              text=True, check=True)
        said = json.loads(done.stdout.splitlines()[-1])
        launches = [one for one in runs.load_json(told)["launches"] if "fill_kernel" not in one["kernel"]]
        try:
            found = speed.counted(compiling.machines(), launches)
            return {"answer": name_of(answer), **counted.as_record(found, said["bytes"], said["elements"])}
        except counts.Unjudged as reason:
            return {"answer": name_of(answer), "unjudged": str(reason)}


def main(words):
    if words[:1] == ["build"]:
        return build(words[1])
    times = {}
    for gpu, _, path in (word.partition("=") for word in words[1:]):
        for one in (json.loads(line) for line in runs.read_text(path).splitlines() if line.startswith("{")):
            times.setdefault(one["answer"], {})[gpu] = {
                key: one[key] for key in ("median_us", "copy_us", "copy_pct", "spread_pct")}
            times[one["answer"]]["elements"] = one["elements"]
    known = {one["answer"]: one for one in runs.load_json(FILE)["answers"]} if FILE.exists() else {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(count, ANSWERS))
    for one in found:
        one["times"] = times.get(one["answer"]) or known.get(one["answer"], {}).get("times", {})
    runs.write_recorded(FILE, {"context": {"arch": counts.ARCHITECTURE, "commit": runs.commit()}, "answers": found})
    return print(f"{len(found)} answers, {sum('unjudged' in one for one in found)} not judged")


if __name__ == "__main__":
    main(sys.argv[1:])
