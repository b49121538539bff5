#!/usr/bin/env bash
# Installs the Debian packages that are missing.
#
#   cmake/install-packages.sh build     what building and running scalediag needs, with Open MPI when there is no MPI
#   cmake/install-packages.sh tests     the same and what the tests need: both MPIs, Fortran, test libraries
#   cmake/install-packages.sh pmu       what tests/pmu needs for an emulated machine with performance counters
#
# As root or through sudo; otherwise prints the command to run and exits with 3.
set -euo pipefail
purpose=${1:?usage: install-packages.sh build|tests|pmu}

build=(g++ gcc gfortran cmake ninja-build pkg-config libdw-dev libelf-dev libhwloc-dev libzstd-dev libsvm-dev libexpat1-dev zlib1g-dev libcli11-dev nlohmann-json3-dev libspdlog-dev libfmt-dev libeigen3-dev libboost-math-dev libpapi-dev libjs-chart.js valgrind)
tests=(slurmctld slurmd slurm-client munge libopen-trace-format2-dev otf2-tools python3-pandas libgtest-dev libbenchmark-dev openmpi-bin libopenmpi-dev mpich libmpich-dev python3 python3-jsonschema python3-mpi4py procps dpkg-dev mandoc groff-base zsh fish liblzma-dev libbz2-dev environment-modules lintian lua5.3 chromium chromium-driver librsvg2-2 fonts-dejavu-core python3-selenium)
pmu=(qemu-system-arm g++-aarch64-linux-gnu mmdebstrap cpio e2fsprogs)

wanted=("${build[@]}")
case $purpose in
build) command -v mpirun >/dev/null 2>&1 && command -v mpicc >/dev/null 2>&1 || wanted+=(openmpi-bin libopenmpi-dev) ;;
tests) wanted+=("${tests[@]}") ;;
pmu) wanted=("${pmu[@]}") ;;
*) echo "error: unknown purpose '$purpose'" >&2; exit 2 ;;
esac

missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} = 0 ] && exit 0

run=()
if [ "$(id -u)" != 0 ]; then
  if ! sudo -n true 2>/dev/null; then
    echo "error: packages are missing: ${missing[*]}" >&2
    echo "hint: sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 3
  fi
  run=(sudo)
fi
echo "installing ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for step in "apt-get update" "apt-get install -y --no-install-recommends ${missing[*]}"; do
  # shellcheck disable=SC2086  # the step is a command and its arguments
  if ! "${run[@]}" env DEBIAN_FRONTEND=noninteractive $step >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "error: '$step' failed" >&2
    exit 3
  fi
done
