#!/usr/bin/env python3
"""The procedure of Ding et al. 2018 on a real program: five scales are measured, a sixth is predicted and then measured.

  tests/acceptance/paper_procedure.py SCALEDIAG [openfoam|lammps]      default: both

Counts are callgrind's, times of the CPU clock, because the ranks share cores. Prints tables: of the
largest kernels each metric's model, its prediction and its error at the scale held out; BF_mem and BF_comm by scale;
the ranking; and what the model of one problem size, and of two, says of another one (Section 3.2.2 of the paper, whose
own error is 10.6 % on average, at works per rank that were measured). BF_comm needs elapsed times: a second experiment with the wall clock.
"""

import argparse
import json
import os
import sys
import tempfile

import programs
from prediction import key, measured_at, run

# What the paper measures and derives of every kernel, in the order of its Table 1.
METRICS = ["instructions", "loads", "l1_hits", "llc_hits", "memory_accesses", "l1_hit_ratio", "llc_hit_ratio", "cpi",
           "t_comp_s", "t_mem_l1_s", "t_mem_llc_s", "t_mem_memory_s", "t_mem_s", "t_stall_s", "t_stall_high_s", "bf_mem",
           "bf_mem_high"]
INPUTS = {"openfoam": dict(cells=32, steps=6), "lammps": dict(size=20, steps=60)}
# Other problem sizes, as the input's length in one direction: those that are measured, the first alone and all of
# them, and the one that is predicted.
LENGTHS = (1, 2)
LARGER = 4


def experiment(scalediag, folder, name, scales, command, *options):
    run([scalediag, "profile", "-n", ",".join(map(str, scales)), "-o", name, *options, "--", *command], folder)
    return json.loads(run([scalediag, "show", name, "--json"], folder))


def metric_at(show, np, kernel, metric):
    """The mean over ranks and repeats, or None where the metric was not had."""
    values = [k["metrics"][metric]["mean"] for r in show["runs"] if r["np"] == np and r["complete"]
              for k in r["kernels"] if key(k) == kernel and metric in k["metrics"]]
    return sum(values) / len(values) if values else None


def number(value):
    return "-" if value is None else f"{value:.4g}"


def error(predicted, measured):
    if predicted is None or measured is None:
        return "-"
    if measured == 0:
        return "exact" if predicted == 0 else "measured 0"
    return f"{predicted / measured - 1:+.1%}"


def interval(estimate, measured):
    if measured is None:
        return "-"
    return "yes" if estimate["low"] * (1 - 1e-9) <= measured <= estimate["high"] * (1 + 1e-9) else "**no**"


def metrics_table(models, target, held, measured, largest):
    formulas = {(m["kernel"], m["metric"]): m["formula"] for m in models["models"]}
    print("\n| kernel | metric | model | predicted | measured | error | in the interval |\n|---|---|---|---|---|---|---|")
    for k in largest:
        time = measured["kernels"].get(key(k))
        rows = [("time", formulas.get((k["name"], "time_s"), ""), k["estimate"], time)]
        rows += [(m, formulas.get((k["name"], m), ""), k[m], metric_at(held, target["at"]["np"], key(k), m))
                 for m in METRICS if isinstance(k.get(m), dict)]
        for metric, formula, estimate, truth in rows:
            print(f"| `{k['name'].split('(')[0]}` | {metric} | {formula} | {number(estimate['value'])} | {number(truth)} | "
                  f"{error(estimate['value'], truth)} | {interval(estimate, truth)} |")


def by_scale(show, scales, held, target, predicted_bf, largest):
    print("\n| | " + " | ".join(map(str, scales)) + f" | {target} predicted | {target} measured |")
    print("|---" * (len(scales) + 3) + "|")
    for metric in ("bf_mem", "bf_mem_high"):
        for k in largest:
            cells = [number(metric_at(show, np, key(k), metric)) for np in scales]
            predicted = number(k[metric]["value"]) if isinstance(k.get(metric), dict) else "-"
            print(f"| {metric}, `{k['name'].split('(')[0]}` | " + " | ".join(cells) + f" | {predicted} | "
                  f"{number(metric_at(held, target, key(k), metric))} |")
    print("| BF_comm | " + " | ".join(number(predicted_bf.get(np)) for np in scales) + " | - | - |")


def ranking_table(target, measured):
    functions = [k for k in target["kernels"] if k["kind"] == "function"]
    predicted = [key(k) for k in sorted(functions, key=lambda k: -k["estimate"]["value"])]
    truth = sorted((k for k in measured["kernels"] if not k[0].startswith("[")), key=lambda k: -measured["kernels"][k])
    print("\n| rank measured | kernel | rank predicted |\n|---|---|---|")
    for i, kernel in enumerate(truth[:7], 1):
        place = predicted.index(kernel) + 1 if kernel in predicted else "-"
        print(f"| {i} | `{kernel[0].split('(')[0]}` | {place} |")


def command_for(name, folder, length, processes):
    case = os.path.join(folder, f"length{length}")
    os.makedirs(case, exist_ok=True)
    if name == "openfoam":
        return programs.openfoam(case, length=length, processes=processes, **INPUTS[name])
    return programs.lammps(case, length=length, **INPUTS[name])


def other_size(scalediag, name, folder, scales, common):
    """All lengths have the parameter in their commands' paths, so that one template serves them all."""
    commands = {n: command_for(name, folder, n, scales) for n in [*LENGTHS, LARGER]}
    template = [word.replace(f"length{LENGTHS[0]}", "length{length}") for word in commands[LENGTHS[0]]]
    measured, shown = "sizes.scalediag", []
    for length in LENGTHS:
        experiment(scalediag, folder, measured, scales, template, "--param", f"length={length}", *common)
        shown.append([predicted_size(scalediag, folder, measured, np) for np in scales])
    held = experiment(scalediag, folder, "larger.scalediag", scales, template, "--param", f"length={LARGER}", *common)
    print(f"\n| processes | computation at {LARGER} times the size, measured | " +
          " | ".join(f"from size{'s' if i else ''} {', '.join(map(str, LENGTHS[:i + 1]))} | error | in the interval"
                     for i in range(len(LENGTHS))) + " | work per rank was measured |")
    print("|---" * (3 + 3 * len(LENGTHS)) + "|")
    errors = [[] for _ in LENGTHS]
    for at, np in enumerate(scales):
        truth = measured_at(held, np)["computation_s"]
        inside = LARGER / np <= LENGTHS[0] / min(scales)
        cells = []
        for i, estimates in enumerate(shown):
            estimate = estimates[at]
            cells.append(f"{number(estimate['value'])} s | {error(estimate['value'], truth)} | {interval(estimate, truth)}")
            errors[i].append((inside, abs(estimate["value"] / truth - 1)))
        print(f"| {np} | {number(truth)} s | " + " | ".join(cells) + f" | {'yes' if inside else 'no'} |")
    for i, found in enumerate(errors):
        within = [e for inside, e in found if inside]
        print(f"\nMean error from {i + 1} size{'s' if i else ''}: {sum(e for _, e in found) / len(found):.1%}; "
              f"where the work per rank was measured, as in the paper: {sum(within) / len(within):.1%}.")


def predicted_size(scalediag, folder, experiment_name, np):
    text = run([scalediag, "predict", experiment_name, "--at", f"np={np}", "--at", f"length={LARGER}", "--size", "length",
                "--json"], folder)
    return json.loads(text)["targets"][0]["computation_s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag")
    parser.add_argument("programs", nargs="*", default=list(INPUTS))
    parser.add_argument("--scales", default="2,4,8,12,16", help="scales to predict from")
    parser.add_argument("--held", type=int, default=32, help="the scale that is predicted and measured afterwards")
    parser.add_argument("--size-scales", default="2,4,8,16", help="scales of the comparison of problem sizes")
    parser.add_argument("--kernels", type=int, default=4, help="how many of the largest kernels are shown")
    parser.add_argument("--repeat", default="3")
    parser.add_argument("--rate", default="1000", help="samples a second: the inputs are short")
    parser.add_argument("--counters", default="simulated", help="or none, or papi")
    parser.add_argument("--keep", help="folder for the experiments, which a further run continues")
    options = parser.parse_args()
    if unknown := [name for name in options.programs if name not in INPUTS]:
        parser.error(f"unknown program {unknown[0]}; known are {', '.join(INPUTS)}")
    scalediag = os.path.abspath(options.scalediag)
    scales = [int(n) for n in options.scales.split(",")]
    programs.install(*options.programs)
    for name in options.programs:
        with tempfile.TemporaryDirectory(prefix="scalediag-") as temporary:
            folder = os.path.join(os.path.abspath(options.keep), name) if options.keep else temporary
            os.makedirs(folder, exist_ok=True)
            common = ["--clock", "cpu", "--rate", options.rate, "--repeat", options.repeat]
            command = command_for(name, folder, 1, [*scales, options.held])
            counted = [*common, "--counters", options.counters]
            small = experiment(scalediag, folder, "small.scalediag", scales, command, *counted)
            predicted = json.loads(run([scalediag, "predict", "small.scalediag", "--at", f"np={options.held}", "--json"], folder))
            models = json.loads(run([scalediag, "models", "small.scalediag", "--json"], folder))
            held = experiment(scalediag, folder, "held.scalediag", [options.held], command, *counted)
            elapsed = [*common[2:], "--clock", "wall", "--counters", "none"]
            experiment(scalediag, folder, "elapsed.scalediag", scales, command, *elapsed)
            bf = json.loads(run([scalediag, "predict", "elapsed.scalediag", "--at", f"np={options.held}", "--json"], folder))
            target = predicted["targets"][0]
            measured = measured_at(held, options.held)
            functions = [k for k in target["kernels"] if k["kind"] == "function" and not k["name"].startswith("[")]
            largest = sorted(functions, key=lambda k: -k["measured"])[:options.kernels]
            print(f"\n## {name}\n")
            print(f"Computation at {options.held}: {number(target['computation_s']['value'])} s, measured "
                  f"{number(measured['computation_s'])} s, {error(target['computation_s']['value'], measured['computation_s'])}; "
                  f"in the interval: {interval(target['computation_s'], measured['computation_s'])}.")
            metrics_table(models, target, held, measured, largest)
            by_scale(small, scales, held, options.held,
                     {e["at"]["np"]: e["bf_comm"] for e in bf["efficiencies"] if not e["predicted"]}, largest)
            ranking_table(target, measured)
            other_size(scalediag, name, folder, [int(n) for n in options.size_scales.split(",")],
                       [*common, "--counters", "none"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
