#!/usr/bin/env python3
"""Total CPU time of a real program with and without the collector, in pairs.

  tests/acceptance/overhead.py SCALEDIAG [PAIRS=8] [STEPS=2000] [--trace] [--call-paths] [--in-turn | --bound]
                               [--ranks 4] [-- PROGRAM [ARGUMENTS]]
  tests/acceptance/overhead.py SCALEDIAG [ROUNDS=8] --parts [--ranks 4] -- PROGRAM [ARGUMENTS]

LAMMPS, or another program of Open MPI, on 4 ranks at the default rate; with --trace, the trace is recorded too, with --call-paths each sample's stack.
Both runs of a pair go at the same time, each on a core of its own, and swap the cores in the next pair: a machine that
is faster now than a minute ago, or one core than the other, cancels out. Prints each pair and the medians of the ratios
and of the geometric means of two successive ratios. CPU time is user + system of the launcher and all ranks as the
kernel accounts it. With --in-turn the runs of a pair have both cores, one after the other, and begin in turn. Ranks
that wait use no CPU time then (networks/idle_ranks.c is preloaded into both), so that it is work that is compared. With --bound they go in turn, too,
and each rank is bound to a core of its own, where it burns CPU time while it waits.

With --parts, the CPU time of one `profile` of any program of Open MPI (no counting, no trace, no machine or network
measured) is split into parts that add up to the whole: medians of all rounds, in each of which every command runs once.
Ranks that wait use no CPU time there, too.
"""

import argparse
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import programs

RANKS = 4


def start(command, folder, cores):
    pid = os.fork()
    if pid == 0:
        os.chdir(folder)
        os.sched_setaffinity(0, cores)
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in range(3):
            os.dup2(nothing, fd)
        os.execvp(command[0], command)
    return pid


def cpu_times(pids):
    times = {}
    for _ in pids:
        pid, status, usage = os.wait4(-1, 0)
        if status != 0:
            raise SystemExit("error: a run failed")
        times[pid] = usage.ru_utime + usage.ru_stime
    return [times[pid] for pid in pids]


def cpu_time_of(command, folder, cores):
    return cpu_times([start(command, folder, cores)])[0]


def print_parts(scalediag, library, launcher, rounds, app, folder, cores):
    """The parts of one `profile` of `app`, in ms of CPU time of everything started."""
    loader = next(line.split()[0] for line in subprocess.run(["ldd", app[0]], capture_output=True, text=True,
                                                             check=True).stdout.splitlines() if "/ld-" in line)
    raw = os.path.join(folder, "raw")
    rank = [*launcher, os.path.join(library, "scalediag-rank"), "--library", os.path.join(library, "libscalediag.so"),
            "--directory", raw, "--rate", "250", "--sampler"]
    profile = [scalediag, "profile", "-n", launcher[-1], "--repeat", "1", "--fresh", "-o", "data", "--no-network",
               "--no-replays", "--machine", "none", "--counters", "none", "--no-trace", "--", *app]
    commands = {
        "program": [*launcher, *app],
        "calls": [*rank, "none", "--", *app],
        "samples": [*rank, "auto", "--", *app],
        "profile": profile,
        "merge": [scalediag, "merge", "data"],
        "start": [scalediag, "--version"],
        "list": [loader, "--list", app[0]],
        "version": [launcher[0], "--version"],
    }
    times = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            shutil.rmtree(raw, ignore_errors=True)
            os.mkdir(raw)
            times[name].append(cpu_time_of(command, folder, cores))
    ms = {name: 1000 * statistics.median(values) for name, values in times.items()}
    parts = {
        "the program and its launcher": ms["program"],
        "library loaded, calls counted, files written": ms["calls"] - ms["program"],
        "samples": ms["samples"] - ms["calls"],
        "start of scalediag": ms["start"],
        "libraries listed by the loader": ms["list"],
        "version of the launcher": ms["version"],
        "merging": ms["merge"] - ms["start"],
    }
    parts["all else that profile does"] = ms["profile"] - sum(parts.values())
    for name, value in parts.items():
        print(f"{name:46} {value:9.1f} ms")
    print(f"{'profile':46} {ms['profile']:9.1f} ms, {ms['profile'] - ms['program']:+.1f} ms or"
          f" {ms['profile'] / ms['program'] - 1:+.1%}; medians of {rounds} rounds, the program alone from"
          f" {1000 * min(times['program']):.1f} to {1000 * max(times['program']):.1f} ms")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag")
    parser.add_argument("pairs", nargs="?", type=int, default=8)
    parser.add_argument("steps", nargs="?", type=int, default=2000)
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--call-paths", action="store_true")
    parser.add_argument("--in-turn", action="store_true")
    parser.add_argument("--bound", action="store_true")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--ranks", type=int, default=RANKS)
    arguments = sys.argv[1:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    options, app = parser.parse_args(arguments[:split]), arguments[split + 1:]
    if options.parts and not app:
        raise SystemExit("error: --parts takes a program: overhead.py SCALEDIAG --parts -- PROGRAM [ARGUMENTS]")
    scalediag, pairs, steps = os.path.abspath(options.scalediag), options.pairs, options.steps
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        raise SystemExit("error: two cores are needed")
    if app:  # an absolute path, since the runs have folders of their own
        app = [os.path.abspath(shutil.which(app[0]) or app[0]), *app[1:]]
    else:
        programs.install("lammps")
    library = os.path.join(os.path.dirname(os.path.dirname(scalediag)), "lib", "scalediag")
    bound = ["--bind-to", "core"] if options.bound else ["--oversubscribe", "--bind-to", "none"]
    launcher = ["mpirun.openmpi", *bound, "-n", str(options.ranks)]
    if os.getuid() == 0:
        launcher.insert(1, "--allow-run-as-root")
    ratios = []
    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        if not app:
            app = programs.lammps(folder, size=20, steps=steps)
        if options.in_turn or options.parts:
            idle = os.path.join(folder, "idle_ranks.so")
            source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "networks", "idle_ranks.c")
            subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", idle, source], check=True)
        if options.parts:
            os.environ.update(LD_PRELOAD=idle, OMPI_MCA_btl="self,tcp")
            return print_parts(scalediag, library, launcher, pairs, app, folder, set(cores))
        if options.in_turn:
            launcher += ["-x", f"LD_PRELOAD={idle}", "--mca", "btl", "self,tcp"]
        for pair in range(pairs):
            raw = os.path.join(folder, f"raw{pair}")
            os.mkdir(raw)
            # The same command as `profile` runs, without the merge that comes after it.
            trace = ["--trace", "yes"] if options.trace else []
            if options.call_paths:
                trace += ["--call-paths", "16384"]
            observed = [*launcher, os.path.join(library, "scalediag-rank"), "--library", os.path.join(library, "libscalediag.so"),
                        "--directory", raw, "--rate", "250", "--sampler", "auto", *trace, "--", *app]
            plain = [*launcher, *app]
            if options.in_turn or options.bound:
                runs = [plain, observed][::1 if pair % 2 == 0 else -1]
                times = [cpu_times([start(run, folder, set(cores))])[0] for run in runs]
                without, with_ = times[::1 if pair % 2 == 0 else -1]
            else:
                without, with_ = cpu_times([start(plain, folder, {cores[pair % 2]}),
                                            start(observed, folder, {cores[1 - pair % 2]})])
            if sum(name.endswith(".raw") for name in os.listdir(raw)) != options.ranks:
                print("error: not every rank was recorded", file=sys.stderr)
                return 1
            ratios.append(with_ / without)
            print(f"pair {pair + 1:2}: without {without:7.3f} s  with {with_:7.3f} s  ratio {ratios[-1]:.4f}", flush=True)
    swapped = [math.sqrt(a * b) for a, b in zip(ratios[::2], ratios[1::2])]
    print(f"median overhead {statistics.median(ratios) - 1:+.2%} over {pairs} pairs"
          f" (from {min(ratios) - 1:+.2%} to {max(ratios) - 1:+.2%})")
    if swapped:
        print(f"median with the cores swapped {statistics.median(swapped) - 1:+.2%} over {len(swapped)} pairs of pairs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
