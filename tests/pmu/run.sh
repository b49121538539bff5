#!/usr/bin/env bash
# Counts hardware events in an emulated machine and checks them; README.md describes the parts.
#
#   tests/pmu/run.sh MERGE_RAW [FOLDER]
#
# MERGE_RAW is the program of that name from a build of this machine. FOLDER (default: a temporary one, deleted at the
# end) keeps the cross-build and the measurements. SCALEDIAG_PMU_VM names another script than machine.sh that runs such
# a machine. Exit status 77: there is none, and none can be made here.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
merge_raw=${1:?usage: run.sh MERGE_RAW [FOLDER]}
skip() {
  echo "skipped: $*"
  exit 77
}

machine=${SCALEDIAG_PMU_VM:-$here/machine.sh}
[ -x "$machine" ] || skip "$machine cannot be run"
export PMU_DIR=${PMU_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/scalediag-pmu}
problem=$("$machine" --build-only 2>&1) || skip "the emulated machine cannot be made here: $problem"
[ -e "$PMU_DIR/toolchain.cmake" ] || skip "$PMU_DIR has no toolchain.cmake"

folder=${2:-}
if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder/build" "$folder/shared"
folder=$(cd "$folder" && pwd)
shared=$folder/shared
rm -rf "$shared"/*

cmake -S "$here" -B "$folder/build" -DCMAKE_TOOLCHAIN_FILE="$PMU_DIR/toolchain.cmake" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DSCALEDIAG_WARNINGS_AS_ERRORS=ON >"$folder/cmake.log" 2>&1 || { tail -n 30 "$folder/cmake.log"; exit 1; }
cmake --build "$folder/build" --target scalediag_library scalediag_rank known probe -j 2 >"$folder/build.log" 2>&1 ||
  { tail -n 40 "$folder/build.log"; exit 1; }
mkdir -p "$shared/lib/scalediag"
cp "$folder"/build/lib/scalediag/{libscalediag.so,scalediag-rank} "$shared/lib/scalediag/"
cp "$folder"/build/{known,probe} "$here/guest.sh" "$shared/"

"$machine" -s "$shared" -- "bash /host/guest.sh $shared"

"$merge_raw" "$shared/ranks" 2 1
"$merge_raw" "$shared/threads" 1 1
"$merge_raw" "$shared/cycles" 1 1
"$merge_raw" "$shared/events" 1 1
"$merge_raw" "$shared/rotation" 1 "$(wc -l <"$shared/rotation.txt")"
python3 "$here/check.py" "$shared"
