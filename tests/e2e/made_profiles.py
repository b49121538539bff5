#!/usr/bin/env python3
"""Writes profiles as other tools do, of a program whose times are known, for cases and the fuzzers' first inputs.

    made_profiles.py cube|caliper|cali|mpip|talp|gprof|perf FOLDER RANKS...

At p ranks main takes 1 s, solve 64 / p s and MPI_Allreduce 0.1 log2(p) s of each rank. A file a number of ranks: those of
Cube, gprof and perf, which do not tell the number, are in FOLDER/app.pRANKS.r1, the others in "FOLDER/on RANKS".
"""
import io
import json
import math
import os
import struct
import sys
import tarfile


def times(p):
    return {"main": 1.0, "main->solve": 64 / p, "main->solve->MPI_Allreduce": 0.1 * math.log2(p)}


def cube(p):
    location = "".join(f'<locationgroup Id="{r}"><type>process</type><location Id="{r}"><type>thread</type></location>'
                       "</locationgroup>" for r in range(p))
    names = [path.split("->")[-1] for path in times(p)]
    regions = "".join(f'<region id="{i}"><name>{name}</name></region>' for i, name in enumerate(names))
    anchor = (f'<?xml version="1.0"?><cube version="4.4"><metrics><metric id="0" type="EXCLUSIVE"><uniq_name>time'
              f'</uniq_name><dtype>DOUBLE</dtype><uom>sec</uom></metric></metrics><program>{regions}'
              '<cnode id="0" calleeId="0"><cnode id="1" calleeId="1"><cnode id="2" calleeId="2"/></cnode></cnode></program>'
              f'<system><systemtreenode Id="0">{location}</systemtreenode></system></cube>')
    values = [value for value in times(p).values() for _ in range(p)]
    members = {"anchor.xml": anchor.encode(),
               "0.index": b"CUBEX.INDEX" + struct.pack("<ihbI3i", 1, 0, 1, 3, 0, 1, 2),
               "0.data": b"CUBEX.DATA" + struct.pack(f"<{len(values)}d", *values)}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


def caliper(p):
    nodes = [{"label": "main", "column": "path"}, {"label": "solve", "column": "path", "parent": 0},
             {"label": "MPI_Allreduce", "column": "path", "parent": 1}]
    return json.dumps({"data": [[value, rank, i] for i, value in enumerate(times(p).values()) for rank in range(p)],
                       "columns": ["time", "mpi.rank", "path"],
                       "column_metadata": [{"is_value": True, "attribute.unit": "sec"}, {"is_value": True},
                                           {"is_value": False}],
                       "nodes": nodes, "jobsize": str(p)}).encode()


def cali(p):
    lines = ["__rec=node,id=12,attr=10,data=276,parent=3", "__rec=node,id=13,attr=8,data=region,parent=12",
             "__rec=node,id=14,attr=10,data=65,parent=5", "__rec=node,id=15,attr=8,data=avg#sum#time.duration,parent=14",
             "__rec=node,id=18,attr=10,data=512,parent=3", "__rec=node,id=19,attr=8,data=jobsize,parent=18",
             "__rec=node,id=20,attr=8,data=cali.caliper.version,parent=18"]
    parent = ""
    for i, (path, value) in enumerate(times(p).items()):
        lines.append(f"__rec=node,id={30 + i},attr=13,data={path.split('->')[-1]}{parent}")
        lines.append(f"__rec=ctx,ref={30 + i},attr=15,data={value!r}")
        parent = f",parent={30 + i}"
    return ("\n".join(lines) + f"\n__rec=globals,attr=19=20,data={p}=2.10.0\n").encode()


def mpip(p):
    t = times(p)
    mpi = t["main->solve->MPI_Allreduce"]
    line = "-" * 75 + "\n"
    head = lambda text: line + f"@--- {text} ---\n" + line
    tasks = "".join(f"{r:4d} {sum(t.values()):10.8g} {mpi:10.8g} 1.0\n" for r in range(p))
    return ("@ mpiP\n@ Command : ./app\n" + head("MPI Time (seconds)") + "Task AppTime MPITime MPI%\n" + tasks +
            head("Callsites: 1") + " ID Lev File/Address Line Parent_Funct MPI_Call\n"
            "  1 0 app.c 12 solve Allreduce\n  1 1 app.c 30 main\n" +
            head("Callsite Time statistics (all, milliseconds): 2") +
            "Name Site Rank Count Max Mean Min App% MPI%\n" +
            f"Allreduce 1 * {100 * p} 1 {mpi * 10!r} 1 1.0 100.0\n").encode()


def talp(p):
    t = times(p)
    mpi = t["main->solve->MPI_Allreduce"]
    region = {"numCpus": p, "numMpiRanks": p, "elapsedTime": round(sum(t.values()) * 1e9),
              "usefulTime": round((sum(t.values()) - mpi) * p * 1e9), "mpiTime": round(mpi * p * 1e9)}
    return json.dumps({"dlbVersion": "3.5", "resources": {"numCpus": p, "numMpiRanks": p},
                       "Application": {"Global": region}}).encode()


def gprof(p):
    rows = "".join(f"{0:6.2f} {0:9.2f} {value:.6f} {1:8d} {0:8.2f} {0:8.2f}  {path.split('->')[-1]}\n"
                   for path, value in times(p).items())
    return ("Flat profile:\n\nEach sample counts as 0.01 seconds.\n"
            "  %   cumulative   self              self     total           \n"
            " time   seconds   seconds    calls  ms/call  ms/call  name    \n" + rows).encode()


def perf(p):
    total = sum(times(p).values())
    rows = "".join(f"{value / total:10.2%}  {round(value * 1e9)}  app  app  [.] {path.split('->')[-1]}\n"
                   for path, value in times(p).items())
    return (f"# Samples: 8K of event 'cpu-clock'\n# Event count (approx.): {round(total * 1e9)}\n#\n"
            "# Overhead  Period  Command  Shared Object  Symbol\n#\n" + rows).encode()


def main():
    tool, folder, ranks = sys.argv[1], sys.argv[2], [int(word) for word in sys.argv[3:]]
    writers = {"cube": (cube, "profile.cubex"), "caliper": (caliper, "app.json"), "cali": (cali, "app.cali"),
               "mpip": (mpip, "app.mpiP"), "talp": (talp, "talp.json"), "gprof": (gprof, "flat.txt"),
               "perf": (perf, "perf.txt")}
    write, name = writers[tool]
    for p in ranks:
        place = os.path.join(folder, f"app.p{p}.r1" if tool in ("cube", "gprof", "perf") else f"on {p}")
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, name), "wb") as file:
            file.write(write(p))


if __name__ == "__main__":
    main()
