"""The terminal, report.json and the page, read as a user would read them, say the same.

    agreement_test.py WRITE_REPORTS SCHEMA
"""

import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

WRITE_REPORTS = sys.argv[1]


class Tables(html.parser.HTMLParser):
    """Rows of cell texts of every table, by its caption; and the text of all scripts."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tables, self.caption, self.rows, self.cell, self.scripts, self.within = {}, None, [], None, [], []

    def handle_starttag(self, tag, attributes):
        self.within.append(tag)
        if tag == "table":
            self.caption, self.rows = "", []
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.cell = ""
        elif tag == "script":
            self.scripts.append([dict(attributes), ""])
        elif tag in ("meta", "link"):
            self.within.pop()

    def handle_endtag(self, tag):
        if tag in self.within:
            while self.within.pop() != tag:
                pass
        if tag in ("td", "th"):
            self.rows[-1].append(" ".join(self.cell.split()))
            self.cell = None
        elif tag == "table":
            self.tables[self.caption] = self.rows

    def handle_data(self, text):
        if "script" in self.within:
            self.scripts[-1][1] += text
        elif "caption" in self.within:
            self.caption += text
        elif self.cell is not None and "title" not in self.within:
            self.cell += text


def seconds(text, unit):
    return float(text) * {"s": 1, "ms": 1e-3, "us": 1e-6}[unit]


def digit_of(text):
    """The value of the last digit, which a number that is rounded differs from by no more."""
    number = text.rstrip("%")
    mantissa, _, exponent = number.partition("e")
    decimals = len(mantissa.partition(".")[2])
    zeros = 0 if decimals else len(mantissa) - len(mantissa.rstrip("0"))
    return 10.0 ** (int(exponent or 0) - decimals + zeros)


def unit_of(header):
    return re.search(r"\b(s|ms|us)$", header).group(1)


class AgreementTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([WRITE_REPORTS, folder, "example"], check=True)
            read = lambda kind: pathlib.Path(folder, "example." + kind).read_text()
            cls.json, cls.text, cls.page = json.loads(read("json")), read("txt"), Tables()
            cls.page.feed(read("html"))

    def targets(self):
        return [" ".join(f"{name}={value}" for name, value in t["at"].items()) for t in self.json["targets"]]

    def terminal_block(self, beginning):
        """The lines of cells of the table after a line that begins so."""
        lines = self.text.split("\n")
        start = next(i for i, line in enumerate(lines) if line.startswith(beginning))
        block = []
        for line in lines[start + 1:]:
            if not line.strip():
                break
            block.append(re.split(r"\s{2,}", line.strip()))
        return block

    def test_the_embedded_data_are_the_file(self):
        embedded = next(text for attributes, text in self.page.scripts if attributes.get("id") == "findings")
        self.assertEqual(json.loads(embedded), self.json)

    def test_totals_agree(self):
        table = next(rows for caption, rows in self.page.tables.items() if caption.startswith("Predicted run time"))
        head = table[0]
        unit = unit_of(head[head.index(next(h for h in head if h.startswith("run ")))])
        self.assertEqual(len(table) - 1, len(self.json["targets"]))
        for target, (name, row) in zip(self.json["targets"], [(r[0], r) for r in table[1:]]):
            self.assertEqual(name, " ".join(f"{k}={v}" for k, v in target["at"].items()))
            value = target["run_s"]["value"]
            self.assertAlmostEqual(seconds(row[1], unit), value, delta=0.51 * seconds(digit_of(row[1]), unit))
            self.assertAlmostEqual(float(row[-1].rstrip("%")), 100 * target["efficiency"], delta=0.51 * digit_of(row[-1]))
            self.assertAlmostEqual(float(row[-2]), target["speedup"], delta=0.51 * digit_of(row[-2]))
            # The terminal has the same digits in the same order.
            line = next(l for l in self.text.split("\n") if l.split()[:1] == [name])
            self.assertEqual(line.split()[1:], " ".join(row[1:]).split())

    def test_kernels_agree_at_every_target(self):
        for t, name in enumerate(self.targets()):
            page = next(rows for caption, rows in self.page.tables.items()
                        if caption.startswith(f"{name}: kernels by predicted time"))
            terminal = self.terminal_block(f"{name}: kernels by predicted time")[1:]
            terminal = [row for row in terminal if re.fullmatch(r"\d+", row[0].split()[0])]
            by_rank = {k["targets"]["rank"][t]: k for k in self.json["kernels"]}
            unit = unit_of(page[0][3])
            self.assertEqual(len(page) - 1, len(by_rank))
            self.assertEqual(len(terminal), len(by_rank))
            for row, line in zip(page[1:], terminal):
                kernel = by_rank[int(row[0])]
                at = lambda column: kernel["targets"][column][t]
                slowest = kernel["targets"]["slowest"]
                of_slowest = lambda column: at(column) if not slowest or slowest[column][t] is None else slowest[column][t]
                agree = lambda text, key, digits: self.assertAlmostEqual(
                    seconds(text, unit), of_slowest(key), delta=digits * seconds(digit_of(text), unit))
                self.assertIn(kernel["name"], row[2])
                agree(row[3], "value", 0.51)
                low, high = row[4].split(" - ")
                # Rounded outwards.
                agree(low, "low", 1.01)
                agree(high, "high", 1.01)
                self.assertAlmostEqual(float(row[5].rstrip("%")) / 100, at("share"), delta=6e-4)
                alone = at("cause") == "serial part" and at("slowest_is")
                self.assertEqual(row[7], (at("cause") or "") + (f", {alone} alone" if alone else ""))
                words = " ".join(line).split()
                # rank, was, time, low, "-", high, share
                self.assertEqual(words[:7], [row[0], row[1], row[3], low, "-", high, row[5]])
                self.assertIn(kernel["name"], " ".join(line))

    def test_efficiencies_agree(self):
        page = next(rows for caption, rows in self.page.tables.items() if rows[0][1:2] == ["parallel efficiency"])
        keys = ["parallel_efficiency", "load_balance", "communication_efficiency", "computation_scalability",
                "instruction_scalability", "ipc_scalability"]
        self.assertEqual(len(page) - 1, len(self.json["efficiencies"]))
        for row, e in zip(page[1:], self.json["efficiencies"]):
            self.assertEqual(len(row) - 1, len(keys))
            for text, key in zip(row[1:], keys):
                if e[key] is None:
                    self.assertEqual(text, "-")
                else:
                    self.assertAlmostEqual(float(text.rstrip("%")) / 100, e[key], delta=6e-4)
            line = next(l for l in self.text.split("\n") if l.split()[:1] == [row[0].split()[0]] and l.count("%") >= 3
                        and l.split()[1:2] in ([row[1]], ["*"]))
            self.assertEqual([w for w in line.split() if w.endswith("%") or w == "-"], row[1:])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
