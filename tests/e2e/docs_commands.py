#!/usr/bin/env python3
"""Prints the commands of a CI example in docs/check.md, one a line.

    docs_commands.py gitlab|github

gitlab: the lines of `script:`; github: those of `run:`. Lines of the example are indented by four blanks.
"""
import pathlib
import re
import sys

text = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "check.md").read_text()
block = text[text.index({"gitlab": "GitLab, in ", "github": "GitHub, in "}[sys.argv[1]]):]
lines = []
for line in block.split("\n")[2:]:
    if line.startswith("    "):
        lines.append(line[4:])
    elif lines and line.strip():
        break
if sys.argv[1] == "github":
    commands = [re.sub(r"^- run: ", "", line) for line in lines if line.startswith("- run: ")]
else:
    commands = []
    inside = False
    for line in lines:
        if not inside:
            inside = line.strip() == "script:"
        elif line.startswith("    - "):
            commands.append(line[6:])
        elif line.startswith("      "):
            commands[-1] += " " + line.strip()
        else:
            break
print("\n".join(commands))
