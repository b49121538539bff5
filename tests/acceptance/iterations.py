#!/usr/bin/env python3
"""Totals of runs that were ended after some rounds of their main loop, against whole runs.

  tests/acceptance/iterations.py SCALEDIAG ITERATIONS [PAIRS=3] [--ranks 4] -- PROGRAM [ARGUMENTS]

Each pair is a whole run and an ended one, in turn. Prints for each pair the total of a rank of both, calls and bytes of
MPI of the ended one relative to the whole, and the share of the run's time that was saved; then the means.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile


def of_run(run):
    return {
        "total": run["time"]["total_s"]["mean"],
        "computation": run["time"]["computation_s"]["mean"],
        "calls": sum(o["calls"]["sum"] for o in run["mpi"]),
        "bytes": sum(o["bytes"]["sum"] for o in run["mpi"]),
    }


def main():
    ours, _, program = " ".join(sys.argv[1:]).partition(" -- ")
    parser = argparse.ArgumentParser()
    parser.add_argument("scalediag")
    parser.add_argument("iterations")
    parser.add_argument("pairs", nargs="?", type=int, default=3)
    parser.add_argument("--ranks", default="4")
    asked = parser.parse_args(ours.split())
    pairs, saved = [], []
    for number in range(asked.pairs):
        with tempfile.TemporaryDirectory() as folder:
            command = [asked.scalediag, "profile", "-n", asked.ranks, "--repeat", "2", "--iterations", asked.iterations]
            command += ["--counters", "none", "--no-network", "--no-replays", "-o", folder + "/data", "--"]
            done = subprocess.run(command + program.split(), capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(done.stderr)
            runs = json.load(open(folder + "/data/profile.json"))["runs"]
        whole = [of_run(run) for run in runs if "cut" not in run]
        ended = [(of_run(run), run) for run in runs if "cut" in run]
        if len(ended) != 1 or len(whole) != 1:
            sys.exit("the rounds were not measured:\n" + done.stderr)
        pairs.append({key: ended[0][0][key] / whole[0][key] - 1 for key in whole[0]})
        saved.append(ended[0][1]["cut"]["left_out_s"] / ended[0][1]["time"]["wall_s"]["mean"])
        apart = ", ".join(f"{key} {100 * value:+.2f} %" for key, value in pairs[-1].items())
        cut = ended[0][1]["cut"]
        print(f"pair {number + 1}: {whole[0]['total']:.3f} s, {cut['measured']:.0f} of {cut['rounds']:.0f} rounds: "
              f"{ended[0][0]['total']:.3f} s; {apart}; saved {100 * saved[-1]:.0f} %", flush=True)
    means = ", ".join(f"{key} {100 * statistics.mean(p[key] for p in pairs):+.2f} %" for key in pairs[0])
    print(f"mean: {means}; saved {100 * statistics.mean(saved):.0f} %")


if __name__ == "__main__":
    main()
