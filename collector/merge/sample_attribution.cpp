#include "collector/merge/sample_attribution.h"

#include <algorithm>

#include "collector/merge/mpi_modules.h"

namespace scalediag::merge {

SampleAttributor::SampleAttributor(const RankRecord& record, bool resolve_inlined, SymbolCache& symbols)
    : resolve_inlined_(resolve_inlined), symbols_(symbols) {
  const bool counted = record.identity && !record.identity->counters.empty();
  for (const auto& [number, spans] : record.modules) {
    Epoch& epoch = epochs_[number];
    for (const ModuleSpan& s : spans) {
      const ModuleRole role = is_collector_module(s.path) || (counted && is_papi_module(s.path))
                                  ? ModuleRole::kCollector
                              : is_mpi_module(s.path) ? ModuleRole::kMpi
                                                      : ModuleRole::kApplication;
      epoch.push_back({s.begin, s.end, s.load_bias, &s, role, nullptr});
    }
    std::stable_sort(epoch.begin(), epoch.end(), [](const Module& a, const Module& b) { return a.begin < b.begin; });
  }
}

SampleAttributor::Module* SampleAttributor::module_at(uint32_t epoch, uint64_t address) {
  const auto found = epochs_.find(epoch);
  if (found == epochs_.end()) return nullptr;
  Epoch& modules = found->second;
  auto after = std::upper_bound(modules.begin(), modules.end(), address,
                                [](uint64_t a, const Module& m) { return a < m.begin; });
  // A module's segments may leave a hole into which another module was mapped.
  while (after != modules.begin()) {
    --after;
    if (address < after->end) return &*after;
  }
  return nullptr;
}

Attribution SampleAttributor::attribute(const SampleKey& key, const SampleTotals& totals) {
  if (key.operation != raw::kOutsideMpi) return {SampleOwner::kOperation, nullptr};
  if (key.thread_class == raw::kMpiInternalThread) return {SampleOwner::kMpiOther, nullptr};
  Module* m = module_at(key.epoch, key.address);
  if (m == nullptr) {
    const bool all_in_kernel = totals.system_ns > 0 && totals.system_ns == totals.cpu_ns;
    return {all_in_kernel ? SampleOwner::kKernelMode : SampleOwner::kUnattributed, nullptr};
  }
  if (m->role == ModuleRole::kMpi) return {SampleOwner::kMpiOther, nullptr};
  if (m->role == ModuleRole::kCollector) return {SampleOwner::kCollector, nullptr};
  if (m->symbols == nullptr) m->symbols = &symbols_.module(m->span->path, m->span->build_id);
  const uint64_t address = key.address - m->load_bias;
  return {SampleOwner::kFunction,
          resolve_inlined_ ? &m->symbols->inlined_function_at(address) : &m->symbols->function_at(address)};
}

void SampleAttributor::add_problems(std::set<std::string>& problems) const {
  for (const auto& [number, modules] : epochs_) {
    for (const Module& m : modules) {
      if (m.symbols != nullptr && !m.symbols->problem().empty()) problems.insert(m.symbols->problem());
    }
  }
}

}  // namespace scalediag::merge
