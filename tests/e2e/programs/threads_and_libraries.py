"""Prints how many threads the process has between MPI_Init and MPI_Finalize, and the libraries for GPUs and their tools
that are loaded. Its argument is an MPI library."""
import ctypes
import os
import sys

mpi = ctypes.CDLL(sys.argv[1], mode=ctypes.DEFAULT_MODE)
mpi.MPI_Init(None, None)
with open("/proc/self/maps") as maps:
    paths = {os.path.basename(line.split()[-1]) for line in maps}
names = ("libcuda", "libcupti", "libamdhip", "librocprofiler", "libnccl", "librccl", "libze_loader")
print(len(os.listdir("/proc/self/task")), "threads, GPU libraries:", sorted(p for p in paths if p.startswith(names)))
mpi.MPI_Finalize()
