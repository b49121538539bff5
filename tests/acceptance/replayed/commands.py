"""Commands and arguments of the scripts here."""

import argparse
import os
import subprocess


def run(*command):
    """What the command prints. Raises RuntimeError with the end of its errors where it fails."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:3])} exited with {result.returncode}: {result.stderr[-2000:]}")
    return result.stdout


def of_programs(doc):
    """A parser of SCALEDIAG [options] FOLDER NAME='COMMAND' ..., with the docstring of the script as its help."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag", type=os.path.abspath)
    parser.add_argument("folder")
    parser.add_argument("programs", nargs="+", metavar="NAME=COMMAND")
    return parser


def add_simulated(parser):
    """-n and --network of what is simulated, and the largest difference that is no failure."""
    parser.add_argument("-n", type=int, required=True)
    parser.add_argument("--network", type=lambda text: os.path.abspath(text) if os.path.exists(text) else text, required=True)
    parser.add_argument("--limit", type=float, default=0.03)
