#!/usr/bin/env python3
"""Do the pages to which hints send people name every field of the files that may be written by hand?

  documented_fields_test.py SOURCES
"""

import json
import pathlib
import re
import sys

PAGES = {
    "loggp/network/network.schema.json": "docs/network.md",
    "core/experiment/machine.schema.json": "docs/machine.md",
}


def fields_of(schema):
    """The names of all properties, and the choices of those that have some."""
    if isinstance(schema, list):
        return set().union(*map(fields_of, schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    found = set(schema.get("properties", {})) | {e for e in schema.get("enum", []) if isinstance(e, str)}
    return found.union(*(fields_of(value) for value in schema.values())) if schema else found


def main():
    sources = pathlib.Path(sys.argv[1])
    missing = []
    for schema, page in PAGES.items():
        text = (sources / page).read_text()
        named = set(re.findall(r"`([^`\n]+)`", text)) | set(re.findall(r'"([A-Za-z_]+)"', text))
        fields = fields_of(json.loads((sources / schema).read_text()))
        assert len(fields) > 10, schema
        missing += [f"{page} does not name {field}" for field in sorted(fields - named)]
    print("\n".join(missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
