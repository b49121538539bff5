#!/usr/bin/env python3
"""Profiles programs into which one cause was planted at 2 to 16 ranks, and holds what predict says of 64 and 1024
against it.

  tests/acceptance/planted.py SCALEDIAG FOLDER-OF-PROGRAMS [CASE...] [--verbose]

FOLDER-OF-PROGRAMS holds planted_c, planted_fortran and planted_hybrid (<build>/tests/acceptance/openmpi);
planted/planted.c says what they do. A case is for example c:serial. Exit status: 0 where each planted cause is named at
both scales and nothing else is accused.
"""
import argparse
import os
import sys

from verdicts import IMBALANCE, LATENCY, ROOTED, SERIAL, THREADS, WORK, wrong_verdicts

# The kernel that has to be named with its cause, and those that may be named besides: the other end of the planted
# messages. Of work that replicated and scaling callers share in one helper, only a claim that it scales is wrong.
CAUSES = {
    "serial": ([(["write_summary"], [SERIAL])], []),
    "root_sends": ([(["MPI_Send"], [ROOTED])], ["MPI_Recv"]),
    "root_receives": ([(["MPI_Recv"], [ROOTED])], ["MPI_Send"]),
    "imbalance": ([(["refine"], [IMBALANCE])], []),
    "replicated": ([(["build_table"], [WORK])], []),
    "helper": ([], ["relax"]),
    "threads_wait": ([], []),
    "threads_idle": ([(["update_boundary"], [WORK]), (["[OpenMP waiting]"], [THREADS])], []),
}
LANGUAGES = {
    "c": ["serial", "root_sends", "root_receives", "imbalance", "replicated", "helper"],
    "fortran": ["serial", "root_sends", "root_receives", "imbalance", "replicated"],
    "hybrid": ["serial", "root_sends", "imbalance", "replicated", "threads_wait", "threads_idle"],
}


def may_be_accused(language, name, parts):
    """The planted kernel, the other end of its messages, the one collective whose cost does grow with the ranks, and
    threads that are idle while the first one of a rank does what was planted or waits for other ranks."""
    if language == "hybrid" and name != "threads_wait":
        parts = [*parts, "[OpenMP waiting]"]
    waits = [IMBALANCE, SERIAL] if name in ("serial", "imbalance") else []
    return lambda k: any(part in k["name"] for part in parts) or (
        k["name"] == "MPI_Allreduce" and k["cause"] in [LATENCY, "", *waits])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag")
    parser.add_argument("folder")
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    good = True
    for case in options.cases or [f"{language}:{cause}" for language, causes in LANGUAGES.items() for cause in causes]:
        language, cause = case.split(":")
        stops, others = CAUSES[cause]
        parts = [part for alternatives, _ in stops for part in alternatives] + others
        wrong = wrong_verdicts(options.scalediag, [os.path.join(options.folder, "planted_" + language), cause], "2,4,8,16", [64, 1024],
                               stops, innocent=[], threads=2 if language == "hybrid" else 1, verbose=options.verbose,
                               accused_at_all=may_be_accused(language, cause, parts),
                               undecided=["relax"] if cause == "helper" else [])
        print(f"{case}: {'named, nothing else accused' if not wrong else '; '.join(wrong)}", flush=True)
        good = good and not wrong
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
