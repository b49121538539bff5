"""A network of known latency and bandwidth on this machine, by a tool `testnet` (up N LATENCY_US RATE_MBIT, mpirun
ARGS..., down) whose hosts are joined by software, and the programs that are run on it."""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile

_idle_ranks = None


def run(command, **more):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command[:12]))} exited with {result.returncode}: {result.stderr[-1500:]}")
    return result.stdout


def let_waiting_ranks_sleep():
    """Builds idle_ranks.c, and preloads it into all that is started from here on."""
    global _idle_ranks
    if _idle_ranks:
        return
    _idle_ranks = tempfile.NamedTemporaryFile(prefix="idle-ranks-", suffix=".so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "idle_ranks.c")
    run(["gcc", "-O2", "-shared", "-fPIC", "-o", _idle_ranks.name, source])
    os.environ["LD_PRELOAD"] = ":".join(filter(None, [_idle_ranks.name, os.environ.get("LD_PRELOAD")]))


@contextlib.contextmanager
def network(testnet, hosts, latency_us, rate_mbit):
    let_waiting_ranks_sleep()
    run([testnet, "up", str(hosts), str(latency_us), str(rate_mbit)])
    try:
        yield
    finally:
        run([testnet, "down"])


def launcher(testnet):
    """For `scalediag --launcher`. Without mpi_preconnect_mpi: Open MPI 4.1 with it looks at its sockets only every 10 ms
    in about every third run, and with mpi_event_tick_rate against that, small messages take up to twice as long."""
    return f"{testnet} mpirun -n {{np}} {{command}}"


def split_commands(words):
    """Options, and the commands behind each "--"."""
    parts = [[]]
    for word in words:
        if word == "--":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts[0], parts[1:]


def profile(options, experiment, command, *more):
    """Runs the command on the network with elapsed times, in the experiment's folder, where its inputs lie."""
    run([options.scalediag, "profile", "-n", str(options.np), "--launcher", launcher(options.testnet), "--mpi", "openmpi",
         "--counters", "none", "--clock", "wall", "--sampler", "none", "-o", experiment, *more, "--", *command],
        cwd=os.path.dirname(experiment))
    return experiment


def elapsed_s(options, experiment):
    """Seconds between MPI_Init and MPI_Finalize, of each run."""
    shown = json.loads(run([options.scalediag, "show", experiment, "--json"]))
    return [r["total_s"] - r["others_s"] for r in shown["runs"] if r["complete"]]


def measure_parameters(scalediag, testnet, hosts, output, *arguments):
    """Writes network.json; `hosts` ranks are started: two measure messages, all exchange some."""
    run([scalediag, "network", "--launcher", launcher(testnet), "--mpi", "openmpi", "--np", str(hosts), "-o", output, *arguments])
    with open(output, encoding="utf-8") as file:
        return json.load(file)


def times(testnet, program, ranks, what, repeats, sizes, calls=None):
    """Seconds by bytes: the median of the repeats, and the spread (largest - smallest) / median."""
    middle = [str(repeats)] + ([str(calls)] if calls else [])
    text = run([testnet, "mpirun", "-n", str(ranks), os.path.abspath(program), what, *middle, *map(str, sizes)])
    by_size = {}
    for line in text.splitlines():
        size, seconds = line.split()
        by_size.setdefault(int(size), []).append(float(seconds))
    return {size: (statistics.median(values), (max(values) - min(values)) / statistics.median(values))
            for size, values in by_size.items()}


def parser_of(doc, hosts, largest="131072"):
    """The options that all scripts of programs have. `largest`: bytes of the largest message that is measured."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("scalediag", "testnet"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--np", type=int, default=hosts)
    parser.add_argument("--latency-us", type=int, default=10000)
    parser.add_argument("--rate-mbit", type=int, default=40)
    parser.add_argument("--largest", default=largest, help="bytes of the largest message that is measured")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--network", type=os.path.abspath, help="of an earlier measurement, or where to keep this one")
    return parser


def check_commands(parser, check):
    """Measures the network, unless that was done, and calls check(options, number, command, its file) for each command
    of the command line. The exit status: 1 where one is not good."""
    own, commands = split_commands(sys.argv[1:])
    options = parser.parse_args(own)
    if not commands:
        parser.error("wants at least one -- COMMAND")
    with tempfile.TemporaryDirectory(prefix="scalediag-") as options.folder:
        file = options.network or os.path.join(options.folder, "network.json")
        if not os.path.exists(file):
            with network(options.testnet, options.np, options.latency_us, options.rate_mbit):
                measure_parameters(options.scalediag, options.testnet, options.np, file, "--max-size", options.largest)
        good = [check(options, i, command, file) for i, command in enumerate(commands)]
    return 0 if all(good) else 1
