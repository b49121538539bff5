#!/usr/bin/env python3
"""callgrind_totals.py PROFILE CALLGRIND-FILE OBJECT METRICS FUNCTION...: are a profile's counts callgrind's own?

callgrind_annotate, which comes with valgrind, adds up the file by function. METRICS is "counts" (instructions, loads,
stores) or "all" (the cache levels, too). Prints both and exits with 1 where the last run of the profile has anything else
for one of the functions of the object (a file name).
"""
import json
import re
import subprocess
import sys

# The rules of collector/counters/README.md.
COUNTS = {"instructions": {"Ir": 1}, "loads": {"Dr": 1}, "stores": {"Dw": 1}}
LEVELS = {
    "l1_hits": {"Dr": 1, "Dw": 1, "D1mr": -1, "D1mw": -1},
    "llc_hits": {"D1mr": 1, "D1mw": 1, "DLmr": -1, "DLmw": -1},
    "memory_accesses": {"DLmr": 1, "DLmw": 1},
    "l1i_misses": {"I1mr": 1},
}


def totals_of(path, object_name):
    """{function: {event: total of its own code}}"""
    text = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", "--show-percs=no", path],
                          check=True, capture_output=True, text=True).stdout
    events = re.search(r"^Events shown: +(.*)$", text, re.MULTILINE).group(1).split()
    line = re.compile(r"^\s*((?:(?:[\d,]+|\.)\s+){%d})\S*?:(.*?) \[(.*)\]$" % len(events), re.MULTILINE)
    functions = {}
    for numbers, function, where in line.findall(text):
        if where.rsplit("/", 1)[-1] != object_name:
            continue
        # Compilers clone functions ("f.constprop.0"), and callgrind separates depths of recursion ("f'2").
        function = re.split(r"[.']", function)[0]
        totals = functions.setdefault(function, dict.fromkeys(events, 0))
        for event, number in zip(events, numbers.split()):
            totals[event] += 0 if number == "." else int(number.replace(",", ""))
    return functions


def main():
    profile, path, object_name, which, *functions = sys.argv[1:]
    with open(profile) as f:
        run = json.load(f)["runs"][-1]
    ours = {k["name"]: k["metrics"] for k in run["kernels"] if k["module"] == object_name}
    theirs = totals_of(path, object_name)
    differences = 0
    for function in functions:
        for metric, events in {**COUNTS, **(LEVELS if which == "all" else {})}.items():
            total = sum(weight * theirs[function][event] for event, weight in events.items())
            print(f"{function} {metric}: {ours[function][metric]['sum']:.0f}, callgrind {total}")
            differences += ours[function][metric]["sum"] != total
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
