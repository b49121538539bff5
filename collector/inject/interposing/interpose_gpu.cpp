// The functions of GPUs' libraries, in front of their own: core/raw/gpu_functions.def names them, collector/inject/gpu
// says what is counted. Without such a library in the process nothing here is called.
#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "collector/inject/gpu/device_activity.h"
#include "collector/inject/gpu/gpu_calls.h"
#include "collector/inject/gpu/gpu_table.h"
#include "collector/inject/interposing/device_communication.h"
#include "collector/inject/interposing/device_timer.h"
#include "collector/inject/interposing/gpu_original.h"
#include "collector/inject/interposing/next_function.h"
#include "pmpi-comm/own_work.h"
#include "pmpi-comm/thread_state.h"
#include "pmpi-comm/ticks.h"

namespace gpu = scalediag::inject::gpu;

namespace {

using gpu::direction;
using gpu::freeing;
using gpu::graph;
using gpu::kernel;
using gpu::making;
using gpu::none;
using scalediag::pmpi::Caller;
using scalediag::raw::GpuCallKind;
using scalediag::raw::kOnDevice;
using scalediag::raw::kToDevice;
using scalediag::raw::kToHost;
using scalediag::raw::kUnknownDirection;
using scalediag::raw::waits_for_device;

// As the libraries' headers have them.
using Address = unsigned long long;
struct Dim3 {
  unsigned x, y, z;
};

// The program called a function that no loaded library has: CUDA and HIP call 100 "no device", Level Zero and NCCL have
// values of their own for what is not there.
constexpr int no_library(const char* name) { return name[0] == 'z' ? 0x78000001 : name[0] == 'n' ? 2 : 100; }

// The bytes of a value of ncclDataType_t.
size_t bytes_of_type(int type) {
  constexpr size_t kBytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  const auto index = static_cast<size_t>(type);
  return index < sizeof kBytes / sizeof kBytes[0] ? kBytes[index] : 0;
}

// ncclUniqueId, which is passed by value.
struct UniqueId {
  char bytes[128];
};

gpu::Detail among(void* communicator, int peer = -1) {
  gpu::Detail detail = gpu::ranks(gpu::ranks_of(communicator));
  detail.communicator = communicator;
  detail.peer = peer;
  return detail;
}

// The device on which the calling thread has launched, where its library tells: `api` is that of the launch.
void note_device(const char* launch) {
  const bool is_hip = launch[0] == 'h', is_runtime = std::strstr(launch, "cuda") != nullptr;
  if (!is_hip && std::strncmp(launch, "cu", 2) != 0 && std::strncmp(launch, "__cuda", 6) != 0) return;
  const auto get = reinterpret_cast<int (*)(int*)>(gpu::find_original(is_hip       ? "hipGetDevice"
                                                                      : is_runtime ? "cudaGetDevice"
                                                                                   : "cuCtxGetDevice"));
  int number = 0;
  if (get == nullptr || get(&number) != 0) return;
  const auto address =
      reinterpret_cast<int (*)(char*, int, int)>(gpu::find_original(is_hip       ? "hipDeviceGetPCIBusId"
                                                                    : is_runtime ? "cudaDeviceGetPCIBusId"
                                                                                 : "cuDeviceGetPCIBusId"));
  char text[32] = "";
  if (address == nullptr || address(text, sizeof text, number) != 0) {
    text[0] = static_cast<char>('0' + number % 10);
    text[1] = '\0';
  }
  gpu::set_device(text);
}

// Starts CUPTI at the first call of CUDA. Where there is none, events take its place, as they do for HIP.
void begin_activity(const char* function) {
  std::optional<scalediag::pmpi::OwnWork> own;
  if (scalediag::pmpi::this_thread != nullptr) own.emplace(*scalediag::pmpi::this_thread);
  const bool is_of_cuda = std::strncmp(function, "cu", 2) == 0 || std::strncmp(function, "__cuda", 6) == 0;
  const char* const why_not = is_of_cuda                              ? gpu::start_activity()
                              : std::strncmp(function, "hip", 3) == 0 ? "rocprofiler is not used"
                                                                      : nullptr;
  if (why_not == nullptr) return;
  gpu::set_no_activity(why_not);
  gpu::set_mode(gpu::Mode::kEvents);
}

// "Not ready" is an answer to a query, and "in progress" one of NCCL where a communicator does not block.
bool has_succeeded(GpuCallKind kind, int result) {
  constexpr int kInProgress = 7;
  const bool is_of_nccl =
      kind == GpuCallKind::kCollective || kind == GpuCallKind::kGroup || kind == GpuCallKind::kCommunicator;
  return result == 0 || kind == GpuCallKind::kQuery || (is_of_nccl && result == kInProgress);
}

// A call that is not counted: what it allocates or frees is known all the same, since MPI may be given it.
template <class Call, class DetailOf>
int uncounted(const gpu::Function& function, uint64_t bytes, DetailOf detail_of, Call call) {
  if (function.kind != GpuCallKind::kAllocate || gpu::mode() == gpu::Mode::kOff) return call();
  const gpu::Detail detail = detail_of();
  const gpu::FreedMemory freed(detail);
  const int result = call();
  if (result == 0) {
    gpu::note_memory(detail, bytes);
  } else {
    freed.failed();
  }
  return result;
}

template <class Call>
int communicated(const gpu::Function& function, Caller caller, uint64_t bytes, const gpu::Detail& detail, bool is_timed,
                 scalediag::pmpi::TraceRecorder* trace, bool in_mpi, Call call) {
  gpu::CommunicationCall communication(function, detail, is_timed);
  const uint64_t begin = scalediag::pmpi::ticks();
  const int result = call();
  const uint64_t elapsed = scalediag::pmpi::ticks() - begin;
  if (!has_succeeded(function.kind, result)) {
    communication.failed();
    return result;
  }
  const uint32_t place = gpu::add(function, detail, caller, bytes, elapsed, in_mpi);
  communication.succeeded(place, bytes, trace);
  return result;
}

template <class Call, class DetailOf>
int counted(const gpu::Function& function, Caller caller, uint64_t bytes, DetailOf detail_of, Call call) {
  gpu::InsideCall inside;
  const gpu::Detail detail = detail_of();
  if (gpu::mode() == gpu::Mode::kActivity && !gpu::records_activity()) begin_activity(function.name);
  scalediag::pmpi::TraceRecorder* const trace = gpu::trace_of_thread(inside.in_mpi());
  const bool with_events = gpu::mode() == gpu::Mode::kEvents && !inside.in_mpi();
  // A trace has to know when communication ends, which CUPTI says too late.
  const bool times = with_events || (trace != nullptr && gpu::mode() == gpu::Mode::kActivity);
  if (function.kind == GpuCallKind::kCollective) {
    return communicated(function, caller, bytes, detail, times, trace, inside.in_mpi(), call);
  }
  const bool is_timed = with_events && detail.has_stream;
  gpu::TimedCall timed = is_timed ? gpu::begin_timed(function.name, detail.stream) : gpu::TimedCall{};
  const gpu::FreedMemory freed(detail);
  const bool is_traced_wait =
      trace != nullptr && (function.kind == GpuCallKind::kWait || function.kind == GpuCallKind::kCopyWait);
  if (is_traced_wait) {
    const scalediag::pmpi::OwnWork own(*scalediag::pmpi::this_thread);
    trace->device_begins(gpu::number_of(function), function.name);
  }
  const uint64_t begin = scalediag::pmpi::ticks();
  const int result = call();
  const uint64_t elapsed = scalediag::pmpi::ticks() - begin;
  if (result == 0 && times && waits_for_device(function.kind)) gpu::collect_timed();
  if (is_traced_wait) {
    const scalediag::pmpi::OwnWork own(*scalediag::pmpi::this_thread);
    trace->device_waited(gpu::number_of(function), function.name, elapsed, gpu::take_traced_ns());
  }
  const bool succeeded = has_succeeded(function.kind, result);
  if (function.kind == GpuCallKind::kGroup) gpu::after_group_call(function, succeeded, trace);
  if (!succeeded) {
    freed.failed();
    gpu::drop_timed(timed);
    return result;
  }
  if (function.kind == GpuCallKind::kAllocate || detail.copied_to != 0) gpu::note_memory(detail, bytes);
  const uint32_t place = gpu::add(function, detail, caller, bytes, elapsed, inside.in_mpi());
  if (is_timed) {
    gpu::end_timed(timed, detail.stream, place);
    // A copy that was waited for is done, and nothing may be waited for after it.
    if (function.kind == GpuCallKind::kCopyWait) gpu::collect_timed();
  }
  if (function.kind == GpuCallKind::kCommunicator) gpu::after_communicator_call(function, detail, trace);
  if (function.kind == GpuCallKind::kLaunch && gpu::wants_device()) note_device(function.name);
  return result;
}

constexpr size_t index_of(const char* name) {
  for (size_t i = 0; i < gpu::kFunctions; ++i) {
    const char *a = gpu::kFunctionTable[i].name, *b = name;
    while (*a != '\0' && *a == *b) ++a, ++b;
    if (*a == *b) return i;
  }
  return gpu::kFunctions;
}

#define SCALEDIAG_GPU(name, kind, bytes, detail, parameters, arguments) gpu::Original original_##name(#name);
#include "core/raw/gpu_functions.def"
#undef SCALEDIAG_GPU

}  // namespace

#define SCALEDIAG_GPU(name, kind, bytes, detail, parameters, arguments)                                \
  SCALEDIAG_SHOWN int name parameters {                                                                \
    const auto real = reinterpret_cast<int(*) parameters>(original_##name.get());                      \
    if (real == nullptr) return no_library(#name);                                                     \
    constexpr size_t index = index_of(#name);                                                          \
    const auto detail_of = [&] { return gpu::Detail(detail); };                                        \
    const auto call = [&] { return real arguments; };                                                  \
    if (!gpu::counts_here())                                                                           \
      return uncounted(gpu::kFunctionTable[index], static_cast<uint64_t>(bytes), detail_of, call);     \
    const Caller caller{reinterpret_cast<uintptr_t>(__builtin_return_address(0)),                      \
                        reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa())};                           \
    return counted(gpu::kFunctionTable[index], caller, static_cast<uint64_t>(bytes), detail_of, call); \
  }
#include "core/raw/gpu_functions.def"
#undef SCALEDIAG_GPU

// Programs that are linked with CUDA's or HIP's runtime register their kernels when they are loaded.
#define SCALEDIAG_REGISTERS(name)                                                                                    \
  SCALEDIAG_SHOWN void name(void** module, const void* function, char* device_function, const char* device_name,     \
                            int threads, void* tid, void* bid, void* block, void* grid, int* warp) {                 \
    static gpu::Original original(#name);                                                                            \
    gpu::register_kernel(function, device_name);                                                                     \
    using Real = void (*)(void**, const void*, char*, const char*, int, void*, void*, void*, void*, int*);           \
    const auto real = reinterpret_cast<Real>(original.get());                                                        \
    if (real != nullptr) real(module, function, device_function, device_name, threads, tid, bid, block, grid, warp); \
  }
SCALEDIAG_REGISTERS(__cudaRegisterFunction)
SCALEDIAG_REGISTERS(__hipRegisterFunction)

// Others ask for a kernel's handle by its name.
#define SCALEDIAG_HANDLE_OF(name)                                                                   \
  namespace {                                                                                       \
  gpu::Original original_##name(#name);                                                             \
  }                                                                                                 \
  SCALEDIAG_SHOWN int name(void** handle, void* of, const char* kernel_name) {                      \
    const auto real = reinterpret_cast<int (*)(void**, void*, const char*)>(original_##name.get()); \
    if (real == nullptr) return no_library(#name);                                                  \
    const int result = real(handle, of, kernel_name);                                               \
    if (result == 0 && handle != nullptr) gpu::register_kernel(*handle, kernel_name);               \
    return result;                                                                                  \
  }
SCALEDIAG_HANDLE_OF(cuModuleGetFunction)
SCALEDIAG_HANDLE_OF(cuLibraryGetKernel)
SCALEDIAG_HANDLE_OF(hipModuleGetFunction)

// CUDA 13 launches by handles of its host functions.
namespace {
gpu::Original original_cudaGetKernel("__cudaGetKernel");
}
SCALEDIAG_SHOWN int __cudaGetKernel(void** handle, const void* function) {
  const auto real = reinterpret_cast<int (*)(void**, const void*)>(original_cudaGetKernel.get());
  if (real == nullptr) return no_library("cuda");
  const int result = real(handle, function);
  if (result == 0 && handle != nullptr) gpu::register_kernel(*handle, gpu::kernel_name(function));
  return result;
}

// The driver's own dlsym, by which CUDA's static runtime finds it.
namespace {

constexpr uint64_t kPerThreadStream = 2;  // of the flags: another function with the same name is meant
gpu::Original original_cuGetProcAddress("cuGetProcAddress"), original_cuGetProcAddress_v2("cuGetProcAddress_v2");

// `version` is that of CUDA that the program was compiled for, 12000 for 12.0: since then the driver's dlsym has five
// parameters.
void count_found(const char* symbol, void** found, int version, uint64_t flags) {
  if (symbol == nullptr || found == nullptr || *found == nullptr || (flags & kPerThreadStream) != 0) return;
  const bool asks_for_this = std::strcmp(symbol, "cuGetProcAddress") == 0;
  const char* const name = asks_for_this && version >= 12000 ? "cuGetProcAddress_v2" : symbol;
  const gpu::Named named = asks_for_this ? gpu::Named::kExactly : gpu::Named::kWithoutVersion;
  if (void* const ours = gpu::counting_function(name, *found, named)) *found = ours;
}

}  // namespace

SCALEDIAG_SHOWN int cuGetProcAddress(const char* symbol, void** found, int version, uint64_t flags) {
  const auto real = reinterpret_cast<int (*)(const char*, void**, int, uint64_t)>(original_cuGetProcAddress.get());
  if (real == nullptr) return no_library("cu");
  const int result = real(symbol, found, version, flags);
  if (result == 0) count_found(symbol, found, version, flags);
  return result;
}
SCALEDIAG_SHOWN int cuGetProcAddress_v2(const char* symbol, void** found, int version, uint64_t flags, void* status) {
  const auto real =
      reinterpret_cast<int (*)(const char*, void**, int, uint64_t, void*)>(original_cuGetProcAddress_v2.get());
  if (real == nullptr) return no_library("cu");
  const int result = real(symbol, found, version, flags, status);
  if (result == 0) count_found(symbol, found, version, flags);
  return result;
}

namespace scalediag::inject::gpu {
namespace {

struct Shown {
  Original* original;
  void* function;
};
const Shown kShown[] = {
#define SCALEDIAG_GPU(name, kind, bytes, detail, parameters, arguments) \
  {&original_##name, reinterpret_cast<void*>(&::name)},
#include "core/raw/gpu_functions.def"
#undef SCALEDIAG_GPU
    {&original_cuModuleGetFunction, reinterpret_cast<void*>(&::cuModuleGetFunction)},
    {&original_cuLibraryGetKernel, reinterpret_cast<void*>(&::cuLibraryGetKernel)},
    {&original_hipModuleGetFunction, reinterpret_cast<void*>(&::hipModuleGetFunction)},
    {&original_cudaGetKernel, reinterpret_cast<void*>(&::__cudaGetKernel)},
    {&original_cuGetProcAddress, reinterpret_cast<void*>(&::cuGetProcAddress)},
    {&original_cuGetProcAddress_v2, reinterpret_cast<void*>(&::cuGetProcAddress_v2)},
};

bool is_of_this_library(const void* address) {
  Dl_info here, there;
  return dladdr(reinterpret_cast<const void*>(&kShown), &here) != 0 && dladdr(address, &there) != 0 &&
         here.dli_fbase == there.dli_fbase;
}

// The driver's dlsym names functions without the version that their symbols end with. For the C library's, a name
// without version is another function: the first one, which may take other parameters.
bool means(const char* asked, const char* name, Named named) {
  const size_t n = std::strlen(asked);
  if (std::strncmp(asked, name, n) != 0) return false;
  return name[n] == '\0' || (named == Named::kWithoutVersion && std::strcmp(name + n, "_v2") == 0);
}

}  // namespace

bool is_gpu_name(const char* name) {
  if (name == nullptr) return false;
  if (name[0] == 'c' && name[1] == 'u') return true;
  if (std::strncmp(name, "__cuda", 6) == 0) return true;
  return std::strncmp(name, "hip", 3) == 0 || std::strncmp(name, "nccl", 4) == 0 || std::strncmp(name, "ze", 2) == 0;
}

void* Original::look_up() {
  void* const found = find_original(name_);
  if (found != nullptr) found_.store(found, std::memory_order_release);
  return found;
}

void* find_original(const char* name) {
  if (void* const next = next_function<void*>(name)) return next;
  // Those that were loaded for one library alone; a library of any name may have CUDA's static runtime in it. The
  // loader's list is left before they are asked: another thread that loads a library takes the loader's locks in the
  // other order.
  struct Loaded {
    const char* paths[2048];
    size_t n;
  } loaded;
  loaded.n = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* module, size_t, void* data) {
        Loaded& to = *static_cast<Loaded*>(data);
        const bool has_name = module->dlpi_name != nullptr && module->dlpi_name[0] != '\0';
        if (has_name && to.n < sizeof to.paths / sizeof to.paths[0]) to.paths[to.n++] = module->dlpi_name;
        return 0;
      },
      &loaded);
  static const auto close = next_function<int (*)(void*)>("dlclose");  // nothing is unloaded by it
  for (const bool of_gpus : {true, false}) {
    for (size_t i = 0; i < loaded.n; ++i) {
      if (scalediag::raw::is_gpu_layer(loaded.paths[i]) != of_gpus) continue;
      void* const handle = dlopen(loaded.paths[i], RTLD_LAZY | RTLD_NOLOAD);
      if (handle == nullptr) continue;
      void* const symbol = symbol_of(handle, name);
      if (close != nullptr) close(handle);
      if (symbol != nullptr && !is_of_this_library(symbol)) return symbol;
    }
  }
  return nullptr;
}

void* counting_function(const char* name, void* found, Named named) {
  for (const Shown& shown : kShown) {
    if (!means(name, shown.original->name(), named)) continue;
    if (found == shown.function) return shown.original->get() != nullptr ? found : nullptr;
    if (mode() == Mode::kOff || !shown.original->take(found)) return found;
    return shown.function;
  }
  return found;
}

}  // namespace scalediag::inject::gpu
