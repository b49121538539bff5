#!/usr/bin/env bash
# Counts hardware events in an emulated machine and checks them; README.md describes the parts.
#
#   SCALEDIAG_PMU_VM=path/to/run.sh tests/pmu/run.sh MERGE_RAW [FOLDER]
#
# MERGE_RAW is the program of that name from a build of this machine. FOLDER (default: a temporary one, deleted at the end)
# keeps the cross-build and what was measured. Exit status 77: there is no such machine here.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
merge_raw=${1:?usage: run.sh MERGE_RAW [FOLDER]}
skip() {
  echo "skipped: $*"
  exit 77
}

[ -n "${SCALEDIAG_PMU_VM:-}" ] || skip "SCALEDIAG_PMU_VM does not name the script that runs the emulated machine"
[ -x "$SCALEDIAG_PMU_VM" ] || skip "$SCALEDIAG_PMU_VM cannot be run"
export PMU_DIR=${PMU_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/pmu-vm}
"$SCALEDIAG_PMU_VM" --build-only >&2 || skip "the emulated machine cannot be made here; its messages are above"
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

"$SCALEDIAG_PMU_VM" -s "$shared" -- "bash /host/guest.sh $shared"

"$merge_raw" "$shared/ranks" 2 1
"$merge_raw" "$shared/threads" 1 1
"$merge_raw" "$shared/rotation" 1 "$(wc -l <"$shared/rotation.txt")"
python3 "$here/check.py" "$shared"
