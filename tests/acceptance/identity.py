#!/usr/bin/env python3
"""Do a profile's times add up as the model says they do?

  tests/acceptance/identity.py PROFILE.JSON...

For every kernel of every complete run: T = T_comp + T_stall wherever they could be told, and T = T_comp + BF_mem T_mem
wherever memory accesses were counted, each to 1e-9 relative; T_mem is the sum of its levels. Prints how many kernels
were looked at and the largest deviation. Exit status: 0 all hold and there was something to look at, 1 not.
"""

import json
import sys

LIMIT = 1e-9
LEVELS = ("t_mem_l1_s", "t_mem_l2_s", "t_mem_llc_s", "t_mem_memory_s")


def deviations(kernel):
    resources, time = kernel.get("resources", {}), kernel["metrics"].get("time_s", {}).get("mean", 0)
    if "t_comp_s" in resources:
        yield "t_comp + t_stall", (resources["t_comp_s"] + resources["t_stall_s"]) / time - 1
    if "bf_mem" in resources:
        yield "t_comp + bf_mem t_mem", (resources["t_comp_s"] + resources["bf_mem"] * resources["t_mem_s"]) / time - 1
    if resources.get("t_mem_s"):
        yield "levels", sum(resources.get(level, 0) for level in LEVELS) / resources["t_mem_s"] - 1
    if "cpi" in resources:
        instructions = kernel["metrics"].get("instructions", {}).get("mean")
        if instructions and resources["t_comp_s"]:
            yield "instructions cpi / hz", instructions * resources["cpi"] / resources["hz"] / resources["t_comp_s"] - 1


def main():
    good = True
    for path in sys.argv[1:]:
        profile = json.load(open(path))
        kernels, with_memory, worst = 0, 0, {}
        for run in profile["runs"]:
            for kernel in run["kernels"] if run["complete"] else []:
                kernels += "t_comp_s" in kernel.get("resources", {})
                with_memory += "bf_mem" in kernel.get("resources", {})
                for name, deviation in deviations(kernel):
                    worst[name] = max(worst.get(name, 0), abs(deviation))
        print(f"{path}: {kernels} kernels of {len(profile['runs'])} runs with parts of their time,"
              f" {with_memory} of them with memory")
        for name, deviation in worst.items():
            print(f"  {name}: largest deviation {deviation:.1e}")
            good = good and deviation <= LIMIT
        good = good and kernels > 0
    return 0 if good and len(sys.argv) > 1 else 1


if __name__ == "__main__":
    sys.exit(main())
