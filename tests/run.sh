#!/usr/bin/env bash
# Installs what is missing, builds with warnings as errors, runs all tests.
#
#   tests/run.sh [ctest arguments...]      for example: tests/run.sh -L unit
#
# PMU=1 also installs what the test in an emulated machine with performance counters needs, which is skipped otherwise.
# SANITIZE=1 also builds and runs the unit tests under the address sanitizer, and those of code with threads under the
# thread sanitizer.
#
# Two tests run at once; one of times that others would change counts as two. What others on the same machine do can
# still make a test of real programs fail: one that fails is run once more at once, and .ci/run names those that passed
# only then. Under the sanitizers nothing is run again, since a race may show itself once.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake/install-packages.sh tests
if [ "${PMU:-0}" = 1 ]; then cmake/install-packages.sh pmu; fi

cmake --preset ci >/dev/null
cmake --build --preset ci
status=0
ctest --test-dir build/ci --output-on-failure --no-tests=error --repeat until-pass:2 -j2 "$@" || status=$?

if [ "${SANITIZE:-0}" = 1 ]; then
  for preset in asan tsan; do
    cmake --preset "$preset" >/dev/null
    cmake --build --preset "$preset"
    ctest --test-dir "build/$preset" -L unit -LE python --output-on-failure --no-tests=error -j2 || status=$?
  done
fi
exit "$status"
