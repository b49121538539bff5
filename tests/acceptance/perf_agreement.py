#!/usr/bin/env python3
"""Holds each function's share of CPU time against perf record's on the same program.

  tests/acceptance/perf_agreement.py SCALEDIAG [PROGRAM]      default: lammps

Both count user mode only. The comparison is over functions outside MPI, as a share of the user-mode time sampled in
the application's own modules; the limit is 1 percentage point for every function above 2 %. Exits with 1 beyond it.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import perf_shares
import programs
from perf_shares import bare

RANKS = 2
REPEATS = 8


# The runs of both alternate, so that changes of the machine's load affect both.
def shares_by_both(scalediag, command, folder, modules):
    script = os.path.join(folder, "record.sh")
    with open(script, "w") as f:
        f.write('#!/bin/sh\nexec perf record -q -e cpu-clock:u -F 500 -o "perf.$OMPI_COMM_WORLD_RANK.data" -- "$@"\n')
    os.chmod(script, 0o755)
    launcher = ["mpirun.openmpi", "--oversubscribe", "-n", str(RANKS)]
    if os.getuid() == 0:
        launcher.insert(1, "--allow-run-as-root")
    quiet = {"cwd": folder, "check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    samples = collections.Counter()
    for repeats in range(1, REPEATS + 1):
        subprocess.run([scalediag, "profile", "-n", str(RANKS), "--counters", "none", "--repeat", str(repeats), "-o",
                        "x.scalediag", "--", *command], **quiet)
        subprocess.run([*launcher, script, *command], **quiet)
        for rank in range(RANKS):
            text = subprocess.run(["perf", "script", "-i", f"perf.{rank}.data", "-F", "ip,sym,dso", "--demangle"], cwd=folder,
                                  check=True, capture_output=True, text=True).stdout
            for line in text.splitlines():
                match = re.match(r"\s*[0-9a-f]+ (.*) \((.*)\)$", line)
                if match and os.path.basename(match.group(2)) in modules:
                    samples[match.group(1)] += 1
    return shares_of_profile(os.path.join(folder, "x.scalediag", "profile.json"), modules), normalised(samples)


def shares_of_profile(file, modules):
    with open(file) as f:
        profile = json.load(f)
    time = collections.Counter()
    n_samples = 0
    for run in profile["runs"]:
        for k in run["kernels"]:
            if k["module"] in modules:
                time[k["name"]] += k["metrics"]["cpu_s"]["sum"] - k["metrics"]["system_s"]["sum"]
                n_samples += k["samples"]
    print(f"{n_samples:.0f} samples by scalediag at {profile['runs'][0]['sampling_rate_hz']:.0f} Hz")
    return normalised(time)


def normalised(counter):
    total = sum(counter.values())
    return {k: v / total for k, v in counter.items()}


def main():
    scalediag = os.path.abspath(sys.argv[1])
    name = sys.argv[2] if len(sys.argv) > 2 else "lammps"
    programs.install(name)
    modules = {"lammps": {"lmp", "liblammps.so.0"}}.get(name)
    if modules is None:
        print(f"error: perf can not name the functions of {name}: it is stripped", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        command = programs.PROGRAMS[name][0](folder)
        by_scalediag, by_perf = shares_by_both(scalediag, command, folder, modules)
    ours = collections.Counter()
    for k, v in by_scalediag.items():
        ours[bare(k)] += v
    theirs = collections.Counter()
    for k, v in by_perf.items():
        theirs[bare(k)] += v
    return perf_shares.compare(ours, theirs, "function")


if __name__ == "__main__":
    sys.exit(main())
