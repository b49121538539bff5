# Functions for the cases' scripts. The caller sets SCALEDIAG, PYTHON, PROGRAMS_ROOT, MPIRUN_openmpi, MPIRUN_mpich, MPI.
PROGRAMS=$PROGRAMS_ROOT/$MPI
mpirun_variable=MPIRUN_$MPI
MPIRUN=${!mpirun_variable}

# The interpreter itself: a python3 in PATH may be a script that takes longer to find one than most scripts here to run.
python3() { "$PYTHON" "$@"; }

# Measuring the machine takes seconds with all cores busy; only cases about it enable it.
export SCALEDIAG_MACHINE=none
# The same for the network, of this host.
export SCALEDIAG_NO_NETWORK=1
# And for a run more, of which ranks are replayed.
export SCALEDIAG_NO_REPLAYS=1
# What is printed would depend on which runs are fast enough to be recorded unasked.
export SCALEDIAG_NO_TRACE=1

# Cases that are not about counters run without them: a pass under valgrind would make each of them slower. What the
# program prints is shown, since many cases look at it.
scalediag() {
  local word
  if [ "${1-}" = profile ]; then
    shift
    set -- profile --show-output "$@"
    for word in "$@"; do
      case $word in
      --) break ;;
      --count-in-part | --counters* | --events* | --simulate-ranks*) "$SCALEDIAG" "$@"; return ;;
      esac
    done
    shift
    set -- profile --counters none "$@"
  fi
  "$SCALEDIAG" "$@"
}

# A stand-in for the program that measures messages, beside the rest of scalediag's libraries. A start of it adds a line to
# the file starts. Its messages take 1 us and 0.1 ns a byte after the first.
network_stand_in() {
  mkdir -p lib/$MPI
  ln -s "$BUILD_TREE"/lib/scalediag/*.so "$BUILD_TREE"/lib/scalediag/scalediag-rank lib/
  export SCALEDIAG_LIBRARY_DIR=$PWD/lib
  python3 -S - "$PWD/starts" >lib/$MPI/network_probe <<'PYTHON'
import sys
lines = ["scalediag-network-probe 3", "library MPI stand-in", "ranks 2", "reduction 1e-10", "link same_node stand-in stand-in",
         "connect 0", "sync 4096"]
for bytes in [4 ** k for k in range(11)]:
    after = 1e-10 * (bytes - 1)
    cpu = "send_overhead 1e-7 receive_overhead 1e-7" if bytes <= 4096 else "send_overhead nan receive_overhead nan"
    lines.append(f"size {bytes} half_round_trip{3 * f' {1e-6 + after:.9e}'} gap{3 * f' {1e-7 + after:.9e}'} {cpu} repeats 9")
print("#!/bin/sh", '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] || exit 0', f"echo start >>'{sys.argv[1]}'", "cat <<'END'",
      *lines, "took 0.1", "end", "END", sep="\n")
PYTHON
  chmod +x lib/$MPI/network_probe
}

# Two ranks and one repeat, which most cases need.
profile2() { scalediag profile -n 2 --repeat 1 "$@"; }

# One rank that counts events.
profile1() { "$SCALEDIAG" profile -n 1 --repeat 1 --counters papi "$@"; }

# Skips the case where counters cannot be simulated.
needs_valgrind() {
  command -v valgrind >/dev/null && return
  echo "valgrind is not installed"
  exit 77
}

# Skips the case where no folder can be laid over the one in which a replayed program writes.
needs_cover() {
  local libraries=$BUILD_TREE/lib/scalediag scratch
  scratch=$(mktemp -d) && mkdir -p kept
  "$libraries/scalediag-rank" --library "$libraries/libscalediag-replay.so" --cover "$scratch" --keep "$PWD/kept" -- true
  local status=$?
  rm -rf "$scratch" kept
  [ $status = 0 ] || exit 77
}

# The present PATH without valgrind.
without_valgrind() {
  mkdir bin.without
  local folder
  for folder in $(echo "$PATH" | tr : ' '); do ln -s "$folder"/* bin.without/ 2>/dev/null; done
  rm -f bin.without/valgrind
  PATH=$PWD/bin.without
}

# COMMAND...: a program (no function), run by a user to whom the permissions of files apply, in a folder that all users
# may read. Skips the case where root cannot become such a user, or where that user cannot run $SCALEDIAG.
without_privileges() {
  chmod go+rx .
  if [ "$(id -u)" != 0 ]; then
    "$@"
    return
  fi
  local nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
  $nobody test -x "$SCALEDIAG" 2>/dev/null || { echo "nobody without privileges can run $SCALEDIAG"; exit 77; }
  $nobody "$@"
}

# Ends the script with a message that the case's output shows.
fail() {
  echo "FAILED: $*" >&2
  exit 99
}

# "np0002.r0 complete" a line, in the order of names.
states() {
  python3 -S - "$1" <<'PYTHON'
import json, sys
runs = json.load(open(sys.argv[1] + "/experiment.json"))["runs"]
for run in sorted(runs, key=lambda run: run["id"]):
    print(run["id"], run["state"])
PYTHON
}

# expect_states DIR "np0002.r0 complete" "np0002.r1 failed" ...
expect_states() {
  local folder=$1
  shift
  local found expected
  found=$(states "$folder")
  expected=$(printf '%s\n' "$@")
  [ "$found" = "$expected" ] || fail "the states are '$found', expected '$expected'"
}

# profile_has DIR PYTHON-EXPRESSION: evaluated with `document`, its `runs` and `run`, the last one. Prints the values on
# stderr.
profile_has() {
  python3 -S - "$1" "$2" <<'PYTHON' || fail "profile.json: $2"
import json, sys
document = json.load(open(sys.argv[1] + "/profile.json"))
runs = document["runs"]
run = runs[-1]
def told(value, *what):
    print(*what, "=", value, file=sys.stderr)
    return value
def kernel(name):
    return told(sum(k["metrics"]["time_s"]["sum"] for k in run["kernels"] if k["name"] == name), "time_s of", name)
def operation(name):
    return told(sum(o["calls"]["sum"] for o in run["mpi"] if o["operation"] == name), "calls of", name)
def region(path):
    return next(r for r in run["regions"] if "/".join(filter(None, [r["parent"], r["name"]])) == path)
def region_at(function):  # a parallel region in it
    found = next(r for r in run["regions"] if r["name"].split(" at ")[0] == function)
    return told(found, "region in", function)
def count(name, metric, over="sum"):
    found = (k["metrics"][metric][over] for k in run["kernels"] if k["name"] == name)
    return told(sum(found), over, "of", metric, "of", name)
def operation_count(name, metric):
    return told(sum(o["metrics"][metric]["sum"] for o in run["mpi"] if o["operation"] == name), metric, "of", name)
if not eval(sys.argv[2]):
    told(run["warnings"], "warnings of the last run")
    sys.exit(1)
PYTHON
}

# openmp_times_agree DIR: the profile's parallel regions with what the program `parallel` prints of its own clocks.
openmp_times_agree() {
  python3 -S - "$1" <<'PYTHON'
import json, sys
run = json.load(open(sys.argv[1] + "/profile.json"))["runs"][-1]
regions = {r["name"].split(" at ")[0]: r for r in run["regions"] if r["source"] == "OpenMP"}
lines = [line.split(":") for line in open(sys.argv[1] + "/runs/np0002.r0/stdout.log") if line.count(":") == 4]
times = {name: [float(v) for v in values] for name, *values in lines}
assert list(times) == ["balanced", "uneven", "stepwise", "tasks", "nested", "serial"], times
# The program reads its clock after a region has ended, and may lose its core in between.
lost_s = 0.01
wrong = 0
def check(what, least, value, most):
    global wrong
    good = least <= value <= most
    wrong += not good
    print("" if good else "WRONG", what, least, "<=", value, "<=", most, file=sys.stderr)
for name, (inside, outside, work, slowest) in times.items():
    if name == "serial":
        check(name, 0.999 * inside, run["openmp"]["outside_s"]["sum"], 1.02 * outside + 0.02)
        continue
    threads = regions[name]["parallel"]
    check(name, 0.999 * inside - lost_s, regions[name]["elapsed_s"]["sum"], 1.001 * outside)
    check(name + " busy", 0.999 * work, threads["busy_s"]["sum"], 1.05 * work)
    check(name + " slowest", 0.999 * slowest, threads["slowest_s"]["sum"], 1.05 * slowest)
    check(name + " busy + idle", 1.998 * inside - 2 * lost_s, threads["busy_s"]["sum"] + threads["idle_s"]["sum"], 2.002 * outside)
sys.exit(wrong)
PYTHON
}

# same_as_without ARGS...: the application's sorted output and its exit status with and without scalediag.
same_as_without() {
  local plain_status profiled_status
  $MPIRUN -n 2 "$@" >plain.out 2>plain.err </dev/null
  plain_status=$?
  profile2 -o profiled -- "$@" >profiled.out 2>profiled.err
  profiled_status=$?
  [ $plain_status = $profiled_status ] || fail "exit status $profiled_status, without scalediag $plain_status"
  diff <(sort plain.out) <(sort profiled.out) >&2 || fail "the output differs"
}

# wait_for CONDITION: up to 60 s.
wait_for() {
  local i
  for i in $(seq 600); do
    if eval "$1"; then return 0; fi
    sleep 0.1
  done
  fail "waited in vain for: $1"
}

# sites DIR OPERATION: the call sites of the last run's operation, and whether their calls and bytes add up to its.
sites() {
  scalediag show "$1" --json >shown.json || return
  python3 -S - "$2" <<'PYTHON' || fail "no sites of $2"
import json, os, sys
operation = [o for o in json.load(open("shown.json"))["runs"][-1]["mpi"] if o["operation"] == sys.argv[1]][0]
equal = all(sum(s[k] for s in operation["sites"]) == operation[k] for k in ("calls", "bytes"))
print(f"{sys.argv[1]} {operation['calls']:.0f} calls, {operation['bytes']:.0f} bytes,",
      "equal to" if equal else "DIFFERENT from", "their sums")
for s in operation["sites"]:
    through = " through " + s["through"] if s["through"] else ""
    print(f"{s['function']} {os.path.basename(s['file'])}:{s['line']}{through}:",
          f"{s['calls']:.0f} calls, {s['bytes']:.0f} bytes")
PYTHON
}
