"""Loads an MPI library while it runs, as Julia and Python's ctypes do, and asks it for its functions: a ring of messages
of 8 bytes, twenty for each rank. Its argument is the library."""
import ctypes
import sys

mpi = ctypes.CDLL(sys.argv[1], mode=ctypes.DEFAULT_MODE)
open_mpi = hasattr(mpi, "ompi_mpi_comm_world")


def handle(name, number):
    return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, name))) if open_mpi else ctypes.c_int(number)


world = handle("ompi_mpi_comm_world", 0x44000000)
byte = handle("ompi_mpi_byte", 0x4C00010D)
mpi.MPI_Init(None, None)
rank, size = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
mpi.MPI_Comm_size(world, ctypes.byref(size))
out, into = ctypes.create_string_buffer(8), ctypes.create_string_buffer(8)
status = ctypes.create_string_buffer(64)
right, left = (rank.value + 1) % size.value, (rank.value - 1) % size.value
for _ in range(20):
    mpi.MPI_Sendrecv(out, 8, byte, right, 1, into, 8, byte, left, 1, world, status)
mpi.MPI_Finalize()
