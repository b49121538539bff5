#!/usr/bin/env python3
"""What `profile` with default options takes against plain runs of the program.

  tests/acceptance/measuring.py SCALEDIAG FOLDER NAME='COMMAND' ...      {np} in COMMAND is replaced

Runs each COMMAND in FOLDER/NAME's working directory (FOLDER where there is none) at 2, 4, 8 and 16 ranks, plain and then by
`profile`. Prints the seconds of both, their ratio, which should be at most 4, the repeats of each scale, and the share of
the time at the largest scale in functions above 1 % with fewer than 10 samples, after the first repeats and at the end.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

SCALES = (2, 4, 8, 16)


def share_undecided(profile, repeats):
    runs = [run for run in profile["runs"] if run["np"] == SCALES[-1] and run["repeat"] in repeats]
    samples, share = {}, {}
    for run in runs:
        total = run["time"]["total_s"]["mean"] - run["time"]["others_s"]["mean"]
        for kernel in run["kernels"]:
            if kernel["kind"] != "function" or kernel["samples"] == 0:
                continue
            name = (kernel["name"], kernel["module"])
            samples[name] = samples.get(name, 0) + kernel["samples"]
            share[name] = share.get(name, 0) + kernel["metrics"]["time_s"]["mean"] / total / len(runs)
    return sum(part for name, part in share.items() if part >= 0.01 and samples[name] < 10)


def main():
    scalediag, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    print(f"{'program':12} {'plain s':>8} {'profile s':>9} {'ratio':>6} {'repeats':>12} {'undecided first':>15} {'end':>7}")
    for argument in sys.argv[3:]:
        name, command = argument.split("=", 1)
        here = os.path.join(folder, name)
        here = here if os.path.isdir(here) else folder
        begin = time.monotonic()
        for np in SCALES:
            subprocess.run(["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(np),
                            *command.replace("{np}", str(np)).split()], cwd=here, check=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        plain_s = time.monotonic() - begin
        with tempfile.TemporaryDirectory() as data:
            begin = time.monotonic()
            subprocess.run([scalediag, "profile", "-n", ",".join(map(str, SCALES)), "-o", data + "/e", "--", *command.split()],
                           cwd=here, check=True, stdin=subprocess.DEVNULL)
            took_s = time.monotonic() - begin
            with open(data + "/e/profile.json", encoding="utf-8") as file:
                profile = json.load(file)
        repeats = [sum(run["np"] == np for run in profile["runs"]) for np in SCALES]
        first, end = share_undecided(profile, {0}), share_undecided(profile, range(100))
        print(f"{name:12} {plain_s:8.1f} {took_s:9.1f} {took_s / plain_s:6.2f} {str(repeats):>12} {first:15.1%} {end:7.1%}", flush=True)


if __name__ == "__main__":
    main()
