#include "collector/merge/samples/openmp_waiting.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/collector/merge/run_folder.h"

namespace scalediag::merge {
namespace {

const std::string kLibrary = std::string(SYMBOLS_BINARY_DIR) + "/libgomp.so.1";  // symbols/spinning.c

// The library as it is loaded in this test. It begins at address 0 of its file.
struct Loaded {
  uint64_t base = 0;
  uint64_t waiting = 0;
  uint64_t working = 0;
};

Loaded load() {
  void* library = dlopen(kLibrary.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  const auto address_from = [library](const char* function) {
    return reinterpret_cast<uint64_t>(reinterpret_cast<void* (*)()>(dlsym(library, function))());
  };
  Loaded loaded;
  loaded.waiting = address_from("address_of_waiting");
  loaded.working = address_from("address_of_working");
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(loaded.waiting), &info) == 0) return {};
  loaded.base = reinterpret_cast<uint64_t>(info.dli_fbase);
  return loaded;
}

TEST(OpenmpWaiting, LibrariesAreKnownByTheirNames) {
  for (const char* path : {"/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0", "/usr/lib/llvm-14/lib/libomp.so.5",
                           "/usr/lib/llvm-14/lib/libomp-14.so.5", "/opt/intel/lib/libiomp5.so", "libnvomp.so"}) {
    EXPECT_TRUE(is_openmp_module(path)) << path;
  }
  for (const char* path :
       {"/usr/lib/libfftw3_omp.so.3", "/usr/lib/libompi.so", "/home/me/libomp_tools", "libgompa.so"}) {
    EXPECT_FALSE(is_openmp_module(path)) << path;
  }
  EXPECT_TRUE(is_yielding_openmp_module("/opt/intel/lib/libiomp5.so"));
  EXPECT_FALSE(is_yielding_openmp_module("/usr/lib/libgomp.so.1"));
}

TEST(OpenmpWaiting, AStrippedLibraryWaitsWhereItsCodeHintsThatItSpins) {
  const Loaded loaded = load();
  ASSERT_NE(loaded.base, 0u) << kLibrary;
  SymbolCache symbols;
  ModuleSymbols& module = symbols.module(kLibrary, "");
  const uint64_t waiting = loaded.waiting - loaded.base, working = loaded.working - loaded.base;
  EXPECT_EQ(module.function_at(waiting).name.rfind("libgomp.so.1+0x", 0), 0u) << module.function_at(waiting).name;
  EXPECT_TRUE(waits_for_threads(module, waiting, true));
  EXPECT_FALSE(waits_for_threads(module, working, true));
  EXPECT_FALSE(waits_for_threads(module, waiting, false));  // in another library it is the program's own
}

// Per rank, in CPU time: 2 s and 1 s of waiting on two threads, 4 s of work of the library, 3 s of the program.
TEST(OpenmpWaiting, IsAKernelOfItsOwnAndNoComputation) {
  const Loaded loaded = load();
  ASSERT_NE(loaded.base, 0u) << kLibrary;
  const ModuleSpan library = {loaded.base, loaded.base, loaded.base + 0x10000, kLibrary, ""};
  const ModuleSpan app = {0x10000, 0x10000, 0x20000, "/nonexistent/app", ""};
  const auto sample = [](uint64_t address, uint64_t seconds, uint32_t thread) {
    return SampleRow{{thread, raw::kOutsideMpi, 0, address}, {seconds, seconds * kSecond, 0, {}}};
  };
  RunFolder f(1);
  f.write("a.raw",
          finished_file(
              {.modules = {app, library},
               .samples = {sample(loaded.waiting, 2, raw::kMainThread), sample(loaded.waiting, 1, raw::kOtherThread),
                           sample(loaded.working, 4, raw::kOtherThread), sample(0x10010, 3, raw::kMainThread)}}));
  const auto waiting_of = [](const core::Run& run) {
    const auto k = std::find_if(run.kernels.begin(), run.kernels.end(),
                                [](const core::Kernel& x) { return x.kind == core::KernelKind::kWaiting; });
    EXPECT_EQ(k->name, "[OpenMP waiting]");
    return k->metrics.at("time_s").sum;
  };
  const core::Run cpu = f.merge(core::Clock::kCpu).value();
  EXPECT_NEAR(cpu.times.openmp_waiting_s.sum, 3, 1e-9);
  EXPECT_NEAR(waiting_of(cpu), 3, 1e-9);
  EXPECT_NEAR(cpu.times.computation_s.sum, 7, 1e-9);
  EXPECT_NEAR(cpu.times.total_s.sum,
              cpu.times.computation_s.sum + cpu.times.openmp_waiting_s.sum + cpu.times.communication_s.sum +
                  cpu.times.others_s.sum + cpu.times.unattributed_s.sum,
              1e-9);
  // Elapsed time is the main thread's.
  const core::Run wall = f.merge(core::Clock::kWall).value();
  EXPECT_NEAR(wall.times.openmp_waiting_s.sum, 2, 1e-9);
  EXPECT_NEAR(waiting_of(wall), 2, 1e-9);
}

// LLVM's library waits in the C library's sched_yield; without that library such a call is the program's own work.
TEST(OpenmpWaiting, LlvmWaitsInSchedYield) {
  Dl_info info;
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "sched_yield"), &info), 0);
  const auto base = reinterpret_cast<uint64_t>(info.dli_fbase);
  const ModuleSpan c_library = {base, base, base + 0x1000000, info.dli_fname, ""};
  const ModuleSpan llvm = {0x10000, 0x10000, 0x20000, "/nonexistent/libomp.so.5", ""};
  const SampleRow yields = {{raw::kOtherThread, raw::kOutsideMpi, 0, reinterpret_cast<uint64_t>(info.dli_saddr)},
                            {1, kSecond, kSecond, {}}};
  RunFolder with(1), without(1);
  with.write("a.raw", finished_file({.modules = {llvm, c_library}, .samples = {yields}}));
  without.write("a.raw", finished_file({.modules = {c_library}, .samples = {yields}}));
  EXPECT_NEAR(with.merge().value().times.openmp_waiting_s.sum, 1, 1e-9);
  EXPECT_NEAR(without.merge().value().times.computation_s.sum, 1, 1e-9);
}

}  // namespace
}  // namespace scalediag::merge
