#!/usr/bin/env bash
# Records a chapter on this machine's GPU: tests, benchmark, sanitizers and profile.
#
#   common/tools/maintain/record.sh CHAPTER OUTDIR [--steps LIST] [--skip-build] [--ncu-shape 16384x16384]
#
# CHAPTER is 01_elu, elu or 1. LIST is any of build,test,bench,torch,codegen,sanitize,ncu
# (default: all; torch only where this python3 has PyTorch and the chapter a peers/torch_peers.py).
# Each step's output goes to OUTDIR/STEP.log; the results are
#   OUTDIR/bench.json           the benchmark (Google Benchmark's JSON)
#   OUTDIR/torch.json           our operators beside PyTorch's own, called from Python
#   OUTDIR/accuracy.json        every rung's largest error
#   OUTDIR/half_functions.json  the executor's half functions against this GPU's
#   OUTDIR/codegen.json         registers and widest accesses, at sm_90
#   OUTDIR/ncu.json             the profile (OUTDIR/ncu.csv is what ncu wrote)
# A step that fails does not stop the others; the script exits 1 at the end if one did.
# Needs: the CUDA toolkit, CMake, a compiler, Python 3; compute-sanitizer and ncu for their steps.
# SANITIZER_FILTER changes which tests the sanitizers run (Catch2's syntax), NCU_FILTER which rows
# ncu sees (a regular expression). ncu reports a kernel's second and third launch: where forms share a
# kernel, the filter names the form, as for 04_arithmetic's ncu_broadcast.json, at 64x256x56x56,
#   '/((one_not_broadcast|strided(_32|_fast)?|rows|packed|copy)_f16_1C11|(packed|fill)_f16_N1H1_1C1W|(limit_nhwc|nhwc_pack)_f16_NCHW)/'
set -u -o pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
tools=$root/common/tools/maintain
reader=$root/common/tools/reader
build=$root/build/cuda
steps=build,test,bench,torch,codegen,sanitize,ncu
ncu_shape=16384x16384
# Tests tagged [long] take minutes without a sanitizer; [exhibit] tests are wrong on purpose.
filter=${SANITIZER_FILTER:-'~[long]~[exhibit]'}
names=()
failed=()

fail() {
  echo "record.sh: $*" >&2
  exit 2
}

usage() {
  sed -n '2,23s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

parse_arguments() {
  while [ $# -gt 0 ]; do
    case $1 in
      --steps) steps=${2:-}; shift ;;
      --steps=*) steps=${1#*=} ;;
      --ncu-shape) ncu_shape=${2:-}; shift ;;
      --ncu-shape=*) ncu_shape=${1#*=} ;;
      --skip-build) skip_build=1 ;;
      -h | --help) usage; exit 0 ;;
      -*) fail "unknown option $1; see --help" ;;
      *) names+=("$1") ;;
    esac
    [ $# -gt 0 ] && shift
  done
  [ "${#names[@]}" -eq 2 ] || fail "usage: record.sh CHAPTER OUTDIR [--steps LIST] [--skip-build]"
  local step
  for step in ${steps//,/ }; do
    case $step in
      build | test | bench | torch | codegen | sanitize | ncu) ;;
      *) fail "unknown step $step; known: build,test,bench,torch,codegen,sanitize,ncu" ;;
    esac
  done
}

wanted() {
  [ "$1" = build ] && [ -n "${skip_build:-}" ] && return 1
  [[ ",$steps," == *",$1,"* ]]
}

# run NAME COMMAND...: one step, its output in OUTDIR/NAME.log, its outcome in the summary.
run() {
  local name=$1 started=$SECONDS outcome=ok
  shift
  echo "== $name"
  if ! "$@" >"$out/$name.log" 2>&1; then
    outcome=FAILED
    failed+=("$name")
    tail -n 5 "$out/$name.log" | sed 's/^/   /'
  fi
  printf '%-22s %-6s %5d s  %s\n' "$name" "$outcome" "$((SECONDS - started))" "$name.log" \
    >>"$out/summary.txt"
}

# find_tool NAME: where NAME is, on PATH or in the toolkit; fails with a line that says what to do.
find_tool() {
  local candidate
  for candidate in "$(command -v "$1")" "${CUDA_PATH:-/usr/local/cuda}/bin/$1"; do
    [ -n "$candidate" ] && [ -x "$candidate" ] && echo "$candidate" && return 0
  done
  echo "$1 is neither on PATH nor in ${CUDA_PATH:-/usr/local/cuda}/bin; install it or leave out" \
    "the step" >&2
  return 1
}

# binary NAME: the built program of that name.
binary() {
  local found
  found=$(find "$build" -name "$1" -type f -perm -u+x 2>/dev/null | head -n 1)
  [ -n "$found" ] && echo "$found" && return 0
  echo "$1 is not built; run the build step" >&2
  return 1
}

step_build() {
  cmake -S "$root" --preset cuda &&
    cmake --build "$build" --target "$chapter" common_test -j "$(nproc)"
}

step_test() {
  local raw=$out/recorded
  mkdir -p "$raw"
  TUTORIAL_REQUIRE_GPU=1 TUTORIAL_RECORD_DIR=$raw \
    ctest --test-dir "$build" --output-on-failure -R "^($chapter|common)\\."
  local code=$?
  python3 "$reader/runs.py" merge-accuracy "$raw" "$out/accuracy.json" || code=1
  if [ -f "$raw/half_functions.json" ]; then
    cp "$raw/half_functions.json" "$out/half_functions.json"
    python3 "$reader/runs.py" compact "$out/half_functions.json" || code=1
  fi
  return $code
}

step_bench() {
  local program
  program=$(binary "${chapter}_bench") || return 1
  "$program" --benchmark_out="$out/bench.json" --benchmark_out_format=json
  local code=$?
  python3 "$reader/runs.py" compact "$out/bench.json" || code=1
  python3 "$reader/ladder.py" "$out/bench.json" || code=1
  return $code
}

has_torch() { [ -f "$root/$chapter/peers/torch_peers.py" ] && python3 -c 'import torch' 2>/dev/null; }

step_torch() { python3 "$root/common/torch/table.py" "$chapter" --json "$out/torch.json"; }

step_codegen() {
  local nvcc
  nvcc=$(find_tool nvcc) || return 1
  python3 "$tools/codegen.py" --nvcc "$nvcc" --arch sm_90 --spec "$root/$chapter/proof/codegen.json" \
    --json "$out/codegen.json"
}

# step_sanitize TOOL. Launches that are refused on purpose are no finding, hence
# --report-api-errors no.
step_sanitize() {
  local sanitizer program
  sanitizer=$(find_tool compute-sanitizer) || return 1
  program=$(binary "${chapter}_test") || return 1
  TUTORIAL_REQUIRE_GPU=1 "$sanitizer" --tool "$1" --error-exitcode 86 --report-api-errors no \
    "$program" "$filter"
}

step_ncu() {
  local ncu program more=() shapes=()
  ncu=$(find_tool ncu) || return 1
  # A shape of the grid is asked for; any other is a row's own.
  [[ $ncu_shape =~ ^[0-9]+x[0-9]+$ ]] && shapes=("--shapes=$ncu_shape")
  program=$(binary "${chapter}_bench") || return 1
  [ -f "$out/bench.json" ] && more+=(--context "$out/bench.json")
  [ -f "$root/$chapter/proof/codegen.json" ] && more+=(--spec "$root/$chapter/proof/codegen.json")
  "$ncu" --query-metrics >"$out/ncu_metrics.txt" || return 1
  TUTORIAL_PROFILE=1 "$ncu" --clock-control none --csv --page raw --print-units base \
    --kernel-name-base mangled --kernel-id '::regex:.:^(2|3)$' --force-overwrite --log-file "$out/ncu.csv" \
    --metrics "$(python3 "$tools/ncu.py" --metrics --known "$out/ncu_metrics.txt")" \
    "$program" "${shapes[@]}" --benchmark_filter="${NCU_FILTER:-/$ncu_shape/cold}"
  local code=$?
  python3 "$tools/ncu.py" "$out/ncu.csv" --shape "$ncu_shape" --ladder "${chapter#*_}" \
    --out "$out/ncu.json" "${more[@]}" || code=1
  return $code
}

parse_arguments "$@"
chapter=$(python3 "$reader/runs.py" chapter "${names[0]}") || exit 2
mkdir -p "${names[1]}" || fail "${names[1]}: cannot be made; name another folder"
out=$(cd "${names[1]}" && pwd)
cd "$root" || exit 2
: >"$out/summary.txt"

wanted build && run build step_build
wanted test && run test step_test
wanted bench && run bench step_bench
wanted torch && has_torch && run torch step_torch
wanted codegen && run codegen step_codegen
if wanted sanitize; then
  for tool in memcheck racecheck initcheck synccheck; do
    run "sanitize-$tool" step_sanitize "$tool"
  done
fi
wanted ncu && run ncu step_ncu

echo
cat "$out/summary.txt"
if [ "${#failed[@]}" -gt 0 ]; then
  echo "record.sh: failed: ${failed[*]}; see their logs in ${names[1]}" >&2
  exit 1
fi
