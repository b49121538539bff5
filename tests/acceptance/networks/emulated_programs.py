#!/usr/bin/env python3
"""Do emulation, simulated traces and simulated replays say how long programs take on an emulated network?

  tests/acceptance/networks/emulated_programs.py SCALEDIAG TESTNET [--replay] -- COMMAND... [-- COMMAND...]...

Needs root and an idle machine. Each command runs on the network --repeat times, timed without a trace, and once with one;
elapsed time between MPI_Init and MPI_Finalize, the median. Beside it: what `emulate` says with all ranks on one core and
on two, what `simulate` says of the trace, with --replay what it says when each rank's computation is that of the rank
replayed alone, and with --scaled 2,4,8 what it says of a trace that is scaled from runs with so many ranks, here. All use what `scalediag network` measured. Exit status 1 where one is further off than --limit, or
emulation and simulation of the trace differ by more than 3 %. Programs whose ranks compute for longer than they wait
cannot be held against hosts that share two cores: their share of computation is printed.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time

import emulated_network as emulated


def total_s(options, subcommand, *arguments, cores=None):
    prefix = ["taskset", "-c", cores] if cores else []
    began = time.monotonic()
    said = json.loads(emulated.run([*prefix, options.scalediag, subcommand, "--json", *arguments], cwd=options.folder))
    return said["total_s"], time.monotonic() - began


def profile(options, name, command, *more):
    experiment = os.path.join(options.folder, name)
    emulated.run([options.scalediag, "profile", "-n", str(options.np), "--launcher", emulated.launcher(options.testnet), "--mpi",
                  "openmpi", "--counters", "none", "--clock", "wall", "--sampler", "none", "-o", experiment, *more, "--",
                  *command], cwd=options.folder)
    return experiment


def runs(options, experiment):
    shown = json.loads(emulated.run([options.scalediag, "show", experiment, "--json"]))
    return [r for r in shown["runs"] if r["complete"]]


def check(options, number, command, network):
    name = f"{number}-{os.path.basename(command[0])}"
    with emulated.network(options.testnet, options.np, options.latency_us, options.rate_mbit):
        traced = profile(options, name + "-trace", command, "--trace", "--series", "--repeat", "1")
        timed = profile(options, name, command, "--repeat", str(options.repeat))
    times = [r["total_s"] - r["others_s"] for r in runs(options, timed)]
    measured = statistics.median(times)
    said = {}
    said["trace simulated"], _ = total_s(options, "simulate", traced, "--network", network)
    for cores, what in (("0", "emulated, one core"), ("0,1", "emulated, two")):
        said[what], took = total_s(options, "emulate", "-n", str(options.np), "--network", network, "--", *command, cores=cores)
    if options.replay:
        log = os.path.join(options.folder, name + "-log")
        emulated.run([options.scalediag, "record", "-n", str(options.np), "-o", log, "--", *command], cwd=options.folder)
        emulated.run([options.scalediag, "replay", log, "--no-kernels", "--json"], cwd=options.folder)
        said["replay simulated"], _ = total_s(options, "simulate", traced, "--computation", "replay:" + log, "--network", network)
    if options.scaled:
        few = os.path.join(options.folder, name + "-few")
        emulated.run([options.scalediag, "profile", "-n", options.scaled, "--repeat", "1", "--counters", "none", "--sampler",
                      "none", "--trace", "-o", few, "--", *command], cwd=options.folder)
        said["scaled, simulated"], _ = total_s(options, "simulate", few, "--np", str(options.np), "--network", network)
    ideal = json.loads(emulated.run([options.scalediag, "simulate", traced, "--network", network, "--json"]))["ideal_network_s"]
    good = abs(said["emulated, two"] / said["trace simulated"] - 1) <= 0.03
    print(f"{name}: took {measured:.3f} s ({min(times):.3f} to {max(times):.3f}, {len(times)} runs), computation alone {ideal:.3f} s")
    for what, seconds in said.items():
        off = seconds / measured - 1
        good &= abs(off) <= options.limit
        print(f"  {what:20} {seconds:8.3f} s {off:+6.1%}{'' if abs(off) <= options.limit else '   beyond the limit'}", flush=True)
    return good


def main():
    words = sys.argv[1:]
    first = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("scalediag", "testnet"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--np", type=int, default=16)
    parser.add_argument("--latency-us", type=int, default=10000)
    parser.add_argument("--rate-mbit", type=int, default=40)
    parser.add_argument("--largest", default="131072", help="bytes of the largest message that is measured")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--scaled", metavar="LIST", help="numbers of ranks to scale traces from")
    parser.add_argument("--limit", type=float, default=0.06)
    parser.add_argument("--network", type=os.path.abspath, help="of an earlier measurement, or where to keep this one")
    options = parser.parse_args(words[:first])
    commands = []
    for word in words[first:]:
        if word == "--":
            commands.append([])
        else:
            commands[-1].append(word)
    if not commands:
        parser.error("wants at least one -- COMMAND")
    with tempfile.TemporaryDirectory(prefix="scalediag-") as options.folder:
        network = options.network or os.path.join(options.folder, "network.json")
        if not os.path.exists(network):
            with emulated.network(options.testnet, options.np, options.latency_us, options.rate_mbit):
                emulated.measure_parameters(options.scalediag, options.testnet, options.np, network, "--max-size", options.largest)
        good = [check(options, i, command, network) for i, command in enumerate(commands)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
