#!/usr/bin/env python3
"""Does a program take as much longer on a worse network as `simulate --tolerance` says?

  tests/acceptance/networks/tolerance_sweep.py SCALEDIAG TESTNET [--parameters latency,bandwidth] -- COMMAND... [-- ...]

Needs root and an idle machine. The emulated network is measured, each command is traced on it, and simulated for the
factors at which it takes 1, 5 and 10 % longer. Then it runs on eight worse networks, with the last of these factors a
little beyond 10 %, and straight lines between what it took give the same factors. Exit status 1 where one of them differs
by more than 5 %.
"""

import json
import os
import statistics
import sys

import emulated_network as emulated

POINTS = 8


def took_s(options, command, name, latency_us, rate_mbit):
    with emulated.network(options.testnet, options.np, round(latency_us), rate_mbit):
        folder = emulated.profile(options, os.path.join(options.folder, name), command, "--repeat", str(options.repeat))
    return statistics.median(emulated.elapsed_s(options, folder))


def crossing(points, wanted):
    for (f0, t0), (f1, t1) in zip(points, points[1:]):
        if t1 >= wanted:
            return f0 + (wanted - t0) / (t1 - t0) * (f1 - f0)
    return None


def check(options, number, command, network):
    name = f"{number}-{os.path.basename(command[0])}"
    with emulated.network(options.testnet, options.np, options.latency_us, options.rate_mbit):
        traced = emulated.profile(options, os.path.join(options.folder, name + "-trace"), command, "--trace", "--repeat", "1")
    said = json.loads(emulated.run([options.scalediag, "simulate", traced, "--network", network, "--tolerance",
                                    options.parameters, "--json"]))
    now = took_s(options, command, name, options.latency_us, options.rate_mbit)
    print(f"{name}: took {now:.3f} s, simulated {said['total_s']:.3f} s ({said['total_s'] / now - 1:+.1%})", flush=True)
    good = True
    for one in said["tolerances"]:
        limits = [(limit["longer"], limit["factor"]) for limit in one["limits"] if limit["factor"]]
        if not limits:
            continue
        factors = [1 + (limits[-1][1] * 1.05 - 1) * i / POINTS for i in range(1, POINTS + 1)]
        points = [(1, now)]
        for i, factor in enumerate(factors):
            is_latency = one["parameter"] == "latency"
            points.append((factor, took_s(options, command, f"{name}-{one['parameter']}-{i}",
                                          options.latency_us * (factor if is_latency else 1),
                                          options.rate_mbit / (1 if is_latency else factor))))
        for longer, factor in limits:
            swept = crossing(points, (1 + longer) * now)
            is_near = swept is not None and abs(factor / swept - 1) <= 0.05
            good &= is_near
            print(f"  {one['parameter']}: {longer:.0%} longer at x{factor:.3f}, by the sweep at "
                  + ("none" if swept is None else f"x{swept:.3f} ({factor / swept - 1:+.1%})"), flush=True)
        print("  sweep: " + ", ".join(f"x{f:.3f} {t:.3f} s" for f, t in points), flush=True)
    return good


def main():
    parser = emulated.parser_of(__doc__, hosts=4)
    parser.set_defaults(repeat=1)
    parser.add_argument("--parameters", default="latency,bandwidth")
    return emulated.check_commands(parser, check)


if __name__ == "__main__":
    sys.exit(main())
