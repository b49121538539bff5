#!/usr/bin/env python3
"""Profiles real programs at small scales, predicts larger ones, and measures there.

  tests/acceptance/prediction.py SCALEDIAG [PROGRAM...]      default: lammps openfoam espresso
  tests/acceptance/prediction.py SCALEDIAG 'ft=/path/to/ft.A.x'      any other, as NAME=COMMAND

CPU clock, because the ranks share cores. For every program and target, as a row each:
  total computation within 5 %; of the seven largest kernels at most one not named among the seven predicted;
  calls and bytes of every MPI operation within 1 %; with counters, instructions of the kernels above 5 % of the time within 3 %.
Exit status 1 when one does not hold.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

import programs

# Inputs that keep 64 ranks on a few cores within minutes; without an entry a program's own defaults.
INPUTS = {"lammps": dict(size=40, steps=100), "espresso": dict(k=4, cutoff=40), "openfoam": dict(cells=64, steps=15)}


def run(command, folder):
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, OMP_NUM_THREADS="1"))
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:2])} exited with {result.returncode}: {result.stderr[-2000:]}")
    return result.stdout


def relative(predicted, measured):
    if measured == 0:
        return 0.0 if predicted == 0 else 1.0
    return predicted / measured - 1


def key(kernel):
    return kernel["name"], kernel["module"]


def mean_over_runs(runs, value):
    return sum(value(r) for r in runs) / len(runs)


def measured_at(show, np):
    runs = [r for r in show["runs"] if r["np"] == np and r["complete"]]
    kernels, instructions, operations = {}, {}, {}
    for r in runs:
        for k in r["kernels"]:
            kernels[key(k)] = kernels.get(key(k), 0) + k["time_s"]["mean"] / len(runs)
            if "instructions" in k["metrics"]:
                instructions.setdefault(key(k), []).append(k["metrics"]["instructions"]["mean"])
        for o in r["mpi"]:
            calls, size = operations.get(o["operation"], (0, 0))
            operations[o["operation"]] = calls + o["calls"] / len(runs), size + o["bytes"] / len(runs)
    return {"computation_s": mean_over_runs(runs, lambda r: r["computation_s"]), "kernels": kernels, "operations": operations,
            "instructions": {k: sum(v) / len(v) for k, v in instructions.items()}}


def check(name, target, measured):
    failed = False

    def row(what, good, text):
        nonlocal failed
        failed |= not good
        print(f"  np={target['at']['np']:<4} {what:34} {text:58} {'' if good else 'FAILED'}")

    error = relative(target["computation_s"]["value"], measured["computation_s"])
    inside = target["computation_s"]["low"] <= measured["computation_s"] <= target["computation_s"]["high"]
    row("computation", abs(error) <= 0.05, f"{target['computation_s']['value']:.4f} s, measured {measured['computation_s']:.4f} s,"
        f" {error:+.1%}{'' if inside else ', outside the interval'}")

    functions = [k for k in target["kernels"] if k["kind"] == "function"]
    predicted = [key(k) for k in sorted(functions, key=lambda k: -k["estimate"]["value"])][:7]
    largest = sorted(measured["kernels"], key=lambda k: -measured["kernels"][k])
    largest = [k for k in largest if not k[0].startswith("[")][:7]
    missed = [k[0] for k in largest if k not in predicted]
    row("seven largest kernels", len(missed) <= 1, f"{len(largest) - len(missed)} of {len(largest)} named" +
        (", missed " + ", ".join(missed)[:40] if missed else ""))

    for quantity, index in (("calls", 0), ("bytes", 1)):
        worst, which = 0.0, "-"
        operations = {k["name"]: k for k in target["kernels"] if k["kind"] == "mpi" and "calls" in k}
        for operation, values in measured["operations"].items():
            if operation.startswith("["):
                continue
            value = operations[operation][quantity]["value"] if operation in operations else 0.0
            deviation = relative(value, values[index])
            if abs(deviation) > abs(worst):
                worst, which = deviation, operation
        row(f"{quantity} of every operation", abs(worst) <= 0.01, f"worst {worst:+.2%} ({which})")

    if measured["instructions"]:
        worst, which = 0.0, "-"
        by_key = {key(k): k for k in functions if "instructions" in k}
        for kernel, value in measured["instructions"].items():
            if measured["kernels"].get(kernel, 0) < 0.05 * measured["computation_s"] or kernel not in by_key:
                continue
            deviation = relative(by_key[kernel]["instructions"]["value"], value)
            if abs(deviation) > abs(worst):
                worst, which = deviation, kernel[0]
        row("instructions of large kernels", abs(worst) <= 0.03, f"worst {worst:+.2%} ({which[:40]})")
    return not failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag")
    parser.add_argument("programs", nargs="*", default=["lammps", "openfoam", "espresso"])
    parser.add_argument("--small", default="2,4,8,16", help="scales to predict from")
    parser.add_argument("--targets", default="32,64", help="scales to predict and measure")
    parser.add_argument("--counters", default="none", help="none, or simulated (each configuration runs once more, much slower)")
    parser.add_argument("--repeat", default="4")
    parser.add_argument("--rate", default="1000", help="samples a second: the inputs are short")
    parser.add_argument("--keep", help="folder for the experiments, which a further run continues")
    options = parser.parse_args()
    scalediag = os.path.abspath(options.scalediag)
    programs.install(*(name for name in options.programs if "=" not in name))
    good = True
    for name in options.programs:
        name, _, given = name.partition("=")
        with tempfile.TemporaryDirectory(prefix="scalediag-") as temporary:
            folder = os.path.join(os.path.abspath(options.keep), name) if options.keep else temporary
            os.makedirs(folder, exist_ok=True)
            command = shlex.split(given) if given else programs.PROGRAMS[name][0](folder, **INPUTS.get(name, {}))
            common = ["--clock", "cpu", "--rate", options.rate, "--repeat", options.repeat, "--counters", options.counters]
            run([scalediag, "profile", "-n", options.small, *common, "-o", "small.scalediag", "--", *command], folder)
            predicted = json.loads(run([scalediag, "predict", "small.scalediag", "--at", "np=" + options.targets, "--json"],
                                       folder))
            run([scalediag, "profile", "-n", options.targets, *common, "-o", "large.scalediag", "--", *command], folder)
            measured = json.loads(run([scalediag, "show", "large.scalediag", "--json"], folder))
            backtest = predicted["backtest"]
            print(f"{name}: {predicted['scaling']} scaling, backtest of the total {backtest.get('error') or 0:+.1%}")
            for target in predicted["targets"]:
                good &= check(name, target, measured_at(measured, target["at"]["np"]))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
