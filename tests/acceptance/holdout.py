#!/usr/bin/env python3
"""How well are scales predicted that nobody showed to the modeller?

  tests/acceptance/holdout.py HOLDOUT_PREDICTIONS [--data FOLDER] [--extrap PYTHON] [--ding2018]
                                  the program is built with the tests; or SCALEDIAG_DATA=FOLDER

Public measurements of real applications in Extra-P's JSON-lines format, the largest scales held out: those of NAME.jsonl
above a number of processes, or those of NAME.test.jsonl beside NAME.train.jsonl. The data are not part of this tree; they
were extracted from these repositories:
  relearn_strong, relearn_3param   extra-p/extrap-gpr (BSD-3)
  sparta_weak, vibe_weak           lanl/benchmarks (BSD-3)
  lulesh_weak                      LLNL/thicket-tutorial (MIT)
  gromacs1400k_strong, cp2k_h2o64_strong, gromacs1400k_other_machine_strong, vasp_tio2_strong   hpc-uk/archer-benchmarks
  pencilffts1024_jeanzay           jipolanco/PencilFFTs.jl (MIT)
  fenics_csd3_weak_202105, _202203 FEniCS/performance-test-results (MIT)
  conflux_daint_bytes_weak         eth-cscs/conflux (BSD-3)
  castro_flamewave_frontier        AMReX-Astro/Castro (BSD-3)
  feelpp_gaya                      feelpp/benchmarking (BSD-3)

Error = |prediction - value| / value over the held-out points whose value is above the cut-off, where the value is the median
of the repeats: one bad repeat in three would otherwise be what is predicted. `--value mean` judges by their mean.

Extra-P (4.2.5) has three settings. It says itself that strong scaling is not supported directly, and offers to multiply such
times by the number of processes first; weak scaling it models as it is. `/ rec.` is our error over that of this setting, which
it recommends; `/ best` over that of the best of all three for the set, which nobody knows beforehand. Its errors are constants
measured on the same splits; `--ding2018` prints the errors of our two sets of models, a row a set, and nothing else; `--extrap PYTHON` measures them again by a Python that can import extrap (or PYTHONPATH=CHECKOUT).

Held = share of the points within the 90 % intervals. Score = the interval score in logarithms, log(high / low) + 20 x by how
much the value lies outside, mean over the points: wide intervals cost, and so do misses; less is better. The last two sets
stop scaling among the scales held out; they take part in the comparison with Extra-P, and no limit is asked of them.

Exits with 1 where a limit is missed over the first seven sets: geometric mean of our median error / that of Extra-P's
recommended setting at most 0.7, of the mean errors at most 0.5, no set beyond 1.1 in either, no impossible estimate, and 85 to
97 % of all points within the intervals.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from typing import NamedTuple, Optional, Tuple

class Set(NamedTuple):
    name: str
    strong: bool  # the problem keeps its size
    largest_trained: Optional[int]  # None: NAME.train.jsonl and NAME.test.jsonl
    cut_off: float  # in s, or bytes
    # Extra-P's median and mean error in %: by default, with negative exponents allowed, with times multiplied by p
    extrap: Tuple[Tuple[float, float], ...]


SETS = [
    Set("relearn_strong", True, 256, 0.01, ((6.0, 6.3), (6.5, 7.3), (6.4, 5.9))),
    Set("relearn_3param", True, 256, 0.01, ((22.1, 424.5), (14.2, 16.9), (32.3, 417.9))),
    Set("lulesh_weak", False, 216, 0.01, ((11.1, 54.3), (5.9, 53.1), (18.7, 26.2))),
    Set("sparta_weak", False, 14336, 0.0, ((8.1, 8.1), (8.1, 8.1), (13.9, 13.4))),
    Set("vibe_weak", False, 2048, 0.1, ((8.7, 347.4), (8.4, 345.6), (5.2, 19.6))),
    Set("gromacs1400k_strong", True, 768, 0.5, ((225.7, 742.7), (51.7, 67.9), (30.8, 49.8))),
    Set("cp2k_h2o64_strong", True, 192, 0.05, ((32.7, 54.2), (25.0, 50.2), (28.8, 44.3))),
]
PAIRS = [
    Set("pencilffts1024_jeanzay", True, None, 0.01, ((275.1, 310.1), (36.8, 67.4), (111.8, 343.4))),
    Set("castro_flamewave_frontier", True, None, 0.01, ((362.7, 430.2), (8.8, 8.7), (11.1, 13.8))),
    Set("feelpp_gaya", True, None, 0.01, ((96.8, 1273.7), (46.1, 412.3), (25.8, 159.4))),
    Set("fenics_csd3_weak_202105", False, None, 0.01, ((4.2, 8.2), (6.0, 10.0), (2.5, 5.6))),
    Set("fenics_csd3_weak_202203", False, None, 0.01, ((4.8, 12.0), (3.5, 6.0), (4.7, 5.9))),
    Set("conflux_daint_bytes_weak", False, None, 0.0, ((2.4, 3.1), (2.4, 3.1), (7.4, 9.6))),
]
BENDING = [
    Set("gromacs1400k_other_machine_strong", True, 192, 0.5, ((347.1, 506.5), (32.7, 44.4), (22.3, 71.6))),
    Set("vasp_tio2_strong", True, 1024, 0.05, ((715.5, 1027.3), (15.9, 24.6), (16.5, 29.8))),
]
SETTINGS = ([], ["--negative-exponents"], ["--times-parameter"])


def interval_score(point, value):
    low, high = (math.log(max(point[end], 1e-300)) for end in ("low", "high"))
    return high - low + 20 * (max(0, low - math.log(value)) + max(0, math.log(value) - high))


def predictions(command, data, split, which, models=()):
    """The points above the cut-off, with the relative error of each, and the last line of `command`."""
    path = os.path.join(data, split.name)
    files = ([path + ".jsonl", "p", str(split.largest_trained)] if split.largest_trained else
             [path + ".train.jsonl", "p", path + ".test.jsonl"])
    out = subprocess.run(command + files + list(models), check=True, capture_output=True, text=True).stdout
    lines = [json.loads(line) for line in out.splitlines()]
    points = [p for p in lines[:-1] if which in p and p[which] >= split.cut_off and p[which] > 0]
    return points, [abs(p["value"] - p[which]) / p[which] for p in points], lines[-1]


def judge(program, data, split, which, models=()):
    points, errors, summary = predictions([program], data, split, which, models)
    return {
        "points": len(points),
        "median": 100 * statistics.median(errors),
        "mean": 100 * statistics.mean(errors),
        "held": sum(p["low"] <= p[which] <= p["high"] for p in points),
        "score": statistics.mean(interval_score(p, p[which]) for p in points),
        "width": statistics.median(p["high"] / max(p["value"], 1e-300) for p in points),
        "impossible": summary["impossible"],
        "models": summary["models"],
        "seconds": summary["fit_s"],
    }


def errors_of_extrap(python, data, split, which):
    """As Set.extrap has them."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "holdout", "extrap_predictions.py")
    of_settings = []
    for setting in SETTINGS:
        _, errors, _ = predictions([python, script] + setting, data, split, which)
        of_settings.append((100 * statistics.median(errors), 100 * statistics.mean(errors)))
    return tuple(of_settings)


def geometric_mean(values):
    return math.exp(statistics.mean(math.log(max(v, 1e-9)) for v in values))


def compared(split, result, extrap):
    """Our errors over those of the setting that Extra-P recommends, and over the best of all settings."""
    recommended = extrap[2 if split.strong else 0]
    best = [min(setting[i] for setting in extrap) for i in (0, 1)]
    ours = (result["median"], result["mean"])
    return {"split": split,
            "recommended": [ours[i] / recommended[i] for i in (0, 1)], "best": [ours[i] / best[i] for i in (0, 1)]}


def print_ding(program, data, which):
    """Median and mean error, points within the intervals and their median width, of the ensemble and of ding2018."""
    print("| set | points | ensemble: median | mean | held | factor | ding2018: median | mean | held | factor |\n" +
          "|---" * 10 + "|")
    ratios = []
    for split in SETS + PAIRS + BENDING:
        both = [judge(program, data, split, which, models) for models in ((), ("ding2018",))]
        ratios.append([both[1][error] / both[0][error] for error in ("median", "mean")])
        print(f"| {split.name} | {both[0]['points']} | " +
              " | ".join(f"{r['median']:.1f} % | {r['mean']:.1f} % | {100 * r['held'] / r['points']:.0f} % | "
                         f"{r['width']:.2f}" for r in both) + " |")
    print("geometric mean of ding2018 / ensemble: median " +
          ", mean ".join(f"{geometric_mean(ratio):.2f}" for ratio in zip(*ratios)))


def print_ratios(title, rows):
    means = [geometric_mean(row[which][i] for row in rows) for which in ("recommended", "best") for i in (0, 1)]
    print(f"{title + f' ({len(rows)} sets)':42} {means[0]:6.2f} {means[1]:6.2f}   {means[2]:6.2f} {means[3]:6.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--data", default=os.environ.get("SCALEDIAG_DATA"))
    parser.add_argument("--extrap", metavar="PYTHON")
    parser.add_argument("--ding2018", action="store_true")
    parser.add_argument("--value", choices=["median", "mean"], default="median")
    arguments = parser.parse_args()
    if not arguments.data or not os.path.isdir(arguments.data):
        print(f"error: no folder of data: {arguments.data}", file=sys.stderr)
        print("hint: --data FOLDER; --help says where the data come from", file=sys.stderr)
        return 2

    if arguments.ding2018:
        print_ding(arguments.program, arguments.data, arguments.value)
        return 0
    print(f"{'set':33} {'points':>6} {'median':>7} {'mean':>7}   {'Extra-P: default':>17} {'negative exp.':>17} "
          f"{'times p':>17}   {'/ rec.':>13} {'/ best':>13}   {'held':>6} {'score':>5} {'factor':>6} {'models':>6} {'fit ms':>7}")
    rows, scores, held, points, impossible = [], [], 0, 0, 0
    for split in SETS + PAIRS + BENDING:
        r = judge(arguments.program, arguments.data, split, arguments.value)
        extrap = (errors_of_extrap(arguments.extrap, arguments.data, split, arguments.value) if arguments.extrap else
                  split.extrap)
        row = compared(split, r, extrap)
        rows.append(row)
        if split in SETS:
            scores.append(r["score"])
            held += r["held"]
            points += r["points"]
            impossible += r["impossible"]
        print(f"{split.name:33} {r['points']:6} {r['median']:6.1f}% {r['mean']:6.1f}%   " +
              " ".join(f"{median:7.1f}% {mean:7.1f}%" for median, mean in extrap) + "   " +
              " ".join(f"{row[which][0]:6.2f} {row[which][1]:6.2f}" for which in ("recommended", "best")) +
              f"   {100 * r['held'] / r['points']:5.1f}% {r['score']:5.2f} {r['width']:6.2f} {r['models']:6} "
              f"{1000 * r['seconds']:7.2f}")

    print(f"{'geometric mean of ratios':42} {'/ rec.':>13}   {'/ best':>13}")
    first = rows[:len(SETS)]
    print_ratios("first seven", first)
    print_ratios("the others", rows[len(SETS):])
    print_ratios("all", rows)
    print_ratios("strong scaling", [row for row in rows if row["split"].strong])
    print_ratios("weak scaling", [row for row in rows if not row["split"].strong])
    coverage = 100 * held / points
    median, mean = (geometric_mean(row["recommended"][i] for row in first) for i in (0, 1))
    worst = max(max(row["recommended"]) for row in first)
    print(f"first seven: median {median:.2f} (limit 0.7), mean {mean:.2f} (0.5), worst {worst:.2f} (1.1); geometric mean of "
          f"interval scores {geometric_mean(scores):.2f}; 90 % intervals hold {coverage:.1f} % of {points} points (85 to 97); "
          f"impossible estimates at 1 to 1000 times the trained scale: {impossible}")
    return 0 if median <= 0.7 and mean <= 0.5 and worst <= 1.1 and 85 <= coverage <= 97 and impossible == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
