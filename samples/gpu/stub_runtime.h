/* The functions of CUDA's runtime that the stand-in has, with the parameters of CUDA's header. */
#ifndef SCALEDIAG_SAMPLES_STUB_RUNTIME_H
#define SCALEDIAG_SAMPLES_STUB_RUNTIME_H

#include <stddef.h>

struct Dim3 {
  unsigned x, y, z;
};
enum { kHostToDevice = 1, kDeviceToHost = 2 };

void __cudaRegisterFunction(void** module, const void* function, char* device_function, const char* device_name,
                            int threads, void* tid, void* bid, void* block, void* grid, int* warp);
int cudaStreamCreate(void** stream);
int cudaStreamSynchronize(void* stream);
int cudaStreamQuery(void* stream);
int cudaDeviceSynchronize(void);
int cudaEventCreateWithFlags(void** event, unsigned flags);
int cudaEventRecord(void* event, void* stream);
int cudaEventSynchronize(void* event);
int cudaEventQuery(void* event);
int cudaEventElapsedTime(float* ms, void* first, void* last);
int cudaMalloc(void** to, size_t n);
int cudaFree(void* of);
int cudaMemcpyAsync(void* to, const void* from, size_t n, int way, void* stream);
int cudaMemcpy(void* to, const void* from, size_t n, int way);
int cudaLaunchKernel(const void* function, struct Dim3 grid, struct Dim3 block, void** arguments, size_t shared,
                     void* stream);
int cudaGetDevice(int* device);
int cudaDeviceGetPCIBusId(char* text, int n, int device);

#endif
