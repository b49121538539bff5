#!/usr/bin/env python3
"""From the binary to the scaling section of a proposal, for programs nobody here wrote.

  tests/acceptance/proposals.py SCALEDIAG [--keep FOLDER] [PROGRAM...]   default: lammps openfoam nwchem hpcc espresso mpi4py
  tests/acceptance/proposals.py SCALEDIAG --main-loop                    lammps and openfoam, longer and with elapsed times

A row a program: how long its two commands, `profile` and `proposal`, took, of what the section's times are, the
reservations that it has, and where pdflatex is there, whether the section compiles and how many boxes are too wide for
the page. Exits with 1 where a command fails, takes ten minutes or more, or the section does not compile.

--main-loop holds the main loop's time in the section against the program's own: LAMMPS's "Loop time", and icoFoam's
"ClockTime" of the steps after the first. Exits with 1 beyond 2 %, or where the program's clock has steps of more than that.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import programs

LIMIT_S = 600
LARGEST_DIFFERENCE = 0.02
FOAM_STEPS = 200  # its clock has whole seconds

# A ring and a sum in Python, with work that is divided.
PYTHON = """from mpi4py import MPI
world = MPI.COMM_WORLD

def smooth(v):
    return [0.25 * (v[i - 1] + 2 * v[i] + v[(i + 1) % len(v)]) for i in range(len(v))]

v = [float(i % 7) for i in range(60000 // world.size)]
for step in range(60):
    v = smooth(v)
    world.sendrecv(v[-1], (world.rank + 1) % world.size, source=(world.rank - 1) % world.size)
    total = world.allreduce(sum(v))
"""


def mpi4py(folder):
    path = os.path.join(folder, "ring.py")
    with open(path, "w") as f:
        f.write(PYTHON)
    return ["/usr/bin/python3", path]  # which Debian's mpi4py is for


# The command in a folder, the numbers of processes, repeats.
SECTIONS = {
    "lammps": (lambda folder: programs.lammps(folder, steps=200), "1,2", 3),
    "openfoam": (lambda folder: programs.openfoam(folder, cells=32, steps=20, processes=(2, 4)), "2,4", 2),
    "nwchem": (programs.nwchem, "1,2", 2),
    "hpcc": (lambda folder: programs.hpcc(folder, size=800), "2,4", 2),
    "espresso": (lambda folder: programs.espresso(folder, k=6), "1,2", 2),
    "mpi4py": (mpi4py, "1,2", 3),
}


def timed(folder, *command):
    began = time.monotonic()
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, OMP_NUM_THREADS="1"))
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:2])} exited with {result.returncode}: {result.stderr[-1500:]}")
    return time.monotonic() - began, result.stdout


def compiled(folder, tex):
    """What pdflatex says of the section, and whether that is good."""
    if not shutil.which("pdflatex"):
        return "not tried", True
    result = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", tex], cwd=folder, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True, errors="replace")
    wide = [float(width) for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt", result.stdout)]
    if result.returncode != 0:
        return "fails", False
    return (f"{len(wide)} overfull, up to {max(wide):.1f} pt" if wide else "no overfull box"), True


def section(scalediag, name, folder, processes, repeats, command):
    """Writes the section in three forms and prints a row; false where something is not as it must be."""
    options = ["-n", processes, "--repeat", str(repeats), "-o", "x.scalediag"]
    profile_s, _ = timed(folder, scalediag, "profile", *options, "--", *command)
    proposal_s, _ = timed(folder, scalediag, "proposal", "x.scalediag", "-o", "section.tex")
    for form in ("md", "html"):
        timed(folder, scalediag, "proposal", "x.scalediag", "-o", f"section.{form}")
    found = json.loads(timed(folder, scalediag, "proposal", "x.scalediag", "-o", "again.tex", "--json")[1])
    latex, good = compiled(folder, "section.tex")
    good = good and profile_s < LIMIT_S and proposal_s < LIMIT_S
    print(f"{name:10} {processes:5} {repeats:7} {profile_s:9.1f} {proposal_s:10.2f}  {latex:28} {'' if good else 'FAILED'}")
    for note in notes_of(found):
        print(f"           {note}")
    return good


def notes_of(document):
    for study in document["studies"]:
        for table in study["tables"]:
            doubts = sorted({row["doubt"] for row in table["rows"] if row["doubt"]})
            yield f"times of {table['region'] or 'the whole run'}, {table['clock']} clock{', doubted: ' if doubts else ''}{', '.join(doubts)}"
        for remark in study["remarks"]:
            yield f"- {remark}"
    for remark in document["remarks"]:
        yield f"- {remark}"


def own_seconds(name, output):
    """The main loop's time that the program printed, and to how many seconds."""
    if name == "lammps":
        return float(re.search(r"Loop time of ([0-9.]+)", output).group(1)), 0.001
    clock = [int(t) for t in re.findall(r"ClockTime = (\d+) s", output)]
    return clock[-1] - clock[0], 1


def main_loop(scalediag, name, folder):
    """Prints the section's time of the main loop beside the program's, for each number of ranks."""
    if name == "lammps":
        command = programs.lammps(folder, steps=400)
    else:
        command = programs.openfoam(folder, cells=64, steps=FOAM_STEPS, processes=(2, 4))
    timed(folder, scalediag, "profile", "-n", "2,4", "--repeat", "1", "--clock", "wall", "--counters", "none", "-o", "x.scalediag",
          "--", *command)
    found = json.loads(timed(folder, scalediag, "proposal", "x.scalediag", "--region", "main-loop", "--json")[1])
    good = True
    for row in found["studies"][0]["tables"][0]["rows"]:
        if row["predicted"]:
            continue
        ranks = int(row["at"]["np"])
        with open(os.path.join(folder, "x.scalediag", "runs", f"np{ranks:04}.r0", "stdout.log"), encoding="utf-8") as output:
            own, step = own_seconds(name, output.read())
        said, rounds = row["time_s"]["value"], row["loop_iterations"]
        # Its clock is printed at the end of each step, so that the first one is not in the difference.
        if name == "openfoam":
            said *= (FOAM_STEPS - 1) / FOAM_STEPS
        if own <= 0:
            raise RuntimeError(f"with {ranks} ranks it printed no time of its own")
        difference = said / own - 1
        holds = abs(difference) <= LARGEST_DIFFERENCE and step / own <= LARGEST_DIFFERENCE
        good &= holds
        print(f"{name:10} {ranks:3} ranks: main loop {said:9.3f} s in {rounds:.0f} rounds, the program's {own:9.3f} s (to {step} s):"
              f" {difference:+.2%} {'' if holds else 'FAILED'}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag", type=os.path.abspath)
    parser.add_argument("--keep", type=os.path.abspath, help="keeps the sections there")
    parser.add_argument("--main-loop", action="store_true")
    parser.add_argument("program", nargs="*", metavar="PROGRAM")
    options = parser.parse_intermixed_args()
    if unknown := set(options.program) - set(SECTIONS):
        parser.error(f"knows {', '.join(SECTIONS)}, not {', '.join(unknown)}")
    names = options.program or (["lammps", "openfoam"] if options.main_loop else list(SECTIONS))
    programs.install(*[n for n in names if n in programs.PROGRAMS])
    if options.main_loop and not set(names) <= {"lammps", "openfoam"}:
        parser.error("--main-loop is for lammps and openfoam, which print its time")
    good = True
    if not options.main_loop:
        print(f"{'program':10} {'np':5} {'repeats':7} {'profile s':>9} {'proposal s':>10}  LaTeX")
    for name in names:
        with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
            try:
                if options.main_loop:
                    good &= main_loop(options.scalediag, name, folder)
                else:
                    make, processes, repeats = SECTIONS[name]
                    good &= section(options.scalediag, name, folder, processes, repeats, make(folder))
            except RuntimeError as error:
                print(f"{name}: {error}", flush=True)
                good = False
            if options.keep:
                shutil.copytree(folder, os.path.join(options.keep, name), dirs_exist_ok=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
