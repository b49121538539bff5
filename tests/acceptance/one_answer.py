#!/usr/bin/env python3
"""Is what a program takes at a number of ranks that nobody measured predicted, once, and by all commands alike?

  tests/acceptance/one_answer.py SCALEDIAG measure FOLDER NAME [-n 2,4,8,16] [--at 64] [--replays 5] -- COMMAND...
  tests/acceptance/one_answer.py SCALEDIAG tables FOLDER --network FILE [--programs NAME,...] [--at 64]
  tests/acceptance/one_answer.py SCALEDIAG agreement FOLDER --network FILE --programs NAME,... [--at 64,256] [--emulate 64]
  tests/acceptance/one_answer.py SCALEDIAG improved FOLDER --network FILE [--programs NAME,...] [--at 64] [--budget 10min]
  tests/acceptance/one_answer.py SCALEDIAG left-out FOLDER --network FILE [--programs NAME,...]

measure, in the folder that the program runs in: profiles it at the small scales with default options and traces
(FOLDER/NAME.scalediag), traces it at the large one (NAME.64.scalediag), records it there and replays each rank
(NAME.64.replays/0 to 4, the vectors of `replay`). {np} in COMMAND is the number of ranks. What is there is not measured again,
so that calling it again with a larger --replays adds replays.

tables: the reference is the simulation of the trace of the large scale, on the network, in which each computation between
two calls of MPI takes the median of its replays. (Of a program that polls, whose replays have other events, each rank's sum
does: "~" before the number of replays.) The medians are kept in NAME.64.medians-5. Against it: `predict --at np=64
--network FILE` of the small scales. Prints of each program the reference and its parts, the prediction, its error, and
whether the interval (low and high divided by the value) holds the reference; the median error, the worst, the median of
high / low, and how many intervals hold; then each source's value and backtest, where predict gives them.

improved: takes the steps of `improve` for copies of the small scales in FOLDER/improved, once, prints what each promised
and what it brought (high / low of the interval), and then the tables of these.

agreement: a table of the total from MPI_Init to MPI_Finalize by predict, report, check, proposal, advise (whose total has
start and end in it, as predict's total_s has), models, simulate and emulate for the same question. Of a total that differs
from predict's by more than 1 % the sentence in which the command says why is printed, or that it says nothing. Numbers of
ranks in --emulate are emulated ("": none).

left-out: each measured scale but the smallest is left out in turn and predicted from the others, on the network. Prints
for the total, for computation, communication and waiting, also by source, and for functions how many 90 % intervals hold
what was measured: functions and computation in the runs of that scale (CPU time, mean over ranks and runs), the others in
the simulation of its trace.

--json FILE writes what is printed as JSON.
"""

import argparse
import array
import collections
import glob
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

SAME = 0.01  # two totals that differ by less are the same
COMPONENTS = ("computation", "communication", "waiting")


class Failed(Exception):
    pass


def run(*command, timeout=None, cwd=None):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout, cwd=cwd,
                              errors="replace", stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise Failed(f"{os.path.basename(command[0])} {command[1]} took more than {timeout} s")
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.startswith("error:")] or done.stderr.splitlines()[-1:]
        raise Failed(f"{command[1]}: exit status {done.returncode}: {' '.join(said)}")
    run.said = done.stderr
    return done.stdout


def reason():
    """Why the last command's total differs from predict's, as it says on stderr."""
    return " ".join(line.removeprefix("note: ") for line in run.said.splitlines() if "`predict` takes" in line)


def json_of(*command, **how):
    return json.loads(run(*command, **how))


mean = statistics.fmean


# --- measuring ---

def measure(o):
    def of(ending):
        return os.path.join(o.folder, f"{o.name}.{ending}")

    command = [word.replace("{np}", o.at) for word in o.command]
    os.makedirs(o.folder, exist_ok=True)
    run(o.scalediag, "profile", "-n", o.n, "--trace", "-o", of("scalediag"), "--", *o.command)
    run(o.scalediag, "profile", "-n", o.at, "--trace", "--repeat", "1", "--counters", "none", "-o", of(o.at + ".scalediag"),
        "--", *command)
    recording = of(o.at + ".messages")
    if not os.path.isdir(of(o.at + ".replays")):  # a recording that was interrupted is no use
        run(o.scalediag, "record", "-n", o.at, "--fresh", "-o", recording, "--", *command)
    for k in range(o.replays):
        to = os.path.join(of(o.at + ".replays"), str(k))
        if os.path.exists(to):
            continue
        run(o.scalediag, "replay", recording, "--in-place")
        os.makedirs(to + ".part")
        for vector in glob.glob(os.path.join(recording, "replay", "*.vector")):
            shutil.copy(vector, to + ".part")
        os.rename(to + ".part", to)
    return 0


# --- the reference ---

def read_vector(path):
    with open(path, "rb") as file:
        file.readline()
        values = array.array("d")
        values.frombytes(file.read())
    return values


def traced_computations(steps):
    for step in steps:
        for _ in range(step.get("count", 1) if "steps" in step else 1):
            if "steps" in step:
                yield from traced_computations(step["steps"])
            else:
                yield step["computation_s"]["mean"]


def medians(o, replays, folder, trace):
    """Writes of each rank and computation the median over the replays, as `replay` would have written it, into `folder`.

    A program that polls calls MPI more often in one run than in another, and its replays have other events than the trace.
    Then the trace's computations are taken, multiplied so that a rank's sum is the median of its replays' sums. Returns
    whether that was done for any rank.
    """
    os.makedirs(os.path.join(folder, "replay"))
    scaled = False
    events = {r["rank"]: r["events"] for r in json_of(o.scalediag, "trace", trace, "--summary", "--json")["ranks"]}
    for path in glob.glob(os.path.join(replays[0], "*.vector")):
        name = os.path.basename(path)
        rank = int(name[len("rank"):-len(".vector")])
        vectors = [read_vector(os.path.join(r, name)) for r in replays]
        if len(vectors[0]) == events[rank] + 1:
            vector = list(map(statistics.median, zip(*vectors)))
        else:
            one = json_of(o.scalediag, "trace", trace, "--rank", str(rank), "--json")["ranks"][0]
            vector = [*traced_computations(one["steps"]), one["computation_after_s"]]
            factor = statistics.median(map(sum, vectors)) / sum(vector)
            vector = [factor * value for value in vector]
            scaled = True
        with open(os.path.join(folder, "replay", name), "wb") as file:
            file.write(f"scalediag-vector 1 {rank} {len(vector)}\n".encode())
            array.array("d", vector).tofile(file)
    return scaled


def simulated(o, *arguments):
    """Total and its parts of a simulation, in seconds; parts are means over the ranks."""
    found = json_of(o.scalediag, "simulate", *arguments, "--network", o.network, "--json")
    ranks = found["ranks"]
    return {"total": found["total_s"], "computation": mean(r["computation_s"] for r in ranks),
            "slowest": max(r["computation_s"] for r in ranks), "waiting": mean(r["waiting_s"] for r in ranks),
            "transfer": mean(r["transfer_s"] for r in ranks),
            "communication": mean(r["waiting_s"] + r["transfer_s"] for r in ranks)}


def reference(o, name, np):
    large = os.path.join(o.folder, f"{name}.{np}")
    replays = sorted(glob.glob(large + ".replays/*[0-9]"))
    if not replays or not os.path.isdir(large + ".scalediag"):
        raise Failed("no reference")
    folder = f"{large}.medians-{len(replays)}"
    if not os.path.isdir(folder):
        part = folder + ".part"
        shutil.rmtree(part, ignore_errors=True)
        scaled = medians(o, replays, part, large + ".scalediag")
        with open(os.path.join(part, "scaled.json"), "w", encoding="utf-8") as file:
            json.dump(scaled, file)
        os.rename(part, folder)
    with open(os.path.join(folder, "scaled.json"), encoding="utf-8") as file:
        scaled = json.load(file)
    found = simulated(o, large + ".scalediag", "--computation", "replay:" + folder)
    return dict(found, replays=len(replays), scaled=scaled)


# --- what predict says ---

def predict(o, input_, np):
    found = json_of(o.scalediag, "predict", input_, "--at", f"np={np}", "--network", o.network, "--json")
    return dict(found["targets"][0], backtest=found["backtest"])


def holds(estimate, truth):
    return estimate["low"] <= truth <= estimate["high"]


def ms(seconds):
    return f"{1e3 * seconds:.4g}"


def times(estimate):
    if not estimate["value"]:
        return f"{ms(estimate['low'])} - {ms(estimate['high'])} ms"
    return f"{estimate['low'] / estimate['value']:.2f} - {estimate['high'] / estimate['value']:.2f}"


def experiments(o):
    there = [os.path.basename(path)[:-len(".scalediag")] for path in sorted(glob.glob(o.folder + "/*.scalediag"))]
    there = [name for name in there if not name.rpartition(".")[2].isdigit()]
    return [name for name in there if not o.programs or name in o.programs.split(",")]


def small(o, name):
    return os.path.join(o.folder, name + ".scalediag")


def print_sources(rows):
    print(f"\n{'program':11} {'component':14} {'source':16} {'value ms':>9} {'low - high':>13} {'reference':>9} {'error':>8}"
          f" {'backtest':>8} taken")
    for row in rows:
        for s in row["sources"]:
            of = "transfer" if s["component"] == "communication" else s["component"]  # without what is waited for
            truth, backtest, estimate = row["reference"].get(of), s["backtest"], s["estimate"]
            error = f"{estimate['value'] / truth - 1:+.1%}" if truth and estimate else "-"
            print(f"{row['program']:11} {s['component']:14} {s['source']:16} {ms(estimate['value']) if estimate else '-':>9}"
                  f" {times(estimate) if estimate else '-':>13} {ms(truth) if truth else '-':>9} {error:>8}"
                  f" {'-' if backtest is None else f'{backtest:+.1%}':>8} {'yes' if s['taken'] else 'no: ' + s['why']}")


def tables(o):
    rows = []
    print(f"{'program':11} {'reference':>9} {'computation':>11} {'slowest':>8} {'waiting':>8} {'transfer':>8} {'replays':>7}"
          f" {'predicted':>9} {'error':>8} {'low - high':>13} {'inside':>6} {'computation':>11} {'commun.':>8} {'backtest':>8}"
          "   (ms, np=" + o.at + ")")
    for name in experiments(o):
        try:
            truth = reference(o, name, o.at)
            target = predict(o, small(o, name), o.at)
        except Failed as failure:
            print(f"{name:11} {failure}")
            continue
        total = target["run_s"]
        row = {"program": name, "reference": truth, "predicted": total, "error": total["value"] / truth["total"] - 1,
               "inside": holds(total, truth["total"]), "factor": total["high"] / total["low"],
               "computation_error": target["computation_s"]["value"] / truth["computation"] - 1,
               "backtest": target["backtest"].get("error"), "sources": target.get("sources", [])}
        rows.append(row)
        print(f"{name:11} {ms(truth['total']):>9} {ms(truth['computation']):>11} {ms(truth['slowest']):>8}"
              f" {ms(truth['waiting']):>8} {ms(truth['transfer']):>8} {'~' * truth['scaled'] + str(truth['replays']):>7}"
              f" {ms(total['value']):>9}"
              f" {row['error']:>+8.1%} {times(total):>13} {'yes' if row['inside'] else 'no':>6}"
              f" {row['computation_error']:>+11.1%} {ms(target['communication_s']['value']):>8}"
              f" {'-' if row['backtest'] is None else '%+.1f%%' % (100 * row['backtest']):>8}", flush=True)
    if not rows:
        return rows
    errors = [abs(row["error"]) for row in rows]
    print(f"|error| median {statistics.median(errors):.1%}, worst {max(errors):.1%}; intervals hold"
          f" {sum(row['inside'] for row in rows)} of {len(rows)}, high / low median"
          f" {statistics.median(row['factor'] for row in rows):.2f}, worst {max(row['factor'] for row in rows):.2f}")
    if any(row["sources"] for row in rows):
        print_sources(rows)
    return rows


def improved(o):
    folder = os.path.join(o.folder, "improved")
    os.makedirs(folder, exist_ok=True)
    print(f"{'program':11} {'step':8} {'np':>4} {'cost s':>8} {'spent':>7} {'width before':>13} {'promised':>9} {'brought':>8}")
    ratios = []
    for name in experiments(o):
        own, steps = os.path.join(folder, name + ".scalediag"), os.path.join(folder, name + ".steps.json")
        for path in glob.glob(os.path.join(o.folder, f"{name}.{o.at}.*")):
            link = os.path.join(folder, os.path.basename(path))
            os.path.lexists(link) or os.symlink(path, link)
        if not os.path.exists(steps):
            shutil.rmtree(own, ignore_errors=True)
            shutil.copytree(small(o, name), own)
            pathlib.Path(steps).write_text(run(o.scalediag, "improve", own, "--at", "np=" + o.at, "--network", o.network,
                                               "--budget", o.budget, "--json"))
        # Without a width the clock became another one.
        for s in filter(lambda step: step["width_after"], json.loads(pathlib.Path(steps).read_text())["steps"]):
            print(f"{name:11} {s['kind']:8} {s['np']:>4} {s['cost_s']:>8.1f} {s['spent_s']:>7.1f} {s['width_before']:>13.2f}"
                  f" {s['width_expected']:>9.2f} {s['width_after']:>8.2f}")
            ratios.append(abs(math.log(s["width_after"] / s["width_expected"])))
    print(f"{sum(ratio <= math.log(1.5) for ratio in ratios)} of {len(ratios)} steps brought what they promised within a factor of 1.5\n")
    o.folder = folder
    return tables(o)


# --- all commands ---

def options_of(o, command):
    return run(o.scalediag, command, "--help")


def with_network(o, command):
    return ["--network", o.network] if "--network" in options_of(o, command) else []


def row_at(rows, np, remarks):
    for row in rows:
        if row["at"]["np"] == float(np):
            return row
    why = [remark for remark in remarks if remark.startswith("Predictions are left out")]
    raise Failed(" ".join(why) or "SAYS NOTHING of this number of ranks")


def by_report(o, input_, np):
    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        file = os.path.join(folder, "report.json")
        run(o.scalediag, "report", input_, "--at", f"np={np}", *with_network(o, "report"), "--json", file, "-o",
            os.path.join(folder, "report.html"))
        with open(file, encoding="utf-8") as text:
            return json.load(text)["targets"][0]["run_s"]["value"]


def by_check(o, input_, np):
    return json_of(o.scalediag, "check", input_, *with_network(o, "check"), "--rule", f"run(np={np})<1000h",
                   "--json")["rules"][0]["value"]


def by_proposal(o, input_, np):
    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        found = json_of(o.scalediag, "proposal", input_, "--region", "run", "--np", np, *with_network(o, "proposal"), "-o",
                        os.path.join(folder, "scaling.md"), "--json")
    study = found["studies"][0]
    return row_at(study["tables"][0]["rows"], np, study["remarks"])["time_s"]["value"]


def by_advise(o, input_, np):
    # The largest number that keeps so low an efficiency is the target.
    found = json_of(o.scalediag, "advise", input_, "--region", "run", "--np", np, "--efficiency", "0.01",
                    *with_network(o, "advise"), "--json")
    problem = found["problems"][0]
    choices = [problem[key] for key in ("efficient", "cheapest", "fastest") if problem.get(key)]
    said = row_at(choices, np, found["remarks"])
    return said["job_s"]["value"]


def by_models(o, input_, np):
    models = json_of(o.scalediag, "models", input_, "--at", f"np={np}", *with_network(o, "models"), "--json")
    said = [t for t in models.get("targets", []) if t["at"]["np"] == float(np)]
    if not said:
        raise Failed("has no totals")
    return said[0]["run_s"]["value"]


def by_simulate(o, input_, np):
    found = json_of(o.scalediag, "simulate", input_, "--np", np, "--network", o.network, "--json")
    return found.get("total", {"value": found["total_s"]})["value"]


def by_emulate(o, input_, np):
    with open(os.path.join(input_, "experiment.json"), encoding="utf-8") as text:
        experiment = json.load(text)
    command = [word.replace("{np}", np) for word in experiment["command"]]
    found = json_of(o.scalediag, "emulate", "-n", np, "--network", o.network, "--predicted", input_, "--json", "--", *command,
                    cwd=experiment["working_directory"], timeout=o.timeout)
    return found.get("total", {"value": found["total_s"]})["value"]


COMMANDS = {"report": by_report, "check": by_check, "proposal": by_proposal, "advise": by_advise, "models": by_models,
            "simulate": by_simulate, "emulate": by_emulate}


def agreement(o):
    rows = []
    print(f"{'program':11} {'np':>5} {'command':9} {'total ms':>9} {'apart':>8}")

    def add(name, np, command, total, apart, why):
        rows.append({"program": name, "np": np, "command": command, "total_s": total, "apart": apart, "why": why})
        print(f"{name:11} {np:>5} {command:9} {'-' if total is None else ms(total):>9}"
              f" {'-' if apart is None else f'{apart:+.1%}':>8}  {why}".rstrip(), flush=True)

    for name in experiments(o):
        for np in o.at.split(","):
            input_ = os.path.abspath(small(o, name))
            target = predict(o, input_, np)
            total = target["run_s"]["value"]
            add(name, np, "predict", total, 0, f"interval {times(target['run_s'])}, start and end"
                f" {ms(target['others_s']['value'])} ms besides")
            for command, of in COMMANDS.items():
                if command == "emulate" and np not in o.emulate.split(","):
                    continue
                try:
                    value = of(o, input_, np)
                except Failed as failure:
                    add(name, np, command, None, None, str(failure))
                    continue
                against = target["total_s"]["value"] if command == "advise" else total
                apart = value / against - 1
                add(name, np, command, value, apart, "" if abs(apart) <= SAME else reason() or "SAYS NOTHING")
    asked = [row for row in rows if row["command"] != "predict"]
    same = [row for row in asked if row["total_s"] is not None and abs(row["apart"]) <= SAME]
    silent = [row for row in asked if row["why"].startswith("SAYS NOTHING")]
    print(f"{len(same)} of {len(asked)} totals are predict's within {SAME:.0%}, {len(asked) - len(same) - len(silent)} others"
          f" say why not, {len(silent)} say nothing")
    return rows


# --- scales left out ---

def without(input_, np, folder):
    """A folder with the experiment, but for the runs of `np`."""
    for name in ("experiment.json", "profile.json"):
        with open(os.path.join(input_, name), encoding="utf-8") as text:
            content = json.load(text)
        content["runs"] = [one for one in content["runs"] if one["np"] != np]
        with open(os.path.join(folder, name), "w", encoding="utf-8") as text:
            json.dump(content, text)
    os.symlink(os.path.join(os.path.abspath(input_), "runs"), os.path.join(folder, "runs"))
    return folder


def left_out(o):
    held = collections.defaultdict(list)
    rows = []

    def judge(name, np, what, estimate, truth):
        held[what].append(holds(estimate, truth))
        rows.append({"program": name, "np": np, "what": what, "estimate": estimate, "truth": truth, "held": held[what][-1]})

    for name in experiments(o):
        shown = [r for r in json_of(o.scalediag, "show", small(o, name), "--json")["runs"] if r["complete"]]
        scales = sorted({r["np"] for r in shown})
        for np in scales[1:]:
            runs = [r for r in shown if r["np"] == np]
            try:
                with tempfile.TemporaryDirectory() as whole, tempfile.TemporaryDirectory() as folder:
                    truth = simulated(o, without(small(o, name), 0, whole), "--np", str(np))  # times as measured: no replays
                    target = predict(o, without(small(o, name), np, folder), np)
            except Failed as failure:
                print(f"{name} without np={np}: {failure}")
                continue
            truth["computation"] = mean(r["computation_s"] for r in runs)
            truth["communication"] = truth["transfer"]
            judge(name, np, "total", target["run_s"], truth["total"])
            judge(name, np, f"total, {'largest scale' if np == scales[-1] else 'between'}", target["run_s"], truth["total"])
            for part in COMPONENTS:
                if target.get(part + "_s"):
                    judge(name, np, part, target[part + "_s"], truth[part])
            for source in target.get("sources", []):
                if source["component"] in truth and source["estimate"]:
                    judge(name, np, f"{source['component']} by {source['source']}", source["estimate"], truth[source["component"]])
            measured = collections.defaultdict(list)
            for r in runs:
                for kernel in r["kernels"]:
                    measured[kernel["name"]].append(kernel["time_s"]["mean"])
            for kernel in target["kernels"]:
                of_it = measured.get(kernel["name"])
                # A function below 1 % of the time has few samples, whose chance is no error of a model.
                if kernel["kind"] == "function" and of_it and mean(of_it) >= 0.01 * truth["computation"]:
                    judge(name, np, "function", kernel["estimate"], mean(of_it))
    print(f"{'':42} {'held':>6} {'points':>6} {'|error| median':>14} {'high / low median':>17}")
    for what, all_ in sorted(held.items()):
        of_it = [row for row in rows if row["what"] == what]
        errors = [abs(row["estimate"]["value"] / row["truth"] - 1) for row in of_it if row["truth"] > 0]
        widths = [row["estimate"]["high"] / row["estimate"]["low"] for row in of_it if row["estimate"]["low"] > 0]
        print(f"{what:42} {mean(all_):>6.1%} {len(all_):>6} {f'{statistics.median(errors):.1%}' if errors else '-':>14}"
              f" {f'{statistics.median(widths):.2f}' if widths else '-':>17}")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag", type=os.path.abspath)
    what = parser.add_subparsers(dest="what", required=True)
    measuring = what.add_parser("measure")
    measuring.add_argument("folder", type=os.path.abspath)
    measuring.add_argument("name")
    measuring.add_argument("-n", default="2,4,8,16")
    measuring.add_argument("--at", default="64")
    measuring.add_argument("--replays", type=int, default=5)
    measuring.add_argument("command", nargs="+")
    for name in ("tables", "improved", "agreement", "left-out"):
        printing = what.add_parser(name)
        printing.add_argument("folder", type=os.path.abspath)
        printing.add_argument("--network", type=os.path.abspath, required=True)
        printing.add_argument("--programs", required=name == "agreement")
        printing.add_argument("--at", default="64")
        printing.add_argument("--budget", default="10min", help="time that improved may take for a program")
        printing.add_argument("--emulate", default="64", help="numbers of ranks that agreement emulates, too")
        printing.add_argument("--timeout", type=float, default=600, help="seconds that one emulation may take")
        printing.add_argument("--json")
    options = parser.parse_args()
    try:
        if options.what == "measure":
            return measure(options)
        rows = {"tables": tables, "improved": improved, "agreement": agreement, "left-out": left_out}[options.what](options)
    except Failed as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
