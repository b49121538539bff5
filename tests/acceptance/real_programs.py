#!/usr/bin/env python3
"""Profiles programs nobody here wrote at 2, 4 and 8 ranks and checks the time identity of every run.

  tests/acceptance/real_programs.py SCALEDIAG [PROGRAM...]      default: lammps hpcc espresso

For every run: kernels + MPI + T_others + unattributed = total within 1 %, unattributed below 2 % of the total. Prints a
row a run and exits with 1 when one does not hold.
"""

import json
import os
import subprocess
import sys
import tempfile

import programs


def main():
    scalediag = os.path.abspath(sys.argv[1])
    names = sys.argv[2:] or ["lammps", "hpcc", "espresso"]
    programs.install(*names)
    failed = False
    for name in names:
        with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
            command = programs.PROGRAMS[name][0](folder)
            result = subprocess.run([scalediag, "profile", "-n", "2,4,8", "--repeat", "1", "-o", "x.scalediag", "--", *command],
                                    cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                    env=dict(os.environ, OMP_NUM_THREADS="1"))
            print(f"{name}: profile exited with {result.returncode}")
            if result.returncode != 0:
                print(result.stderr)
                failed = True
                continue
            with open(os.path.join(folder, "x.scalediag", "profile.json")) as f:
                profile = json.load(f)
            print(f"{'np':>4} {'clock':5} {'total':>9} {'kernels':>9} {'MPI':>9} {'others':>9} {'unattr.':>9} {'sum err':>8} {'unattr.':>8}"
                  f" {'samples':>8} {'lost':>5}")
            for run in profile["runs"]:
                mean = {k: v["mean"] for k, v in run["time"].items()}
                kernels = sum(k["metrics"]["time_s"]["mean"] for k in run["kernels"])
                mpi = sum(o["time_s"]["mean"] for o in run["mpi"])
                total = mean["total_s"]
                error = abs(kernels + mpi + mean["others_s"] + mean["unattributed_s"] - total) / total
                share = mean["unattributed_s"] / total
                good = error <= 0.01 and share < 0.02 and run["complete"]
                failed |= not good
                print(f"{run['np']:4} {run['clock']:5} {total:9.3f} {kernels:9.3f} {mpi:9.3f} {mean['others_s']:9.3f}"
                      f" {mean['unattributed_s']:9.3f} {error:8.3%} {share:8.3%} {run['samples']:8} {run['lost_samples']:5}"
                      f" {'' if good else 'FAILED'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
