#!/usr/bin/env bash
# What the development container holds. It runs as root in a bare Debian 12; ./tutorial setup, which the
# container runs next, finds nothing missing but NVIDIA's headers.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

packages=(
  ca-certificates git sudo bash-completion             # to work in
  g++ make cmake ccache gdb                            # the build
  python3 python3-venv python3-pip                     # the tools and the book
  catch2 libbenchmark-dev libboost-context-dev         # tests, benchmarks, the executor's fibers
  chromium chromium-driver                             # the test of the book in a browser
)
apt-get update
apt-get install -y --no-install-recommends "${packages[@]}"
rm -rf /var/lib/apt/lists/*

# Editors log in as this user, not as root.
if ! id tutorial >/dev/null 2>&1; then
  useradd --create-home --shell /bin/bash tutorial
  echo 'tutorial ALL=(ALL) NOPASSWD:ALL' >/etc/sudoers.d/tutorial
fi
