"""accused.py NAME PREDICTION.json [CAUSE...]: NAME and the accused kernels of the first target with their causes, sorted;
of those causes alone where some are given."""
import json
import sys

name, path, *causes = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    kernels = json.load(file)["targets"][0]["kernels"]
accused = [(k["name"], k["cause"]) for k in kernels if k["scales"] is False and k["matters"]]
print(name, sorted((k, c) for k, c in accused if not causes or c in causes))
