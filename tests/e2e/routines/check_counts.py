#!/usr/bin/env python3
"""Profiles a program of this folder and holds calls, bytes and peers of profile.json against derived numbers.

    check_counts.py routines SCALEDIAG PROGRAM MPI LANGUAGE ROUTINES_DEF
    check_counts.py threads SCALEDIAG PROGRAM

Exit status: 0 equal, 1 not, 77 the program cannot run here.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import expected_routines
import expected_threads

SKIPPED = 77


def profile(scalediag, program, counters):
    """The only run of profile.json, and what the program printed."""
    with tempfile.TemporaryDirectory(prefix="scalediag-routines-") as folder:
        command = [scalediag, "profile", "-n", "3", "--repeat", "1", "--counters", counters,
                   "-o", os.path.join(folder, "out"), "--", program]
        # Measuring the machine and the network takes seconds and has nothing to do with calls.
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", cwd=folder,
                              env=dict(os.environ, SCALEDIAG_MACHINE="none", SCALEDIAG_NO_NETWORK="1", SCALEDIAG_NO_REPLAYS="1", SCALEDIAG_NO_TRACE="1"))
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
        with open(os.path.join(folder, "out", "profile.json")) as file:
            (run,) = json.load(file)["runs"]
    if not run["complete"]:
        sys.exit(f"the run is not complete: {run['reason']}")
    return run, done.stdout


def differences(what, found, expected):
    """One line for each key whose values differ."""
    return [f"{what} {key}: found {found.get(key)}, expected {expected.get(key)}"
            for key in sorted(set(found) | set(expected), key=str) if found.get(key) != expected.get(key)]


def peers_of(run):
    assert run["peers"]["ranks_per_block"] == 1
    return {(source, to): (messages, nbytes) for source, to, messages, nbytes in run["peers"]["entries"]}


def never_called(routines_def, expected, left_out):
    """Routines of the table that the program does not call and that nobody said it may leave out."""
    with open(routines_def) as file:
        rows = re.findall(r"^SCALEDIAG_(ROUTINE|COLLECTIVE)\((\w+), (\w+), \d+, (\w+)", file.read(), re.MULTILINE)
    table = {"MPI_" + name for _, name, _, form in rows if form != "uncounted"}
    table |= {"MPI_I" + lower for macro, _, lower, _ in rows if macro == "COLLECTIVE"}
    if len(table) < 130:
        sys.exit(f"{routines_def} has only {len(table)} routines")
    return [f"{name} is intercepted but not called here" for name in sorted(table - set(expected) - left_out)]


def check_routines(scalediag, program, mpi, language, routines_def):
    # One language shows that the routines also run under valgrind, where instructions are counted.
    run, _ = profile(scalediag, program, "auto" if language == "c" else "none")
    found = {o["operation"]: (o["calls"]["sum"], o["bytes"]["sum"]) for o in run["mpi"] if o["calls"]["sum"] > 0}
    expected = expected_routines.expected(mpi, language)
    return (never_called(routines_def, expected, expected_routines.left_out(mpi, language)) +
            differences("calls and bytes of", found, expected) +
            differences("messages and bytes between ranks", peers_of(run), expected_routines.expected_peers(mpi)))


def check_threads(scalediag, program):
    run, printed = profile(scalediag, program, "none")
    if "no MPI_THREAD_MULTIPLE" in printed:
        print("this MPI has no MPI_THREAD_MULTIPLE")
        sys.exit(SKIPPED)
    found = {}
    for operation in run["mpi"]:
        for c in operation["classes"]:
            sizes = found.setdefault(operation["operation"], {})
            calls, nbytes = sizes.get(c["communicator_size"], (0, 0))
            sizes[c["communicator_size"]] = (calls + c["calls"]["sum"], nbytes + c["bytes"]["sum"])
    return (differences("calls and bytes by communicator size of", found, expected_threads.expected()) +
            differences("messages and bytes between ranks", peers_of(run), expected_threads.expected_peers()))


def main():
    checks = {"routines": check_routines, "threads": check_threads}
    wrong = checks[sys.argv[1]](*sys.argv[2:])
    print("\n".join(wrong) if wrong else "as derived")
    sys.exit(1 if wrong else 0)


main()
