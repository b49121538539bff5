#!/usr/bin/env python3
"""Profiles the samples at small scales and holds what predict says of their kernels against the headers of their sources.

  tests/acceptance/samples.py SCALEDIAG FOLDER-OF-SAMPLES [SAMPLE...] [--counters SOURCE] [--scales 1,2,4,8] [--at 64]

For every sample: each kernel that its header says does not scale is named with the right cause, and no kernel that its
header says scales is accused. Exit status: 0 so, 1 not so, 77 there is no sample.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

WORK = "work does not shrink"
VOLUME = "message volume"
LATENCY = "message count or latency"
IMBALANCE = "imbalance"
SERIAL = "serial part"

# Sizes that take a second or so of CPU time, over all ranks. `stops`: alternatives of kernels, of which one has to be
# named, and the causes that are right for it. `scales`: what must not be accused; names are parts of the kernels' names.
SAMPLES = {
    "stencil2d": dict(arguments=["700", "400"], stops=[(["MPI_Allreduce"], [LATENCY])], scales=["sweep", "sum_of_changes"]),
    "cg": dict(arguments=["400", "300"], stops=[(["MPI_Sendrecv"], [VOLUME]), (["MPI_Allreduce"], [LATENCY])],
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
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive", SCALEDIAG_MACHINE="none")
    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        data = os.path.join(folder, "data")
        subprocess.run([scalediag, "profile", "-n", options.scales, "--repeat", "1", "--clock", "cpu", "--rate", "1000",
                        "--counters", options.counters, "-o", data, "--", program, *sample["arguments"]],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        text = subprocess.run([scalediag, "predict", data, "--at", f"np={options.at}", "--json"], check=True,
                              capture_output=True, text=True).stdout
        if options.verbose:
            subprocess.run([scalediag, "show", data, "--top", "8"])
            subprocess.run([scalediag, "predict", data, "--at", f"np={options.at}"])
    document = json.loads(text)
    kernels = document["targets"][0]["kernels"]
    wrong = []
    if document["scaling"] != "strong":
        wrong.append(f"scaling is {document['scaling']}")
    for alternatives, causes in sample["stops"]:
        named = [k for k in kernels if any(part in k["name"] for part in alternatives) and k["scales"] is False]
        if not any(k["cause"] in causes for k in named):
            wrong.append(f"{' or '.join(alternatives)}: expected {' or '.join(causes)}, "
                         f"found {[(k['name'], k['cause']) for k in named] or 'nothing'}")
    for k in kernels:
        if k["scales"] is False and any(part in k["name"] for part in sample["scales"]):
            wrong.append(f"{k['name']} is accused: {k['cause']}, {k['evidence']}")
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
