"""Loads stand-ins for CUDA's libraries while it runs, as Python packages for GPUs do: arguments are an MPI library, the
folder of the stand-ins and one of

  runtime   10 blocking copies of 1000 bytes to the device, 5 launches and a wait, through the runtime
  driver    the same through the driver, whose functions are found by cuGetProcAddress, as CUDA's static runtime does
  nothing   the driver is loaded, and nothing is called
"""
import ctypes
import sys

mpi = ctypes.CDLL(sys.argv[1], mode=ctypes.DEFAULT_MODE)
folder, kind = sys.argv[2:]
mpi.MPI_Init(None, None)
size_t, pointer = ctypes.c_size_t, ctypes.c_void_p
seconds = ctypes.c_double(0.001)
arguments = (pointer * 1)(ctypes.addressof(seconds))
host = ctypes.create_string_buffer(1000)


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


def with_runtime(cuda):
    device, one = pointer(), Dim3(1, 1, 1)
    assert cuda.cudaMalloc(ctypes.byref(device), size_t(1000)) == 0
    for _ in range(10):
        assert cuda.cudaMemcpy(device, host, size_t(1000), 1) == 0
    for _ in range(5):
        assert cuda.cudaLaunchKernel(pointer(1), one, one, arguments, size_t(0), None) == 0
    assert cuda.cudaDeviceSynchronize() == 0


def with_driver(cuda):
    def found(name):
        address = pointer()
        assert cuda.cuGetProcAddress_v2(name, ctypes.byref(address), 12000, ctypes.c_uint64(0), None) == 0
        return ctypes.CFUNCTYPE(ctypes.c_int)(address.value)

    device, function = ctypes.c_ulonglong(), pointer()
    assert found(b"cuMemAlloc")(ctypes.byref(device), size_t(1000)) == 0
    copy = found(b"cuMemcpyHtoD")
    for _ in range(10):
        assert copy(device, host, size_t(1000)) == 0
    assert found(b"cuModuleGetFunction")(ctypes.byref(function), None, b"relax") == 0
    launch = found(b"cuLaunchKernel")
    for _ in range(5):
        assert launch(function, 1, 1, 1, 1, 1, 1, 0, None, arguments, None) == 0
    assert found(b"cuStreamSynchronize")(None) == 0


if kind == "runtime":
    with_runtime(ctypes.CDLL(folder + "/libcudart.so"))
elif kind == "driver":
    with_driver(ctypes.CDLL(folder + "/libcuda.so.1"))
else:
    ctypes.CDLL(folder + "/libcuda.so.1")
mpi.MPI_Finalize()
