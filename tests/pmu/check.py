#!/usr/bin/env python3
"""check.py FOLDER: what the emulated machine counted against what known.cpp is made of.

few_instructions has 100,000,000 rounds of 2 instructions, many_instructions 100,000,000 of 4; a cycle each. An overflow
comes every millisecond of a clock of 1 GHz, so a function's counts are right to 1,000,000 of 200,000,000.
"""

import json
import pathlib
import sys
import unittest

FOLDER = pathlib.Path(sys.argv[1])
EXPECTED = {"few_instructions": 200_000_000, "many_instructions": 400_000_000}


def runs_of(experiment):
    return json.loads((FOLDER / experiment / "profile.json").read_text())["runs"]


def kernel(run, name):
    found = [k for k in run["kernels"] if k["name"].endswith(f"{name}()")]
    return found[0]["metrics"] if found else None


class EmulatedMachine(unittest.TestCase):
    def check_function(self, run, name, ranks):
        metrics = kernel(run, name)
        self.assertIsNotNone(metrics, f"{name} is not among {[k['name'] for k in run['kernels']]}")
        for metric in ("instructions", "cycles"):
            for end in ("min", "max"):
                value, expected = metrics[metric][end], EXPECTED[name]
                print(f"{run['id']} {name} {metric} {end}: {value:.0f}, expected {expected}, {value / expected - 1:+.3%}")
                self.assertLess(abs(value / expected - 1), 0.01, f"{name} {metric}")
            self.assertAlmostEqual(metrics[metric]["sum"], ranks * metrics[metric]["mean"])

    def check_run(self, run, ranks):
        self.assertTrue(run["complete"], run["reason"])
        self.assertEqual(run["counters"], "papi")
        self.assertEqual(run["counted_ranks"], [])
        for name in EXPECTED:
            self.check_function(run, name, ranks)

    def test_functions_of_two_ranks(self):
        (run,) = runs_of("ranks")
        self.assertEqual(run["np"], 2)
        self.check_run(run, 2)

    def test_functions_of_two_threads(self):
        (run,) = runs_of("threads")
        self.assertGreaterEqual(run["threads_max"], 3)
        self.check_run(run, 1)

    def test_groups_rotate_and_arrive(self):
        runs = runs_of("rotation")
        self.assertGreater(len(runs), 1, "all events fitted into one group")
        counted = set()
        for run in runs:
            self.check_run(run, 1)
            counted |= {event["event"] for event in run["counter_events"] if not event["derived"]}
        self.assertLessEqual(
            {"PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_BR_INS", "PAPI_BR_MSP", "PAPI_L2_DCR"},
            counted,
        )
        # No event is lost: ten were asked for, and cycles are in every group.
        self.assertEqual(len(counted), 11)

    def test_what_is_listed_and_what_counts(self):
        lines = [line.split() for line in (FOLDER / "state.txt").read_text().splitlines()]
        self.assertIn(["counts", "1"], lines)
        presets = {words[1]: words[2] == "1" for words in lines if words[0] == "preset"}
        print(f"{len(presets)} presets are listed, {sum(presets.values())} count: "
              f"{sorted(name for name, counts in presets.items() if counts)}")
        self.assertTrue(presets["PAPI_TOT_INS"])
        self.assertTrue(presets["PAPI_TOT_CYC"])
        self.assertIn("PAPI_LD_INS", presets)
        self.assertFalse(presets["PAPI_LD_INS"], "listed, and the emulated unit does not count it")
        self.assertIn("PAPI_LD_INS", (FOLDER / "notes.txt").read_text(), "planning says nothing about that")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
