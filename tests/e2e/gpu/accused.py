"""accused.py NAME PREDICTION.json [KERNEL=CAUSE...]: NAME and the kernels on devices that are accused at the first target
with their causes, sorted; and accused calls of GPUs whose cause is not the one that is given for them. Devices' times
repeat. Hosts wait longer on a busy machine, so that whether their waiting is accused is not printed, nor is MPI's."""
import json
import sys

name, path, *planted = sys.argv[1:]
causes = dict(pair.split("=") for pair in planted)
with open(path, encoding="utf-8") as file:
    kernels = json.load(file)["targets"][0]["kernels"]
accused = sorted((k["name"], k["cause"]) for k in kernels if k["scales"] is False and k["matters"])
print(name, [(kernel, cause) for kernel, cause in accused if kernel.startswith("[on GPU] ")])
for kernel, cause in accused:
    if kernel in causes and causes[kernel] != cause:
        print("wrong:", kernel, cause)
