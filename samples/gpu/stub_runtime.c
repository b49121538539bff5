/* A stand-in for CUDA's runtime (libcudart): what it is asked for it asks the driver for, as the runtime does. */
#define _GNU_SOURCE
#include "stub_runtime.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

void __cudaRegisterFunction(void** module, const void* function, char* device_function, const char* device_name,
                            int threads, void* tid, void* bid, void* block, void* grid, int* warp) {
  (void)module, (void)function, (void)device_function, (void)device_name, (void)threads, (void)tid, (void)bid;
  (void)block, (void)grid, (void)warp;
}
int cudaStreamCreate(void** stream) {
  DRIVER(cuStreamCreate, (void**, unsigned));
  return cuStreamCreate(stream, 0);
}
int cudaStreamSynchronize(void* stream) {
  DRIVER(cuStreamSynchronize, (void*));
  return cuStreamSynchronize(stream);
}
int cudaStreamQuery(void* stream) {
  DRIVER(cuStreamQuery, (void*));
  return cuStreamQuery(stream);
}
int cudaDeviceSynchronize(void) {
  DRIVER(cuCtxSynchronize, (void));
  return cuCtxSynchronize();
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
  return cuEventSynchronize(event);
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
  (void)way;
  DRIVER(cuMemcpyAsync, (Address, Address, size_t, void*));
  return cuMemcpyAsync(address_of(to), address_of(from), n, stream);
}
int cudaMemcpy(void* to, const void* from, size_t n, int way) {
  const int result = cudaMemcpyAsync(to, from, n, way, NULL);
  return result != 0 ? result : cudaStreamSynchronize(NULL);
}
int cudaLaunchKernel(const void* function, struct Dim3 grid, struct Dim3 block, void** arguments, size_t shared,
                     void* stream) {
  DRIVER(cuLaunchKernel,
         (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**));
  return cuLaunchKernel((void*)function, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, stream,
                        arguments, NULL);
}
int cudaGetDevice(int* device) {
  DRIVER(cuCtxGetDevice, (int*));
  return cuCtxGetDevice(device);
}
int cudaDeviceGetPCIBusId(char* text, int n, int device) {
  DRIVER(cuDeviceGetPCIBusId, (char*, int, int));
  return cuDeviceGetPCIBusId(text, n, device);
}
