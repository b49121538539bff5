"""Makes the profile of a run on a cluster out of a small measured one: cluster_study.py PROFILE.json OUT.json

Ranks 16, 32, 64 and 128 on nodes of 16 cores, elapsed time, three repeats. A rank's times are those of the measured run of
one rank, the computation divided as Amdahl's law says with 1 % that does not shrink; repeats differ by 1 %.
"""
import copy
import json
import sys

profile = json.load(open(sys.argv[1]))
one = next(r for r in profile["runs"] if r["np"] == 1 and r["complete"])


def scaled(value, factor, np):
    """A value over ranks that all ranks share."""
    mean = value["mean"] * factor
    return {**value, "sum": mean * np, "mean": mean, "min": mean, "max": mean, "rank_of_min": 0, "rank_of_max": 0}


runs = []
for np in (16, 32, 64, 128):
    for repeat in range(3):
        run = copy.deepcopy(one)
        factor = 1000 * (0.99 / np + 0.01) * (1 + 0.01 * (repeat - 1))
        run.update(id=f"np{np:04}.r{repeat}", np=np, repeat=repeat, clock="wall", clock_reason="a core for each rank",
                   hosts=[f"n{i}" for i in range(np // 16)], peers=[], warnings=[], files=[], regions=[])
        for name, value in run["times"].items():
            if value is not None:
                run["times"][name] = scaled(value, factor if name != "others_s" else 1, np)
        times = run["times"]
        parts = ("computation_s", "openmp_waiting_s", "communication_s", "others_s", "unattributed_s")
        times["total_s"] = scaled(times["total_s"], 0, np)
        for part in parts:
            if part in times:
                for key in ("sum", "mean", "min", "max"):
                    times["total_s"][key] += times[part][key]
        for kernel in run["kernels"]:
            for name, value in kernel["metrics"].items():
                kernel["metrics"][name] = scaled(value, factor, np)
        for operation in run["operations"]:
            for name in ("calls", "bytes"):
                operation[name] = scaled(operation[name], 1, np)
            for name in ("time_s", "wall_s", "cpu_s", "blocked_s"):
                operation[name] = scaled(operation[name], factor, np)
            operation["classes"] = []
        for name in ("rank_computation_s", "rank_communication_s", "rank_total_s"):
            run[name] = [times[name.removeprefix("rank_")]["mean"]] * np
        run["ranks_per_block"] = 1
        runs.append(run)
profile["runs"] = runs
json.dump(profile, open(sys.argv[2], "w"))
