"""Compares the times that `emulate --json` printed with those of the profile that it made of the run.

    adds_up.py EMULATED.json SHOWN.json

The program is `emulated asked N`. It computes outside of the region for less than within it.
"""
import json
import sys

emulated = json.load(open(sys.argv[1]))
run = json.load(open(sys.argv[2]))["runs"][-1]
ranks = emulated["ranks"]


def mean(*keys):
    return sum(rank[key] for rank in ranks for key in keys) / len(ranks)


pairs = {
    "computation": (mean("computation_s"), run["computation_s"]),
    "communication": (mean("transfer_s", "waiting_s"), run["communication_s"]),
    "total": (mean("end_s"), run["total_s"]),
    "kernels": (mean("computation_s"), sum(k["time_s"]["mean"] for k in run["kernels"])),
}
different = [f"{name}: {a} and {b} differ" for name, (a, b) in pairs.items() if abs(a - b) > 1e-6]
print(f"np {len(ranks)}: " + ("; ".join(different) or "computation, communication, total and kernels add up"))
region, = run["regions"]
inside = region["time_s"]["mean"]
share = "the emulated time between them" if 0.5 < inside / run["computation_s"] <= 1 else f"{inside} s"
print(f"np {len(ranks)}: the region has {region['count']:.0f} entries and {share}")
