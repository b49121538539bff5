#!/usr/bin/env python3
"""Do the ranks that stand for groups predict what all ranks replayed do?

  tests/acceptance/replayed/groups.py SCALEDIAG -n 16 --network NETWORK FOLDER NAME='COMMAND' ...   {np} in COMMAND is replaced

For every program: traces it at N ranks, lets `groups` choose, records and replays all ranks, and simulates the trace with the
computation of all of them, and of the representatives alone. Both totals rest on the same replays, so that their
difference is that of the groups and not the noise of another replay; a second total of the representatives is of
replays of their own, and holds both. Recordings stay in FOLDER. Exits with 1 where a total is more than --limit off.
"""
import json
import os
import shlex
import shutil
import subprocess
import sys

from commands import add_simulated, of_programs, run


def replay(scalediag, log, ranks, repeat):
    """Replays ranks, as many at a time as there are cores."""
    more = ["--repeat", str(repeat)] if repeat else []
    parts = [part for part in (list(ranks)[core::os.cpu_count()] for core in range(os.cpu_count())) if part]
    running = [subprocess.Popen([scalediag, "replay", log, "--ranks", ",".join(map(str, part)), "--json", "--no-kernels", *more],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for part in parts]
    for one in running:
        _, errors = one.communicate()
        if one.returncode != 0:
            raise RuntimeError(f"replay {log} exited with {one.returncode}: {errors[-2000:]}")


def total(scalediag, traces, log, network):
    found = json.loads(run(scalediag, "simulate", traces, "--network", network, "--computation", "replay:" + log, "--json"))
    return found["total_s"]


def only(log, ranks, into):
    """A copy of the replayed computation of some ranks."""
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(log, into, copy_function=os.link)
    for name in os.listdir(into + "/replay"):
        if not any(name.startswith(f"rank{rank:06}.") for rank in ranks):
            os.unlink(f"{into}/replay/{name}")
    return into


def measure(options, name, command):
    scalediag, traces, log = options.scalediag, f"{name}.traces", f"{name}.messages"
    np = str(options.n)
    words = [word.replace("{np}", np) for word in shlex.split(command)]
    if not os.path.isdir(traces):
        run(scalediag, "profile", "-n", np, "--repeat", "3", "--counters", "none", "--trace", "--no-replays", "--no-network", "-o", traces,
            "--", *words)
    if not os.path.isdir(log):
        run(scalediag, "record", "-n", np, "-o", log, "--", *words)
        replay(scalediag, log, range(options.n), options.repeat)
    found = json.loads(run(scalediag, "groups", traces, "--json"))
    ranks = found["representatives"]
    every = total(scalediag, traces, log, options.network)
    same = total(scalediag, traces, only(log, ranks, log + ".same"), options.network)
    own_log = only(log, [], log + ".own")
    replay(scalediag, own_log, ranks, options.repeat)
    own = total(scalediag, traces, own_log, options.network)
    print(f"{name:12} {np:>5} {found['groups']:>7} {len(ranks) / options.n:8.0%} {every * 1e3:10.2f} {same * 1e3:10.2f} {same / every - 1:+7.1%}"
          f" {own * 1e3:10.2f} {own / every - 1:+7.1%}  {','.join(map(str, ranks))}", flush=True)
    return max(abs(same / every - 1), abs(own / every - 1))


def main():
    parser = of_programs(__doc__)
    add_simulated(parser)
    parser.add_argument("--repeat", type=int, help="of each replay (default: until medians are known within 2 %%)")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    os.chdir(options.folder)
    print(f"{'program':12} {'ranks':>5} {'groups':>7} {'replayed':>8} {'all ms':>10} {'groups ms':>10} {'':7} {'own ms':>10}")
    return 0 if all([measure(options, *program.split("=", 1)) <= options.limit for program in options.programs]) else 1


if __name__ == "__main__":
    sys.exit(main())
