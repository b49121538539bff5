#!/usr/bin/env bash
# The main task on a sample, from a fresh machine: installs missing packages, builds, profiles a program at 2 to 16
# ranks, predicts scales that nobody ran and writes the report.
#
# The program, replicated_setup, is made not to scale: every rank repeats its setup (gauss_legendre), and rank 0 computes a
# table in each step (build_spline) while the others wait. A third reason comes with the messages: the table is sent to
# all ranks (MPI_Bcast).
#
#   samples/demo.sh [SIZE [STEPS]]
set -euo pipefail
cd "$(dirname "$0")/.."
cmake/install-packages.sh build
cmake --preset release -DSCALEDIAG_BUILD_TESTS=OFF -DSCALEDIAG_BUILD_BENCH=OFF >/dev/null
cmake --build --preset release
built=$SECONDS

mpi=openmpi
[ -x build/release/samples/$mpi/replicated_setup ] || mpi=mpich
experiment=build/release/replicated_setup.scalediag
page=build/release/replicated_setup.html
rm -rf "$experiment"
export OMP_NUM_THREADS=1
set -x
build/release/bin/scalediag profile -n 2,4,8,16 -o "$experiment" -- "build/release/samples/$mpi/replicated_setup" "${1:-1500}" "${2:-64}"
{ measured=$SECONDS; } 2>/dev/null
build/release/bin/scalediag report "$experiment" --at np=64,1024 -o "$page"
build/release/bin/scalediag predict "$experiment" --at np=64,1024
{ set +x; } 2>/dev/null
echo "demo: $built s for packages and building, $((measured - built)) s for measuring; the page: $PWD/$page"
