// The attribution of samples to functions, MPI operations and other kernels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/merge/raw/rank_record.h"
#include "collector/merge/symbols/symbolizer.h"

namespace scalediag::merge {

enum class SampleOwner {
  kOperation,  // the intercepted MPI operation that the key names
  kMpiOther,   // MPI's own code outside every intercepted operation, and MPI's own threads
  kFunction,
  kGpuCall,        // in a call of a GPU's library
  kOpenmpWaiting,  // a thread that waits for others of its rank
  kKernelMode,     // in the operating system, with nothing known about the application's code
  kCollector,      // the wrappers around MPI, and PAPI where it counts for us: time that would not pass without the
                   // collector
  kUnattributed,   // no module has the address
};

struct Attribution {
  SampleOwner owner = SampleOwner::kUnattributed;
  const Function* function = nullptr;  // of kFunction
};

// Code of a module, by its address in the module's file.
struct CodePlace {
  ModuleSymbols* symbols = nullptr;
  const ModuleSpan* module = nullptr;
  uint64_t address = 0;
  bool is_mpi = false;
  bool is_collector = false;
};

// Attributes the samples of one rank. The record has to outlive it, `symbols` also its results.
class SampleAttributor {
 public:
  SampleAttributor(const RankRecord& record, bool resolve_inlined, SymbolCache& symbols);

  // Empty where no module has the address.
  std::optional<CodePlace> place_of(uint32_t epoch, uint64_t address);
  Attribution attribute(const SampleKey& key, const SampleTotals& totals);
  // The nearest function on the sample's stack whose name says something (kernel_of_function.h), the C library's left
  // out. Null where the stack is not known, has none, or leads through MPI or the collector.
  const Function* telling_caller(const SampleKey& key);
  // Adds the problems of the modules that samples fell into.
  void add_problems(std::set<std::string>& problems) const;
  // Adds the files of the modules that samples fell into without symbols, by the module's name.
  void add_unnamed(std::map<std::string, std::string>& files) const;

 private:
  enum class ModuleRole { kApplication, kMpi, kCollector, kOpenmp };
  struct Module {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t load_bias = 0;
    const ModuleSpan* span = nullptr;
    std::optional<ModuleRole> role = std::nullopt;  // both are found at the first sample in it
    ModuleSymbols* symbols = nullptr;
  };
  struct Epoch {
    std::vector<Module> modules;  // by begin
    bool openmp_yields = false;   // its OpenMP library calls sched_yield to wait
  };

  ModuleRole role_of(Module& module) const;
  ModuleSymbols& symbols_of(Module& module);
  static Module* module_at(Epoch& epoch, uint64_t address);
  bool waits(const Epoch& epoch, Module& module, uint64_t address) const;

  const bool counted_;  // events
  const bool resolve_inlined_;
  SymbolCache& symbols_;
  const std::map<uint32_t, raw::PythonFunction>& python_;
  const std::vector<raw::Caller>& callers_;
  std::unordered_map<uint32_t, Epoch> epochs_;
};

}  // namespace scalediag::merge
