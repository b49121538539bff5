"""Runs inside gdb: counts the calls of MPI functions by the stack that called them, and writes them as JSON.

CALL_COUNTER_OPERATIONS names the functions ("MPI_Send,MPI_Wait"), CALL_COUNTER_OUTPUT the beginning of the files' names.
A file is a list of [operation, [frame, ...], calls], the innermost frame first; a frame is
[function, module, address in the module's file, source file, line].
"""

import collections
import json
import os

import gdb

FRAMES = 12


class Modules:
    """The files that are mapped, by their addresses."""

    def __init__(self):
        self.ranges = []

    def place(self, address):
        for _ in range(2):
            for begin, end, base, name in self.ranges:
                if begin <= address < end:
                    return name, address - base
            self.read()  # loaded meanwhile
        return "?", address

    def read(self):
        self.ranges = []
        bases = {}
        with open(f"/proc/{gdb.selected_inferior().pid}/maps") as maps:
            for line in maps:
                fields = line.split()
                if len(fields) < 6 or not fields[5].startswith("/"):
                    continue
                begin, end = (int(x, 16) for x in fields[0].split("-"))
                base = bases.setdefault(fields[5], begin - int(fields[2], 16))
                self.ranges.append((begin, end, base, os.path.basename(fields[5])))


modules = Modules()
stacks = collections.Counter()


def text_of(frame):
    address = frame.pc()
    line = frame.find_sal()
    return (frame.name() or "?", *modules.place(address), os.path.basename(line.symtab.filename) if line.symtab else "",
            line.line if line.symtab else 0)


class Counter(gdb.Breakpoint):
    def __init__(self, operation):
        super().__init__("P" + operation, internal=True)
        self.operation = operation

    def stop(self):
        frames = []
        frame = gdb.newest_frame().older()
        while frame is not None and len(frames) < FRAMES:
            frames.append(text_of(frame))
            frame = frame.older()
        stacks[(self.operation, tuple(frames))] += 1
        return False


class End(gdb.Breakpoint):
    def stop(self):
        rank = os.environ.get("OMPI_COMM_WORLD_RANK", "0")
        with open(f"{os.environ['CALL_COUNTER_OUTPUT']}.{rank}.json", "w") as f:
            json.dump([[operation, frames, n] for (operation, frames), n in stacks.items()], f)
        return False


for command in ("set pagination off", "set confirm off", "set breakpoint pending on", "set debuginfod enabled off",
                "handle SIGCHLD SIGUSR1 SIGUSR2 SIGPIPE nostop noprint pass"):
    gdb.execute(command)
for name in os.environ["CALL_COUNTER_OPERATIONS"].split(","):
    Counter(name)
End("PMPI_Finalize", internal=True)
gdb.execute("run")
