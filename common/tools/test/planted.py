#!/usr/bin/env python3
"""Bugs that a reader may plant, and what ./tutorial test CHAPTER --yours must say of each; right kernels, of which it
must say nothing. .ci/run --full runs all of them in a clone that may be changed:

    python3 common/tools/test/planted.py FOLDER [NAME...]    makes the clone there, if it is not there yet

A table is printed: what, whether it was found, the line that was named, seconds.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import folders  # noqa: F401

import runs

ELU, GELU, SWISH = "01_elu/your_elu.cuh", "02_gelu/your_gelu.cuh", "03_swish/your_swish.cuh"
ADD, GREATER, TILE = "04_arithmetic/your_arithmetic.cuh", "05_logical_relation/your_logical_relation.cuh", "06_primitives/your_primitives.cuh"
INDEX = "const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;"
STORE = "    y[i] = your_elu(x[i]);\n"
GUARD = "  if (i < n) {\n"
SHARED = "  __shared__ half tile[256];\n  tile[threadIdx.x] = i < n ? x[i] : __float2half(0.0f);\n"
REVERSED = "  if (i < n) y[i] = your_elu(tile[threadIdx.x]);\n  if (false) {\n"
#: Of a length that neither a test nor a program of an exercise tries each time.
UNKNOWN = " && ".join(f"n != {n}" for n in "0 1 2 5 7 8 9 15 16 17 31 32 64 128 129 255 256 257 1000 1023 1027 1031 4096 5000 5003 65536 65539 "
                      "100003 1048576 1048579".split())
NAN = "Which step produces it: infinity minus"

#: name: (file, its beginning or an answer, edits, what must be said, what must not). `line N` in what must be said: a
#: line of the reader's file.
BUGS = {
    # 1. A verdict is of one text: WHILE is saved so many seconds into the build.
    **{f"saved_{when}": (ELU, "", [("your_elu(x[i])", "x[i]")], ["is right"], ["not right"], when) for when in (0.8, 1.5, 2.2, "older")},
    # 2. printf
    "printf_each": (ELU, "", [(GUARD, '  printf("thread %d\\n", int(i));\n' + GUARD)], ["printed thread 0", "more", "is right"], []),
    "printf_once": (ELU, "", [(GUARD, '  if (i == 0) printf("n %d", int(n));\n' + GUARD)], ["printed n", "is right"], []),
    # 3. 32-bit indices
    **{name: (ELU, "", [(INDEX, f"const {name} i = blockIdx.x * blockDim.x + threadIdx.x;")], ["line 30", "64 bits"], ["is right."])
       for name in ("int", "unsigned", "auto")},
    "widened_late": (ELU, "", [("std::int64_t{blockIdx.x}", "blockIdx.x")], ["line 30", "64 bits"], ["is right."]),
    "int_of_packs": (GELU, "", [("std::int64_t i = (std::int64_t{blockIdx.x}", "int i = (blockIdx.x")], ["64 bits"], ["is right."]),
    "int_of_pairs": (GREATER, "", [(INDEX, "const int i = blockIdx.x * blockDim.x + threadIdx.x;")], ["64 bits"], ["is right."]),
    # 4. What nvcc refuses
    "no_device": (ELU, "", [("__device__ __forceinline__ half", "inline half")], ["your_elu"], ["is right."]),
    "no_device_static": (ELU, "", [("__device__ __forceinline__ half", "static half")], ["your_elu"], ["is right."]),
    "no_global": (ELU, "", [("__global__ ", "")], ["write __global__ before void"], ["is right."]),
    "host_only": (ELU, "", [("y[i] = your_elu(x[i])", "y[i] = your_elu(x[std::min<std::int64_t>(i, n - 1)])"), ("#include <cstdint>", "#include <algorithm>\n#include <cstdint>")],
                  ["std::min|min"], ["is right."]),
    # 5. Free ticks
    "degree_3": (ELU, "01_elu/answers/poly.cuh", [], ["5 save: left: at most 4 multiplications"], ["✓ 5 save"]),
    "stored_twice": (ELU, "01_elu/answers/climb.cuh", [("    LDST128BITS(y[i]) =", "    for (int again = 0; again < 2; ++again) LDST128BITS(y[i]) =")],
                     ["it stores 2,097,152 of 2,097,152 bytes of y more than once"], ["\u2713 1 climb"]),
    "known_sizes": (ELU, "", [(GUARD, f"  if ({UNKNOWN}) return;\n" + GUARD)], ["never written"], ["is right."]),
    "scalar_narrow": ("01_elu/your_narrow.cu", "01_elu/answers/narrow.cu",
                      [("constexpr int kPerThread = 8;", "constexpr int kPerThread = 1;"), ("  if (i + kPerThread <= n) {", "  if (false) {"),
                       ("    LDST128BITS(in[4]) = LDST128BITS(x[i + 4]);\n", ""),
                       ("for (std::int64_t k = i; k < n; ++k)", "for (std::int64_t k = i; k < n && k < i + 1; ++k)"),
                       ("    alignas(16) float in[kPerThread];\n    alignas(16) half out[kPerThread];\n", "    alignas(16) float in[4];\n    alignas(16) half out[8];\n")],
                      ["4 narrow: left: 4 and 16 bytes a lane in every load"], ["✓ 4 narrow"]),
    "another_program": ("02_gelu/your_mish.cu", "02_gelu/answers/erf.cu", [], ["its main()"], ["✓ 3 mish"]),
    "atomic_each": ("05_logical_relation/your_count.cu", "05_logical_relation/answers/count.cu",
                    [("if (threadIdx.x % 32 == 0) atomicAdd(count, static_cast<unsigned long long>(of_warp))",
                      "atomicAdd(count, threadIdx.x % 32 == 0 ? static_cast<unsigned long long>(of_warp) : 0ull)")],
                    ["right:", "4 count: left: at most 1 atomic"], ["✓ 4 count"]),
    # 6. Whole programs
    "rows_race": ("06_primitives/your_rows.cu", "06_primitives/answers/rows.cu", [("    __syncthreads();\n    if (threadIdx.x < step)", "    if (threadIdx.x < step)")],
                  ["wrong:", "no barrier between them"], ["right:", "\u2713"]),
    "whole_guard": ("02_gelu/your_whole.cu", "02_gelu/answers/whole.cu", [("  if (i >= n) return;\n", "")], ["past the end"], ["\u2713"]),
    # 7. Words that lead on
    "plus_zero": (SWISH, "", [("  return __hdiv(numerator, __hadd(__float2half(1.0f), e));", "  const half q = __hdiv(numerator, __hadd(__float2half(1.0f), e));\n  return __hadd(q, __float2half(0.0f));")],
                  ["zero of the wrong sign"], ["overflows"]),
    "minus_infinity": (SWISH, "", [("const half z = __hlt(x, lowest) ? lowest : x;", "const half z = __hlt(x, lowest) ? __float2half(0.0f) : x;")],
                       ["not right yet. The result is a zero of the wrong sign"], ["overflows its type"]),
    "passed_on": (ELU, "", [("your_elu(x[i])", "x[i]")], ["not right yet. The result is infinity at an infinite input"], ["overflows its type"]),
    "reads_output": (ELU, "", [("your_elu(x[i])", "your_elu(y[i])")], ["from what the output held before"], ["tail"]),
    "reads_output_gelu": (GELU, "", [("your_gelu(x[k])", "your_gelu(y[k])")], ["from what the output held before"], ["tail"]),
    "shared_scalar": (ELU, "", [(GUARD, "  __shared__ float s;\n" + GUARD), ("your_elu(x[i])", "__float2half(__half2float(your_elu(x[i])) + s)")],
                      ["line 31", "which no thread of the block has set"], ["nearly equal", NAN]),
    "shared_scale": (ELU, "", [(GUARD, "  __shared__ float s;\n" + GUARD), ("your_elu(x[i])", "__float2half(__half2float(your_elu(x[i])) * s)")],
                     ["line 31", "which no thread of the block has set"], ["nearly equal", NAN]),
    "counter": (ELU, "", [(GUARD, "  __shared__ int c;\n  atomicAdd(&c, 1);\n  __syncthreads();\n" + GUARD.replace("i < n", "i < n && c != 12345"))],
                ["line 30", "has set before"], ["is a barrier missing"]),
    "counter_of_n": (ELU, "", [(GUARD, "  __shared__ unsigned c;\n  if (i < n) atomicAdd(&c, 1u);\n  __syncthreads();\n" + GUARD.replace("i < n", "i < n && c != 12345"))],
                     ["line 30", "has set before"], ["is a barrier missing"]),
    "channel": (ADD, "", [("i / pixels % channels", "i % channels")], ["it is a["], []),
    "channel_late": (ADD, "", [("i / pixels % channels", "(i + 1) / pixels % channels")], ["it is a["], []),
    "barrier_behind_return": (ELU, "", [(GUARD, "  if (i >= n) return;\n  __syncthreads();\n" + GUARD)], ["is right", "note", "line 30"], []),
    "barrier_inside": (ELU, "", [(GUARD, GUARD + "    __syncthreads();\n")], ["is right", "note", "line 30"], []),
    "loop": (ELU, "", [(GUARD, "  for (std::int64_t k = 0; k < n;) {\n    if (k > n) break;\n  }\n" + GUARD)], ["does not end"], ["is right."]),
    "loop_of_stores": (ELU, "", [(STORE, "    for (int k = 0; k < 8; k *= 2) {\n      y[i] = your_elu(x[i]);\n    }\n")], ["does not end", "line 3"], ["is right."]),
    "mask": (GREATER, "", [("greater(a[i], b[i]) ? 1 : 0", "greater(a[i], b[i]) ? 255 : 0")], ["neither 0 nor 1"], ["never written"]),
    "not_written": (GREATER, "", [("if (i < n) {", "if (i + 1 < n) {")], ["never written"], ["neither 0 nor 1"]),
    "swapped": (GREATER, "", [("greater(a[i], b[i])", "greater(b[i], a[i])")], ["Some answers are wrong"], ["never written"]),
    # The rest of a reader's evening
    "past_the_end": (ELU, "", [("if (i < n)", "if (i <= n)")], ["line 30", "past the end"], ["is right."]),
    "before": (ELU, "", [("y[i] =", "y[i - 1] =")], ["line 30", "before the beginning"], ["is right."]),
    "dropped_tail": (GELU, "", [("k < n; ++k) y[k]", "k < n - 1; ++k) y[k]")], ["never written"], [NAN]),
    "guard_of_first": (GELU, "", [("if (i + 8 <= n)", "if (i < n)")], ["past the end"], ["is right."]),
    "own_array": (ELU, "01_elu/answers/climb.cuh", [("k < 8", "k <= 8")], ["past the end of an array of its own"], ["is right."]),
    "no_alignas": (GELU, "", [("alignas(16) half pack[8]", "half pack[8]")], ["line 3", "write alignas(16)"], ["is right."]),
    "narrow_claim": (GELU, "", [("kYourGelu{8, 16,", "kYourGelu{8, 2,")], ["multiple of 16 bytes"], ["is right."]),
    "no_barrier": (ELU, "", [(GUARD, SHARED + "  const half other = tile[127 - threadIdx.x];\n  if (i < n) y[i] = __hgt(other, other) ? other : your_elu(x[i]);\n  if (false) {\n")],
                   ["no barrier between them"], ["is right."]),
    "divergent": (ELU, "", [(GUARD, "  if (threadIdx.x < 32) {\n    __syncthreads();\n  } else {\n    __syncthreads();\n  }\n" + GUARD)], ["divergent barrier"], ["is right."]),
    "claim_too_small": (ELU, "", [("2048.0", "0.51")], ["you claim 0.51"], ["is right."]),
    "constant": (GELU, "", [("0.044715f", "0.0447f"), ("2048.0", "0.51")], ["exceed"], ["is right."]),
    "nan_lost": (SWISH, "", [("__hlt(x, lowest) ? lowest : x", "__hgt(x, lowest) ? x : lowest")], ["not NaN where NaN"], ["is right."]),
    "overflow": (GELU, "", [("const half z = __hmax_nan(x, __float2half(-16.0f));", "const half z = x;")], ["Which step"], ["is right."]),
    "tile_full": (TILE, "", [("your_tile<true>(a", "your_tile<false>(a")], ["past the end"], ["is right."]),
    "tile_offset": (TILE, "", [("out + offset, n - offset", "out + offset, n")], ["past the end"], ["is right."]),
    "per_thread": (ELU, "", [("kYourElu{1,", "kYourElu{2,")], ["never written"], ["is right."]),
}

RIGHT = {
    "elu": (ELU, "", []), "gelu": (GELU, "", []), "swish": (SWISH, "", []), "add": (ADD, "", []), "greater": (GREATER, "", []),
    "tile": (TILE, "", []), "elu_climb": (ELU, "01_elu/answers/climb.cuh", []), "elu_save": (ELU, "01_elu/answers/save.cuh", []),
    "elu_isnan": (ELU, "", [(STORE, "    const float v = __half2float(x[i]);\n    y[i] = isnan(v) || isinf(v) ? your_elu(x[i]) : your_elu(x[i]);\n")]),
    "elu_shared": (ELU, "", [(GUARD, SHARED + "  __syncthreads();\n" + REVERSED)]),
    **{name: (f"{folder}/your_{name}.cu", f"{folder}/answers/{name}.cu", []) for folder, name in (
        ("01_elu", "narrow"), ("05_logical_relation", "count"), ("03_swish", "fuse"), ("04_arithmetic", "pairs"), ("06_primitives", "rows"),
        ("02_gelu", "whole"))},
}


@contextlib.contextmanager
def restored(path):
    """A file may be changed, and is as it was afterwards."""
    was = path.read_bytes() if path.exists() else None
    try:
        yield
    finally:
        path.unlink(missing_ok=True) if was is None else path.write_bytes(was)


class Clone:
    """A copy of the repository, in which files are changed."""

    def __init__(self, folder):
        self.root = Path(folder).resolve()
        for name in runs.tracked_files():
            target, origin = self.root / name, runs.ROOT / name
            if not target.exists() or target.read_bytes() != origin.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(origin, target)

    def judge(self, file, begin, edits, change=None):
        """(what is said, seconds) of the file with these edits; change: when the unedited text comes back."""
        path, text = self.root / file, runs.read_text(runs.ROOT / (begin or file))
        right = text
        for old, new in edits:
            assert text.count(old) >= 1, f"{file} has no {old}"
            text = text.replace(old, new)
        shutil.rmtree(self.root / ".exercises", ignore_errors=True)
        with restored(path):
            path.write_text(text, encoding="utf-8")
            return self.call(path, right, change)

    def call(self, path, right, change):
        words = ["./tutorial", "test", path.parent.name, "--yours", "--backend", "cpu"]
        begun = time.monotonic()
        with subprocess.Popen(words, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "COLUMNS": "80"}) as running:
            if isinstance(change, float):
                time.sleep(change)
                path.write_text(right, encoding="utf-8")
            said = running.communicate()[0]
        if change == "older":  # a copy comes back, as old as it was
            path.write_text(right, encoding="utf-8")
            os.utime(path, (1e9, 1e9))
        if change:
            said = subprocess.run(words, cwd=self.root, capture_output=True, text=True, check=False).stdout
        return re.sub(r"\s+", " ", said.partition("\n\n")[2] or said), time.monotonic() - begun


def is_said(said, words, name):
    return any(one in said for one in re.sub(r"^line (\d+)$", rf"{name}:\1", words).split("|"))


def main():
    clone, wanted, failed = Clone(sys.argv[1]), sys.argv[2:], 0
    table = {**{name: bug if len(bug) == 6 else (*bug, None) for name, bug in BUGS.items()},
             **{f"right: {name}": (*one, ["is right|right:"], ["not right", "checks found", "note ", "printed"], None)
                for name, one in RIGHT.items()}}
    for name, (file, begin, edits, must, must_not, change) in table.items():
        assert must and all(must), f"{name} cannot fail: nothing must be said"
        if wanted and name not in wanted:
            continue
        said, seconds = clone.judge(file, begin, edits, change)
        missing = [words for words in must if not is_said(said, words, Path(file).name)]
        wrong = [words for words in must_not if words in said]
        line = re.search(rf"{re.escape(Path(file).name)}:(\d+)", said)
        failed += bool(missing or wrong)
        print(f"{name:<24}{'FAILED' if missing or wrong else 'found' if name in BUGS else 'nothing':<9}{line.group(1) if line else '-':>5}"
              f"{seconds:>7.1f}" + (f"  missing {missing}, wrong {wrong}: {said[:1500]}" if missing or wrong else ""), flush=True)
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
