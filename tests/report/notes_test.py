#!/usr/bin/env python3
"""The notes that first screens know (report/render/text/first/doubts.cpp) are notes that the program writes: the words by
which each is recognised stand in a text of another source. A note that is reworded has to be reworded there, too. What
is said in their place fits into a line after "warning: ".

  tests/report/notes_test.py ROOT-OF-THE-SOURCES
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
table = root / "report/render/text/first/doubts.cpp"
known = re.findall(r'^    \{"([^"]+)", Harm::', table.read_text(), re.M)
texts = []
for room in ("report", "cli", "fit", "predict", "core", "collector"):
    for source in (root / room).rglob("*.cpp"):
        if source != table:
            # Adjacent texts are one; what stands between two with a plus is not known.
            texts.append(re.sub(r'"\s*\n\s*"', "", source.read_text()))
unknown = [words for words in known if not any(words in text for text in texts)]
for words in unknown:
    print(f"no source writes a note with '{words}'")
briefs = re.findall(r'^    \{"[^"]+", Harm::k\w+,\s*"([^"]*)"', table.read_text(), re.M)
long = [brief for brief in briefs if len(brief) > 100 - len("warning: ")]
for brief in long:
    print(f"longer than a line: '{brief}'")
print(f"{len(known)} known notes")
sys.exit(1 if unknown or long or len(briefs) != len(known) or len(known) < 10 else 0)
