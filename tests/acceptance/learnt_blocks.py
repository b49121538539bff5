#!/usr/bin/env python3
"""Do models of blocks hold for ranks, and for an input, that they were not learnt from?

  tests/acceptance/learnt_blocks.py SCALEDIAG -n 64 --slice 0,9,18,27,36,45,54,63 -- COMMAND...
  tests/acceptance/learnt_blocks.py SCALEDIAG -n 64 --small 8 'COMMAND WITH A SMALLER INPUT' -- COMMAND...

COMMAND with N ranks is traced, recorded, and each rank replayed alone: what it computes then is the truth. Models are
learnt from the replayed ranks of --slice, and from a replayed run of the smaller input with as many ranks as --small
says. Printed are, for each way, by how much the sum of every block over all N ranks is predicted wrong, that of all of
them together, and with --network FILE what the whole run takes: simulated with the computation of the models, and with
the replayed one. Exits with 1 where the sum of all, or the run, is off by more than --limit.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile


def run(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:3])} exited with {result.returncode}: {result.stderr[-2000:]}")
    return result.stdout


class Run:
    """A command that is traced, recorded and replayed in `folder`, or was before."""

    def __init__(self, scalediag, folder, ranks, command):
        self.traces, self.logs = os.path.join(folder, "traces"), os.path.join(folder, "logs")
        if not os.path.exists(self.traces):
            run(scalediag, "profile", "-n", str(ranks), "--repeat", "1", "--counters", "none", "--sampler", "none", "--trace",
                "--series", "-o", self.traces, "--", *command)
            run(scalediag, "record", "-n", str(ranks), "-o", self.logs, "--", *command)
        if not os.path.exists(os.path.join(self.logs, "replay")):
            run(scalediag, "replay", self.logs, "--no-kernels", "--json")

    def replayed(self):
        return [self.traces, "--computation", "replay:" + self.logs]


def report(scalediag, way, learnt_from, target, options, other_sizes=False):
    """Prints how a model from `learnt_from` does on the target; returns the largest of the judged deviations."""
    model = os.path.join(options.folder, way.split()[0] + ".blocks")
    attributes = ["--attributes", options.attributes] if options.attributes else []
    if other_sizes:
        attributes.append("--for-other-sizes")
    run(scalediag, "blocks", "learn", *learnt_from, "--share", str(options.share), *attributes, "-o", model)
    checked = json.loads(run(scalediag, "blocks", "check", *target.replayed(), "--model", model, "--json"))
    print(f"\nlearnt from {way}\n{'share':>7} {'executions':>10} {'outside':>8} {'sum':>7} {'single':>7}  block")
    for block in checked["blocks"]:
        if not block["measured"]:
            print(f"{0:7.1%} {block['executions']:10} {block['outside']:8} {'-':>7} {'-':>7}  {block['name']}")
            continue
        print(f"{block['measured'] / checked['total']:7.1%} {block['executions']:10} {block['outside']:8}"
              f" {block['predicted'] / block['measured'] - 1:+7.1%} {block['error']:7.1%}  {block['name']}")
    measured, predicted = (sum(b[what] for b in checked["blocks"]) for what in ("measured", "predicted"))
    off = [predicted / measured - 1]
    print(f"{measured / checked['total']:7.1%} {'':10} {'':8} {off[0]:+7.1%} {'':7}  all blocks with a model")
    if options.network:
        simulate = [scalediag, "simulate", "--network", options.network, "--json"]
        truth = json.loads(run(*simulate, *target.replayed()))["total_s"]
        by_model = json.loads(run(*simulate, target.traces, "--blocks", model, "--block-factor", str(options.factor)))["total_s"]
        off.append(by_model / truth - 1)
        print(f"the run: {by_model:.4f} s by models, {truth:.4f} s with replayed computation: {off[1]:+.1%}")
    return max(abs(deviation) for deviation in off)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag", type=os.path.abspath)
    parser.add_argument("-n", type=int, default=64)
    parser.add_argument("--slice")
    parser.add_argument("--small", nargs=2, metavar=("RANKS", "COMMAND"))
    parser.add_argument("--network", type=os.path.abspath)
    parser.add_argument("--attributes")
    parser.add_argument("--share", type=float, default=1)
    parser.add_argument("--factor", type=float, default=1, help="of the computation that no model replaces")
    parser.add_argument("--folder", type=os.path.abspath, help="keeps the runs there, and takes those that are there")
    parser.add_argument("--limit", type=float, default=0.05)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if not options.slice and not options.small:
        parser.error("--slice or --small says what to learn from")
    with tempfile.TemporaryDirectory(prefix="scalediag-") as temporary:
        options.folder = options.folder or temporary
        target = Run(options.scalediag, os.path.join(options.folder, "target"), options.n, options.command)
        print(f"{' '.join(options.command)}, {options.n} ranks")
        worst = 0
        if options.slice:
            worst = report(options.scalediag, f"slices {options.slice}", [*target.replayed(), "--slice", options.slice], target,
                           options)
        if options.small:
            ranks, command = options.small
            small = Run(options.scalediag, os.path.join(options.folder, "small"), int(ranks), shlex.split(command))
            worst = max(worst, report(options.scalediag, f"miniature {command}, {ranks} ranks", small.replayed(), target,
                                      options, other_sizes=True))
    print(f"\nlargest difference {worst:.1%} (limit {options.limit:.0%})")
    return 0 if worst <= options.limit else 1


if __name__ == "__main__":
    sys.exit(main())
