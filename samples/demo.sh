#!/usr/bin/env bash
# The main task on a sample, from a fresh machine: installs missing packages, builds, profiles the stencil at 2 to
# 16 ranks, shows the measurement, predicts scales that nobody ran and writes the report.
#
#   samples/demo.sh [SIZE [STEPS]]
set -euo pipefail
cd "$(dirname "$0")/.."
cmake/install-packages.sh build
cmake --preset release -DSCALEDIAG_BUILD_TESTS=OFF -DSCALEDIAG_BUILD_BENCH=OFF >/dev/null
cmake --build --preset release
built=$SECONDS

mpi=openmpi
[ -x build/release/samples/$mpi/stencil2d ] || mpi=mpich
experiment=build/release/stencil2d.scalediag
rm -rf "$experiment"
set -x
build/release/bin/scalediag profile -n 2,4,8,16 -o "$experiment" -- "build/release/samples/$mpi/stencil2d" "${1:-1200}" "${2:-400}"
build/release/bin/scalediag show "$experiment"
build/release/bin/scalediag predict "$experiment" --at np=64,1024
build/release/bin/scalediag report "$experiment" --at np=64,1024 -o build/release/stencil2d.html
{ set +x; } 2>/dev/null
echo "demo: $built s for packages and building, $((SECONDS - built)) s for measuring and predicting"
