#!/usr/bin/env python3
"""Are collectives predicted from network.json as long as they take on an emulated network?

  tests/acceptance/networks/collectives.py SCALEDIAG NETWORK_TIMES TESTNET [--hosts 8,16]

NETWORK_TIMES is Open MPI's (<build>/tests/acceptance/openmpi/network_times). Needs root and an idle machine.
Both sides do the same: a barrier, then calls one after another with the root going round; seconds a call. Over all rows
the median error is at most 10 %, and none above 25 %. All hosts together carry some 140 MB/s, so
many of them need a low rate. Exit status 1 when that does not hold. Low rates need bounded socket buffers, or TCP sends
again what only waits: OMPI_MCA_btl_tcp_sndbuf=212992 OMPI_MCA_btl_tcp_rcvbuf=212992 in the environment.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile

import emulated_network as emulated

COLLECTIVES = ("barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall")
SIZES = (8, 64, 1024, 8192, 65536, 262144, 1048576)
ROOTED = ("bcast", "reduce")


def action(what, size, root):
    if what == "barrier":
        return "barrier"
    if what == "bcast":
        return f"bcast {size} {root}"
    if what == "reduce":
        return f"reduce {size} 0 {root}"
    if what == "allreduce":
        return f"allreduce {size} 0"
    return f"{what} {size} {size}"


def ends_s(scalediag, network, folder, ranks, what, size, calls):
    """When each rank has done `calls` behind a barrier, and what was chosen."""
    file = os.path.join(folder, "program.tit")
    with open(file, "w", encoding="utf-8") as out:
        for rank in range(ranks):
            out.write(f"{rank} init\n{rank} barrier\n")
            for i in range(calls):
                out.write(f"{rank} {action(what, size, i % ranks)}\n")
            out.write(f"{rank} finalize\n")
    said = json.loads(emulated.run([scalediag, "simulate", file, "--network", network, "--explain", "--json"]))
    chosen = [line for line in said["algorithms"] if line.lower().startswith(what)] or [""]
    return [r["end_s"] for r in said["ranks"]], chosen[-1].split(": ", 1)[-1]


def without_connections(network, folder):
    """A copy of network.json: calls are measured after the first ones, for which connections were made."""
    with open(network, encoding="utf-8") as file:
        document = json.load(file)
    document["other_node"].pop("connect", None)
    copy = os.path.join(folder, "connected.json")
    with open(copy, "w", encoding="utf-8") as file:
        json.dump(document, file)
    return copy


def predicted_s(scalediag, network, folder, ranks, what, size, calls):
    begins, _ = ends_s(scalediag, network, folder, ranks, what, size, 0)
    ends, chosen = ends_s(scalediag, network, folder, ranks, what, size, calls)
    return max(end - begin for begin, end in zip(begins, ends)) / calls, chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("scalediag", "network_times", "testnet"):
        parser.add_argument(name)
    parser.add_argument("--hosts", default="8,16")
    parser.add_argument("--latency-us", type=int, default=5000)
    parser.add_argument("--rate-mbit", type=int, default=100)
    parser.add_argument("--collectives", default=",".join(COLLECTIVES))
    parser.add_argument("--keep", help="folder for network-<hosts>.json, which is taken where it is there")
    options = parser.parse_args()
    errors = []
    with tempfile.TemporaryDirectory(prefix="scalediag-") as temporary:
        folder = options.keep or temporary
        for hosts in map(int, options.hosts.split(",")):
            with emulated.network(options.testnet, hosts, options.latency_us, options.rate_mbit):
                network = os.path.join(folder, f"network-{hosts}.json")
                if not os.path.exists(network):
                    emulated.measure_parameters(options.scalediag, options.testnet, hosts, network)
                network = without_connections(network, temporary)
                for what in options.collectives.split(","):
                    sizes = SIZES if what != "barrier" else (0,)
                    for size in sizes:
                        calls = 2 * hosts if what in ROOTED and size <= 65536 else hosts if what in ROOTED else 10 if size <= 65536 else 3
                        measured, spread = emulated.times(options.testnet, options.network_times, hosts, what, 3, [size],
                                                          calls)[size]
                        predicted, chosen = predicted_s(options.scalediag, network, temporary, hosts, what, size, calls)
                        error = predicted / measured - 1
                        errors.append(error)
                        print(f"{hosts:2} {what:9} {size:8} B  measured {measured * 1e3:9.2f} ms (spread {spread:4.0%})  "
                              f"predicted {predicted * 1e3:9.2f} ms {error:+7.1%}  {chosen}", flush=True)
    median = statistics.median(abs(e) for e in errors)
    worst = max(errors, key=abs)
    print(f"{len(errors)} rows: median error {median:.1%} (10 % allowed), worst {worst:+.1%} (25 %)")
    return 0 if median <= 0.10 and abs(worst) <= 0.25 else 1


if __name__ == "__main__":
    sys.exit(main())
