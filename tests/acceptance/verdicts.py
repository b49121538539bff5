"""What `predict` says of a program's kernels, held against what is known of them."""

import json
import os
import subprocess
import tempfile

WORK = "work does not shrink"
VOLUME = "message volume"
LATENCY = "message count or latency"
MESSAGES = "message count and volume"
IMBALANCE = "imbalance"
SERIAL = "serial part"
ROOTED = "one rank alone"
THREADS = "idle OpenMP threads"


def wrong_verdicts(scalediag, command, scales, targets, stops, innocent, counters="none", threads=1, verbose=False,
                   accused_at_all=None, undecided=()):
    """Profiles `command` at `scales` ("1,2,4,8") and predicts `targets` (numbers of ranks). Returns what is wrong, a sentence each.

    stops: pairs of alternatives (parts of kernels' names, one of which has to be named) and the causes that are right for them.
    innocent: parts of names of kernels that must not be accused. accused_at_all: where given, a function of a kernel of
    predict's JSON that says whether it may be accused; all others may not. undecided: parts of names of kernels that
    must not be said to scale.
    """
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), SCALEDIAG_MACHINE="none")
    if threads == 1:
        environment["OMP_WAIT_POLICY"] = "passive"
    with tempfile.TemporaryDirectory(prefix="scalediag-") as folder:
        data = os.path.join(folder, "data")
        subprocess.run([scalediag, "profile", "-n", scales, "--repeat", "1", "--clock", "cpu", "--rate", "1000",
                        "--counters", counters, "-o", data, "--", *command],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        predict = [scalediag, "predict", data, "--at", "np=" + ",".join(map(str, targets))]
        if verbose:
            subprocess.run([scalediag, "show", data, "--top", "8"])
            subprocess.run(predict)
        document = json.loads(subprocess.run([*predict, "--json"], check=True, capture_output=True, text=True).stdout)

    wrong = []
    if document["scaling"] != "strong":
        wrong.append(f"scaling is {document['scaling']}")
    for target in document["targets"]:
        at = f"at {target['at']['np']:g}: "
        accused = [k for k in target["kernels"] if k["scales"] is False]
        for alternatives, causes in stops:
            named = [k for k in accused if any(part in k["name"] for part in alternatives)]
            if not any(k["cause"] in causes for k in named):
                wrong.append(f"{at}{' or '.join(alternatives)}: expected {' or '.join(causes)}, "
                             f"found {[(k['name'], k['cause']) for k in named] or 'nothing'}")
        for k in target["kernels"]:
            if k["scales"] and any(part in k["name"] for part in undecided):
                wrong.append(f"{at}{k['name']} is said to scale")
        for k in accused:
            if any(part in k["name"] for part in innocent) or (accused_at_all and not accused_at_all(k)):
                wrong.append(f"{at}{k['name']} is accused: {k['cause']}, {k['evidence']}")
    return wrong
