#!/usr/bin/env python3
"""Does `scalediag machine` agree with an independent tool and with what the system says of its caches?

  tests/acceptance/machine.py SCALEDIAG [ATTEMPTS=3]

Bandwidth: against STREAM's triad as Debian's HPCC runs it, on one rank (SingleSTREAM) and on as many ranks as there are
cores (StarSTREAM, the mean of a rank times the ranks), best repeat against best repeat, within 15 %. Latency: the working
set at which it rises to the next level's, against the size that hwloc reports, within a factor of 1.5.

HPCC's grid needs two ranks at least. Both measurements need the machine to themselves; measured one after the other up to ATTEMPTS times, and every attempt is
printed. Exit status: 0 all within the limits in one attempt, 1 not.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import programs

BANDWIDTH_LIMIT = 0.15
STEP_LIMIT = 1.5


def measure(scalediag, folder):
    path = os.path.join(folder, "machine.json")
    subprocess.run([scalediag, "machine", "--noisy", "-o", path], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=os.environ | {"XDG_CACHE_HOME": folder})
    return json.load(open(path))


def stream(folder, ranks):
    """Bytes per second of one rank alone, and of all ranks together while each works."""
    # STREAM's arrays take as much memory as HPL's matrix: together size^2 doubles over the ranks, here 288 MB.
    command = programs.hpcc(folder, size=6000)
    launcher = ["mpirun.openmpi", "-n", str(ranks)]
    if os.getuid() == 0:
        launcher.insert(1, "--allow-run-as-root")
    subprocess.run(launcher + command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = open(os.path.join(folder, "hpccoutf.txt")).read()
    value = {key: float(number) for key, number in re.findall(r"^(\w+)=([0-9.eE+-]+)$", text, re.M)}
    return value["SingleSTREAM_Triad"] * 1e9, value["StarSTREAM_Triad"] * 1e9 * ranks


def compare(machine, one_core, all_cores):
    good = True
    print("  bandwidth of  scalediag GB/s  STREAM GB/s  difference")
    for bandwidth, reference in ((machine["bandwidth"][0], one_core), (machine["bandwidth"][-1], all_cores)):
        ours = bandwidth["best_bytes_per_s"]
        difference = ours / reference - 1
        good = good and abs(difference) <= BANDWIDTH_LIMIT
        print(f"  {bandwidth['cores']:>4} cores    {ours / 1e9:>14.2f}  {reference / 1e9:>11.2f}  {difference:>+9.1%}")
    print("  level  size KiB  step KiB  factor  latency ns")
    for cache in machine["caches"]:
        size, step = cache["size_bytes"]["value"], cache["step_bytes"]
        factor = step / size
        good = good and 1 / STEP_LIMIT <= factor <= STEP_LIMIT
        print(f"  {cache['name']:<5}  {size / 1024:>8.0f}  {step / 1024:>8.0f}  {factor:>6.2f}"
              f"  {1e9 * cache['latency_s']['value']:>10.2f}")
    print(f"  memory {'':>26}  {1e9 * machine['memory_latency_s']['value']:>10.2f}")
    for warning in machine["warnings"]:
        print(f"  warning: {warning}")
    return good


def main():
    scalediag = os.path.abspath(sys.argv[1])
    attempts = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    programs.install("hpcc")
    for attempt in range(attempts):
        with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
            machine = measure(scalediag, folder)
            cores = machine["bandwidth"][-1]["cores"]
            print(f"attempt {attempt + 1}: {machine['host']['cpu']}, {cores} cores, {machine['pages']} pages")
            if compare(machine, *stream(folder, max(cores, 2))):
                print("all within the limits")
                return 0
    print("not within the limits")
    return 1


if __name__ == "__main__":
    sys.exit(main())
