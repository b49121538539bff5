#!/usr/bin/env python3
"""Does a rank compute as long when it is replayed, alone or together with the others, as it did in a real run?

  tests/acceptance/replayed_computation.py SCALEDIAG [-n RANKS] [--repeat R] [--limit X] -- COMMAND...

Records COMMAND once, replays its ranks R times one after another and R times together, and runs it R times in earnest
with `profile --trace`, whose events have the CPU time between calls of MPI. RANKS is at most the number of cores, or the
real run is no truth. Prints the medians of each rank, and the number of events of all, which must be the same. Exits
with 1 where ranks replayed together are beyond the limit.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile


def in_steps(steps):
    """Computation before the events, in seconds."""
    return sum(in_steps(s["steps"]) if "steps" in s else s["computation_s"]["n"] * s["computation_s"]["mean"]
               for s in steps)


def real(scalediag, command, ranks):
    """(computation, events) of each rank of a run."""
    subprocess.run([scalediag, "profile", "-n", str(ranks), "--repeat", "1", "--counters", "none", "--sampler", "none",
                    "--trace", "--fresh", "-o", "real", "--", *command], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    text = subprocess.run([scalediag, "trace", "real", "--json"], check=True, stdout=subprocess.PIPE).stdout
    return {trace["rank"]: (in_steps(trace["steps"]) + trace["computation_after_s"], trace["events"])
            for trace in json.loads(text)["ranks"]}


def replayed(scalediag, options):
    """The same of replays."""
    text = subprocess.run([scalediag, "replay", "log", "--in-place", "--json", *options], check=True,
                          stdout=subprocess.PIPE).stdout
    found = {}
    for rank in json.loads(text)["ranks"]:
        with open(f"log/replay/rank{rank['rank']:06}.vector", "rb") as f:
            found[rank["rank"]] = rank["computation_s"], int(f.readline().split()[-1]) - 1
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scalediag", type=os.path.abspath)
    parser.add_argument("-n", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--limit", type=float, default=0.05)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    # Real runs and both kinds of replays in turn, so that a machine that gets slower does so for all.
    runs, alone, together = [], [], []
    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        os.chdir(folder)
        subprocess.run([options.scalediag, "record", "-n", str(options.n), "-o", "log", "--", *options.command], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(options.repeat):
            runs.append(real(options.scalediag, options.command, options.n))
            alone.append(replayed(options.scalediag, []))
            together.append(replayed(options.scalediag, ["--together"]))
        os.chdir("/")
    print(f"{' '.join(options.command)}, {options.n} ranks: medians of {options.repeat}")
    print("rank  real run s    alone s            together s                events  of the replay")
    worst, same_events = 0, True
    for rank in range(options.n):
        run_s, alone_s, together_s = (statistics.median(each[rank][0] for each in all) for all in (runs, alone, together))
        worst = max(worst, abs(together_s / run_s - 1))
        same_events = same_events and len({each[rank][1] for each in runs + alone + together}) == 1
        print(f"{rank:4}  {run_s:10.4f} {alone_s:10.4f} {alone_s / run_s - 1:+8.1%} {together_s:10.4f}"
              f" {together_s / run_s - 1:+8.1%} {runs[0][rank][1]:10}  {alone[0][rank][1]:10}")
    print(f"largest difference together {worst:.2%} (limit {options.limit:.0%})" + ("" if same_events else "; events differ"))
    return 0 if worst <= options.limit and same_events else 1


if __name__ == "__main__":
    sys.exit(main())
