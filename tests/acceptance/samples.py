#!/usr/bin/env python3
"""Profiles the samples at small scales and holds what predict says of their kernels against the headers of their sources.

  tests/acceptance/samples.py SCALEDIAG FOLDER-OF-SAMPLES [SAMPLE...] [--counters SOURCE] [--scales 1,2,4,8] [--at 64]

For every sample: each kernel that its header says does not scale is named with the right cause, and no kernel that its
header says scales is accused. Exit status: 0 so, 1 not so, 77 there is no sample.
"""
import argparse
import os
import sys

from verdicts import IMBALANCE, LATENCY, MESSAGES, SERIAL, VOLUME, WORK, wrong_verdicts

# Sizes that take about a second of CPU time, over all ranks. `stops`: alternatives of kernels, one of which has to be
# named, and the causes that are right for it. `scales`: kernels that must not be named; names are parts of the kernels'
# names.
SAMPLES = {
    "stencil2d": dict(arguments=["700", "400"], stops=[(["MPI_Allreduce"], [LATENCY])], scales=["sweep", "sum_of_changes"]),
    "cg": dict(arguments=["400", "300"], stops=[(["MPI_Sendrecv"], [VOLUME, MESSAGES]), (["MPI_Allreduce"], [LATENCY])],
               scales=["multiply", "dot", "update_solution", "update_direction"]),
    "transpose3d": dict(arguments=["64", "20"], stops=[(["MPI_Alltoall"], [LATENCY])],
                        scales=["transform_planes", "transform_columns", "fft_pencil", "shift_phase"]),
    "wavefront": dict(arguments=["512", "300"], stops=[(["MPI_Recv", "MPI_Send"], [LATENCY, IMBALANCE])],
                      scales=["sweep_up_block", "sweep_down_block"]),
    "nbody_ring": dict(arguments=["1024", "60"], stops=[(["MPI_Waitall", "MPI_Isend", "MPI_Irecv", "start_shift"], [LATENCY])],
                       scales=["accumulate_forces"]),
    "replicated_setup": dict(arguments=["1500", "90"],
                             stops=[(["gauss_legendre"], [WORK]), (["build_spline"], [SERIAL]),
                                    (["MPI_Bcast"], [VOLUME, SERIAL, IMBALANCE])],
                             scales=["integrate_rows"]),
    "imbalance": dict(arguments=["200000", "400"], stops=[(["integrate_intervals"], [IMBALANCE])], scales=[]),
}


def check(scalediag, program, name, options):
    sample = SAMPLES[name]
    wrong = wrong_verdicts(scalediag, [program, *sample["arguments"]], options.scales, [options.at], sample["stops"],
                           sample["scales"], counters=options.counters, verbose=options.verbose)
    print(f"{name}: {'as its header says' if not wrong else '; '.join(wrong)}", flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalediag")
    parser.add_argument("folder")
    parser.add_argument("samples", nargs="*", default=[])
    parser.add_argument("--counters", default="none")
    parser.add_argument("--scales", default="1,2,4,8")
    parser.add_argument("--at", default="64")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    found = [name for name in options.samples or SAMPLES if os.path.exists(os.path.join(options.folder, name))]
    if not found:
        print("there are no samples in " + options.folder)
        return 77
    good = [check(options.scalediag, os.path.join(options.folder, name), name, options) for name in found]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
