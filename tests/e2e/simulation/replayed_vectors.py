#!/usr/bin/env python3
"""Vectors as replayed ranks leave them, of the representatives that `scalediag groups --json` names: 1 us before each
event and after the last one. FOLDER/events.json has the number of events of each rank.

  replayed_vectors.py GROUPS.json TRACE-SUMMARY FOLDER
"""
import json
import pathlib
import re
import struct
import sys

groups, summary, folder = json.load(open(sys.argv[1])), open(sys.argv[2]).read(), pathlib.Path(sys.argv[3])
events = [int(n) for n in re.findall(r"^rank \d+ of .*?: (\d+) events", summary, re.M)]
(folder / "replay").mkdir(parents=True)
(folder / "events.json").write_text(json.dumps(events))
for rank in groups["representatives"]:
    n = events[rank] + 1
    (folder / "replay" / f"rank{rank:06d}.vector").write_bytes(
        f"scalediag-vector 1 {rank} {n}\n".encode() + struct.pack(f"<{n}d", *[1e-6] * n))
