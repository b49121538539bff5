// The functions of GPUs' libraries whose calls are counted: names and kinds. Header only, C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace scalediag::raw {

enum class GpuCallKind : uint32_t {
  kWait,          // returns when the device has done what was asked of it before
  kCopyWait,      // copies, and returns when that is done
  kCopy,          // begins a copy
  kFill,          // begins to fill memory of the device
  kLaunch,        // begins a kernel, or a graph of kernels
  kAllocate,      // allocates or frees memory
  kQuery,         // asks whether the device is done
  kCollective,    // begins communication between devices, of NCCL or RCCL
  kGroup,         // begins or ends a group of these: what was asked for in it begins at its end
  kCommunicator,  // makes or frees a communicator of these
  kMessage,       // a call of MPI that is given memory of a device: it is counted, and its time is MPI's
  kCount
};

// True of calls in which the host waits for the device.
constexpr bool waits_for_device(GpuCallKind kind) {
  return kind == GpuCallKind::kWait || kind == GpuCallKind::kCopyWait || kind == GpuCallKind::kQuery;
}

// "wait", "copy and wait", "copy", "fill", "launch", "allocate", "query", "collective", "group", "communicator",
// "message".
constexpr const char* kGpuCallKindNames[] = {"wait",  "copy and wait", "copy",  "fill",         "launch", "allocate",
                                             "query", "collective",    "group", "communicator", "message"};
static_assert(sizeof(kGpuCallKindNames) / sizeof(const char*) == static_cast<size_t>(GpuCallKind::kCount),
              "a name a kind");

// The details of kMessage: its buffer is memory of a device, or memory of the host that a device's was copied to.
constexpr const char* kGpuMessageOrigins[] = {"device memory", "copy of device memory"};

// The directions of copies, numbered as cudaMemcpyKind and hipMemcpyKind are.
constexpr const char* kGpuDirections[] = {"host to host", "host to device", "device to host", "device to device",
                                          "unknown direction"};
constexpr uint32_t kToDevice = 1, kToHost = 2, kOnDevice = 3, kUnknownDirection = 4;

// Beginnings of the file names of libraries that drive GPUs.
constexpr std::string_view kGpuDrivers[] = {"libcuda.so", "libcudart", "libamdhip64", "libze_loader.so",
                                            "libhsa-runtime64"};
// And of those that call them for others: what they call is charged to who called them.
constexpr std::string_view kGpuLibraries[] = {"libcublas", "libcudnn",  "libcufft",  "libcusparse", "libcusolver",
                                              "libcurand", "libnccl",   "librccl",   "librocblas",  "libhipblas",
                                              "librocfft", "libhipfft", "libMIOpen", "libkokkos"};

template <size_t n> constexpr bool is_one_of(std::string_view path, const std::string_view (&beginnings)[n]) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const std::string_view b : beginnings) {
    if (file.substr(0, b.size()) == b) return true;
  }
  return false;
}
constexpr bool is_gpu_driver(std::string_view path) { return is_one_of(path, kGpuDrivers); }
constexpr bool is_gpu_layer(std::string_view path) { return is_gpu_driver(path) || is_one_of(path, kGpuLibraries); }

}  // namespace scalediag::raw
