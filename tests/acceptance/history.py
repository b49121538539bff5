#!/usr/bin/env python3
"""Accusations of `check 'time(kernel=*) < history'` on runs that are all of the same build, and of one slower function.

    history.py SCALEDIAG FOLDER [--runs 40] [--earlier 12] [--comparisons 300] [--slower 100] [--factor 1.1] [--seed 1]
                [--drift] [--other FOLDER2]

FOLDER holds experiments of one program at one configuration, measured one after the other:

    for i in $(seq 40); do scalediag profile --clock cpu --rate 1000 -n 2 --repeat 5 -o FOLDER/$i -- ./app; done

A comparison is made of real runs: each of its experiments is put together from whole measured experiments, drawn with
replacement until it has --runs runs, so that runs that were disturbed together stay together. The newest one is checked
against the --earlier others. For --slower, the times and samples of one function in the newest experiment are
multiplied by --factor; the functions with at least --share of the time take turns. With --drift the newest experiment is drawn from the later
half of FOLDER and the others from the earlier half. With --other the newest is also drawn from the experiments in
FOLDER2, of another build, and each function that is then called slower is printed.
"""
import argparse
import collections
import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time


def read_experiments(folder):
    found = []
    for path in sorted(folder.glob("*/profile.json")):
        profile = json.loads(path.read_text())
        if profile["runs"] and all(run["complete"] for run in profile["runs"]):
            found.append(profile)
    return found


def drawn(experiments, runs, randomly):
    profile = dict(experiments[0], runs=[])
    while len(profile["runs"]) < runs:
        profile["runs"] += randomly.choice(experiments)["runs"]
    profile["runs"] = [dict(run, repeat=i, id="%s.r%d" % (run["id"].split(".")[0], i))
                       for i, run in enumerate(profile["runs"][:runs])]
    return profile


def with_slower(profile, name, factor):
    # A run that was drawn twice is two runs.
    profile = dict(profile, runs=[copy.deepcopy(run) for run in profile["runs"]])
    for run in profile["runs"]:
        more = 0
        for kernel in run["kernels"]:
            if kernel["name"] != name:
                continue
            more = kernel["metrics"]["time_s"]["mean"] * (factor - 1)
            run["samples"] -= kernel["samples"]
            kernel["samples"] = round(kernel["samples"] * factor)
            run["samples"] += kernel["samples"]
            for metric in kernel["metrics"].values():
                for part in ("sum", "mean", "min", "max"):
                    metric[part] *= factor
        for total in ("total_s", "computation_s", "cpu_s"):
            for part in ("mean", "min", "max"):
                run["time"][total][part] += more
            run["time"][total]["sum"] += more * run["np"]
        for total in ("computation_s", "total_s"):
            run["ranks"][total] = [value + more for value in run["ranks"][total]]
    return profile


def verdict(scalediag, newest, earlier, rule):
    with tempfile.TemporaryDirectory() as folder:
        history = pathlib.Path(folder, "history")
        history.mkdir()
        for i, profile in enumerate(earlier):
            (history / ("%03d.json" % i)).write_text(json.dumps(profile))
        new = pathlib.Path(folder, "new.json")
        new.write_text(json.dumps(newest))
        command = [scalediag, "check", str(new), "--history", str(history), "--rule", rule, "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(done.stderr)
        return json.loads(done.stdout)["rules"][0]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("scalediag")
    arguments.add_argument("folder", type=pathlib.Path)
    for name, value in (("runs", 40), ("earlier", 12), ("comparisons", 300), ("slower", 100), ("seed", 1)):
        arguments.add_argument("--" + name, type=int, default=value)
    arguments.add_argument("--factor", type=float, default=1.1)
    arguments.add_argument("--share", type=float, default=0.05)
    arguments.add_argument("--drift", action="store_true")
    arguments.add_argument("--other", type=pathlib.Path)
    options = arguments.parse_args()
    experiments = read_experiments(options.folder)
    half = len(experiments) // 2
    older, newer = (experiments[:half], experiments[half:]) if options.drift else (experiments, experiments)
    runs = [run for profile in experiments for run in profile["runs"]]
    print("%d experiments, %d runs; total CPU time %.3g to %.3g s, elapsed %.3g to %.3g s" % (
        len(experiments), len(runs), *(f(run["time"][name]["mean"] for run in runs)
                                       for name in ("cpu_s", "wall_s") for f in (min, max))))
    randomly = random.Random(options.seed)
    began = time.monotonic()
    rule = "time(kernel=*) < history"
    accused = 0
    for _ in range(options.comparisons):
        found = verdict(options.scalediag, drawn(newer, options.runs, randomly),
                        [drawn(older, options.runs, randomly) for _ in range(options.earlier)], rule)
        if not found["passed"]:
            accused += 1
            print("accused:", found["evidence"])
    print("same build: %d of %d comparisons accuse somebody" % (accused, options.comparisons))
    total = sum(run["time"]["computation_s"]["mean"] for run in runs)
    share = collections.Counter()
    for run in runs:
        for kernel in run["kernels"]:
            share[kernel["name"]] += kernel["metrics"]["time_s"]["mean"] / total
    functions = [name for name, part in share.most_common() if part >= options.share]
    hits, tried = collections.Counter(), collections.Counter()
    for i in range(options.slower):
        name = functions[i % len(functions)]
        newest = with_slower(drawn(newer, options.runs, randomly), name, options.factor)
        found = verdict(options.scalediag, newest,
                        [drawn(older, options.runs, randomly) for _ in range(options.earlier)], rule)
        tried[name] += 1
        named = not found["passed"] and name in found["evidence"]
        hits[name] += named
        if not named:
            print("missed %s:" % name, found["evidence"])
    for name in functions:
        print("%-20s %4.1f %% of the time: found %d of %d" % (name, 100 * share[name], hits[name], tried[name]))
    print("slower by %g: found in %d of %d comparisons" % (options.factor, sum(hits.values()), options.slower))
    if options.other:
        other = read_experiments(options.other)
        slower = collections.Counter()
        for _ in range(options.slower):
            found = verdict(options.scalediag, drawn(other, options.runs, randomly),
                            [drawn(older, options.runs, randomly) for _ in range(options.earlier)], rule)
            if not found["passed"]:
                slower.update(re.findall(r"(?:slower: |; )(\S+) at np=", found["evidence"]))
        for name, count in slower.most_common():
            print("other build: %s is called slower in %d of %d" % (name, count, options.slower))
    print("%.0f s in all" % (time.monotonic() - began))


if __name__ == "__main__":
    main()
