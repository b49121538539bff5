#!/usr/bin/env python3
"""Do emulation, simulated traces and simulated replays say how long programs take on an emulated network?

  tests/acceptance/networks/emulated_programs.py SCALEDIAG TESTNET [--replay] -- COMMAND... [-- COMMAND...]...

Needs root and an idle machine. Each command runs on the network --repeat times, timed without a trace, and once with one;
elapsed time between MPI_Init and MPI_Finalize, the median. Beside it: what `emulate` says with all ranks on one core and
on two, what `simulate` says of the trace, with --replay what it says when each rank's computation is that of the rank
replayed alone, and with --scaled 2,4,8 what it says of a trace that is scaled from runs with so many ranks, here. All use what `scalediag network` measured. Exit status 1 where one is further off than --limit, or
emulation and simulation of the trace differ by more than 3 %. Programs whose ranks compute for longer than they wait
need a core for each host (--np 2 on two cores): their share of computation is printed.
"""

import json
import os
import statistics
import sys

import emulated_network as emulated


def said_by(options, subcommand, *arguments, cores=None):
    prefix = ["taskset", "-c", cores] if cores else []
    return json.loads(emulated.run([*prefix, options.scalediag, subcommand, "--json", *arguments], cwd=options.folder))


def check(options, number, command, network):
    name = f"{number}-{os.path.basename(command[0])}"

    def in_folder(ending):
        return os.path.join(options.folder, name + ending)

    with emulated.network(options.testnet, options.np, options.latency_us, options.rate_mbit):
        traced = emulated.profile(options, in_folder("-trace"), command, "--trace", "--series", "--repeat", "1")
        timed = emulated.profile(options, in_folder(""), command, "--repeat", str(options.repeat))
    times = emulated.elapsed_s(options, timed)
    measured = statistics.median(times)
    of_trace = said_by(options, "simulate", traced, "--network", network)
    said = {"trace simulated": of_trace["total_s"]}
    for cores, what in (("0", "emulated, one core"), ("0,1", "emulated, two")):
        said[what] = said_by(options, "emulate", "-n", str(options.np), "--network", network, "--", *command,
                             cores=cores)["total_s"]
    if options.replay:
        log = in_folder("-log")
        emulated.run([options.scalediag, "record", "-n", str(options.np), "-o", log, "--", *command], cwd=options.folder)
        emulated.run([options.scalediag, "replay", log, "--no-kernels", "--json"], cwd=options.folder)
        said["replay simulated"] = said_by(options, "simulate", traced, "--computation", "replay:" + log, "--network",
                                           network)["total_s"]
    if options.scaled:
        few = in_folder("-few")
        emulated.run([options.scalediag, "profile", "-n", options.scaled, "--repeat", "1", "--counters", "none", "--sampler",
                      "none", "--trace", "-o", few, "--", *command], cwd=options.folder)
        said["scaled, simulated"] = said_by(options, "simulate", few, "--np", str(options.np), "--network", network)["total_s"]
    good = abs(said["emulated, two"] / said["trace simulated"] - 1) <= 0.03
    print(f"{name}: took {measured:.3f} s ({min(times):.3f} to {max(times):.3f}, {len(times)} runs), computation alone"
          f" {of_trace['ideal_network_s']:.3f} s")
    for what, seconds in said.items():
        off = seconds / measured - 1
        good &= abs(off) <= options.limit
        print(f"  {what:20} {seconds:8.3f} s {off:+6.1%}{'' if abs(off) <= options.limit else '   beyond the limit'}", flush=True)
    return good


def main():
    parser = emulated.parser_of(__doc__, hosts=16)
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--scaled", metavar="LIST", help="numbers of ranks to scale traces from")
    parser.add_argument("--limit", type=float, default=0.06)
    return emulated.check_commands(parser, check)


if __name__ == "__main__":
    sys.exit(main())
