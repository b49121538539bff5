#!/usr/bin/env python3
"""Is each sampler right and light where ranks share cores?

  tests/acceptance/samplers.py SCALEDIAG [--programs lammps,openfoam,/path/to/lu.W.x] [--samplers cpus,perf,timer]
                               [--ranks 4,8] [--pairs 9]

Right: functions outside MPI are compared by their share of the time outside MPI with a run that has a core a rank (as
many ranks as there are cores, events of threads). For functions above 5 % there the limit is 2 percentage points.

Light: CPU time, user and system, of the launcher and all ranks, with against without, one after the other and in turn
first; the median of the ratios. With --pairs 0 this is left out. Exits with 1 when a function is beyond the limit.
"""

import argparse
import collections
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

import programs

LIMIT_POINTS = 2
LARGE_SHARE = 0.05
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def command_of(name, folder):
    if name in programs.PROGRAMS:
        programs.install(name)
        return programs.PROGRAMS[name][0](folder)
    return [os.path.abspath(name)]


def shares(scalediag, folder, command, ranks, sampler):
    """Of the time outside MPI, by function; and that time in seconds over all ranks."""
    subprocess.run([scalediag, "profile", "-n", str(ranks), "--counters", "none", "--clock", "cpu", "--sampler", sampler,
                    "--repeat", "1", "--fresh", "-o", "x.scalediag", "--", *command], cwd=folder, check=True, **QUIET)
    with open(os.path.join(folder, "x.scalediag", "profile.json")) as f:
        run = json.load(f)["runs"][0]
    if run["sampler"].split("-")[0] != sampler:
        raise SystemExit(f"error: {sampler} cannot be had here: the sampler was {run['sampler']}")
    times = collections.Counter()
    for kernel in run["kernels"]:
        times[kernel["name"]] += kernel["metrics"]["cpu_s"]["sum"]
    total = sum(times.values())
    return {name: t / total for name, t in times.items()}, total


def cpu_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdin=subprocess.DEVNULL, **QUIET)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cost(scalediag, folder, command, ranks, sampler, pairs):
    library = os.path.join(os.path.dirname(os.path.dirname(scalediag)), "lib", "scalediag")
    launcher = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    if os.getuid() == 0:
        launcher.insert(1, "--allow-run-as-root")
    app = [word.replace("{np}", str(ranks)) for word in command]
    ratios = []
    for pair in range(pairs):
        with tempfile.TemporaryDirectory(dir=folder) as raw:
            observed = [os.path.join(library, "scalediag-rank"), "--library", os.path.join(library, "libscalediag.so"),
                        "--directory", raw, "--rate", "250", "--sampler", sampler, "--"]
            runs = {True: [*launcher, *observed, *app], False: [*launcher, *app]}
            seconds = {with_: cpu_seconds(runs[with_], folder) for with_ in (pair % 2 == 0, pair % 2 == 1)}
        ratios.append(seconds[True] / seconds[False])
    return statistics.median(ratios) - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag", type=os.path.abspath)
    parser.add_argument("--programs", default="lammps,openfoam")
    parser.add_argument("--samplers", default="cpus,perf,timer")
    parser.add_argument("--ranks", default="4,8")
    parser.add_argument("--pairs", type=int, default=9)
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    worst = 0
    print(f"{'program':12} {'ranks':>5} {'sampler':8} {'outside MPI':>11} {'points':>7}  {'cost':>7}  function", flush=True)
    for program in options.programs.split(","):
        with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
            command = command_of(program, folder)
            truth, seconds = shares(options.scalediag, folder, command, cores, "perf")
            print(f"{os.path.basename(program):12} {cores:5} {'perf':8} {seconds:9.2f} s", flush=True)
            for ranks in map(int, options.ranks.split(",")):
                for sampler in options.samplers.split(","):
                    found, seconds = shares(options.scalediag, folder, command, ranks, sampler)
                    differences = {f: 100 * (found.get(f, 0) - truth.get(f, 0))
                                   for f in set(found) | set(truth)
                                   if max(found.get(f, 0), truth.get(f, 0)) > LARGE_SHARE}
                    function = max(differences, key=lambda f: abs(differences[f]))
                    worst = max(worst, abs(differences[function]))
                    extra = (f"{cost(options.scalediag, folder, command, ranks, sampler, options.pairs):+7.1%}"
                             if options.pairs > 0 else f"{'-':>7}")
                    print(f"{os.path.basename(program):12} {ranks:5} {sampler:8} {seconds:9.2f} s"
                          f" {differences[function]:+7.2f}  {extra}  {function[:60]}", flush=True)
    print(f"largest difference: {worst:.2f} percentage points (limit {LIMIT_POINTS})")
    return 0 if worst <= LIMIT_POINTS else 1


if __name__ == "__main__":
    sys.exit(main())
