#!/usr/bin/env python3
"""Simulated counters on a real program: how many instructions does each kernel take on 2, 4 and 8 ranks together?

  tests/acceptance/callgrind_counters.py SCALEDIAG [PROGRAM]      lammps (default) or hpcc

Every rank runs under valgrind. Kernels whose work is divided among the ranks must add up to the same on any number of
them: within 3 %. Those that do more on more ranks (borders, packing of messages, set-up) are printed and not judged.
Exits with 1 beyond the limit, and where such a kernel counts another number of instructions when the pass is repeated.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import programs

RANKS = [2, 4, 8]
LIMIT = 0.03
SMALLEST_SHARE = 0.01

# Program -> its command and the kernels of which the whole work is the same on any number of ranks.
PROGRAMS = {
    # Half neighbour lists with Newton's third hypothesis: each pair of atoms is computed once on whatever rank. Building the
    # lists is not among them: it also looks at the copies of atoms around each rank's box.
    "lammps": (lambda folder: programs.lammps(folder, size=20, steps=10),
               [r"PairLJCut::(compute|eval)", r"FixNVE::(initial|final)_integrate"]),
    "hpcc": (lambda folder: programs.hpcc(folder, size=400), [r"HPL_rand|HPL_pdmatgen|HPL_lmul|HPL_ladd"]),
}


def counts_of(scalediag, command, folder, name, ranks):
    """{np: {kernel: instructions over all ranks}}, and the same for loads and stores."""
    subprocess.run([scalediag, "profile", "-n", ",".join(map(str, ranks)), "--repeat", "1", "--counters", "simulated",
                    "--simulate-ranks", "all", "-o", name, "--", *command], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, name, "profile.json")) as f:
        profile = json.load(f)
    result = {}
    for run in profile["runs"]:
        assert run["counters"] == "simulated" and not run["counted_ranks"], run["counters_reason"]
        kernels = collections.Counter()
        for k in run["kernels"]:
            if "instructions" in k["metrics"]:
                kernels[k["name"]] += k["metrics"]["instructions"]["sum"]
        result[run["np"]] = kernels
    return result


def main():
    scalediag = os.path.abspath(sys.argv[1])
    name = sys.argv[2] if len(sys.argv) > 2 else "lammps"
    programs.install(name)
    make_command, fixed_patterns = PROGRAMS[name]
    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        command = make_command(folder)
        counts = counts_of(scalediag, command, folder, "x.scalediag", RANKS)
        again = counts_of(scalediag, command, folder, "again.scalediag", RANKS[:1])[RANKS[0]]
    total = sum(counts[RANKS[0]].values())
    worst, judged, unrepeated = 0, 0, 0
    print("instructions over all ranks [millions]")
    print("  ".join(f"{'np=' + str(np):>10}" for np in RANKS) + "     change  repeat  kernel")
    for kernel in sorted(set().union(*counts.values()), key=lambda k: -counts[RANKS[0]][k]):
        values = [counts[np][kernel] for np in RANKS]
        if max(values) < SMALLEST_SHARE * total:
            continue
        is_fixed = any(re.search(pattern, kernel) for pattern in fixed_patterns)
        change = max(values) / min(values) - 1 if min(values) > 0 else float("inf")
        difference = again[kernel] - values[0]
        if is_fixed:
            judged += 1
            worst = max(worst, change)
            unrepeated += difference != 0
        print("  ".join(f"{v / 1e6:10.2f}" for v in values) + f"  {change:9.2%} {difference:+7.0f}  {kernel[:90]}" +
              ("  (fixed work)" if is_fixed else ""))
    print(f"{judged} kernels of fixed work, largest change with the number of ranks: {worst:.2%} (limit {LIMIT:.0%}); "
          f"{unrepeated} of them counted otherwise when repeated")
    return 0 if judged > 0 and worst <= LIMIT and unrepeated == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
