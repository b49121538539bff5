#!/usr/bin/env python3
"""The house in order: the includes of all rooms against the table of HACKING.md (what is not listed there may not be
included), no files that include each other in a circle, no folder with more than 30 files, and the header of its name
for every .cpp.

  tests/rooms_test.py ROOT-OF-THE-SOURCES
"""
import os
import pathlib
import re
import sys

TOPS = ("core", "pmpi-comm", "collector", "fit", "loggp", "predict", "report", "cli")
MOST_FILES = 30
# Sources without a header of their own: programs, exported functions, and what one header declares for all of its
# kind: subcommands (cli/command.h) and sections of a page (sections.h).
NO_HEADER = (r"cli/main|cli/commands(/\w+_command)?|report/render/html/\w+_section|"
             r"collector/inject/interposing/interpose\w*|collector/inject/replaying/replay_library|"
             r"pmpi-comm/replay/exports(_system)?|pmpi-comm/wrappers/(lifecycle|wrappers_\w+)")


# A room may include those of lower rooms, but not what makes their models or runs their simulations.
NOT_INCLUDED = {"report/": ("fit/application/application.h", "fit/curves/fit.h", "loggp/simulator/simulator.h",
                            "loggp/simulator/operation_cost.h")}


def allowed_by_room(root):
    """{"collector/merge/": ["core/", "collector/counters/events.h"]}; "/" at the end: any header below."""
    allowed = {}
    for line in (root / "HACKING.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and re.match(r"`[\w-]+/", cells[0]):
            for room in re.findall(r"`([^`]+)`", cells[0]):
                allowed[room] = re.findall(r"`([^`]+)`", cells[2])
    return allowed


def includes_of(root):
    """{"fit/data/observations.h": [(12, "core/result.h"), ...]} of all sources."""
    return {str(source.relative_to(root)): [(number, include[1])
                                            for number, line in enumerate(source.read_text().splitlines(), 1)
                                            if (include := re.match(r'#include "([^"]+)"', line))]
            for top in TOPS for source in sorted((root / top).rglob("*")) if source.suffix in (".h", ".cpp", ".c")}


def wrong_includes(includes, room, allowed):
    for source in includes:
        if source.startswith(room):
            for number, included in includes[source]:
                if included in NOT_INCLUDED.get(room, ()):
                    yield f"{source}:{number}: {room} may not include {included}: it runs no model and no simulation"
                if not any(included == a or a.endswith("/") and included.startswith(a) for a in [room, *allowed]):
                    yield f"{source}:{number}: {room} may not include {included}"


def circles(includes):
    """Units (a header and its source) from which a way of includes leads back to them."""
    graph = {}
    for source in includes:
        unit = os.path.splitext(source)[0]
        graph.setdefault(unit, set()).update(os.path.splitext(included)[0] for _, included in includes[source])
    for unit in sorted(graph):
        reached, border = {}, {to: unit for to in graph[unit] - {unit}}
        while border:
            reached.update(border)
            border = {to: via for via in border for to in graph.get(via, ()) if to not in reached and to != via}
        if unit in reached:
            way = [unit]
            while (before := reached[way[-1]]) != unit:
                way.append(before)
            yield "files include each other in a circle: " + " <- ".join([*way, unit])


def main():
    root = pathlib.Path(sys.argv[1])
    allowed = allowed_by_room(root)
    includes = includes_of(root)
    rooms = {f"{path.parent.relative_to(root)}/" for top in TOPS for path in (root / top).rglob("CMakeLists.txt")}
    wrong = [f"HACKING.md has no row for {room}" for room in sorted(rooms - {"collector/"})
             if not any(room.startswith(listed) for listed in allowed)]
    for room in allowed:
        wrong += wrong_includes(includes, room, allowed[room])
    wrong += circles(includes)
    for top in (*TOPS, "tests"):
        for folder, _, files in os.walk(root / top):
            if len(files) > MOST_FILES:
                wrong.append(f"{os.path.relpath(folder, root)} has {len(files)} files, more than {MOST_FILES}")
    for source in includes:
        unit, ending = os.path.splitext(source)
        # A class may fill several files: trace_recorder_calls.cpp has a part of trace_recorder.h.
        names = [unit[:end.start()] for end in re.finditer(r"_|$", unit)]
        if ending == ".cpp" and not any(f"{name}.h" in includes for name in names) and not re.fullmatch(NO_HEADER, unit):
            wrong.append(f"{source} has no header of its name")
    print("\n".join(wrong) or f"{len(allowed)} rooms include what HACKING.md says, without circles")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
