#!/usr/bin/env python3
"""Is a run as long as its ranks, replayed together and simulated, say?

  tests/acceptance/replayed/elapsed.py SCALEDIAG [-n 2] [--rounds 9] [--replays 3] FOLDER NAME='COMMAND' ...

RANKS is at most the number of cores. Measures this host's network, traces and records (messages within the node left
out) each program once; then in each round runs it and replays its ranks together, in turns. The trace, simulated with
the computation of each round's replays, is held against the run of that round: the median ratio and its quartiles. Exits
with 1 where a program is more than --limit off, or their mean more than --mean.
"""
import json
import os
import shlex
import statistics
import sys

from commands import of_programs, run


def profile(scalediag, np, into, words, *more):
    run(scalediag, "profile", "-n", np, "--repeat", "1", "--sampler", "none", "--counters", "none", "--no-replays", "--no-network", "--clock",
        "wall", "--fresh", "-o", into, *more, "--", *words)
    with open(into + "/profile.json", encoding="utf-8") as file:
        return json.load(file)["runs"][0]


def measure(options, network, name, command):
    scalediag, np, words = options.scalediag, str(options.n), shlex.split(command)
    traces, log = name + ".traces", name + ".messages"
    profile(scalediag, np, traces, words, "--trace")
    run(scalediag, "record", "-n", np, "--node", np, "--together", "--fresh", "-o", log, "--", *words)
    rounds = []
    for _ in range(options.rounds):
        time = profile(scalediag, np, name + ".plain", words, "--no-trace")["time"]
        took_s = time["total_s"]["mean"] - time["others_s"]["mean"]  # without starting and ending MPI
        run(scalediag, "replay", log, "--together", "--repeat", str(options.replays), "--json", "--no-kernels")
        found = json.loads(run(scalediag, "simulate", traces, "--network", network, "--computation", "replay:" + log, "--json"))
        computed_s = statistics.mean(rank["computation_s"] for rank in found["ranks"])
        rounds.append((found["total_s"] / took_s, took_s, found["total_s"], computed_s))
    ratios = [one[0] for one in rounds]
    low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    took_s, said_s, computed_s = (statistics.median(one[k] for one in rounds) for k in (1, 2, 3))
    print(f"{name:12} {took_s:9.3f} {said_s:9.3f} {computed_s:9.3f} {middle - 1:+7.1%}  {low - 1:+7.1%} to {high - 1:+.1%}", flush=True)
    return middle - 1


def main():
    parser = of_programs(__doc__)
    parser.add_argument("-n", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--replays", type=int, default=3, help="of each round, of which events' medians are taken")
    parser.add_argument("--limit", type=float, default=0.07)
    parser.add_argument("--mean", type=float, default=0.04)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    os.chdir(options.folder)
    run(options.scalediag, "network", "-o", "host.json", "--max-size", str(1 << 24), "--noisy")
    print(f"{options.n} ranks on {os.cpu_count()} cores, {options.rounds} rounds\n"
          f"{'program':12} {'run s':>9} {'said s':>9} {'compute s':>9} {'median':>7}  quartiles")
    found = [measure(options, os.path.abspath("host.json"), *program.split("=", 1)) for program in options.programs]
    mean = statistics.mean(map(abs, found))
    print(f"mean of the differences {mean:.1%}, largest {max(map(abs, found)):.1%}")
    return 0 if max(map(abs, found)) <= options.limit and mean <= options.mean else 1


if __name__ == "__main__":
    sys.exit(main())
