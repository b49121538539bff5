#!/usr/bin/env bash
# Installs what is missing, builds with warnings as errors, runs all tests.
#
#   tests/run.sh [ctest arguments...]      for example: tests/run.sh -L unit
#
# PMU=1 also installs what the test in an emulated machine with performance counters needs, which is skipped otherwise.
# SANITIZE=1 also builds and runs the unit tests under the address and the thread sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake/install-packages.sh tests
if [ "${PMU:-0}" = 1 ]; then cmake/install-packages.sh pmu; fi

cmake --preset ci >/dev/null
cmake --build --preset ci
status=0
ctest --test-dir build/ci --output-on-failure --no-tests=error "$@" || status=$?

if [ "${SANITIZE:-0}" = 1 ]; then
  for preset in asan tsan; do
    cmake --preset "$preset" >/dev/null
    cmake --build --preset "$preset"
    ctest --test-dir "build/$preset" -L unit --output-on-failure --no-tests=error || status=$?
  done
fi
exit "$status"
