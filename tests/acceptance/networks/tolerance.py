#!/usr/bin/env python3
"""Are the factors of `simulate --tolerance` those of a sweep, and what do they cost?

  tests/acceptance/networks/tolerance.py SCALEDIAG NETWORK -- INPUT [OPTION...] [-- INPUT...]...

INPUT and its options are those of `scalediag simulate`. For latency and bandwidth: the factors at which the run takes 1,
5 and 10 % longer; the same from a simulation at each of eight factors, with straight lines between them; and how much
longer it takes when it is simulated at the factors that were told. Times are those of the whole command, the best of
three: as it is, with --tolerance latency, and with both. Exit status 1 where a run that should take 1, 5 or 10 % longer
misses that by more than 2 % of the run.
"""

import json
import subprocess
import sys
import time

POINTS = 8


class Simulated:
    def __init__(self, scalediag, network, arguments):
        self.command = [scalediag, "simulate", "--json", "--network", network, *arguments]

    def run(self, *more):
        return json.loads(subprocess.run([*self.command, *more], check=True, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, text=True).stdout)

    def seconds(self, *more):
        def once():
            begin = time.monotonic()
            self.run(*more)
            return time.monotonic() - begin

        return min(once() for _ in range(3))

    def at(self, parameter, factors):
        """The run times with times per byte or latencies so many times as long."""
        wanted = []
        for factor in factors:
            wanted += ["--what-if", f"{parameter}={factor if parameter == 'latency' else 1 / factor:.12g}"]
        return [w["total_s"] for w in self.run(*wanted)["what_ifs"]]


def crossing(points, wanted):
    for (f0, t0), (f1, t1) in zip(points, points[1:]):
        if t1 >= wanted:
            return f0 + (wanted - t0) / (t1 - t0) * (f1 - f0)
    return None


def check(simulated, name):
    result = simulated.run("--tolerance", "latency,bandwidth")
    now, good = result["total_s"], True
    for one in result["tolerances"]:
        limits = [(limit["longer"], limit["factor"]) for limit in one["limits"] if limit["factor"] is not None]
        if not limits:
            print(f"{name}: {one['parameter']}: no limit")
            continue
        factors = [1 + (limits[-1][1] * 1.05 - 1) * i / POINTS for i in range(1, POINTS + 1)]
        swept = [(1, now), *zip(factors, simulated.at(one["parameter"], factors))]
        there = simulated.at(one["parameter"], [factor for _, factor in limits])
        for (longer, factor), total in zip(limits, there):
            error = total / now - 1 - longer
            good &= abs(error) <= 0.02
            print(f"{name}: {one['parameter']} x {factor:.4f} for {longer:.0%}, by the sweep x"
                  f" {crossing(swept, (1 + longer) * now):.4f}; simulated there: {total / now - 1:.3%}")
    alone, latency, both = (simulated.seconds(*more) for more in
                            ((), ("--tolerance", "latency"), ("--tolerance", "latency,bandwidth")))
    print(f"{name}: {alone:.2f} s, with latency {latency / alone:.1f} times, with both {both / alone:.1f} times as long")
    return good


def main():
    if len(sys.argv) < 5 or sys.argv[3] != "--":
        print(__doc__)
        return 2
    inputs, good = [[]], True
    for word in sys.argv[4:]:
        if word == "--":
            inputs.append([])
        else:
            inputs[-1].append(word)
    for arguments in inputs:
        good &= check(Simulated(sys.argv[1], sys.argv[2], arguments), " ".join(arguments))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
