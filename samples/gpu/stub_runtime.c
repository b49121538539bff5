/* A stand-in for CUDA's runtime (libcudart): what it is asked for it asks the driver for, as the runtime does. */
#define _GNU_SOURCE
#include "stub_runtime.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "stub_account.h"

static void* driver(const char* name) {
  static void* library;
  if (library == NULL) library = dlopen("libcuda.so.1", RTLD_NOW);
  void* found = library != NULL ? dlsym(library, name) : NULL;
  if (found == NULL) {
    fprintf(stderr, "stub_runtime: no %s: %s\n", name, dlerror());
    abort();
  }
  return found;
}
#define DRIVER(name, parameters) \
  static int(*name) parameters;  \
  if (name == NULL) name = (int(*) parameters)(uintptr_t)driver(#name)
typedef unsigned long long Address;
static Address address_of(const void* p) { return (Address)(uintptr_t)p; }

static struct Kernel {
  const void* function;
  const char* name;
} kernels[64];
static int n_kernels;

void __cudaRegisterFunction(void** module, const void* function, char* device_function, const char* device_name,
                            int threads, void* tid, void* bid, void* block, void* grid, int* warp) {
  (void)module, (void)device_function, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
  if (n_kernels < 64) kernels[n_kernels++] = (struct Kernel){function, device_name};
}
/* The driver's handle of a kernel, which is its name. */
static const char* name_of(const void* function) {
  for (int i = 0; i < n_kernels; ++i) {
    if (kernels[i].function == function) return kernels[i].name;
  }
  return "nameless";
}
int cudaStreamCreate(void** stream) {
  DRIVER(cuStreamCreate, (void**, unsigned));
  return cuStreamCreate(stream, 0);
}
int cudaStreamSynchronize(void* stream) {
  DRIVER(cuStreamSynchronize, (void*));
  ACCOUNTED("cudaStreamSynchronize", cuStreamSynchronize(stream));
}
int cudaStreamQuery(void* stream) {
  DRIVER(cuStreamQuery, (void*));
  return cuStreamQuery(stream);
}
int cudaDeviceSynchronize(void) {
  DRIVER(cuCtxSynchronize, (void));
  ACCOUNTED("cudaDeviceSynchronize", cuCtxSynchronize());
}
int cudaEventCreateWithFlags(void** event, unsigned flags) {
  DRIVER(cuEventCreate, (void**, unsigned));
  return cuEventCreate(event, flags);
}
int cudaEventRecord(void* event, void* stream) {
  DRIVER(cuEventRecord, (void*, void*));
  return cuEventRecord(event, stream);
}
int cudaEventSynchronize(void* event) {
  DRIVER(cuEventSynchronize, (void*));
  ACCOUNTED("cudaEventSynchronize", cuEventSynchronize(event));
}
int cudaEventQuery(void* event) {
  DRIVER(cuEventQuery, (void*));
  return cuEventQuery(event);
}
int cudaEventElapsedTime(float* ms, void* first, void* last) {
  DRIVER(cuEventElapsedTime, (float*, void*, void*));
  return cuEventElapsedTime(ms, first, last);
}
int cudaMalloc(void** to, size_t n) {
  DRIVER(cuMemAlloc_v2, (Address*, size_t));
  Address at = 0;
  const int result = cuMemAlloc_v2(&at, n);
  *to = (void*)(uintptr_t)at;
  return result;
}
int cudaFree(void* of) {
  DRIVER(cuMemFree_v2, (Address));
  return cuMemFree_v2(address_of(of));
}
int cudaMemcpyAsync(void* to, const void* from, size_t n, int way, void* stream) {
  DRIVER(cuMemcpyHtoDAsync_v2, (Address, const void*, size_t, void*));
  DRIVER(cuMemcpyDtoHAsync_v2, (void*, Address, size_t, void*));
  if (way == kHostToDevice) return cuMemcpyHtoDAsync_v2(address_of(to), from, n, stream);
  if (way == kDeviceToHost) return cuMemcpyDtoHAsync_v2(to, address_of(from), n, stream);
  DRIVER(cuMemcpyAsync, (Address, Address, size_t, void*));
  return cuMemcpyAsync(address_of(to), address_of(from), n, stream);
}
int cudaMemcpy(void* to, const void* from, size_t n, int way) {
  DRIVER(cuStreamSynchronize, (void*));
  const double begin_s = account_now_s();
  int result = cudaMemcpyAsync(to, from, n, way, NULL);
  if (result == 0) result = cuStreamSynchronize(NULL);
  account_add("cudaMemcpy", begin_s);
  return result;
}
int cudaLaunchKernel(const void* function, struct Dim3 grid, struct Dim3 block, void** arguments, size_t shared,
                     void* stream) {
  DRIVER(cuLaunchKernel,
         (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**));
  return cuLaunchKernel((void*)(uintptr_t)name_of(function), grid.x, grid.y, grid.z, block.x, block.y, block.z,
                        (unsigned)shared, stream, arguments, NULL);
}
int cudaGetDevice(int* device) {
  DRIVER(cuCtxGetDevice, (int*));
  return cuCtxGetDevice(device);
}
int cudaDeviceGetPCIBusId(char* text, int n, int device) {
  DRIVER(cuDeviceGetPCIBusId, (char*, int, int));
  return cuDeviceGetPCIBusId(text, n, device);
}
