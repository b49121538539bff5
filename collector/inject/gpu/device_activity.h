// The device's time for each kernel and copy, as CUPTI records it: cuptiActivityEnable for kernels that may run at the
// same time (CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) and for copies (CUPTI_ACTIVITY_KIND_MEMCPY).
//
// CUPTI is looked for with dlopen when it is asked for, and never linked. Its records grow from version to version
// (CUpti_ActivityKernel3 to 10, CUpti_ActivityMemcpy to 6); the fields that are read have had their places in all of
// them:
//
//   kernel   kind 0 (4 bytes), start 16 and end 24 (8 bytes each, ns), name 104 (a pointer)
//   copy     kind 0, copyKind 4 (1 byte), start 16, end 24
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace scalediag::inject::gpu {

// Starts recording, once; the result is the same in all calls: the reason why there is none, or null. To be called by a
// thread of the application.
const char* start_activity();
// True where CUPTI was started.
bool records_activity();
// Asks for the records of what is done by now. Does nothing where recording was not started.
void collect_activity();
// From now on records are thrown away: nobody reads them any more. May be called in a signal handler.
void end_activity();

// All kernels of a name, or all copies of a direction.
struct DeviceWork {
  bool is_kernel = false;
  std::string name;        // of kernels, in the program's symbols
  uint32_t direction = 0;  // of copies, in raw::kGpuDirections
  uint64_t ns = 0, count = 0;
};
// The sums of all records up to now, in the order in which they were first seen. Empty where another thread holds them
// for a second.
std::vector<DeviceWork> device_work();

// Adds one record. False: its kind is another one.
bool add_activity(const unsigned char* record);

}  // namespace scalediag::inject::gpu
