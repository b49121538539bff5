#!/usr/bin/env python3
"""What does it take to record a run of many ranks by its representatives only, and to replay these?

  tests/acceptance/replayed/at_scale.py SCALEDIAG TRACES -n RANKS --iterations K [--repeat R] [--replays M] -- COMMAND...

TRACES: `scalediag profile --trace --series` of the command on fewer ranks. COMMAND runs plain, recorded by its
representatives (`record --representatives TRACES`), and recorded by those with K iterations only (`--iterations K`),
R times in turn; then what was recorded last is replayed M times in turn. Prints the elapsed times of the runs; of each
recording its logs, calls, the replays' times from MPI_Init on, and with the start of MPI; and by how much the computation
that is completed from K iterations differs from the whole, in all and for the rank where it differs most. Medians.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

MEGABYTE = 1e6


def elapsed_s(*command):
    begun = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} exited with {done.returncode}: {done.stderr[-2000:]}")
    return time.monotonic() - begun


def replays(scalediag, folders, times):
    """Of each folder and rank the median of its replays: {folder: {rank: {"computation_s", "calls", ...}}}."""
    found = {folder: {} for folder in folders}
    for folder in times * list(folders):
        text = subprocess.run([scalediag, "replay", folder, "--in-place", "--json", "--no-kernels"], check=True,
                              stdout=subprocess.PIPE).stdout
        for rank in json.loads(text)["ranks"]:
            found[folder].setdefault(rank["rank"], []).append(rank)
    measured = ("computation_s", "elapsed_s", "program_s")
    return {folder: {rank: dict(all[0], **{name: statistics.median(one[name] for one in all) for name in measured})
                     for rank, all in ranks.items()} for folder, ranks in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag", type=os.path.abspath)
    parser.add_argument("traces", type=os.path.abspath)
    parser.add_argument("-n", default="256")
    parser.add_argument("--iterations", required=True)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--replays", type=int, default=5)
    parser.add_argument("--launcher", default="mpirun.openmpi --oversubscribe")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    runs = {"plain": [*options.launcher.split(), "-n", options.n, *options.command]}
    record = [options.scalediag, "record", "-n", options.n, "--representatives", options.traces, "--fresh"]
    runs["whole"] = [*record, "-o", "whole", "--", *options.command]
    runs["part"] = [*record, "-o", "part", "--iterations", options.iterations, "--", *options.command]
    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        os.chdir(folder)
        took = {name: [] for name in runs}
        for _ in range(options.repeat):
            for name, command in runs.items():
                took[name].append(elapsed_s(*command))
                print(f"{name:6} {took[name][-1]:.1f} s", file=sys.stderr, flush=True)
        replayed = replays(options.scalediag, ("whole", "part"), options.replays)
        os.chdir("/")
    print(f"{' '.join(options.command)} on {options.n} ranks: medians of {options.repeat} runs, {options.replays} replays")
    plain_s = statistics.median(took["plain"])
    print(f"plain  run {plain_s:.1f} s")
    for name, ranks in replayed.items():
        run_s = statistics.median(took[name])
        one = next(iter(ranks.values())).get("iterations")
        iterations = f"{one['recorded']} of {one['all']} iterations" if one else "all iterations"
        total = {key: sum(rank[key] for rank in ranks.values()) for key in
                 ("log_bytes", "calls", "program_s", "elapsed_s", "computation_s")}
        print(f"{name:6} run {run_s:.1f} s ({run_s / plain_s - 1:+.1%}), {len(ranks)} ranks {','.join(map(str, ranks))}, "
              f"{iterations}: logs {total['log_bytes'] / MEGABYTE:.2f} MB, {total['calls']} calls, replays"
              f" {total['program_s']:.3f} s from MPI_Init on, {total['elapsed_s']:.2f} s in all, computation"
              f" {total['computation_s']:.4f} s")
    errors = {rank: part["computation_s"] / replayed["whole"][rank]["computation_s"] - 1
              for rank, part in replayed["part"].items()}
    whole_s, part_s = (sum(rank["computation_s"] for rank in replayed[name].values()) for name in ("whole", "part"))
    worst = max(errors, key=lambda rank: abs(errors[rank]))
    print(f"computation completed from the first iterations: {part_s / whole_s - 1:+.1%}, most {errors[worst]:+.1%}"
          f" (rank {worst})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
