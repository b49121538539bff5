#!/usr/bin/env python3
"""Does a rank compute as long when it is replayed alone as it did in a real run?

  tests/acceptance/replayed_computation.py SCALEDIAG [-n RANKS] [--repeat R] [--limit X] -- COMMAND...

Records COMMAND once, replays each rank R times and runs it R times in earnest with `profile --trace`, whose events
have the CPU time between calls of MPI. RANKS is at most the number of cores, or the real run is no truth. Prints the
medians of each rank, and the number of events of both, which must be the same. Exits with 1 beyond the limit.
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


def real(scalediag, command, ranks, repeats):
    """For each rank, (computation, events) of every run."""
    found = [[] for _ in range(ranks)]
    subprocess.run([scalediag, "profile", "-n", str(ranks), "--repeat", str(repeats), "--counters", "none", "--sampler",
                    "none", "--trace", "-o", "real", "--", *command], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    for repeat in range(repeats):
        text = subprocess.run([scalediag, "trace", "real", "--run", f"np{ranks:04}.r{repeat}", "--json"], check=True,
                              stdout=subprocess.PIPE).stdout
        for trace in json.loads(text)["ranks"]:
            found[trace["rank"]].append((in_steps(trace["steps"]) + trace["computation_after_s"], trace["events"]))
    return found


def replayed(scalediag, command, ranks, repeats):
    """The same of replays."""
    found = [[] for _ in range(ranks)]
    subprocess.run([scalediag, "record", "-n", str(ranks), "-o", "log", "--", *command], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(repeats):
        text = subprocess.run([scalediag, "replay", "log", "--in-place", "--json"], check=True,
                              stdout=subprocess.PIPE).stdout
        for rank in json.loads(text)["ranks"]:
            with open(f"log/replay/rank{rank['rank']:06}.vector", "rb") as f:
                events = int(f.readline().split()[-1]) - 1
            found[rank["rank"]].append((rank["computation_s"], events))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scalediag", type=os.path.abspath)
    parser.add_argument("-n", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--limit", type=float, default=0.05)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        os.chdir(folder)
        in_earnest = real(options.scalediag, options.command, options.n, options.repeat)
        alone = replayed(options.scalediag, options.command, options.n, options.repeat)
        os.chdir("/")
    worst, same_events = 0, True
    print(f"{' '.join(options.command)}, {options.n} ranks: medians of {options.repeat}")
    print("rank  real run s  replayed s  difference     events  of the replay")
    for rank, (a, b) in enumerate(zip(in_earnest, alone)):
        run_s, replay_s = (statistics.median(s for s, _ in each) for each in (a, b))
        worst = max(worst, abs(replay_s / run_s - 1))
        same_events = same_events and len({n for _, n in a + b}) == 1
        print(f"{rank:4}  {run_s:10.4f}  {replay_s:10.4f}  {replay_s / run_s - 1:+9.2%}  {a[0][1]:10}  {b[0][1]:10}")
    print(f"largest difference {worst:.2%} (limit {options.limit:.0%})" + ("" if same_events else "; events differ"))
    return 0 if worst <= options.limit and same_events else 1


if __name__ == "__main__":
    sys.exit(main())
