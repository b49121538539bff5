#!/usr/bin/env python3
"""Holds the call sites of MPI operations against a debugger's count of the same program.

  tests/acceptance/call_site_agreement.py SCALEDIAG [--ranks N=2] [--operations N=3] [PROGRAM ...] [-- COMMAND]

PROGRAM is lammps, openfoam or hpcc, all of them if none is given; COMMAND is any other program. Everything is started
with Open MPI. Two checks:

- Over the sites of every operation, calls and bytes add up to the operation's, to the digit.
- gdb, with a breakpoint in each of the operations that take most time, finds the same number of calls at each site,
  on the way that the site tells: its function and line (or address) is the first on the stack that is in no
  communication layer, and the function under "through" is the one that called MPI. How often a rank polls varies from
  run to run: operations of which gdb counts another number in all are printed with both, and held by their sites alone.

Exits with 1 where one of them fails.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import programs

# The functions that only call MPI for others: what a reader of the program would pass over, stated here by itself.
LAYERS = {
    "lammps": r"LAMMPS_NS::(Comm|CommBrick|CommTiled|Irregular)::",
    "openfoam": r"Foam::(reduce|allReduce|returnReduce|U?Pstream::|U?[IO]Pstream::|U?[IO]PBstream::|PstreamBuffers::)",
    "hpcc": r"$^",
}
BLACS = r"^(C?[isdcz]((ge|tr)(sd|rv|bs|br)|g(sum|amx|amn))2d_?$|BI_|C?blacs_)"  # inside ScaLAPACK's library
LAYER_MODULES = re.compile(r"libPstream|libga\.|libcomex|libarmci")
MPI_MODULES = re.compile(r"libmpi|mca_|libopen-")


def without_parameters(function):
    """"Foam::sum<double>(double const&)" -> "Foam::sum<double>": up to the first parenthesis outside of <>."""
    function = re.sub(r"\(anonymous namespace\)", "[anonymous]", function)
    depth = 0
    for i, c in enumerate(function):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0 and i > 0 and not function[:i].endswith("operator"):
            return function[:i].split(" ")[-1] if "<" not in function[:i] else function[:i]
    return function


def sums(run):
    """Prints the operations whose sites do not add up, and returns how many there are."""
    wrong = 0
    for operation in run["mpi"]:
        if "sites" not in operation:  # [MPI other]
            continue
        for quantity in ("calls", "bytes"):
            over_sites = sum(site[quantity]["sum"] for site in operation["sites"])
            if over_sites != operation[quantity]["sum"]:
                wrong += 1
                print(f"  {operation['operation']}: {quantity} {over_sites} over sites, {operation[quantity]['sum']} in all")
    print(f"  sums over sites equal calls and bytes of {len(run['mpi']) - wrong} of {len(run['mpi'])} operations")
    return wrong


def key_of(site):
    return (site["file"].rsplit("/", 1)[-1], site["line"]) if site["line"] > 0 else (site["module"], site["address"])


def sites_by_gdb(frames, layer):
    """The place of the first function of the application on the stack, and the function that called MPI for it."""
    while frames and MPI_MODULES.match(frames[0][1]):
        frames = frames[1:]
    through = ""
    for function, module, address, file, line in frames:
        if LAYER_MODULES.match(module) or re.search(layer, function):
            through = through or function
            continue
        return ((file, line) if line > 0 else (module, address)), function, through
    return ("?", 0), "?", through


def debugger(folder, command, ranks, operations, launcher):
    output = os.path.join(folder, "stacks")
    here = os.path.dirname(os.path.abspath(__file__))
    environment = dict(os.environ, CALL_COUNTER_OPERATIONS=",".join(operations), CALL_COUNTER_OUTPUT=output)
    subprocess.run([*launcher, "-n", str(ranks), "gdb", "-q", "-batch", "-x", os.path.join(here, "gdb_call_counter.py"),
                    "--args", *command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    stacks = []
    for rank in range(ranks):
        with open(f"{output}.{rank}.json") as f:
            stacks += json.load(f)
        os.unlink(f"{output}.{rank}.json")
    return stacks


def compare(run, stacks, operations, layer):
    wrong = 0
    for operation in run["mpi"]:
        name = operation["operation"]
        if name not in operations:
            continue
        theirs = collections.Counter()
        functions = {}
        for of, frames, n in stacks:
            # What MPI calls for itself is no call of the application.
            if of != name or (MPI_MODULES.match(frames[0][1]) and "mpifh" not in frames[0][1] and "usempi" not in frames[0][1]):
                continue
            place, function, through = sites_by_gdb(frames, layer)
            theirs[place, without_parameters(through)] += n
            functions[place, without_parameters(through)] = without_parameters(function)
        ours = collections.Counter()
        names = {}
        for site in operation["sites"]:
            at = key_of(site), without_parameters(site["through"])
            ours[at] += site["calls"]["sum"]
            names[at] = without_parameters(site["function"])
        total = sum(theirs.values())
        varies = total != operation["calls"]["sum"]
        print(f"  {name}: {len(ours)} sites, {operation['calls']['sum']:.0f} calls; gdb {len(theirs)} sites, {total} calls"
              + (" (varies between runs)" if varies else ""))
        for at in sorted(set(ours) | set(theirs), key=lambda at: -max(ours[at], theirs[at])):
            same_name = names.get(at) == functions.get(at) or functions.get(at) == "?"
            differs = (ours[at] > 0) != (theirs[at] > 0) if varies else ours[at] != theirs[at]
            if not same_name or differs:
                wrong += 1
            mark = "  WRONG" if not same_name or differs else ""
            print(f"    {ours[at]:9.0f} {theirs[at]:9}  {names.get(at, '-')} | {functions.get(at, '-')}  {at[0]}"
                  + (f" through {at[1]}" if at[1] else "") + mark)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag")
    parser.add_argument("program", nargs="*", choices=[*LAYERS, []])
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--operations", type=int, default=3)
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:at])
    scalediag = os.path.abspath(options.scalediag)
    launcher = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"]
    if os.getuid() == 0:
        launcher.insert(1, "--allow-run-as-root")
    named = sys.argv[at + 1:]
    wrong = 0
    for program in ["COMMAND"] if named else options.program or LAYERS:
        with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
            small = {"lammps": {"size": 12, "steps": 300}, "hpcc": {"size": 400},
                     "openfoam": {"cells": 24, "steps": 10, "processes": (options.ranks,)}}
            if named:
                command = [os.path.abspath(named[0]), *named[1:]]
            else:
                programs.install(program)
                command = programs.PROGRAMS[program][0](folder, **small[program])
            print(" ".join(os.path.basename(word) for word in command), flush=True)
            subprocess.run([scalediag, "profile", "-n", str(options.ranks), "--repeat", "1", "--counters", "none", "-o",
                            "x.scalediag", "--", *command], cwd=folder, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
            with open(os.path.join(folder, "x.scalediag", "profile.json")) as f:
                run = json.load(f)["runs"][0]
            wrong += sums(run)
            operations = [o["operation"] for o in run["mpi"] if "sites" in o][:options.operations]
            real = [word.replace("{np}", str(options.ranks)) for word in command]
            stacks = debugger(folder, real, options.ranks, operations, launcher)
            wrong += compare(run, stacks, operations, LAYERS.get(program, BLACS))
    print("agree" if wrong == 0 else f"{wrong} differences")
    return 0 if wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
