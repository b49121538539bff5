#include "collector/merge/samples/sample_attribution.h"

#include <algorithm>

#include "collector/merge/samples/openmp_waiting.h"
#include "collector/merge/sites/communication_layers.h"
#include "collector/merge/symbols/kernel_of_function.h"
#include "collector/merge/symbols/mpi_modules.h"
#include "core/raw/c_library.h"

namespace scalediag::merge {

SampleAttributor::SampleAttributor(const RankRecord& record, bool resolve_inlined, SymbolCache& symbols)
    : counted_(record.identity && !record.identity->counters.empty()),
      resolve_inlined_(resolve_inlined),
      symbols_(symbols),
      python_(record.python),
      callers_(record.callers) {
  for (const auto& [number, spans] : record.modules) {
    Epoch& epoch = epochs_[number];
    for (const ModuleSpan& s : spans) {
      epoch.modules.push_back({s.begin, s.end, s.load_bias, &s, std::nullopt, nullptr});
      epoch.openmp_yields = epoch.openmp_yields || is_yielding_openmp_module(s.path);
    }
    std::ranges::stable_sort(epoch.modules, [](const Module& a, const Module& b) { return a.begin < b.begin; });
  }
}

SampleAttributor::ModuleRole SampleAttributor::role_of(Module& module) const {
  if (module.role) return *module.role;
  const std::string& path = module.span->path;
  if (is_collector_module(path) || (counted_ && is_papi_module(path))) {
    module.role = ModuleRole::kCollector;
  } else if (is_mpi_module(path)) {
    module.role = ModuleRole::kMpi;
  } else {
    module.role = is_openmp_module(path) ? ModuleRole::kOpenmp : ModuleRole::kApplication;
  }
  return *module.role;
}

SampleAttributor::Module* SampleAttributor::module_at(Epoch& epoch, uint64_t address) {
  auto after = std::upper_bound(epoch.modules.begin(), epoch.modules.end(), address,
                                [](uint64_t a, const Module& m) { return a < m.begin; });
  // A module's segments may leave a hole into which another module was mapped.
  while (after != epoch.modules.begin()) {
    --after;
    if (address < after->end) return &*after;
  }
  return nullptr;
}

// `address` is an address of the ELF file.
bool SampleAttributor::waits(const Epoch& epoch, Module& module, uint64_t address) const {
  return waits_for_threads(*module.symbols, address, role_of(module) == ModuleRole::kOpenmp) ||
         (epoch.openmp_yields && is_yield(module.symbols->function_at(address)));
}

ModuleSymbols& SampleAttributor::symbols_of(Module& module) {
  if (module.symbols == nullptr) module.symbols = &symbols_.module(module.span->path, module.span->build_id);
  return *module.symbols;
}

std::optional<CodePlace> SampleAttributor::place_of(uint32_t epoch, uint64_t address) {
  const auto found = epochs_.find(epoch);
  Module* m = found != epochs_.end() ? module_at(found->second, address) : nullptr;
  if (m == nullptr) return std::nullopt;
  const ModuleRole role = role_of(*m);
  return CodePlace{&symbols_of(*m), m->span, address - m->load_bias, role == ModuleRole::kMpi,
                   role == ModuleRole::kCollector};
}

Attribution SampleAttributor::attribute(const SampleKey& key, const SampleTotals& totals) {
  if (key.operation == raw::kOfCollector) return {SampleOwner::kCollector, nullptr};
  if (key.operation == raw::kInGpuCall) return {SampleOwner::kGpuCall, nullptr};
  if (key.operation != raw::kOutsideMpi) return {SampleOwner::kOperation, nullptr};
  if (key.thread_class == raw::kMpiInternalThread) return {SampleOwner::kMpiOther, nullptr};
  if ((key.address & raw::kPythonAddress) != 0) {
    const auto function = python_.find(static_cast<uint32_t>(key.address));
    if (function == python_.end()) return {SampleOwner::kUnattributed, nullptr};
    const raw::PythonFunction& f = function->second;
    return {SampleOwner::kFunction, &symbols_.python_function(f.name, f.file, static_cast<int>(f.line & 0x7FFFFFFF))};
  }
  const auto epoch = epochs_.find(key.epoch);
  Module* m = epoch != epochs_.end() ? module_at(epoch->second, key.address) : nullptr;
  if (m == nullptr) {
    const bool all_in_kernel = totals.system_ns > 0 && totals.system_ns == totals.cpu_ns;
    return {all_in_kernel ? SampleOwner::kKernelMode : SampleOwner::kUnattributed, nullptr};
  }
  const ModuleRole role = role_of(*m);
  if (role == ModuleRole::kMpi) return {SampleOwner::kMpiOther, nullptr};
  if (role == ModuleRole::kCollector) return {SampleOwner::kCollector, nullptr};
  symbols_of(*m);
  const uint64_t address = key.address - m->load_bias;
  if (waits(epoch->second, *m, address)) return {SampleOwner::kOpenmpWaiting, nullptr};
  return {SampleOwner::kFunction,
          resolve_inlined_ ? &m->symbols->inlined_function_at(address) : &m->symbols->function_at(address)};
}

const Function* SampleAttributor::telling_caller(const SampleKey& key) {
  for (uint32_t at = key.callers; at >= raw::kStackRoots; at = callers_[at - raw::kStackRoots].parent) {
    const raw::Caller& caller = callers_[at - raw::kStackRoots];
    // The call stands before the address to which it returns.
    const std::optional<CodePlace> code = place_of(caller.epoch, caller.address - 1);
    if (!code || code->is_mpi || code->is_collector) return nullptr;
    const Function& f = resolve_inlined_ ? code->symbols->inlined_function_at(code->address)
                                         : code->symbols->function_at(code->address);
    if (!says_nothing(f) && !raw::is_c_library(f.module) && !is_language_start(f.name)) return &f;
  }
  return nullptr;
}

void SampleAttributor::add_unnamed(std::map<std::string, std::string>& files) const {
  for (const auto& [number, epoch] : epochs_) {
    for (const Module& m : epoch.modules) {
      const bool has_unnamed = m.symbols != nullptr && m.symbols->has_unnamed() && m.symbols->problem().empty();
      if (has_unnamed) files.emplace(file_name(m.symbols->path()), m.symbols->path());
    }
  }
}

void SampleAttributor::add_problems(std::set<std::string>& problems) const {
  for (const auto& [number, epoch] : epochs_) {
    for (const Module& m : epoch.modules) {
      if (m.symbols != nullptr && !m.symbols->problem().empty()) problems.insert(m.symbols->problem());
    }
  }
}

}  // namespace scalediag::merge
