#!/usr/bin/env python3
"""Does `scalediag diff` find one function of LULESH that is 10 % slower, and accuse no other?

  tests/acceptance/diff.py SCALEDIAG LULESH      LULESH: a checkout of github.com/LLNL/LULESH, or its bare repository

LULESH is built once, changed so that one function, a loop that only writes what it computes, does a part of its elements
twice; how many percent, an environment variable says. So A and B are the same program, with every other function at the
same address. Three experiments are measured in turn, run by run: A, A once more, and B with the slower function.

  A against B     the function is slower at every scale, and nothing else is slower or faster
  A against A     nothing is

Exit status 1 when one does not hold.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

FUNCTION = "CalcMonotonicQGradientsForElems"
LOOP = "for (Index_t i = 0 ; i < numElem ; ++i ) {"
AGAIN = """static const Index_t percent = getenv("LULESH_AGAIN") ? atoi(getenv("LULESH_AGAIN")) : 0;
   const Index_t again = numElem * percent / 100;
   for (Index_t step = 0 ; step < numElem + again ; ++step ) {
      const Index_t i = step < numElem ? step : step - numElem;"""


def sources(lulesh, folder):
    if os.path.exists(os.path.join(lulesh, "lulesh.cc")):
        names = [n for n in os.listdir(lulesh) if n.endswith((".cc", ".h"))]
        read = lambda name: open(os.path.join(lulesh, name)).read()
    else:
        git = ["git", "-C", lulesh]
        names = subprocess.run([*git, "ls-tree", "--name-only", "HEAD"], capture_output=True, text=True, check=True).stdout.split()
        names = [n for n in names if n.endswith((".cc", ".h"))]
        read = lambda name: subprocess.run([*git, "show", "HEAD:" + name], capture_output=True, text=True, check=True).stdout
    for name in names:
        text = read(name)
        if name == "lulesh.cc":
            begin = text.index("static inline\nvoid " + FUNCTION)
            loop = text.index(LOOP, begin)
            text = (text[:begin] + "__attribute__((noinline)) static\n" + text[begin + len("static inline\n"):loop] + AGAIN +
                    text[loop + len(LOOP):])
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    return [n for n in names if n.endswith(".cc")]


def build(lulesh, folder):
    files = sources(lulesh, folder)
    compiler = next(c for c in ("mpicxx.openmpi", "mpicxx") if subprocess.run(["which", c], capture_output=True).returncode == 0)
    # Functions that are called once are not inlined, so that there are more kernels that could be named wrongly.
    subprocess.run([compiler, "-DUSE_MPI=1", "-O3", "-g", "-fno-inline-functions-called-once", "-w", *files, "-o", "lulesh",
                    "-lm"], cwd=folder, check=True)


def profile(scalediag, folder, name, repeats, percent, options):
    command = [scalediag, "profile", "-n", options.np, "--repeat", str(repeats), "--counters", "none", "--clock", "cpu",
               "--rate", options.rate, "-o", name, "--", "./lulesh", "-s", options.size, "-i", options.iterations]
    result = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, LULESH_AGAIN=str(percent), OMP_NUM_THREADS="1"))
    if result.returncode != 0:
        sys.exit(f"profile exited with {result.returncode}: {result.stderr[-2000:]}")


def compare(scalediag, folder, a, b):
    result = subprocess.run([scalediag, "diff", a, b, "--json"], cwd=folder, capture_output=True, text=True, check=True)
    comparison = json.loads(result.stdout)
    accused = set()
    for configuration in comparison["configurations"]:
        np = configuration["at"]["np"]
        judged = [k for k in configuration["kernels"] if k["change"] != "not judged"]
        print(f"  np={np}: {configuration['runs_a']} and {configuration['runs_b']} runs, {len(judged)} kernels judged, "
              f"{sum(k['change'] == 'unchanged' for k in judged)} unchanged, {sum(k['change'] == 'unknown' for k in judged)} unknown")
        for kernel in judged:
            if kernel["change"] in ("slower", "faster"):
                accused.add((kernel["name"].split("(")[0], np, kernel["change"]))
            if kernel["change"] in ("slower", "faster") or kernel["name"].startswith(FUNCTION):
                print(f"    {kernel['name'][:60]}: {kernel['relative']:+.1%} ({kernel['low']:+.1%} to {kernel['high']:+.1%}), "
                      f"against the others {kernel['against_others'] or 0:+.1%}, p {kernel['p']:.1g}, {kernel['share']:.1%} of the "
                      f"total: {kernel['change']}")
    return accused


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag")
    parser.add_argument("lulesh")
    parser.add_argument("--np", default="8", help="cubes of whole numbers")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--percent", type=int, default=10)
    parser.add_argument("--size", default="20")
    parser.add_argument("--iterations", default="120")
    parser.add_argument("--rate", default="4000", help="samples a second: the function takes a twentieth of a run of a second")
    parser.add_argument("--keep", help="folder for the experiments, which a further run continues")
    options = parser.parse_args()
    scalediag = os.path.abspath(options.scalediag)
    with tempfile.TemporaryDirectory(prefix="scalediag-") as temporary:
        folder = os.path.abspath(options.keep) if options.keep else temporary
        os.makedirs(folder, exist_ok=True)
        if not os.path.exists(os.path.join(folder, "lulesh")):
            build(os.path.abspath(options.lulesh), folder)
        experiments = (("before", 0), ("again", 0), ("after", options.percent))
        for repeats in range(1, options.repeat + 1):
            for name, percent in experiments:
                profile(scalediag, folder, name, repeats, percent, options)
        print(f"A against B, {FUNCTION} {options.percent} % slower")
        found = compare(scalediag, folder, "before", "after")
        print("A against A")
        chance = compare(scalediag, folder, "before", "again")
    planted = {(FUNCTION, int(np), "slower") for np in options.np.split(",")}
    good = found == planted and not chance
    for missed in planted - found:
        print("missed:", *missed)
    for wrong in (found - planted) | chance:
        print("wrongly accused:", *wrong)
    print("passed" if good else "FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
