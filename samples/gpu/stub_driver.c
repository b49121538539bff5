/* A stand-in for CUDA's driver (libcuda.so.1) without any device: streams are times at which they will be done.
 *
 * A kernel's handle is its name; its first argument points to a double, the seconds that it takes. Copies take 10 us
 * and 0.1 ns a byte, and are carried out at once. What waits sleeps, or spins with GPU_STUB_SPIN=1. The stand-in for
 * CUPTI is told of each kernel and copy by what gpu_stub_watch() is given. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kSuccess = 0, kNotFound = 500, kNotReady = 600 };
typedef unsigned long long Address;
typedef struct {
  double done_s;
} Stream;
typedef struct {
  double at_s;
} Event;

static Stream default_stream;
static Stream* all_streams[64];
static int n_streams;

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void wait_until(double at_s) {
  static int spins = -1;
  if (spins < 0) spins = getenv("GPU_STUB_SPIN") != NULL;
  double left_s;
  while ((left_s = at_s - now_s()) > 0) {
    if (spins) continue;
    const struct timespec t = {(time_t)left_s, (long)(1e9 * (left_s - (double)(time_t)left_s))};
    nanosleep(&t, NULL);
  }
}
static Stream* stream_of(void* stream) { return stream != NULL ? stream : &default_stream; }
/* `kernel`: its name, or NULL for a copy in this direction (cudaMemcpyKind). */
typedef void (*Watcher)(const char* kernel, int way, double begin_s, double end_s);
static Watcher watcher;
void gpu_stub_watch(Watcher told);
void gpu_stub_watch(Watcher told) { watcher = told; }
static void occupy(void* stream, double seconds, const char* kernel, int way) {
  Stream* s = stream_of(stream);
  const double now = now_s();
  const double begin_s = s->done_s > now ? s->done_s : now;
  s->done_s = begin_s + seconds;
  if (watcher != NULL) watcher(kernel, way, begin_s, s->done_s);
}
static double copy_s(size_t n) { return 1e-5 + 1e-10 * (double)n; }

int cuStreamCreate(void** stream, unsigned flags) {
  (void)flags;
  Stream* s = calloc(1, sizeof *s);
  if (n_streams < 64) all_streams[n_streams++] = s;
  *stream = s;
  return kSuccess;
}
int cuStreamSynchronize(void* stream) {
  wait_until(stream_of(stream)->done_s);
  return kSuccess;
}
int cuStreamQuery(void* stream) { return stream_of(stream)->done_s <= now_s() ? kSuccess : kNotReady; }
int cuCtxSynchronize(void) {
  wait_until(default_stream.done_s);
  for (int i = 0; i < n_streams; ++i) wait_until(all_streams[i]->done_s);
  return kSuccess;
}
int cuEventCreate(void** event, unsigned flags) {
  (void)flags;
  *event = calloc(1, sizeof(Event));
  return kSuccess;
}
int cuEventRecord(void* event, void* stream) {
  const double now = now_s(), done = stream_of(stream)->done_s;
  ((Event*)event)->at_s = done > now ? done : now;
  return kSuccess;
}
int cuEventSynchronize(void* event) {
  wait_until(((Event*)event)->at_s);
  return kSuccess;
}
int cuEventQuery(void* event) { return ((Event*)event)->at_s <= now_s() ? kSuccess : kNotReady; }
int cuEventElapsedTime(float* ms, void* first, void* last) {
  *ms = (float)(1e3 * (((Event*)last)->at_s - ((Event*)first)->at_s));
  return kSuccess;
}
int cuMemAlloc_v2(Address* to, size_t n) {
  *to = (Address)(uintptr_t)calloc(n > 0 ? n : 1, 1);
  return kSuccess;
}
int cuMemFree_v2(Address of) {
  free((void*)(uintptr_t)of);
  return kSuccess;
}
static int copy(Address to, Address from, size_t n, int way, void* stream) {
  memcpy((void*)(uintptr_t)to, (const void*)(uintptr_t)from, n);
  occupy(stream, copy_s(n), NULL, way);
  return kSuccess;
}
int cuMemcpyAsync(Address to, Address from, size_t n, void* stream) { return copy(to, from, n, 4, stream); }
int cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t n, void* stream) {
  return copy(to, (Address)(uintptr_t)from, n, 1, stream);
}
int cuMemcpyDtoHAsync_v2(void* to, Address from, size_t n, void* stream) {
  return copy((Address)(uintptr_t)to, from, n, 2, stream);
}
int cuMemcpyHtoD_v2(Address to, const void* from, size_t n) {
  cuMemcpyHtoDAsync_v2(to, from, n, NULL);
  return cuStreamSynchronize(NULL);
}
int cuMemcpyDtoH_v2(void* to, Address from, size_t n) {
  cuMemcpyDtoHAsync_v2(to, from, n, NULL);
  return cuStreamSynchronize(NULL);
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  (void)module;
  *function = strdup(name);
  return kSuccess;
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** arguments, void** extra) {
  (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)extra;
  occupy(stream, *(const double*)arguments[0], function, 0);
  return kSuccess;
}
int cuCtxGetDevice(int* device) {
  const char* visible = getenv("CUDA_VISIBLE_DEVICES");
  *device = visible != NULL ? atoi(visible) : 0;
  return kSuccess;
}
int cuDeviceGetPCIBusId(char* text, int n, int device) {
  snprintf(text, (size_t)n, "0000:%02X:00.0", device + 1);
  return kSuccess;
}

int cuGetProcAddress_v2(const char* symbol, void** found, int version, uint64_t flags, int* status) {
  (void)version, (void)flags, (void)status;
  const struct {
    const char* name;
    void* function;
  } all[] = {{"cuStreamSynchronize", (void*)(uintptr_t)cuStreamSynchronize},
             {"cuLaunchKernel", (void*)(uintptr_t)cuLaunchKernel},
             {"cuMemcpyHtoD", (void*)(uintptr_t)cuMemcpyHtoD_v2},
             {"cuMemcpyDtoH", (void*)(uintptr_t)cuMemcpyDtoH_v2},
             {"cuMemAlloc", (void*)(uintptr_t)cuMemAlloc_v2},
             {"cuModuleGetFunction", (void*)(uintptr_t)cuModuleGetFunction}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    if (strcmp(all[i].name, symbol) != 0) continue;
    *found = all[i].function;
    return kSuccess;
  }
  return kNotFound;
}
