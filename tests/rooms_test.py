#!/usr/bin/env python3
"""Holds the includes of all rooms against the table of HACKING.md: what is not listed there may not be included.

  tests/rooms_test.py ROOT-OF-THE-SOURCES
"""
import pathlib
import re
import sys


def allowed_by_room(root):
    """{"collector/merge/": ["core/", "collector/counters/events.h"]}; "/" at the end: any header below."""
    allowed = {}
    for line in (root / "HACKING.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and re.match(r"`[\w-]+/", cells[0]):
            for room in re.findall(r"`([^`]+)`", cells[0]):
                allowed[room] = re.findall(r"`([^`]+)`", cells[2])
    return allowed


def wrong_includes(root, room, allowed):
    for source in sorted((root / room).rglob("*")):
        if source.suffix not in (".h", ".cpp", ".c"):
            continue
        for number, line in enumerate(source.read_text().splitlines(), 1):
            include = re.match(r'#include "([^"]+)"', line)
            if include and not any(include[1] == a or a.endswith("/") and include[1].startswith(a) for a in [room, *allowed]):
                yield f"{source.relative_to(root)}:{number}: {room} may not include {include[1]}"


def main():
    root = pathlib.Path(sys.argv[1])
    allowed = allowed_by_room(root)
    rooms = {f"{path.parent.relative_to(root)}/" for top in ("core", "pmpi-comm", "collector", "fit", "loggp", "report", "cli")
             for path in (root / top).rglob("CMakeLists.txt")}
    wrong = [f"HACKING.md has no row for {room}" for room in sorted(rooms - {"collector/"})
             if not any(room.startswith(listed) for listed in allowed)]
    for room in allowed:
        wrong += wrong_includes(root, room, allowed[room])
    print("\n".join(wrong) or f"{len(allowed)} rooms include what HACKING.md says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
