#!/usr/bin/env python3
"""check.py FOLDER: what the emulated machine counted against what known.cpp is made of.

few_instructions has 100,000,000 rounds of 2 instructions, many_instructions 100,000,000 of 4; a cycle each. An overflow
comes every millisecond of a clock of 1 GHz, so a function's counts are right to 1,000,000 of 200,000,000.
"""

import json
import math
import pathlib
import sys
import unittest

FOLDER = pathlib.Path(sys.argv[1])
EXPECTED = {"few_instructions": 200_000_000, "many_instructions": 400_000_000}


def runs_of(experiment):
    return json.loads((FOLDER / experiment / "profile.json").read_text())["runs"]


def kernel(run, name):
    found = [k for k in run["kernels"] if f"{name}(" in k["name"]]
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

    # Functions that take turns many times a period. Truth, from known.cpp: all 40,000 page faults and a third of the
    # cycles belong to touch_pages.
    FAULTS = 40_000
    EVENT = "perf::PAGE-FAULTS"

    def share_of_touching(self, experiment, metric):
        (run,) = runs_of(experiment)
        touching, computing = (kernel(run, name)[metric]["sum"] for name in ("touch_pages", "compute_only"))
        print(f"{experiment}: {metric}: touch_pages {touching:.0f}, compute_only {computing:.0f}, "
              f"{touching / (touching + computing):.1%} in touch_pages")
        return run, touching / (touching + computing)

    def test_overflows_of_cycles_smear_the_events_of_short_functions(self):
        run, cycles = self.share_of_touching("cycles", "cycles")
        self.assertEqual(run["counter_method"], "cycles")
        # 600 overflows: sqrt(1/3 x 2/3 / 600) = 1.9 %.
        self.assertAlmostEqual(cycles, 1 / 3, delta=3 * 0.019)
        # Page faults go where the cycles go, wherever they happen.
        _, faults = self.share_of_touching("cycles", self.EVENT)
        self.assertAlmostEqual(faults, cycles, delta=0.03)

    def test_events_that_overflow_by_themselves_find_their_function(self):
        run, cycles = self.share_of_touching("events", "cycles")
        self.assertEqual(run["counter_method"], "events")
        self.assertAlmostEqual(cycles, 1 / 3, delta=3 * 0.019)
        _, faults = self.share_of_touching("events", self.EVENT)
        self.assertEqual(faults, 1)
        touching = next(k for k in run["kernels"] if "touch_pages(" in k["name"])
        # 40,000 / 67 = 597 overflows; MPI_Finalize's and other faults are scaled with them.
        self.assertAlmostEqual(touching["metrics"][self.EVENT]["sum"], self.FAULTS, delta=0.01 * self.FAULTS)
        self.assertAlmostEqual(touching["count_errors"][self.EVENT] * math.sqrt(597), self.FAULTS, delta=0.02 * self.FAULTS)
        self.assertEqual({e["event"]: e["period"] for e in run["sampled_events"]},
                         {"PAPI_TOT_CYC": 1_000_003, self.EVENT: 67})
        self.assertFalse([w for w in run["warnings"] if "overflow" in w], run["warnings"])

    def test_which_events_can_be_charged_by_their_own_overflows(self):
        lines = dict(line.split(" ", 1) for line in (FOLDER / "overflows.txt").read_text().splitlines())
        print(f"overflows: {lines}")
        self.assertEqual(lines["PAPI_TOT_CYC"], "1")
        # QEMU counts instructions and delays the interrupt of their overflow until the next exception.
        self.assertIn("overflows arrived", lines["PAPI_TOT_INS"])

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
