#!/usr/bin/env python3
"""Runs declarative test cases of the command line.

A case file holds cases, each a few lines of the form KEY VALUE, with a blank line between cases:

  NAME        what the user relies on (letters, digits and _)
  MPI         openmpi, mpich: run once for each that is named and installed; without it, once with any
  NEEDS       root: skipped where it is missing
  ALONE       which of its times another test at work would change: none runs beside it
  RUN         a line of a bash script; several RUN lines make one script
  EXIT        the script's exit status (default 0)
  STDOUT      text that stdout contains; may be repeated
  STDERR      the same for stderr
  NOT_STDOUT  text that stdout does not contain; NOT_STDERR the same for stderr
  TIMEOUT     seconds on a quiet machine (default 60); a busy one is given SLOWEST times as long

The script runs in an empty folder with the functions of helpers.sh; with status 77 it skips the case. Lines that begin with # are comments.
Exit status: 0 passed, 1 failed, 77 skipped.
"""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

SKIPPED = 77
SLOWEST = 3
ONE_LINE = {"NAME", "MPI", "NEEDS", "ALONE", "EXIT", "TIMEOUT"}
REPEATED = {"RUN", "STDOUT", "STDERR", "NOT_STDOUT", "NOT_STDERR"}


class CaseError(Exception):
    pass


def parse_cases(path):
    cases = []
    current = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            current = None
            continue
        key, _, value = line.partition(" ")
        value = value.strip() if key in ONE_LINE else value.lstrip()
        if key not in ONE_LINE | REPEATED:
            raise CaseError(f"{path}:{number}: unknown key {key}")
        if key == "NAME":
            current = {k: [] for k in REPEATED} | {"EXIT": "0", "TIMEOUT": "60", "MPI": "", "NEEDS": "", "ALONE": ""}
            cases.append(current)
        if current is None:
            raise CaseError(f"{path}:{number}: a case begins with NAME")
        if key in REPEATED:
            current[key].append(value)
        else:
            current[key] = value
    names = [case["NAME"] for case in cases]
    for name in names:
        if names.count(name) > 1:
            raise CaseError(f"{path}: two cases are called {name}")
    return cases


def missing(case):
    for need in case["NEEDS"].split():
        if need == "root":
            if os.geteuid() != 0:
                return "needs root"
        else:
            raise CaseError(f"unknown need {need}")
    return ""


def run_script(script, environment, timeout):
    """The script's status, stdout and stderr; everything it started is ended with it."""
    with tempfile.TemporaryDirectory(prefix="scalediag-e2e-") as folder:
        process = subprocess.Popen(
            ["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
        try:
            out, err = process.communicate(timeout=timeout)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                out, err = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
            status = "timeout"
    return status, out, err


def complaints(case, status, out, err):
    found = []
    if str(status) != case["EXIT"]:
        found.append(f"exit status is {status}, expected {case['EXIT']}")
    for key, text in (("STDOUT", out), ("STDERR", err)):
        for expected in case[key]:
            if expected not in text:
                found.append(f"{key} does not contain: {expected}")
        for unwanted in case["NOT_" + key]:
            if unwanted in text:
                found.append(f"{key} contains: {unwanted}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("name", nargs="?")
    parser.add_argument("--list", action="store_true", help="print NAME:PROCESSORS:MPI... of every case")
    parser.add_argument("--mpi", default="", help="the MPI to run the case with")
    options = parser.parse_args()
    cases = parse_cases(options.file)
    if options.list:
        for case in cases:
            print(":".join([case["NAME"], "2" if case["ALONE"] else "1", *case["MPI"].split()]))
        return 0
    case = next((c for c in cases if c["NAME"] == options.name), None)
    if case is None:
        raise CaseError(f"{options.file} has no case {options.name}")
    if reason := missing(case):
        print("skipped:", reason)
        return SKIPPED

    here = pathlib.Path(__file__).resolve().parent
    environment = dict(os.environ, MPI=options.mpi, E2E=str(here), PYTHON=sys.executable)
    # Variables of the caller's shell must not change what is tested.
    for variable in ("LD_PRELOAD", "SCALEDIAG_LIBRARY_DIR", "SLURM_JOB_ID", "NO_COLOR", "PYTHONPATH"):
        environment.pop(variable, None)
    script = "\n".join([f'. "{here}/helpers.sh"', *case["RUN"]])
    status, out, err = run_script(script, environment, SLOWEST * float(case["TIMEOUT"]))
    if status == SKIPPED:
        print("skipped:", out.strip())
        return SKIPPED
    found = complaints(case, status, out, err)
    if found:
        print("\n".join(found))
        print("--- script\n" + "\n".join(case["RUN"]))
        print("--- stdout\n" + out)
        print("--- stderr\n" + err)
        return 1
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CaseError as error:
        sys.exit(f"error: {error}")
