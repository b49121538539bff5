#!/usr/bin/env python3
"""Does the synthetic signature of a scaled trace, on few hosts, say how long programs take on many?

  tests/acceptance/networks/synthetic_signature.py SCALEDIAG TESTNET --scaled 2,4,8 [--hosts 8] -- COMMAND... [-- COMMAND...]...

Needs root and an idle machine. Traces of each command on --scaled ranks, recorded here without a network, are scaled to
--np ranks. `synth` executes them on --hosts hosts of an emulated network; the command itself runs --repeat times on
--np hosts of the same network (elapsed time between MPI_Init and MPI_Finalize, the median). Exit status 1 where the
prediction is further off than --limit.
"""

import json
import os
import statistics
import sys

import emulated_network as emulated

# Black holes look for messages between actions that are due: asking MPI must not take as long as it may elsewhere.
LONGEST_SLEEP_US = "250"


def synthetic(options, traces, network):
    os.environ["IDLE_RANKS_US"] = LONGEST_SLEEP_US
    launcher = f"{options.testnet} mpirun -x IDLE_RANKS_US -n {{np}} {{command}}"
    with emulated.network(options.testnet, options.hosts, options.latency_us, options.rate_mbit):
        text = emulated.run([options.scalediag, "synth", traces, "--network", network, "--processes", str(options.hosts),
                             "--launcher", launcher, "--mpi", "openmpi", "--json", *options.synth.split()])
    del os.environ["IDLE_RANKS_US"]
    return json.loads(text)


def check(options, number, command, network):
    few = os.path.join(options.folder, f"{number}-few")
    scaled = os.path.join(options.folder, f"{number}-scaled")
    emulated.run([options.scalediag, "profile", "-n", options.scaled, "--repeat", "1", "--counters", "none", "--sampler",
                  "none", "--trace", "-o", few, "--", *command], cwd=options.folder)
    emulated.run([options.scalediag, "scale", few, "--np", str(options.np), "-o", scaled])
    said = synthetic(options, scaled, network)
    with emulated.network(options.testnet, options.np, options.latency_us, options.rate_mbit):
        timed = emulated.profile(options, os.path.join(options.folder, f"{number}-timed"), command, "--repeat",
                                 str(options.repeat))
    times = emulated.elapsed_s(options, timed)
    measured = statistics.median(times)
    off = said["total_s"] / measured - 1
    print(f"{os.path.basename(command[0])}: took {measured:.3f} s ({min(times):.3f} to {max(times):.3f}); synth"
          f" {said['total_s']:.3f} s {off:+.1%}, simulated {said['simulated_s']:.3f} s"
          f" {said['simulated_s'] / measured - 1:+.1%}; {said['measurements']} sets of ranks in {said['elapsed_s']:.0f} s on"
          f" {said['processes']} hosts, {said['core_hours'] / said['core_hours_of_run']:.2f} of a run's core-hours; black"
          f" holes late by {said['late_s']['mean'] * 1e3:.2f} ms{'' if abs(off) <= options.limit else '   beyond the limit'}",
          flush=True)
    return abs(off) <= options.limit


def main():
    parser = emulated.parser_of(__doc__, hosts=16)
    parser.add_argument("--scaled", metavar="LIST", required=True, help="numbers of ranks to scale traces from")
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--synth", default="", help="more options of `synth`: '--alike'")
    parser.add_argument("--limit", type=float, default=0.09)
    return emulated.check_commands(parser, check)


if __name__ == "__main__":
    sys.exit(main())
