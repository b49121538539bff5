#!/usr/bin/env python3
"""Does the same recording, replayed and simulated again, give the same total?

  tests/acceptance/replayed/again.py SCALEDIAG -n 4 [--times 10] --network NETWORK FOLDER NAME='COMMAND' ...

Traces each program at N ranks, records those that stand for all, and replays and simulates them that many times. Prints the totals' extremes around their median. Exits with 1 where one is more than --limit from it.
"""
import json
import os
import shlex
import shutil
import statistics
import sys

from commands import add_simulated, of_programs, run


def main():
    parser = of_programs(__doc__)
    add_simulated(parser)
    parser.add_argument("--times", type=int, default=10)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    os.chdir(options.folder)
    scalediag, np = options.scalediag, str(options.n)
    worst = 0
    print(f"{'program':12} {'median ms':>10}  totals from their median, {options.times} times", flush=True)
    for name, command in (program.split("=", 1) for program in options.programs):
        words = [word.replace("{np}", np) for word in shlex.split(command)]
        traces, log = name + ".traces", name + ".messages"
        run(scalediag, "profile", "-n", np, "--repeat", "2", "--counters", "none", "--trace", "--no-replays", "--no-network", "--fresh", "-o",
            traces, "--", *words)
        run(scalediag, "record", "-n", np, "--representatives", traces, "--fresh", "-o", log, "--", *words)
        totals = []
        for _ in range(options.times):
            shutil.rmtree(log + "/replay", ignore_errors=True)
            run(scalediag, "replay", log, "--json", "--no-kernels")
            found = run(scalediag, "simulate", traces, "--network", options.network, "--computation", "replay:" + log, "--json")
            totals.append(json.loads(found)["total_s"])
        median = statistics.median(totals)
        low, high = min(totals) / median - 1, max(totals) / median - 1
        worst = max(worst, -low, high)
        print(f"{name:12} {median * 1e3:10.2f}  {low:+.1%} to {high:+.1%}", flush=True)
    return 0 if worst <= options.limit else 1


if __name__ == "__main__":
    sys.exit(main())
