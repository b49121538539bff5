"""Every number of a scaling section is in `predict --json`, `show --json` or `advise --json` of the same experiment.

    section_numbers.py SECTION.md PREDICT.json SHOW.json ADVISE.json EXPERIMENT.json [RUN.json]

PREDICT.json is of the section's targets and region; RUN.json the same without --region, whose verdict a section of a
region has. A cell has to be the JSON's value, rounded as the cell is; the times of measured rows with a core for each rank
also follow from the runs that `show` gives: the mean over repeats of total_s - others_s, or of the main loop. The verdict's
numbers have to be those of the kernels, waits and backtest of the target that it names. Every other number of the text has
to be in the tables, efficiencies and choices of the documents, or be part of a command or of a fixed sentence. The facts of
the method have to be those of the experiment.
"""
import json
import re
import sys

text = open(sys.argv[1]).read()
predict, show, advise, experiment = (json.load(open(f)) for f in sys.argv[2:6])
run = json.load(open(sys.argv[6])) if len(sys.argv) > 6 else predict
UNITS = {"s": 1, "ms": 1e3, "us": 1e6}
BYTES = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
problems = []
checked = 0


def tables(markdown):
    for block in re.findall(r"(?:^\|.*\n)+", markdown, re.M):
        rows = [[c.strip().strip("*").replace("\\", "") for c in line.strip().strip("|").split(" | ")]
                for line in block.splitlines()]
        yield [c.strip("| ") for c in rows[0]], [[c.strip("|* ") for c in r] for r in rows[2:]]


def agrees(shown, value, factor=1.0):
    """Whether `shown` is value x factor, rounded to as many digits as it has."""
    match = re.fullmatch(r"(-?[\d.]+(?:e-?\d+)?)(?:%| ?(?:B|kB|MB|GB|TB|s|ms|us))?", shown)
    if not match or value is None:
        return shown == "-" and value is None
    number = match[1]
    mantissa, _, exponent = number.partition("e")
    decimals = len(mantissa.partition(".")[2])
    step = 10.0 ** (int(exponent or 0) - decimals)
    return abs(float(number) - value * factor) <= 0.5001 * step + 1e-12


def hold(what, shown, value, factor=1.0):
    global checked
    checked += 1
    if not agrees(shown, value, factor):
        problems.append(f"{what}: the section has {shown}, JSON has {value}")


def hold_interval(what, shown, estimate, factor=1.0):
    if estimate is None or (estimate["low"] is None and estimate["high"] is None):
        return hold(what, shown, None)
    if estimate["high"] is None:
        return hold(what, shown.removeprefix("above "), estimate["low"], factor)
    low, _, high = shown.partition(" - ")
    hold(what, low, estimate["low"], factor)
    hold(what, high, estimate["high"], factor)


def value_of(estimate):
    return None if estimate is None else estimate["value"]


def size(what, shown, value):
    unit = shown.rpartition(" ")[2]
    hold(what, shown, value, 1 / BYTES.get(unit, 1))


(table,) = predict["scaling_tables"]
by_np = {row["at"]["np"]: row for row in table["rows"]}
seen = set()
for titles, rows in tables(text):
    for cells in rows:
        row = dict(zip(titles, cells))
        if "from" in titles:
            known = by_np[int(row["processes"])]
            seen.add(int(row["processes"]))
            what = f"np={row['processes']}"
            for i, title in enumerate(titles):
                if title == "90 % interval":
                    before = titles[i - 1]
                    field = "speedup" if before == "speed-up" else "time_s"
                    unit = re.search(r"\[(\w+)\]", before)
                    hold_interval(what, cells[i], known[field], UNITS[unit[1]] if unit else 1)
                elif title in ("nodes", "nodes needed"):
                    hold(what, cells[i], known["nodes"])
                elif title == "cores":
                    hold(what, cells[i], known["cores"])
                elif title == "speed-up":
                    hold(what, cells[i], value_of(known["speedup"]))
                elif title in ("efficiency", "CPU-time efficiency"):
                    hold(what, cells[i], value_of(known["efficiency"]), 100)
                elif title.startswith(("time [", "CPU time a rank [", "main loop [")):
                    factor = UNITS[re.search(r"\[(\w+)\]", title)[1]]
                    of_loop = title.startswith("main loop")
                    in_table = known["loop_s"] if of_loop and not table["region"] else known["time_s"]["value"]
                    hold(what, cells[i], in_table, factor)
                    runs = [r for r in show["runs"] if r["np"] == int(row["processes"]) and r["complete"]]
                    if not known["predicted"] and table["clock"] == "wall" and in_table is not None:
                        times = [next(g["elapsed_s"]["mean"] for g in r["regions"] if g["name"] == "main-loop")
                                 if of_loop else r["total_s"] - r["others_s"] for r in runs]
                        hold(what + " by show", cells[i], sum(times) / len(times), factor)
                elif title == "its efficiency":
                    hold(what, cells[i], known["loop_efficiency"], 100)
                elif title.startswith(("start, end", "rest of the job")):
                    hold(what, cells[i], value_of(known["start_end_s"]), UNITS[re.search(r"\[(\w+)\]", title)[1]])
                elif title == "node-hours":
                    hold(what, cells[i], value_of(known["node_hours"]))
                elif title.startswith("core-hours"):
                    hold(what, cells[i], value_of(known["core_hours"]))
                elif title == "from":
                    if not known["predicted"]:
                        hold(what, re.search(r"\d+", cells[i])[0], len([r for r in show["runs"] if r["np"] == int(
                            row["processes"]) and r["complete"]]))
                elif title != "processes":
                    problems.append(f"no check for the column {title}")
        elif "load balance" in titles:
            np = int(re.match(r"np=(\d+)", row["at"])[1])
            known = next(e for e in predict["efficiencies"] if e["at"]["np"] == np)
            for title, field in {"parallel efficiency": "parallel_efficiency", "load balance": "load_balance",
                                 "communication": "communication_efficiency",
                                 "computation scalability": "computation_scalability"}.items():
                hold(f"np={np} {title}", row[title], known[field], 100)
        elif "memory of a rank" in titles:
            known = by_np[int(row["processes"])]
            what = f"np={row['processes']} memory and files"
            runs = [r for r in show["runs"] if r["np"] == int(row["processes"]) and r["complete"]]
            size(what, row["memory of a rank"], max(r["memory_peak_bytes"]["max"] for r in runs))
            size(what, row["memory of a node"], known["memory_node_bytes"])
            size(what, row["read"], known["read_bytes"])
            size(what, row["written"], known["written_bytes"])
if seen != set(by_np):
    problems.append(f"the section has rows {sorted(seen)}, predict has {sorted(by_np)}")

def numbers_in(value):
    if isinstance(value, dict):
        return {n for v in value.values() for n in numbers_in(v)}
    if isinstance(value, list):
        return {n for v in value for n in numbers_in(v)}
    return {float(value)} if isinstance(value, (int, float)) and not isinstance(value, bool) else set()


PROSE_UNITS = {"%": 100, "s": 1, "ms": 1e3, "us": 1e6, "µs": 1e6, "ns": 1e9, "min": 1 / 60, "h": 1 / 3600}


def hold_prose(where, prose, numbers, words=()):
    """Each number of the prose, in the unit that stands behind it or behind the end of its range, is one of `numbers`, or
    as written one of `words`."""
    global checked
    for found in re.finditer(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\d)", prose):
        checked += 1
        shown = found[0]
        unit = re.match(r"(?:\s*%?\s*(?:-|to|and)\s+\d[\d.]*)?\s*(%|min\b|ms\b|us\b|µs\b|ns\b|s\b|h\b)", prose[found.end():])
        factor = PROSE_UNITS[unit[1]] if unit else 1
        if shown not in words and not any(agrees(shown, n, factor) for n in numbers):
            problems.append(f"{shown} ({unit[1] if unit else 'no unit'}) is in {where} and in no document: {prose}")


def verdict_numbers(at, sentence):
    """The numbers that the verdict may name, and it without the names of kernels, which have numbers of their own."""
    target = next(t for t in run["targets"] if t["at"] == at)
    judged = [k for k in target["kernels"] if k["matters"]]
    stopping = [k for k in judged if k["scales"] is False]
    undecided = [k for k in judged if k["scales"] is None and k["exponent"] is not None]
    numbers = {k[field] for k in target["kernels"] for field in ("share", "stops_at") if k[field] is not None}
    numbers |= {len(stopping) - 2.0, len(undecided) - 1.0, float(len(undecided))}
    whole = target["run_s"]["value"]
    numbers |= {target[part]["value"] / whole for part in ("waiting_s", "unattributed_s") if target[part]}
    numbers |= numbers_in([target["others_s"], at, run["base"]])
    for kernel in sorted(target["kernels"], key=lambda k: -len(k["name"])):
        sentence = sentence.replace(kernel["name"], "")
    return numbers, sentence


prose = text.partition("## Method")[0]
prose = re.sub(r"^\|.*\n", "", prose, flags=re.M)
prose = re.sub(r"`.*?`", "", prose).replace("\\", "")  # commands
verdicts = 0
for line in re.findall(r"^(?:At |Of whole runs, at )np=.*\n", prose, flags=re.M):
    verdicts += 1
    at = {name: float(value) for name, value in re.findall(r"(\w+)=([\d.]+)", line.partition(":")[0])}
    limit, _, certain = line.partition(":")[2].partition("Backtest: ")
    numbers, limit = verdict_numbers(at, limit.replace("at least 2%", ""))
    hold_prose("the verdict", limit, numbers)
    test = predict["backtest"]
    numbers = {abs(n) for n in numbers_in(test)} | {
        row["at"]["np"] / max(m["np"] for m in predict["measured"]) for row in table["rows"]}
    if test["possible"]:
        numbers.add(test["scale"] / max(test["from"]))
    hold_prose("the verdict's last sentence", certain, numbers)
    prose = prose.replace(line, "")
tells_nothing = advise["trust"]["grade"] == "nothing can be concluded"
if verdicts != (0 if tells_nothing else 1):
    problems.append(f"there are {verdicts} verdicts")
for fixed in ("90 % interval", "above 100 %", "at least 4,", "on 1, 2, 4 and 8 nodes",
              "in a job of 8 nodes"):
    prose = prose.replace(fixed, "")
known = numbers_in([table, advise["trust"], predict["efficiencies"], predict["measured"], advise["problems"], run["cpu_time_leaves_out"]])
known |= {abs(n) for n in known}
known.add(float(len([r for r in table["rows"] if not r["predicted"]])))
# Sentences that the documents have as well.
said = [run[key] or "" for key in ("scaling_reason", "scaling_contradiction", "clock_reason")]
said += [w for r in show["runs"] for w in r["warnings"]]
words = {n for sentence in said for n in re.findall(r"\d+(?:\.\d+)?", sentence)}
# Of the runs that a note is about three are named, and "5 more".
words |= {str(n - 3) for n in range(4, len(show["runs"]) + 1)}
hold_prose("a sentence", prose, known, words)



def joined(values):
    return ", ".join(sorted(set(values)))


host, complete = experiment["host"], [r for r in show["runs"] if r["complete"]]
FACTS = {
    "command": " ".join(experiment["command"]),
    "executable": experiment["executable"],
    "folder": experiment["working_directory"],
    "launcher": experiment["launcher"],
    "kernel": host["kernel"],
    "measured": experiment["created"],
    "scalediag": experiment["scalediag_version"],
    "MPI": joined(r["mpi_library"] for r in complete),
    "clock": "; ".join(dict.fromkeys(f"{r['clock']}: {r['clock_reason']}" for r in complete)),
    "threads": f"up to {max(r['threads_max'] for r in complete)} at once in a rank",
    "sampler": joined(f"{r['sampler']}, {r['sampling_rate_hz']:.3g} samples a second" for r in complete),
    "counters": f"{complete[0]['counters']}, time only ({complete[0]['counters_reason']})",
}
method = text.partition("## Method")[2]
for name, shown in re.findall(r"^\| ([^|]+?) \| (.+?) \|$", method, flags=re.M):
    shown = shown.replace("\\", "")
    if name == "host":
        cores, memory = re.fullmatch(re.escape(f"{host['name']}, {host['cpu']}, ") + r"(\d+) cores, ([\d.]+) GB of memory",
                                     shown).groups()
        hold("the host's cores", cores, host["cores"])
        hold("the host's memory", memory, host["memory_bytes"], 1e-9)
    elif name == "hosts":
        if shown != host["name"]:
            problems.append(f"hosts are {shown}, the experiment has {host['name']}")
    else:
        checked += 1
        if shown != FACTS.get(name):
            problems.append(f"{name} is {shown}, the experiment has {FACTS.get(name)}")
if "\n| command |" not in method:
    problems.append("the method has no facts")

for problem in problems:
    print(problem)
print(f"{checked} numbers, {len(problems)} wrong" if checked > 20 else "too few numbers were found")
sys.exit(bool(problems) or checked <= 20)
