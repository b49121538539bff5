#!/usr/bin/env python3
"""Does a rank compute as long when it is replayed, alone or together with the others, as it did in a real run?

  tests/acceptance/replayed/computation.py SCALEDIAG [-n RANKS] [--repeat R] [--limit X] [--recorded-on CPUS]
                                           [--cpus CPUS] -- COMMAND...

Records COMMAND once, replays its ranks R times one after another and R times together, as often together where they
send their messages to one another (recorded with --node RANKS --together), and runs it R times in earnest with
`profile --trace`, whose events have the CPU time between calls of MPI. RANKS is at most the number of cores, or the real
run is no truth. Prints the medians of each rank, and the number of events of all, which must be the same. Exits with 1
where ranks replayed together are beyond the limit.

Recordings are made on the cores --recorded-on, replays and real runs on --cpus (lists of taskset, default: all). Where
--cpus are fewer than ranks, they take turns on them, replayed together (--share-cores) as in the real run.
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


def on(cpus):
    return ["taskset", "-c", cpus] if cpus else []


def real(scalediag, command, ranks, cpus):
    """(computation, events) of each rank of a run."""
    subprocess.run([*on(cpus), scalediag, "profile", "-n", str(ranks), "--repeat", "1", "--counters", "none", "--sampler", "none",
                    "--trace", "--fresh", "-o", "real", "--", *command], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    text = subprocess.run([scalediag, "trace", "real", "--json"], check=True, stdout=subprocess.PIPE).stdout
    return {trace["rank"]: (in_steps(trace["steps"]) + trace["computation_after_s"], trace["events"])
            for trace in json.loads(text)["ranks"]}


def replayed(scalediag, cpus, log, options):
    """The same of replays."""
    text = subprocess.run([*on(cpus), scalediag, "replay", log, "--in-place", "--json", "--no-kernels", *options], check=True,
                          stdout=subprocess.PIPE).stdout
    found = {}
    for rank in json.loads(text)["ranks"]:
        with open(f"{log}/replay/rank{rank['rank']:06}.vector", "rb") as f:
            found[rank["rank"]] = rank["computation_s"], int(f.readline().split()[-1]) - 1
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scalediag", type=os.path.abspath)
    parser.add_argument("-n", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--limit", type=float, default=0.05)
    parser.add_argument("--recorded-on", metavar="CPUS")
    parser.add_argument("--cpus")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    # Real runs and both kinds of replays in turn, so that a machine that gets slower does so for all.
    runs, alone, together, sent = [], [], [], []
    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        os.chdir(folder)
        for log, more in (("log", []), ("sent", ["--node", str(options.n), "--together"])):
            subprocess.run([*on(options.recorded_on), options.scalediag, "record", "-n", str(options.n), "-o", log, *more,
                            "--", *options.command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(options.repeat):
            runs.append(real(options.scalediag, options.command, options.n, options.cpus))
            alone.append(replayed(options.scalediag, options.cpus, "log", []))
            together.append(replayed(options.scalediag, options.cpus, "log", ["--together", "--share-cores"]))
            sent.append(replayed(options.scalediag, options.cpus, "sent", ["--together", "--share-cores"]))
        os.chdir("/")
    print(f"{' '.join(options.command)}, {options.n} ranks, recorded on cores {options.recorded_on or 'all'}, run and"
          f" replayed on {options.cpus or 'all'}: medians of {options.repeat}")
    print("rank  real run s    alone s            together s         sending s                events  of the replay")
    worst, same_events = 0, True
    for rank in range(options.n):
        run_s, alone_s, together_s, sent_s = (statistics.median(each[rank][0] for each in all)
                                              for all in (runs, alone, together, sent))
        worst = max(worst, abs(together_s / run_s - 1), abs(sent_s / run_s - 1))
        same_events = same_events and len({each[rank][1] for each in runs + alone + together + sent}) == 1
        replays = "".join(f" {s:10.4f} {s / run_s - 1:+8.1%}" for s in (alone_s, together_s, sent_s))
        print(f"{rank:4}  {run_s:10.4f}{replays} {runs[0][rank][1]:10}  {alone[0][rank][1]:10}")
    print(f"largest difference together {worst:.2%} (limit {options.limit:.0%})" +
          ("" if same_events else "; events differ"))
    return 0 if worst <= options.limit and same_events else 1


if __name__ == "__main__":
    sys.exit(main())
