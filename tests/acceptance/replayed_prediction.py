#!/usr/bin/env python3
"""What do replayed ranks say about predicted computation, and about CPU time measured where ranks share cores?

  tests/acceptance/replayed_prediction.py SCALEDIAG 'cg=/path/to/cg.A.x' ... [--small 2,4,8,16] [--target 64]

For every program: computation of a rank at the target, mean over the ranks, in seconds, three times: predicted from the
small scales (CPU clock), measured with all ranks of the target on this machine's cores (CPU clock), and replayed, each
rank alone on a core. Where cores are shared caches are too, so that the replay is the better truth. Prints the size of
the logs and the times that recording and replaying took.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time


def run(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:2])} exited with {result.returncode}: {result.stderr[-2000:]}")
    return result.stdout


def measured(scalediag, np, repeats, folder, command):
    run(scalediag, "profile", "-n", np, "--clock", "cpu", "--counters", "none", "--repeat", str(repeats), "-o", folder, "--",
        *command)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag", type=os.path.abspath)
    parser.add_argument("programs", nargs="+", metavar="NAME=COMMAND")
    parser.add_argument("--small", default="2,4,8,16")
    parser.add_argument("--target", default="64")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    scalediag = options.scalediag
    print(f"computation of a rank at np={options.target}, mean over ranks, s; ratios to the replayed one")
    print(f"{'':10} {'replayed':>9} {'largest':>9} {'predicted':>9} {'':>8} {'90 % interval':>19} {'measured':>9} {'':>8}"
          f" {'log MB':>8} {'record s':>8} {'replay s':>8}")
    for program in options.programs:
        name, _, command = program.partition("=")
        command = shlex.split(command)
        with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
            os.chdir(folder)
            measured(scalediag, options.small, options.repeat, "small", command)
            target = json.loads(run(scalediag, "predict", "small", "--at", "np=" + options.target, "--json"))["targets"][0]
            predicted = target["computation_s"]
            measured(scalediag, options.target, options.repeat, "large", command)
            runs = [r for r in json.loads(run(scalediag, "show", "large", "--json"))["runs"] if r["complete"]]
            shared = sum(r["computation_s"] for r in runs) / len(runs)
            begun = time.monotonic()
            run(scalediag, "record", "-n", options.target, "-o", "log", "--", *command)
            recorded = time.monotonic()
            ranks = json.loads(run(scalediag, "replay", "log", "--in-place", "--json"))["ranks"]
            ended = time.monotonic()
            os.chdir("/")
        alone = [r["computation_s"] for r in ranks]
        mean = sum(alone) / len(alone)
        print(f"{name:10} {mean:9.4f} {max(alone):9.4f} {predicted['value']:9.4f} {predicted['value'] / mean - 1:+8.1%}"
              f" {predicted['low']:9.4f} {predicted['high']:9.4f} {shared:9.4f} {shared / mean - 1:+8.1%}"
              f" {sum(r['log_bytes'] for r in ranks) / 1e6:8.1f} {recorded - begun:8.1f} {ended - recorded:8.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
