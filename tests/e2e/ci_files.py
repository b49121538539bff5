#!/usr/bin/env python3
"""Checks the files that `scalediag check` writes for CI against what their formats ask for.

    ci_files.py junit|openmetrics|sarif FILE

junit: the elements and attributes that GitLab reads (https://docs.gitlab.com/ci/testing/unit_test_reports/).
openmetrics: a parser of the text format 1.0 as its specification's ABNF has it, as far as gauges need it.
sarif: what SARIF 2.1.0 requires of the members that are written.
Prints one line of what it found; exit status 1 with the reason where a file is not valid.
"""
import json
import re
import sys
import xml.etree.ElementTree as xml


def fail(reason):
    sys.exit("invalid: " + reason)


def check_junit(text):
    root = xml.fromstring(text)
    if root.tag != "testsuites":
        fail("the root is " + root.tag)
    known = {"failure": {"message", "type"}, "skipped": {"message"}, "error": {"message", "type"}, "system-out": set()}
    counts = {"tests": 0, "failures": 0, "skipped": 0, "errors": 0}
    for suite in root:
        if suite.tag != "testsuite" or "name" not in suite.attrib:
            fail("testsuites hold named testsuite elements")
        for case in suite:
            if case.tag != "testcase":
                fail("a testsuite holds " + case.tag)
            if not set(case.attrib) <= {"name", "classname", "file", "time"} or not {"name", "classname"} <= set(case.attrib):
                fail("attributes of a testcase: %s" % sorted(case.attrib))
            float(case.attrib["time"])
            for part in case:
                if part.tag not in known or not set(part.attrib) <= known[part.tag]:
                    fail("a testcase holds %s %s" % (part.tag, sorted(part.attrib)))
            tags = [part.tag for part in case]
            counts["tests"] += 1
            counts["failures"] += tags.count("failure")
            counts["skipped"] += tags.count("skipped")
        if {name: int(suite.attrib[name]) for name in counts} != counts:
            fail("the suite counts %s, and there are %s" % (suite.attrib, counts))
    return "%(tests)d cases, %(failures)d failures, %(skipped)d skipped" % counts


NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
SAMPLE = re.compile(r"(%s)(?:\{((?:%s)(?:,%s)*)?\})? (\S+)(?: \S+)?" % (NAME, LABEL, LABEL))


def check_openmetrics(text):
    if not text.endswith("# EOF\n") or text.count("# EOF") != 1:
        fail("it does not end with # EOF")
    family, described, seen, families = None, set(), set(), {}
    for line in text[: -len("# EOF\n")].splitlines():
        if line.startswith("# "):
            kind, name, rest = (line[2:].split(" ", 2) + [""])[:3]
            if kind not in ("TYPE", "HELP", "UNIT") or not re.fullmatch(NAME, name):
                fail("descriptor " + line)
            if name != family and name in families:
                fail("family %s is interleaved" % name)
            if (kind, name) in described:
                fail("%s of %s twice" % (kind, name))
            if kind == "TYPE" and rest != "gauge":
                fail("type " + rest)
            described.add((kind, name))
            family = name
            families.setdefault(name, 0)
            continue
        sample = SAMPLE.fullmatch(line)
        if not sample:
            fail("sample " + line)
        name, labels, value = sample.groups()
        if name != family:
            fail("sample of %s in family %s" % (name, family))
        names = re.findall(r'([a-zA-Z_]\w*)="(?:[^"\\\n]|\\[\\"n])*"', labels or "")
        if len(names) != len(set(names)):
            fail("a label twice: " + line)
        if (name, labels) in seen:
            fail("the same sample twice: " + line)
        seen.add((name, labels))
        float(value)
        families[name] += 1
    return "%d families, %d samples" % (len(families), sum(families.values()))


def check_sarif(text):
    log = json.loads(text)
    if log["version"] != "2.1.0":
        fail("version")
    results = 0
    for run in log["runs"]:
        rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
        if not run["tool"]["driver"]["name"]:
            fail("the tool has no name")
        for result in run["results"]:
            results += 1
            if result["ruleId"] not in rules or result["level"] not in ("none", "note", "warning", "error"):
                fail("result %s" % result)
            if not result["message"]["text"]:
                fail("a message without text")
            for location in result.get("locations", []):
                place = location["physicalLocation"]
                if not re.fullmatch(r"(file:///)?[A-Za-z0-9%/._~-]+", place["artifactLocation"]["uri"]):
                    fail("uri " + place["artifactLocation"]["uri"])
                if place.get("region", {"startLine": 1})["startLine"] < 1:
                    fail("a line below 1")
    return "%d results" % results


CHECKS = {"junit": check_junit, "openmetrics": check_openmetrics, "sarif": check_sarif}
kind, path = sys.argv[1:]
with open(path, encoding="utf-8", newline="") as file:
    print(kind + ": " + CHECKS[kind](file.read()))
