#!/usr/bin/env python3
"""Do few rounds on few ranks have the instructions of the whole, and what does counting them take?

  tests/acceptance/replayed/counts_in_part.py SCALEDIAG [-n 4] [--counting-budget S] FOLDER NAME='COMMAND' ...

Each program is profiled with --count-in-part, and then counted whole in the same folder, on all of its ranks where there are
four. Functions with 5 % of the instructions are held against each other, and small ones with 0.5 to 5 %: the largest and
the median deviation, how many are within twice their standard error, and which claim to be exact and are not. Times are those
of the timed runs together, of counting in part, which has a recorded run, and of counting the whole.
"""
import argparse
import json
import os
import shlex
import statistics
import sys

from commands import run


def counted(folder):
    """Instructions and their standard error by function, and the seconds that the runs and the pass took."""
    with open(folder + "/profile.json", encoding="utf-8") as file:
        document = json.load(file)["runs"][0]
    with open(folder + "/experiment.json", encoding="utf-8") as file:
        experiment = json.load(file)
    kernels = {(kernel["name"], kernel["module"]): (kernel["metrics"]["instructions"]["sum"], kernel.get("count_errors", {}).get("instructions"))
               for kernel in document["kernels"] if "instructions" in kernel["metrics"]}
    runs_s = sum(entry["elapsed_s"] for entry in experiment["runs"])
    return kernels, document["counters_reason"], runs_s, experiment["counting_passes"][0]["elapsed_s"]


def compared(part, whole, least, most):
    """The largest deviation of functions with these shares of the instructions, and text about them."""
    everything = sum(instructions for instructions, _ in whole.values())
    off, within, wrong, functions = [], 0, 0, 0
    for name, (instructions, _) in whole.items():
        if not least <= instructions / everything < most:
            continue
        estimate, error = part.get(name, (0, None))
        functions += 1
        off.append(abs(estimate / instructions - 1))
        within += abs(estimate - instructions) <= 2 * (error or 0)
        wrong += error is None and estimate != instructions
    if not functions:
        return 0, "no function"
    return max(off), f"{functions} functions, at most {max(off):.2%}, median {statistics.median(off):.2%}, {within} within two errors, {wrong} exact and wrong"


def compare(options, name, command):
    words = shlex.split(command)
    folder = os.path.join(os.path.abspath(options.folder), name + ".counted")
    profile = [options.scalediag, "profile", "-n", str(options.n), "--no-network", "--no-replays", "--machine", "none", "-o", folder]
    budget = ["--counting-budget", options.counting_budget] if options.counting_budget else []
    try:
        run(*profile, "--fresh", "--count-in-part", *budget, "--", *words)
    except RuntimeError as error:
        print(f"{name}: {error}", flush=True)  # where the limit allows no counts, profile fails
    part, reason, runs_s, part_s = counted(folder)
    run(*profile, "--counters", "simulated", "--", *words)
    whole, _, _, whole_s = counted(folder)
    most, large = compared(part, whole, 0.05, 2)
    _, small = compared(part, whole, 0.005, 0.05)
    print(f"{name:12} runs {runs_s:.1f} s, in part {part_s:.1f} s ({part_s / runs_s:.2f}), whole {whole_s:.1f} s; {reason}", flush=True)
    if part:
        print(f"{'':12} from 5 %: {large}\n{'':12} 0.5 to 5 %: {small}", flush=True)
    return most if part else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag")
    parser.add_argument("-n", type=int, default=4)
    parser.add_argument("--counting-budget", help="seconds; none: 1.5 times the runs")
    parser.add_argument("--limit", type=float, default=0.01, help="largest deviation of instructions")
    parser.add_argument("folder")
    parser.add_argument("programs", nargs="+", metavar="NAME=COMMAND")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    worst = [compare(options, *program.split("=", 1)) for program in options.programs]
    return 1 if max(worst) > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
