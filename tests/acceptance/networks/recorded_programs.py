#!/usr/bin/env python3
"""Are recorded programs simulated as long as they take, on the network they ran on and on another one?

  tests/acceptance/networks/recorded_programs.py SCALEDIAG TESTNET -- COMMAND... [-- COMMAND...]...

Needs root and an idle machine. Every command is recorded on a network, and timed there and on one of 5x the latency and
a tenth of the bandwidth; elapsed time between MPI_Init and MPI_Finalize, the median of the repeats. Simulated with what
`scalediag network` measured on each: within 5 % on the network it was recorded on, within 10 % on the other one.
All hosts share this machine's cores and carry some 140 MB/s together: where ranks compute or pass messages for longer
than the network needs, it is the machine that is measured; --others wait counts what waiting ranks cost each other. Low
rates need bounded socket buffers (collectives.py says which; change the folder --keep with them). Programs run in that
folder, where their inputs lie. Exit status 1 when one is further off.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile

import emulated_network as emulated


def simulated_s(options, experiment, network):
    said = json.loads(emulated.run([options.scalediag, "simulate", experiment, "--network", network, "--json"]))
    return said["total_s"]


def main():
    own, commands = emulated.split_commands(sys.argv[1:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("scalediag", "testnet"):
        parser.add_argument(name)
    parser.add_argument("--np", type=int, default=16)
    parser.add_argument("--latency-us", type=int, default=10000)
    parser.add_argument("--rate-mbit", type=int, default=40)
    parser.add_argument("--largest", default="131072", help="bytes of the largest message that is measured")
    parser.add_argument("--others", default="sleep", help="of `scalediag network`")
    parser.add_argument("--repeat", default="3")
    parser.add_argument("--keep", help="folder for networks and experiments; what is there already is taken, so change "
                        "the folder with the programs")
    options = parser.parse_args(own)
    if not commands:
        parser.error("wants at least one -- COMMAND")
    failed = False
    with tempfile.TemporaryDirectory(prefix="scalediag-") as temporary:
        folder = os.path.abspath(options.keep or temporary)
        recorded = {}
        for factor, latency_us, rate_mbit in ((1, options.latency_us, options.rate_mbit),
                                              (5, 5 * options.latency_us, options.rate_mbit // 10)):
            where = f"{options.np}-{latency_us}-{rate_mbit}"
            network = os.path.join(folder, f"network-{where}-{options.others}-{options.largest}.json")
            with emulated.network(options.testnet, options.np, latency_us, rate_mbit):
                if not os.path.exists(network):
                    emulated.measure_parameters(options.scalediag, options.testnet, options.np, network, "--others", options.others,
                                                "--max-size", options.largest)
                for i, command in enumerate(commands):
                    name = f"{i}-{os.path.basename(command[0])}"
                    if factor == 1:
                        recorded[name] = emulated.profile(options, os.path.join(folder, f"{name}-{where}-trace.scalediag"), command,
                                                          "--trace")
                    timed = emulated.profile(options, os.path.join(folder, f"{name}-{where}.scalediag"), command, "--repeat",
                                             options.repeat)
                    times = emulated.elapsed_s(options, timed)
                    measured = statistics.median(times)
                    simulated = simulated_s(options, recorded[name], network)
                    error = simulated / measured - 1
                    allowed = 0.05 if factor == 1 else 0.10
                    failed |= abs(error) > allowed
                    print(f"{latency_us / 1000:g} ms {rate_mbit:4} Mbit/s {name:14} measured {measured:8.3f} s "
                          f"({min(times):.3f} to {max(times):.3f})  simulated {simulated:8.3f} s {error:+6.1%}"
                          f"{'' if abs(error) <= allowed else '   FAILED'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
