#!/usr/bin/env python3
"""Extra-P's predictions of the largest scales of a file of measurements from the smaller ones only.

  extrap_predictions.py FILE PARAMETER LARGEST_TRAINED|FILE_HELD_OUT [--negative-exponents | --times-parameter]

Runs with the Python that has Extra-P (`import extrap`) and prints what holdout_predictions prints, but for the intervals,
which Extra-P does not have. holdout.py judges both.

Without an option Extra-P's default is used. With `--times-parameter` the times are multiplied by the parameter before
they are modelled, and the estimates divided by it again: what Extra-P's window offers where it finds strong scaling,
which it says it does not support otherwise.
"""

import argparse
import json
import logging
import os
import statistics
import time
import warnings
from collections import defaultdict

from extrap.entities.callpath import Callpath
from extrap.entities.coordinate import Coordinate
from extrap.entities.measurement import Measurement
from extrap.entities.metric import Metric
from extrap.modelers import multi_parameter, single_parameter


def read_series(path):
    """(names of the parameters, {(call path, metric): {point: values}}) of a file of JSON lines."""
    names, series = None, defaultdict(lambda: defaultdict(list))
    with open(path, encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            row = json.loads(line)
            names = names or list(row["params"])
            values = row["value"] if isinstance(row["value"], list) else [row["value"]]
            series[row["callpath"], row["metric"]][tuple(row["params"][n] for n in names)] += values
    return names, series


def new_modeler(number_of_parameters, negative_exponents):
    modeler = single_parameter.Default() if number_of_parameters == 1 else multi_parameter.Default()
    if negative_exponents:
        of_one = modeler if number_of_parameters == 1 else modeler.single_parameter_modeler
        of_one.allow_negative_exponents = True
    return modeler


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("parameter")
    parser.add_argument("split")
    setting = parser.add_mutually_exclusive_group()
    setting.add_argument("--negative-exponents", action="store_true")
    setting.add_argument("--times-parameter", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)

    names, series = read_series(arguments.file)
    dimension = names.index(arguments.parameter)
    if os.path.exists(arguments.split):
        names_held_out, held_out = read_series(arguments.split)
        assert names_held_out == names
    else:
        largest = float(arguments.split)
        held_out = {key: {at: v for at, v in points.items() if at[dimension] > largest} for key, points in series.items()}
        series = {key: {at: v for at, v in points.items() if at[dimension] <= largest} for key, points in series.items()}

    def factor(at):
        return at[dimension] if arguments.times_parameter else 1

    trained = {(callpath, metric): [Measurement(Coordinate(at), Callpath(callpath), Metric(metric),
                                                [v * factor(at) for v in values]) for at, values in points.items()]
               for (callpath, metric), points in series.items() if points}
    start = time.monotonic()
    models = dict(zip(trained, new_modeler(len(names), arguments.negative_exponents).model(list(trained.values()))))
    seconds = time.monotonic() - start

    for key, points in held_out.items():
        for at, values in points.items() if key in models else ():
            value = float(models[key].hypothesis.function.evaluate(at if len(at) > 1 else at[0])) / factor(at)
            print(json.dumps({"callpath": key[0], "at": at, "mean": statistics.mean(values),
                              "median": statistics.median(values), "value": value}))
    print(json.dumps({"models": len(models), "fit_s": seconds}))


if __name__ == "__main__":
    main()
