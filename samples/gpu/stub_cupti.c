/* A stand-in for CUPTI's activity API (libcupti.so): the kernels and copies of the stand-in for CUDA's driver, as
 * records with the fields at the places of CUDA's header. Records of different versions have different sizes: here
 * every other kernel's is as long as that of CUDA 9 (144 bytes), the others as that of CUDA 13 (216). Buffers are
 * handed over when they are full and when that is forced: any other may have a record that is not complete. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { kForced = 1, kMemcpy = 1, kConcurrentKernel = 10, kCopyRecord = 96, kSmallRecord = 144, kLargeRecord = 216 };
typedef void (*TakeBuffer)(uint8_t** buffer, size_t* size, size_t* most_records);
typedef void (*GiveBuffer)(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t used);

static TakeBuffer take_buffer;
static GiveBuffer give_buffer;
static int records_kernels, records_copies, n_kernels;
static uint8_t* buffer;
static size_t size, used;

static size_t size_of(const uint8_t* record) {
  if (*(const uint32_t*)(const void*)record == kMemcpy) return kCopyRecord;
  return record[kSmallRecord - 1] != 0 ? kSmallRecord : kLargeRecord; /* a field of neither that is read */
}
int cuptiActivityFlushAll(uint32_t flag) {
  if (buffer == NULL || flag != kForced) return 0;
  uint8_t* full = buffer;
  buffer = NULL;
  give_buffer(NULL, 0, full, size, used);
  return 0;
}
static void watch(const char* kernel, int way, double begin_s, double end_s) {
  if (kernel != NULL ? !records_kernels : !records_copies) return;
  uint8_t record[kLargeRecord];
  memset(record, 0, sizeof record);
  const uint32_t kind = kernel != NULL ? kConcurrentKernel : kMemcpy;
  const uint64_t begin_ns = (uint64_t)(1e9 * begin_s), end_ns = (uint64_t)(1e9 * end_s);
  memcpy(record, &kind, sizeof kind);
  memcpy(record + 16, &begin_ns, sizeof begin_ns);
  memcpy(record + 24, &end_ns, sizeof end_ns);
  if (kernel != NULL) {
    memcpy(record + 104, &kernel, sizeof(void*));
    if (n_kernels++ % 2 == 0) record[kSmallRecord - 1] = 1;
  } else {
    record[4] = (uint8_t)(way == 4 ? 0 : way);
  }
  const size_t n = size_of(record);
  if (buffer != NULL && used + n > size) cuptiActivityFlushAll(kForced);
  if (buffer == NULL) {
    size_t most = 0;
    take_buffer(&buffer, &size, &most);
    used = 0;
  }
  if (buffer == NULL) return;
  memcpy(buffer + used, record, n);
  used += n;
}
int cuptiActivityRegisterCallbacks(TakeBuffer take, GiveBuffer give) {
  typedef void (*Watch)(void (*)(const char*, int, double, double));
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  const Watch gpu_stub_watch = driver != NULL ? (Watch)(uintptr_t)dlsym(driver, "gpu_stub_watch") : NULL;
  if (gpu_stub_watch == NULL) return 1;
  take_buffer = take;
  give_buffer = give;
  gpu_stub_watch(watch);
  return 0;
}
/* GPU_STUB_NO_COPIES: it can record kernels alone. */
int cuptiActivityEnable(uint32_t kind) {
  if (kind == kMemcpy && getenv("GPU_STUB_NO_COPIES") != NULL) return 1;
  if (kind == kConcurrentKernel) records_kernels = 1;
  if (kind == kMemcpy) records_copies = 1;
  return 0;
}
int cuptiActivityDisable(uint32_t kind) {
  if (kind == kConcurrentKernel) records_kernels = 0;
  if (kind == kMemcpy) records_copies = 0;
  return 0;
}
int cuptiActivityGetNextRecord(uint8_t* in, size_t valid, uint8_t** record) {
  uint8_t* next = *record == NULL ? in : *record + size_of(*record);
  if (next >= in + valid) return 12; /* CUPTI_ERROR_MAX_LIMIT_REACHED */
  *record = next;
  return 0;
}
