#!/usr/bin/env python3
"""Does `scalediag network` find the latency, the bandwidth and S_sync of emulated networks?

  tests/acceptance/networks/network_parameters.py SCALEDIAG NETWORK_TIMES TESTNET

NETWORK_TIMES is Open MPI's (<build>/tests/acceptance/openmpi/network_times). Needs root and an idle machine.
On each network: half round trips of small messages within 3 % of a separate ping-pong's, 1/G of the largest messages
within 5 % of the bandwidth that was set, S_sync within 1 KiB of where Open MPI's TCP changes protocol.
Shared memory and loopback: no negative parameter. Exit status 1 when one does not hold.
"""

import argparse
import json
import os
import sys
import tempfile

import emulated_network as emulated

SETTINGS = ((1000, 1000), (5000, 100), (2000, 400))
SMALL = (1, 8, 64, 512)
# Open MPI 4.1 sends up to btl_tcp_eager_limit = 64 KiB at once, its header of 56 bytes included.
EAGER = 65536 - 56


def one_way_s(link, size):
    segment = [s for s in link["segments"] if s.get("from", 0) <= size][-1]
    beyond = max(size, 1) - 1
    return (segment["o_s"] + segment.get("L", link["L"]) + segment["o_r"] +
            (segment["G"] + segment.get("O", 0)) * beyond)


def numbers(link):
    for segment in [link, *link["segments"]]:
        for name in ("L", "o_s", "o_r", "g", "G", "O"):
            if name in segment:
                yield name, segment[name]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("scalediag", "network_times", "testnet"):
        parser.add_argument(name)
    parser.add_argument("--hosts", type=int, default=2)
    options = parser.parse_args()
    failed = False

    def row(text, good):
        nonlocal failed
        failed |= not good
        print(f"  {text}{'' if good else '   FAILED'}", flush=True)

    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        file = os.path.join(folder, "network.json")
        for latency_us, rate_mbit in SETTINGS:
            print(f"{latency_us / 1000:g} ms, {rate_mbit} Mbit/s", flush=True)
            with emulated.network(options.testnet, options.hosts, latency_us, rate_mbit):
                before = emulated.times(options.testnet, options.network_times, 2, "ping_pong", 20, SMALL)
                try:
                    link = emulated.measure_parameters(options.scalediag, options.testnet, options.hosts, file)["other_node"]
                except RuntimeError as error:
                    row(f"refused: {error}", False)
                    continue
                after = emulated.times(options.testnet, options.network_times, 2, "ping_pong", 20, SMALL)
            for size in SMALL:
                truth = (before[size][0] + after[size][0]) / 2
                deviation = one_way_s(link, size) / truth - 1
                row(f"{size:4} B: {one_way_s(link, size) * 1e6:8.1f} us, ping-pong {before[size][0] * 1e6:.1f} and "
                    f"{after[size][0] * 1e6:.1f}, {deviation:+.1%}", abs(deviation) <= 0.03)
            bandwidth = 1 / link["segments"][-1]["G"]
            deviation = bandwidth / (rate_mbit * 125e3) - 1
            row(f"1/G {bandwidth / 1e6:.2f} MB/s, {deviation:+.1%}", abs(deviation) <= 0.05)
            row(f"S_sync {link['S_sync']} B, {EAGER} expected", abs(link["S_sync"] - EAGER) <= 1024)
        for name, arguments in (("shared memory", []), ("loopback", ["--mca", "btl", "tcp,self"])):
            print(name, flush=True)
            command = ["mpirun", "--allow-run-as-root", "--oversubscribe", *arguments, "-n", "{np}", "{command}"]
            try:
                emulated.run([options.scalediag, "network", "--launcher", " ".join(command), "--mpi", "openmpi", "--budget", "2",
                              "-o", file])
            except RuntimeError as error:
                row(f"refused: {error}", False)
                continue
            with open(file, encoding="utf-8") as text:
                link = json.load(text)["same_node"]
            least = min(numbers(link), key=lambda pair: pair[1])
            row(f"smallest parameter {least[0]} = {least[1]:g}", least[1] >= 0)
            sample = link["measured"][0]
            row(f"quantiles of {sample['bytes']} B: " + ", ".join(f"{1e6 * s:.2f} us" for s in sample["half_round_trip"]),
                sorted(sample["half_round_trip"]) == sample["half_round_trip"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
