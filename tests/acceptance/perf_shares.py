"""Shares of CPU time beside those of perf record, for the scripts that hold them against each other."""

import re

LIMIT = 0.01
SHOWN = 0.02


def bare(name):
    """The name without what the two may print differently: arguments, versions, clones, and aliases of one function."""
    name = re.sub(r"\.(isra|part|constprop)\.\d+", "", name.split("@")[0])
    depth = 0
    for i, c in enumerate(name):
        if c == "<":
            depth += 1
        elif c == ">":
            depth -= 1
        elif c == "(" and depth == 0 and i > 0 and not name[:i].endswith("operator"):
            name = name[:i]
            break
    name = name.lstrip("_")  # __cbrt is cbrt
    return {"cfree": "free"}.get(name, name)


def compare(ours, theirs, what):
    """Prints all that is above 2 % in either; returns 0 if none of it differs by more than 1 percentage point, else 1."""
    worst = 0
    print(f"{'scalediag':>10} {'perf':>10} {'points':>7}  {what}")
    both = {name: max(ours.get(name, 0), theirs.get(name, 0)) for name in {*ours, *theirs}}
    for name in sorted(both, key=lambda n: (-both[n], n)):
        if both[name] > SHOWN:
            points = 100 * (ours.get(name, 0) - theirs.get(name, 0))
            worst = max(worst, abs(points))
            print(f"{ours.get(name, 0):10.2%} {theirs.get(name, 0):10.2%} {points:+7.2f}  {name}")
    print(f"largest difference: {worst:.2f} percentage points (limit {100 * LIMIT:.0f})")
    return 0 if worst <= 100 * LIMIT else 1
