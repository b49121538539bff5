#!/usr/bin/env python3
"""What `improve` promises against what it brings.

  tests/acceptance/improve.py SCALEDIAG EXPERIMENT... --at np=64 --network NET --budget 10min

Copies each experiment folder, improves the copy and prints of every step: the width (high / low) of the run's interval at
the target before, as promised and after, what was brought over what was promised, and the cost as promised and as spent.
Then how many steps brought what was promised within a factor of 1.5. The programs run in their folders.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

NEAR = 1.5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag")
    parser.add_argument("experiments", nargs="+")
    parser.add_argument("--at", default="np=64")
    parser.add_argument("--network", default="hdr")
    parser.add_argument("--budget", default="10min")
    options = parser.parse_args()
    near = steps = 0
    print(f"{'program':12} {'step':8} {'np':>4} {'before':>7} {'promised':>8} {'after':>7} {'ratio':>6} {'cost s':>7} {'spent s':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for experiment in options.experiments:
            name = os.path.basename(experiment.rstrip("/")).removesuffix(".scalediag")
            copy = os.path.join(folder, name)
            shutil.copytree(experiment, copy)
            done = subprocess.run([options.scalediag, "improve", copy, "--at", options.at, "--network", options.network,
                                   "--budget", options.budget, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  check=False)
            if done.returncode != 0:
                print(f"{name:12} {done.stderr.strip().splitlines()[-1]}")
                continue
            for step in json.loads(done.stdout)["steps"]:
                ratio = step["width_after"] / step["width_expected"]
                steps += 1
                near += 1 / NEAR <= ratio <= NEAR
                print(f"{name:12} {step['kind']:8} {step['np']:4} {step['width_before']:7.2f} {step['width_expected']:8.2f} "
                      f"{step['width_after']:7.2f} {ratio:6.2f} {step['cost_s']:7.1f} {step['spent_s']:7.1f}", flush=True)
    print(f"{near} of {steps} steps brought what was promised within a factor of {NEAR}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
