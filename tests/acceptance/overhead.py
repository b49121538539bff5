#!/usr/bin/env python3
"""Total CPU time of a real program with and without the collector, in pairs.

  tests/acceptance/overhead.py SCALEDIAG [PAIRS=15]

LAMMPS on 4 ranks at the default rate. Prints each pair and the median of the ratios. The order within a pair alternates.
CPU time is user + system of the launcher and all ranks as the kernel accounts it.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile

import programs

RANKS = 4


def cpu_of(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    scalediag = os.path.abspath(sys.argv[1])
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    programs.install("lammps")
    library = os.path.join(os.path.dirname(os.path.dirname(scalediag)), "lib", "scalediag")
    launcher = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", str(RANKS)]
    if os.getuid() == 0:
        launcher.insert(1, "--allow-run-as-root")
    ratios = []
    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        app = programs.lammps(folder, size=20, steps=500)
        for pair in range(pairs):
            raw = os.path.join(folder, f"raw{pair}")
            os.mkdir(raw)
            plain = [*launcher, *app]
            # What `profile` runs, without the merge that comes after it.
            observed = [*launcher, os.path.join(library, "scalediag-rank"), "--library", os.path.join(library, "libscalediag.so"),
                        "--directory", raw, "--rate", "100", "--sampler", "auto", "--", *app]
            if pair % 2 == 0:
                without, with_ = cpu_of(plain, folder), cpu_of(observed, folder)
            else:
                with_, without = cpu_of(observed, folder), cpu_of(plain, folder)
            if len(os.listdir(raw)) != RANKS:
                print("error: not every rank was recorded", file=sys.stderr)
                return 1
            ratios.append(with_ / without)
            print(f"pair {pair + 1:2}: without {without:7.3f} s  with {with_:7.3f} s  ratio {ratios[-1]:.4f}", flush=True)
    print(f"median overhead {statistics.median(ratios) - 1:+.2%} over {pairs} pairs"
          f" (from {min(ratios) - 1:+.2%} to {max(ratios) - 1:+.2%})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
