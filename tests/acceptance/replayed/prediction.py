#!/usr/bin/env python3
"""What do replayed ranks say about predicted computation, and about CPU time measured where ranks share cores?

  tests/acceptance/replayed/prediction.py SCALEDIAG 'cg=/path/to/cg.A.x' ... [--small 2,4,8,16] [--target 64] [--node 2]

For every program: computation of a rank at the target, mean over the ranks, in seconds: replayed alone on this machine;
replayed together with those of its node (NODE ranks that follow one another, with a core each), which is the best truth
that one node can give and what the other columns are held against; predicted from the small scales; and measured with
all ranks of the target on this machine's cores (CPU clock both). Prints the size of the logs and the times that
recording, and replaying all ranks node by node, took.
"""

import argparse
import json
import os
import shlex
import sys
import tempfile
import time

from commands import run


def measured(scalediag, np, repeats, folder, command):
    run(scalediag, "profile", "-n", np, "--clock", "cpu", "--counters", "none", "--repeat", str(repeats), "-o", folder, "--",
        *command)


def replay(scalediag, *options):
    return json.loads(run(scalediag, "replay", "log", "--in-place", "--json", *options))["ranks"]


def mean(ranks):
    return sum(r["computation_s"] for r in ranks) / len(ranks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag", type=os.path.abspath)
    parser.add_argument("programs", nargs="+", metavar="NAME=COMMAND")
    parser.add_argument("--small", default="2,4,8,16")
    parser.add_argument("--target", default="64")
    parser.add_argument("--node", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    scalediag = options.scalediag
    print(f"computation of a rank at np={options.target}, mean over ranks, s; differences to nodes of {options.node}")
    print(f"{'':8} {'in nodes':>9} {'alone':>9} {'':>7} {'predicted':>9} {'':>7} {'90 % interval':>17} {'measured':>9} {'':>7}"
          f" {'log MB':>7} {'record s':>8} {'replay s':>8}")
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
            nodes = []
            for first in range(0, int(options.target), options.node):
                node = f"{first}..{min(first + options.node, int(options.target)) - 1}:1"
                nodes += replay(scalediag, "--together", "--ranks", node)
            ended = time.monotonic()
            alone = replay(scalediag)
            os.chdir("/")
        truth = mean(nodes)
        print(f"{name:8} {truth:9.4f} {mean(alone):9.4f} {mean(alone) / truth - 1:+7.1%}"
              f" {predicted['value']:9.4f} {predicted['value'] / truth - 1:+7.1%} {predicted['low']:8.4f} {predicted['high']:8.4f}"
              f" {shared:9.4f} {shared / truth - 1:+7.1%} {sum(r['log_bytes'] for r in nodes) / 1e6:7.1f}"
              f" {recorded - begun:8.1f} {ended - recorded:8.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
