#!/usr/bin/env bash
# The main job on a sample, from a fresh machine: installs what is missing, builds, profiles the stencil at 1, 2 and 4
# ranks and shows what was measured.
#
#   samples/demo.sh [SIZE [STEPS]]
set -euo pipefail
cd "$(dirname "$0")/.."
cmake/install-packages.sh build
cmake --preset release -DSCALEDIAG_BUILD_TESTS=OFF -DSCALEDIAG_BUILD_BENCH=OFF >/dev/null
cmake --build --preset release

mpi=openmpi
[ -x build/release/samples/$mpi/stencil2d ] || mpi=mpich
experiment=build/release/stencil2d.scalediag
rm -rf "$experiment"
set -x
build/release/bin/scalediag profile -n 1,2,4 -o "$experiment" -- "build/release/samples/$mpi/stencil2d" "${1:-1200}" "${2:-400}"
build/release/bin/scalediag show "$experiment"
