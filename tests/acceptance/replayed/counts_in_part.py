#!/usr/bin/env python3
"""Do few rounds on few ranks have the instructions and loads of the whole, and what does counting them take?

  tests/acceptance/replayed/counts_in_part.py SCALEDIAG [-n 4] FOLDER NAME='COMMAND' ...

Each program is profiled with --count-in-part, and then counted whole in the same folder, on all of its ranks where there are
four. Functions with 5 % of the instructions are held against each other: the largest and the median deviation, also of
loads, and which of them claim to be exact and are not. Times are those of the timed runs together, of counting in part,
which has a recorded run, and of counting the whole.
"""
import argparse
import json
import os
import shlex
import statistics
import sys

from commands import run


def counted(folder):
    """Counts of the functions by name, and the seconds that the runs and the pass took."""
    with open(folder + "/profile.json", encoding="utf-8") as file:
        document = json.load(file)["runs"][0]
    with open(folder + "/experiment.json", encoding="utf-8") as file:
        experiment = json.load(file)
    kernels = {}
    for kernel in document["kernels"]:
        if "instructions" in kernel["metrics"]:
            sums = [kernel["metrics"][metric]["sum"] for metric in ("instructions", "loads")]
            kernels[kernel["name"], kernel["module"]] = (*sums, "instructions" not in kernel.get("count_errors", {}))
    runs_s = sum(entry["elapsed_s"] for entry in experiment["runs"])
    return kernels, document["counters_reason"], runs_s, experiment["counting_passes"][0]["elapsed_s"]


def deviations(part, whole, column):
    return [abs(part.get(name, (0, 0, False))[column] / values[column] - 1) for name, values in whole.items() if values[column] > 0]


def compare(options, name, command):
    words = shlex.split(command)
    folder = os.path.join(os.path.abspath(options.folder), name + ".counted")
    profile = [options.scalediag, "profile", "-n", str(options.n), "--no-network", "--no-replays", "--machine", "none", "-o", folder]
    run(*profile, "--fresh", "--count-in-part", "--", *words)
    part, reason, runs_s, part_s = counted(folder)
    run(*profile, "--counters", "simulated", "--", *words)
    whole, _, _, whole_s = counted(folder)
    everything = sum(values[0] for values in whole.values())
    large = {name: values for name, values in whole.items() if values[0] >= 0.05 * everything}
    of = [deviations(part, large, column) for column in (0, 1)]
    wrong = sum(part.get(name, (0, 0, False))[2] and part[name][0] != values[0] for name, values in large.items())
    exact = sum(part.get(name, (0, 0, False))[2] for name in large)
    print(f"{name:12} {len(large):2} functions  instructions max {max(of[0]):8.4%} median {statistics.median(of[0]):8.4%}  "
          f"loads max {max(of[1]):8.4%} median {statistics.median(of[1]):8.4%}  {exact} exact, {wrong} of them not  "
          f"runs {runs_s:.1f} s, in part {part_s:.1f} s ({part_s / runs_s:.2f}), whole {whole_s:.1f} s; {reason}", flush=True)
    return max(of[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag")
    parser.add_argument("-n", type=int, default=4)
    parser.add_argument("--limit", type=float, default=0.01, help="largest deviation of instructions")
    parser.add_argument("folder")
    parser.add_argument("programs", nargs="+", metavar="NAME=COMMAND")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    worst = [compare(options, *program.split("=", 1)) for program in options.programs]
    return 1 if max(worst) > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
