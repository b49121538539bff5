#!/usr/bin/env python3
"""Are counts of a few iterations of the main loop, extended to the whole run, those of the whole run?

  tests/acceptance/counting/partial_counts.py SCALEDIAG FOLDER NP NAME='COMMAND' ...      {np} in COMMAND is replaced

Profiles each COMMAND in FOLDER/NAME (FOLDER where there is none) on NP ranks, two runs, and counts it twice under
valgrind: whole, and in part with a budget of 1.5 times what the two runs took. Prints the seconds of the runs and of
both passes, the iterations and ranks counted in part, the largest error of the instructions of kernels with more than
5 % of the time, and then each of these kernels. Exits with 1 where an error is above 1 %.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SMALLEST_SHARE = 0.05
LIMIT = 0.01
BUDGET = 1.5


def read(folder, name):
    with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def instructions_of(profile):
    """{(name, module): (share of the time, instructions of all ranks)} of the first run's functions"""
    kernels = [k for k in profile["runs"][0]["kernels"] if k["kind"] == "function"]
    total = sum(k["metrics"]["time_s"]["mean"] for k in kernels)
    return {(k["name"], k["module"]): (k["metrics"]["time_s"]["mean"] / total,
                                       k["metrics"].get("instructions", {"sum": 0})["sum"]) for k in kernels}


def main():
    scalediag, folder, np = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    worst = 0
    print(f"{'program':12} {'np':>3} {'runs s':>7} {'whole s':>8} {'part s':>7} {'of runs':>8} {'iterations':>12} "
          f"{'ranks':>8} {'error':>8}", flush=True)
    for argument in sys.argv[4:]:
        name, command = argument.split("=", 1)
        here = os.path.join(folder, name)
        here = here if os.path.isdir(here) else folder
        with tempfile.TemporaryDirectory() as data:
            def profile(to, *options):
                done = subprocess.run([scalediag, "profile", "-n", np, "--repeat", "2", "--no-network", "--machine",
                                       "none", "--no-replays", "-o", to, *options, "--", *command.split()], cwd=here,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True)
                if done.returncode != 0:
                    sys.exit(f"{name}: {done.stderr}")

            whole, part = data + "/whole", data + "/part"
            profile(whole, "--counters", "none")
            shutil.copytree(whole, part)
            runs_s = sum(run["elapsed_s"] for run in read(whole, "experiment")["runs"])
            profile(part, "--counters", "simulated", "--counting-budget", str(BUDGET * runs_s))
            profile(whole, "--counters", "simulated", "--count-iterations", "all")
            passes = {to: read(to, "experiment")["counting_passes"][0] for to in (whole, part)}
            counts = {to: instructions_of(read(to, "profile")) for to in (whole, part)}
            run = read(part, "profile")["runs"][0]
        errors = []
        for kernel, (share, instructions) in counts[whole].items():
            if share >= SMALLEST_SHARE and instructions > 0:
                errors.append((counts[part].get(kernel, (0, 0))[1] / instructions - 1, share, instructions, kernel[0]))
        largest = max((abs(e[0]) for e in errors), default=0)
        worst = max(worst, largest)
        of = passes[part]
        said = re.search(r"from (\d+) of (\d+) iterations", run["counters_reason"])
        iterations = f"{said[1]}/{said[2]}" if said else "all"
        print(f"{name:12} {np:>3} {runs_s:7.1f} {passes[whole]['elapsed_s']:8.1f} {of['elapsed_s']:7.1f} "
              f"{of['elapsed_s'] / runs_s:8.2f} {iterations:>12} {','.join(map(str, of['ranks'])):>8} {largest:8.2%}",
              flush=True)
        for error, share, instructions, kernel in sorted(errors, key=lambda e: -e[1]):
            print(f"    {share:6.1%} {instructions / 1e6:10.1f} M {error:+8.2%}  {kernel[:70]}")
        for warning in run["warnings"]:
            print(f"    {warning}"[:150])
    return 1 if worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
