#!/usr/bin/env python3
"""Does `scalediag simulate` agree with LogGOPSim on GOAL schedules, and which is quicker?

  tests/acceptance/loggopsim.py SCALEDIAG FOLDER SCHEDULE.goal...

FOLDER holds LogGOPSim's `txt2bin` and `LogGOPSim` (build them with -O3; its Makefile has -O0). Schedules are its
`schedgen`'s, or those of `scalediag export --format goal`, whose run times differ for reasons in docs/export.md. Both
simulate with LogGOPSim's default parameters. For each: the run time that both predict, the CPU time of the converter
and of LogGOPSim, that of `simulate`, which reads the text and simulates the network and the ideal one beside each
other, both also as elapsed time, and their memory. Exit status 1 where a run time differs by more than 0.1 %.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

# LogGOPSim's defaults: L 2500, o 1500, g 1000, G 6, O 0 ns, S 65535 bytes.
NETWORK = {"schema": "scalediag-network/1", "name": "LogGOPSim's defaults",
           "other_node": {"L": 2.5e-6, "S_sync": 65535,
                          "segments": [{"o_s": 1.5e-6, "o_r": 1.5e-6, "g": 1e-6, "G": 6e-9, "O": 0}]}}


def run(*command):
    """What it prints, its elapsed and CPU seconds, and its memory in bytes."""
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} failed with status {status}")
    return text, time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    scalediag, folder, schedules = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    good = True
    with tempfile.TemporaryDirectory() as work:
        network = pathlib.Path(work, "network.json")
        network.write_text(json.dumps(NETWORK))
        binary = pathlib.Path(work, "schedule.bin")
        for schedule in schedules:
            _, read_s, read_cpu_s, _ = run(folder / "txt2bin", "-i", schedule, "-o", binary)
            text, elapsed_s, cpu_s, memory = run(folder / "LogGOPSim", "-b", "-f", binary)
            theirs_s = int(re.search(r"Maximum finishing time.*: (\d+)", text)[1]) * 1e-9
            text, our_elapsed_s, our_cpu_s, our_memory = run(scalediag, "simulate", schedule, "--network", network,
                                                             "--json")
            ours = json.loads(text)
            good &= abs(ours["total_s"] / theirs_s - 1) < 1e-3
            print(f"{pathlib.Path(schedule).name}: {pathlib.Path(schedule).stat().st_size / 1e6:.0f} MB, "
                  f"{ours['events']} events\n"
                  f"  run time: LogGOPSim {theirs_s:.6g} s, scalediag {ours['total_s']:.6g} s\n"
                  f"  LogGOPSim: converter {read_cpu_s:.2f} s of CPU ({read_s:.2f} s elapsed), simulation {cpu_s:.2f} s "
                  f"({elapsed_s:.2f} s), {memory / 1e6:.0f} MB\n"
                  f"  scalediag: {our_cpu_s:.2f} s of CPU ({our_elapsed_s:.2f} s), {our_memory / 1e6:.0f} MB")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
