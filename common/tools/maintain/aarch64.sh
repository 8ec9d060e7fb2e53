#!/usr/bin/env bash
# Builds the tests for 64-bit Arm and runs them under qemu's user emulation.
#
#   common/tools/maintain/aarch64.sh [FOLDER [DIRECTORY...]]
#
# FOLDER (default: build/aarch64) holds a sysroot with the libraries that the tests link, unpacked from the
# distribution's packages for arm64, and the build. With DIRECTORY (common, 01_elu) only its tests run. Needs Debian or Ubuntu, as root or with sudo, and a
# network the first time. The emulation is slow, so the sweeps tagged [long] are left out; and under it the checks of two
# chapters' whole ladders were killed on a machine of 24 GiB, so these are left out too.
set -eu -o pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
cd "$root"
folder=${1:-build/aarch64}
[ $# -eq 0 ] || shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
sysroot=$folder/sysroot

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

as_root apt-get update
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
  g++-aarch64-linux-gnu qemu-user-static
if [ ! -e "$sysroot/done" ]; then
  # apt's lists for arm64 lie in the folder: the system's own stay as they are.
  lists=$folder/lists
  mkdir -p "$lists/partial" "$sysroot" "$folder/packages/partial"
  options=(-o "APT::Architecture=arm64" -o "APT::Architectures=arm64" -o "Dir::State::Lists=$lists"
    -o "Dir::Cache::archives=$folder/packages")
  apt-get "${options[@]}" update
  boost=$(apt-cache "${options[@]}" depends libboost-context-dev | sed -n 's/.*Depends: \(libboost-context[0-9.]*-dev\).*/\1/p')
  [ -n "$boost" ] || { echo "aarch64.sh: apt knows no libboost-context-dev for arm64" >&2; exit 1; }
  runtime=${boost%-dev}
  headers=libboost${runtime#libboost-context}-dev
  cd "$folder/packages"
  apt-get "${options[@]}" download "$boost" "$(apt-cache "${options[@]}" depends "$boost" |
    sed -n "s/.*Depends: \(${runtime}[0-9.]*\)\$/\1/p" | head -n 1)" "$headers" libbenchmark-dev libbenchmark1debian catch2 2>/dev/null ||
    apt-get "${options[@]}" download "$boost" "$headers" libbenchmark-dev catch2
  for package in *.deb; do dpkg -x "$package" "$sysroot"; done
  touch "$sysroot/done"
  cd "$root"
fi

cmake -S . -B "$folder/build" -DTUTORIAL_BACKEND=cpu -DCMAKE_SYSTEM_NAME=Linux \
  -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
  -DCMAKE_CROSSCOMPILING_EMULATOR="$(command -v qemu-aarch64-static);-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=$sysroot/usr/lib/aarch64-linux-gnu" \
  -DCMAKE_PREFIX_PATH="$sysroot/usr" -DCMAKE_LIBRARY_ARCHITECTURE=aarch64-linux-gnu \
  -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$sysroot/usr/lib/aarch64-linux-gnu"
cmake --build "$folder/build" --parallel "$(nproc)" --target tutorial_tests tutorial_house_tests
[ $# -gt 0 ] || set -- .
rc=0
for directory in "$@"; do
  ctest --test-dir "$folder/build/$directory" --output-on-failure --no-tests=error --parallel "$(nproc)" \
    --label-exclude '^(tools|readme|book)$' \
    --exclude-regex 'codegen|\.asan|\.reverse\.|\.trace|\.check$|2\^31|fuzz|does not compile' || rc=1
done
exit $rc
