#!/usr/bin/env python3
"""Does `scalediag machine` agree with an independent tool and with what the system says of its caches?

  tests/acceptance/machine.py SCALEDIAG [ATTEMPTS=3]

Bandwidth: against STREAM's triad as Debian's HPCC runs it (its grid needs two ranks at least), on one rank
(SingleSTREAM) and on as many ranks as there are cores (StarSTREAM, the mean of a rank times the ranks), within 15 %.
Latency: the working set at which it rises to the next level's, against the size that hwloc reports, within a factor
of 1.5.

What else runs on a machine, or on the host of a virtual machine, makes bandwidth smaller and never larger. Both tools
measure in turn up to ATTEMPTS times, every attempt is printed, and the best of one is held against the best of the
other. Exit status: 0 all within the limits, 1 not.
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


def compare_bandwidth(cores, ours, stream_s):
    good = True
    print("  bandwidth of  scalediag GB/s  STREAM GB/s  difference")
    for n, value, reference in zip(cores, ours, stream_s):
        difference = value / reference - 1
        good = good and abs(difference) <= BANDWIDTH_LIMIT
        print(f"  {n:>4} cores    {value / 1e9:>14.2f}  {reference / 1e9:>11.2f}  {difference:>+9.1%}")
    return good


def compare_steps(machine):
    good = True
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
    best_ours, best_stream, steps_agree = (0, 0), (0, 0), False
    for attempt in range(attempts):
        with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
            machine = measure(scalediag, folder)
            one, every = machine["bandwidth"][0], machine["bandwidth"][-1]
            cores = (one["cores"], every["cores"])
            print(f"attempt {attempt + 1}: {machine['host']['cpu']}, {cores[1]} cores, {machine['pages']} pages")
            ours = (one["best_bytes_per_s"], every["best_bytes_per_s"])
            reference = stream(folder, max(cores[1], 2))
        compare_bandwidth(cores, ours, reference)
        steps_agree = compare_steps(machine) or steps_agree
        best_ours = tuple(map(max, best_ours, ours))
        best_stream = tuple(map(max, best_stream, reference))
        print(f"best of {attempt + 1}:")
        if compare_bandwidth(cores, best_ours, best_stream) and steps_agree:
            print("all within the limits")
            return 0
    print("not within the limits")
    return 1


if __name__ == "__main__":
    sys.exit(main())
