#!/usr/bin/env python3
"""Is each sampler right and light where ranks share cores?

  tests/acceptance/samplers.py SCALEDIAG [--programs lammps,openfoam,/path/to/lu.W.x] [--samplers cpus,timer]
                               [--ranks 4,8] [--repeat 3] [--rate 1000] [--pairs 9]

Right: functions outside MPI are compared by their share of the time outside MPI, those above 5 % of it, with two
runs by events of threads: one with a core a rank (as many ranks as there are cores), and one with the same number of
ranks. The first disturbs least, but more ranks do other work: their parts are smaller and share caches. The limit of
2 percentage points holds for one of the two. Beside each difference stands what chance makes of it (one standard error, from the
numbers of samples).

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


class Shares:
    """Of the time outside MPI, by function; and that time in seconds over all ranks."""

    def __init__(self, options, folder, command, ranks, sampler):
        profile = [options.scalediag, "profile", "-n", str(ranks), "--counters", "none", "--clock", "cpu", "--sampler", sampler,
                   "--repeat", str(options.repeat), "--rate", str(options.rate), "--fresh", "-o", "x.scalediag", "--"]
        subprocess.run([*profile, *command], cwd=folder, check=True, **QUIET)
        with open(os.path.join(folder, "x.scalediag", "profile.json")) as f:
            runs = json.load(f)["runs"]
        times = collections.Counter()
        samples = 0
        for run in runs:
            if run["sampler"].split("-")[0] != sampler:
                raise SystemExit(f"error: {sampler} cannot be had here: the sampler was {run['sampler']}")
            for kernel in run["kernels"]:
                times[kernel["name"]] += kernel["metrics"]["cpu_s"]["sum"]
                samples += kernel["samples"]
        total = sum(times.values())
        self.of = {name: t / total for name, t in times.items()}
        self.seconds = total / len(runs)
        self.samples = samples

    def largest_difference(self, other):
        """(percentage points, their standard error, function)"""
        worst = (0, 0, "")
        for name in set(self.of) | set(other.of):
            mine, its = self.of.get(name, 0), other.of.get(name, 0)
            if max(mine, its) > LARGE_SHARE and abs(mine - its) >= abs(worst[0]) / 100:
                error = (mine * (1 - mine) / self.samples + its * (1 - its) / other.samples) ** 0.5
                worst = (100 * (mine - its), 100 * error, name)
        return worst


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
    parser.add_argument("--samplers", default="cpus,timer")
    parser.add_argument("--ranks", default="4,8")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--pairs", type=int, default=9)
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    worst = 0
    print(f"{'program':10} {'ranks':>5} {'sampler':8} {'outside MPI':>11}  {'points, core a rank':>20}  {'points, same ranks':>20} "
          f"{'cost':>7}  function", flush=True)
    for program in options.programs.split(","):
        name = os.path.basename(program)
        with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
            command = command_of(program, folder)
            core_a_rank = Shares(options, folder, command, cores, "perf")
            print(f"{name:10} {cores:5} {'perf':8} {core_a_rank.seconds:9.2f} s", flush=True)
            for ranks in map(int, options.ranks.split(",")):
                same_ranks = Shares(options, folder, command, ranks, "perf")
                for sampler in options.samplers.split(","):
                    found = same_ranks if sampler == "perf" else Shares(options, folder, command, ranks, sampler)
                    differences = [found.largest_difference(core_a_rank), found.largest_difference(same_ranks)]
                    points, _, function = min(differences, key=lambda d: abs(d[0]))
                    worst = max(worst, abs(points))
                    extra = (f"{cost(options.scalediag, folder, command, ranks, sampler, options.pairs):+7.1%}"
                             if options.pairs > 0 else f"{'-':>7}")
                    columns = "  ".join(f"{p:+13.2f} +- {e:4.2f}" for p, e, _ in differences)
                    print(f"{name:10} {ranks:5} {sampler:8} {found.seconds:9.2f} s  {columns} {extra}  {function[:60]}", flush=True)
    print(f"largest difference: {worst:.2f} percentage points (limit {LIMIT_POINTS})")
    return 0 if worst <= LIMIT_POINTS else 1


if __name__ == "__main__":
    sys.exit(main())
