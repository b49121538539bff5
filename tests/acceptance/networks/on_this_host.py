#!/usr/bin/env python3
"""Do emulation and simulated traces say how long programs take between the cores of this host?

  tests/acceptance/networks/on_this_host.py SCALEDIAG NETWORK [--np 2] [--repeat 5] -- COMMAND... [-- COMMAND...]...

NETWORK is a file that `scalediag network --np 2` wrote here; it needs a core for each rank and an idle machine, and
commands have absolute paths. There is no emulated network that would take part of the cores. Each command runs --repeat
times with elapsed time between MPI_Init and MPI_Finalize, and is emulated as often on all cores and on one, by turns; it
is traced and the trace simulated. Prints medians. Exit status 1 where a median is further off than --limit.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile

import emulated_network as emulated


def said_by(options, *arguments, cores=None):
    prefix = ["taskset", "-c", cores] if cores else []
    return json.loads(emulated.run([*prefix, options.scalediag, *arguments], cwd=options.folder))


def profile(options, name, command, *more):
    emulated.run([options.scalediag, "profile", "-n", str(options.np), "--counters", "none", "--clock", "wall", "--sampler",
                  "none", "--repeat", "1", "-o", name, *more, "--", *command], cwd=options.folder)
    return os.path.join(options.folder, name)


def check(options, number, command):
    took, two, one, traced = [], [], [], []
    emulation = ["emulate", "--json", "-n", str(options.np), "--network", options.network, "--", *command]
    parts = []
    for i in range(options.repeat):
        took += emulated.elapsed_s(options, profile(options, f"{number}-{i}", command))
        said = said_by(options, *emulation)
        two.append(said["total_s"])
        parts.append(statistics.mean(rank["computation_s"] for rank in said["ranks"]))
        one.append(said_by(options, *emulation, cores="0")["total_s"])
        trace = profile(options, f"{number}-{i}-trace", command, "--trace", "--series")
        traced.append(said_by(options, "simulate", "--json", trace, "--network", options.network)["total_s"])
    measured = statistics.median(took)
    print(f"{os.path.basename(command[0])}: took {measured:.3f} s ({min(took):.3f} to {max(took):.3f}),"
          f" computation {statistics.median(parts):.3f} s")
    good = True
    for what, times in (("emulated, two", two), ("emulated, one core", one), ("trace simulated", traced)):
        off = statistics.median(times) / measured - 1
        good &= abs(off) <= options.limit
        print(f"  {what:20} {statistics.median(times):8.3f} s {off:+6.1%} ({min(times):.3f} to {max(times):.3f})", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("scalediag", "network"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--np", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--limit", type=float, default=0.06)
    own, commands = emulated.split_commands(sys.argv[1:])
    options = parser.parse_args(own)
    with tempfile.TemporaryDirectory(prefix="scalediag-") as options.folder:
        good = [check(options, i, command) for i, command in enumerate(commands)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
