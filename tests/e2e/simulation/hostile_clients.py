"""Strangers at an emulation's port while it runs.

    hostile_clients.py COMMAND...

Starts COMMAND, an emulation of which a rank joins over the network, and takes the port and the addresses from its
ranks' command lines, as any user of the host can. A process of the user nobody (where this one is root) then connects:
before anybody listens, and as soon as somebody does, with noise, other protocols, half a greeting byte by byte, proofs
that are wrong or of another connection, huge numbers, and 1,100 connections that say nothing. Prints how many clients
there were, how the emulation ended and by how much its memory grew.
"""
import encodings.idna  # while the interpreter can still read its own files
import glob
import os
import random
import re
import resource
import socket
import struct
import subprocess
import sys
import time

MAGIC, VERSION = 0x53434452, 7
HELLO = struct.Struct("<IIQII64sQQ")
TOLD = struct.Struct("<9Q4IQ")
SILENT = 1100


def children(pid):
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            fields = open(path).read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            child = int(path.split("/")[2])
            yield child
            yield from children(child)


def address_of_ranks(pid, until):
    """[(address, port)], and the number of the run."""
    while time.monotonic() < until:
        for child in children(pid):
            try:
                line = open(f"/proc/{child}/cmdline").read()
            except OSError:
                continue
            found = re.search(r"--emulation\0[^\0]*:(\d+)@(\d+)((?:,[0-9a-f.:]+)+)", line)
            if found:
                addresses = found[3].strip(",").split(",")
                return [(a, int(found[2])) for a in addresses if ":" not in a], int(found[1])
        time.sleep(0.01)
    sys.exit("the ranks' command lines were not seen")


def memory_kb(pid):
    try:
        return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read())[1])
    except (OSError, TypeError):
        return 0


def connect(ways):
    for way in ways:
        try:
            return socket.create_connection(way, timeout=2)
        except OSError:
            pass
    return None


def hello(run, rank=1, ranks=2, version=VERSION, proof=0):
    return HELLO.pack(MAGIC, version, run, rank, ranks, b"node", random.getrandbits(64), proof)


def attack(ways, run, until):
    """Returns the numbers of clients that came too early and that were let in by the system."""
    early = 0
    while (first := connect(ways)) is None:
        early += 1
        if time.monotonic() > until:
            return early, 0
        time.sleep(0.002)
    first.close()
    told = TOLD.pack(*[2**63] * 9, 1, 0, 0, 1, 2**60)
    overheard = hello(run, proof=random.getrandbits(64))
    sayings = [os.urandom(n) for n in (1, 15, 103, 104, 105, 1000, 65536, 1 << 20)]
    sayings += [b"GET / HTTP/1.1\r\n\r\n", b"SSH-2.0-x\r\n", b"\0" * 4096, struct.pack("<Q", 2**60) * 20]
    sayings += [hello(run, rank, ranks) for rank, ranks in ((1, 2), (0, 2), (0, 1 << 20), (2**32 - 1, 2**32 - 1))]
    sayings += [hello(run, version=v) for v in (0, 6, 2**32 - 1)] + [hello(r) for r in (0, 1, 2**64 - 1)]
    sayings += [overheard, overheard, overheard + told, hello(run) + told * 3 + os.urandom(1 << 16)]
    sayings += [hello(run)[:n] for n in range(0, 104, 8)]
    connections = []
    for saying in sayings:
        client = connect(ways)
        if client is None:
            continue
        connections.append(client)
        try:
            client.sendall(saying)
        except OSError:
            pass
    slow = [c for c in (connect(ways) for _ in range(4)) if c]
    for byte in hello(run):
        for client in slow:
            try:
                client.send(bytes([byte]))
            except OSError:
                pass
        time.sleep(0.002)
    for _ in range(SILENT):
        client = connect(ways)
        if client is None:
            break
        connections.append(client)
    time.sleep(max(0.0, min(3.0, until - time.monotonic())))
    return early, len(connections) + len(slow)


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    started = time.monotonic()
    emulation = subprocess.Popen(sys.argv[1:], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4096)))
    ways, run = address_of_ranks(emulation.pid, started + 60)
    before = memory_kb(emulation.pid)
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        early, clients = attack(ways, run, started + 120)
        os.write(write_end, f"{early} {clients}".encode())
        os._exit(0)
    os.close(write_end)
    most = before
    while emulation.poll() is None:
        most = max(most, memory_kb(emulation.pid))
        time.sleep(0.02)
    early, clients = (int(n) for n in os.read(read_end, 100).split())
    os.waitpid(child, 0)
    print(f"came early: {early > 0}; clients: {clients}; memory grew by {(most - before) >> 10} MiB", file=sys.stderr)
    print(f"more than {40 + SILENT} clients: {clients > 40 + SILENT}; came early: {early > 0}; "
          f"exit status {emulation.returncode}; memory grew by less than 50 MiB: {most - before < 50 << 10}")


main()
