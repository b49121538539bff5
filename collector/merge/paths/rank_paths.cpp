#include "collector/merge/paths/rank_paths.h"

#include <algorithm>
#include <optional>

#include "collector/merge/operation_table.h"
#include "collector/merge/sites/communication_layers.h"
#include "core/raw/c_library.h"

namespace scalediag::merge {
namespace {

constexpr double kSecondsOfNs = 1e-9;

// The function that the C library calls is main, also where the program has no symbols.
core::KernelId id_of_called(core::KernelId id, bool by_start_of_main) {
  if (by_start_of_main && id.name.starts_with(id.module + "+0x")) id.name = "main";
  return id;
}

const char* name_of_root(uint32_t root) {
  switch (root) {
    case raw::kCutStack: return "[beyond the copied stack]";
    case raw::kNoTableStack: return "[code without an unwind table]";
    case raw::kMisledStack: return "[wrong unwind table]";
    default: return "[stack not copied]";
  }
}

}  // namespace

void RankPaths::add(StackTimes& times) {
  std::vector<uint32_t> roots(raw::kStackRoots + record_.callers.size());
  for (uint32_t i = 0; i < roots.size(); ++i) {
    roots[i] = i < raw::kStackRoots ? i : roots[record_.callers[i - raw::kStackRoots].parent];
  }
  std::vector<const std::pair<const SampleKey, SampleTotals>*> whole, partial;
  for (const auto& sample : record_.samples) {
    const uint32_t root = roots[sample.first.callers];
    const double cpu_s = kSecondsOfNs * static_cast<double>(sample.second.cpu_ns);
    times.all += cpu_s;
    times.cut += root == raw::kCutStack ? cpu_s : 0;
    times.no_table += root == raw::kNoTableStack ? cpu_s : 0;
    times.misled += root == raw::kMisledStack ? cpu_s : 0;
    times.uncopied += root == raw::kUncopiedStack ? cpu_s : 0;
    (root == raw::kWholeStack || root == raw::kNoStack ? whole : partial).push_back(&sample);
  }
  // The whole stacks of the main thread tell what its first function is.
  std::map<int, double> first_s;
  for (const auto* sample : whole) {
    add_sample(sample->first, sample->second);
    if (sample->first.thread_class != raw::kMainThread || sample->first.callers < raw::kStackRoots) continue;
    int node = place_of_callers(sample->first.callers, false).node;
    while (node != PathTree::kTop && tree_.parent_of(node) != PathTree::kTop) node = tree_.parent_of(node);
    if (node != PathTree::kTop) first_s[node] += static_cast<double>(sample->second.cpu_ns);
  }
  const auto most = std::ranges::max_element(first_s, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != first_s.end()) main_ = most->first;
  for (const auto* sample : partial) add_sample(sample->first, sample->second);
  exclusive_s_.resize(tree_.size(), 0);
  samples_.resize(tree_.size(), 0);
  tree_.add(static_cast<int>(record_.rank), std::move(exclusive_s_), std::move(samples_));
}

void RankPaths::add_sample(const SampleKey& key, const SampleTotals& totals) {
  const bool begins_below_main = key.thread_class == raw::kMainThread && main_ != PathTree::kTop;
  const auto node = static_cast<size_t>(leaf_of(key, totals, begins_below_main));
  if (node >= exclusive_s_.size()) {
    exclusive_s_.resize(node + 1, 0);
    samples_.resize(node + 1, 0);
  }
  exclusive_s_[node] += kSecondsOfNs * static_cast<double>(totals.cpu_ns);
  samples_[node] += totals.samples;
}

int RankPaths::other(int parent, const char* name) {
  return tree_.child(parent, core::CallPathKind::kOther, {name, "", "", 0});
}

int RankPaths::leaf_of(const SampleKey& key, const SampleTotals& totals, bool begins_below_main) {
  const Attribution to = attributor_.attribute(key, totals);
  const auto callers = [&] { return place_of_callers(key.callers, begins_below_main); };
  const auto outside = [&] { return without_library(key.callers, begins_below_main); };
  const auto operation = [&](int parent, const std::string& name) {
    return tree_.child(parent, core::CallPathKind::kMpi, {name, "", "", 0});
  };
  switch (to.owner) {
    case SampleOwner::kOperation: return operation(callers().node, operation_name(record_, key.operation));
    case SampleOwner::kMpiOther:
      return operation(key.thread_class == raw::kMpiInternalThread ? PathTree::kTop : outside(), kMpiOtherName);
    case SampleOwner::kFunction:
      if (resolve_inlined_ && (key.address & raw::kPythonAddress) == 0) {
        return place_of_code(callers(), key.epoch, key.address);
      }
      return tree_.child(callers().node, core::CallPathKind::kFunction,
                         id_of_called(core::id_of(*to.function), callers().calls_main));
    case SampleOwner::kGpuCall: return other(callers().node, "[GPU calls]");
    case SampleOwner::kOpenmpWaiting: return other(callers().node, "[OpenMP waiting]");
    case SampleOwner::kKernelMode: return other(callers().node, "[kernel mode]");
    case SampleOwner::kCollector: return other(outside(), "[collector]");
    case SampleOwner::kUnattributed: break;
  }
  return other(callers().node, "[code without a module]");
}

// The node of the functions at an address: one, or with inlined functions those as well.
int RankPaths::place_of_code(const Place& parent, uint32_t epoch, uint64_t address) {
  const std::optional<CodePlace> code = attributor_.place_of(epoch, address);
  if (!code) return other(parent.node, "[code without a module]");
  if (!resolve_inlined_) {
    return tree_.child(parent.node, core::CallPathKind::kFunction,
                       id_of_called(core::id_of(code->symbols->function_at(code->address)), parent.calls_main));
  }
  const std::vector<CallingFunction>& functions = code->symbols->calling_functions_at(code->address);
  int node = parent.node;
  for (size_t i = functions.size(); i-- > 0;) {
    const bool by_start = parent.calls_main && i + 1 == functions.size();
    node =
        tree_.child(node, core::CallPathKind::kFunction, id_of_called(core::id_of(*functions[i].function), by_start));
  }
  return node;
}

RankPaths::Place RankPaths::place_of_callers(uint32_t callers, bool begins_below_main) {
  const auto [entry, is_new] = places_.try_emplace({callers, begins_below_main});
  if (!is_new) return entry->second;
  Place place;
  if (callers < raw::kStackRoots) {
    const bool is_known = callers == raw::kWholeStack || callers == raw::kNoStack;
    if (!is_known) place.node = other(begins_below_main ? main_ : PathTree::kTop, name_of_root(callers));
    return places_[{callers, begins_below_main}] = place;
  }
  const raw::Caller& caller = record_.callers[callers - raw::kStackRoots];
  place = place_of_callers(caller.parent, begins_below_main);
  // The call stands before the address to which it returns.
  const std::optional<CodePlace> code = attributor_.place_of(caller.epoch, caller.address - 1);
  place.in_library = code && (code->is_mpi || code->is_collector);
  if (code && is_start_of_threads(*code, place.node)) {
    place.node = PathTree::kTop;
    place.calls_main = place.calls_main || code->symbols->function_at(code->address).name.starts_with("__libc_start");
  } else if (!code || !code->is_collector) {
    place.node = place_of_code(place, caller.epoch, caller.address - 1);
    place.calls_main = false;
  }
  return places_[{callers, begins_below_main}] = place;
}

// Whether the code is part of what calls the thread's first function. `above`: the node of its callers. Where the
// program has no symbols, _start is not known by its name, but by what it calls. The C library calls main and the first
// functions of threads.
bool RankPaths::is_start_of_threads(const CodePlace& code, int above) const {
  const bool is_start = is_language_start(code.symbols->function_at(code.address).name);
  if (above == PathTree::kTop) return is_start || raw::is_c_library(code.module->path);
  return is_start && tree_.parent_of(above) == PathTree::kTop;
}

// The innermost caller outside of MPI and of the collector.
int RankPaths::without_library(uint32_t callers, bool begins_below_main) {
  while (callers >= raw::kStackRoots && place_of_callers(callers, begins_below_main).in_library) {
    callers = record_.callers[callers - raw::kStackRoots].parent;
  }
  return place_of_callers(callers, begins_below_main).node;
}

}  // namespace scalediag::merge
