#!/usr/bin/env python3
"""Holds the inclusive shares of call paths against those of perf record --call-graph dwarf on the same program.

  tests/acceptance/path_agreement.py SCALEDIAG [--ranks N=2] [--repeats N=4] [--rate HZ=500] [-- COMMAND]

COMMAND is LAMMPS if none is given; it is started with Open MPI. Runs of both alternate. A path is the functions from
below main on, without parameters, recursion folded; time in MPI, which depends on who waits for whom in a run, is left
out. The limit is 1 percentage point for every path above 2 %. Exits with 1 beyond it.
"""

import argparse
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

STARTS = {"_start", "__libc_start_main", "__libc_start_call_main", "__libc_start_main_impl", "main"}
MPI = ("libmpi", "libopen-", "mca_")


def folded(path):
    out = []
    for function in path:
        out.append(function)
        for k in range(1, 9):
            if len(out) >= 2 * k and out[-k:] == out[-2 * k:-k]:
                del out[-k:]
                break
    return out


class PerfPaths:
    def __init__(self, program):
        self.program = program
        self.paths = collections.Counter()
        self.total = self.without_main = 0

    def read(self, text):
        stack = []
        for line in [*text.splitlines(), ""]:
            match = re.match(r"\s*[0-9a-f]+ (.*) \((.*)\)$", line)
            if match:
                stack.append((match.group(1), os.path.basename(match.group(2))))
            elif stack:
                self.take(stack[::-1])
                stack = []

    def is_start(self, name, module):
        return name in STARTS or module.startswith("libc.so") or (name == "[unknown]" and module == self.program)

    def take(self, stack):
        if any(module.startswith(MPI) for _, module in stack):
            return
        begin = 0
        while begin < len(stack) and self.is_start(*stack[begin]):
            begin += 1
        if begin == 0:
            self.without_main += 1
            return
        path = []
        for name, module in stack[begin:]:
            if "kernel" in module or "guest" in module:
                break
            path.append(bare(name))
        self.total += 1
        path = folded(path)
        for i in range(1, len(path) + 1):
            self.paths["->".join(path[:i])] += 1


def paths_of_profile(file):
    with open(file) as f:
        profile = json.load(f)
    paths = collections.Counter()
    total = samples = 0
    for run in profile["runs"]:
        names = []
        for p in run["call_paths"]:
            before = names[p["parent"]] if p["parent"] >= 0 else None
            names.append("" if before is None else before + ("->" if before else "") + bare(p["function"]))
            if p["kind"] == "mpi":
                continue
            time = p["exclusive_s"]["sum"]
            total += time
            functions = names[-1].split("->") if names[-1] else []
            for i in range(1, len(functions) + 1):
                paths["->".join(functions[:i])] += time
        samples += run["samples"]
        for w in run["warnings"]:
            print("warning:", w)
    print(f"{samples} samples by scalediag at {profile['runs'][0]['sampling_rate_hz']:.0f} Hz")
    return {name: time / total for name, time in paths.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--rate", type=int, default=500)
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:at])
    scalediag = os.path.abspath(options.scalediag)
    launcher = ["mpirun.openmpi", "--oversubscribe", "-n", str(options.ranks)]
    if os.getuid() == 0:
        launcher.insert(1, "--allow-run-as-root")
    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        command = sys.argv[at + 1:]
        if not command:
            programs.install("lammps")
            command = programs.PROGRAMS["lammps"][0](folder)
        script = os.path.join(folder, "record.sh")
        with open(script, "w") as f:
            f.write(f'#!/bin/sh\nexec perf record -q -e cpu-clock -F {options.rate} --call-graph dwarf,16384 '
                    '-o "perf.$OMPI_COMM_WORLD_RANK.data" -- "$@"\n')
        os.chmod(script, 0o755)
        quiet = {"cwd": folder, "check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        perf = PerfPaths(os.path.basename(command[0]))
        for repeats in range(1, options.repeats + 1):
            subprocess.run([scalediag, "profile", "-n", str(options.ranks), "--counters", "none", "--rate",
                            str(options.rate), "--call-paths", "--repeat", str(repeats), "-o", "x.scalediag", "--",
                            *command], **quiet)
            subprocess.run([*launcher, script, *command], **quiet)
            for rank in range(options.ranks):
                perf.read(subprocess.run(["perf", "script", "--no-inline", "-i", f"perf.{rank}.data", "-F", "ip,sym,dso",
                                          "--demangle"], cwd=folder, check=True, capture_output=True, text=True).stdout)
                os.unlink(os.path.join(folder, f"perf.{rank}.data"))
        ours = paths_of_profile(os.path.join(folder, "x.scalediag", "profile.json"))
    print(f"{perf.total} samples by perf; {perf.without_main} without main are left out")
    theirs = {name: n / perf.total for name, n in perf.paths.items()}
    return perf_shares.compare(ours, theirs, "path")


if __name__ == "__main__":
    sys.exit(main())
