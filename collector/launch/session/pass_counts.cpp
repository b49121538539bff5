#include "collector/launch/session/pass_counts.h"

#include <algorithm>

#include "collector/merge/merge.h"
#include "collector/merge/samples/openmp_waiting.h"
#include "collector/merge/symbols/kernel_of_function.h"
#include "collector/merge/symbols/mpi_modules.h"
#include "core/profile/kernel_id.h"
#include "core/profile/metric_names.h"

namespace scalediag::launch {
namespace {

// The experiment describes the latest request, which need not be the source of a run's counts.
void explain_source(const core::Experiment& experiment, core::Run& run) {
  if (run.counters == experiment.counter_source) {
    if (!experiment.counter_reason.empty()) run.counters_reason = experiment.counter_reason;
    return;
  }
  if (run.counters == "simulated") {
    run.counters_reason = "of an earlier pass under valgrind";
    return;
  }
  // For runs with PAPI's counts, or a request for them, merge gives a more exact reason.
  if (run.counters == "papi" || experiment.counter_source == "papi") return;
  if (!experiment.counter_reason.empty()) run.counters_reason = experiment.counter_reason;
  const core::CountingPass* pass = find_pass(experiment, {run.np, run.parameters});
  if (pass != nullptr && !pass->reason.empty()) run.counters_reason = "the pass under valgrind failed: " + pass->reason;
}

// "asked for; estimated from 26 of 598 rounds of the main loops, 2 ranks together"
void tell_part(const counters::CallgrindCounts& counts, core::Run& run) {
  if (counts.rounds == 0 || run.counters != "simulated") return;
  const size_t ranks = counts.ranks.ranks.size();
  run.counters_reason += std::string(run.counters_reason.empty() ? "" : "; ") +
                         (counts.counted_rounds < counts.rounds ? "estimated from " : "from ") +
                         std::to_string(counts.counted_rounds) + " of " + std::to_string(counts.rounds) +
                         " rounds of the main loops" +
                         (ranks > 1 ? ", " + std::to_string(ranks) + " ranks together" : "");
}

bool is_of_valgrind(const std::string& object) { return merge::file_name(object).rfind("vgpreload_", 0) == 0; }

// Answers calls in a replay, some of which no wrapper leaves out.
bool is_of_replays(const std::string& object) { return merge::file_name(object) == "libscalediag-replay.so"; }

}  // namespace

const core::CountingPass* find_pass(const core::Experiment& experiment, const core::Configuration& configuration) {
  const auto& passes = experiment.counting_passes;
  const auto found = std::ranges::find_if(
      passes, [&configuration](const core::CountingPass& pass) { return pass.configuration == configuration; });
  return found == passes.end() ? nullptr : &*found;
}

std::optional<core::KernelId> PassCounts::name(const std::string& object, std::optional<uint64_t> address) {
  if (merge::is_mpi_module(object) || merge::is_collector_module(object) || is_of_valgrind(object)) return std::nullopt;
  if (is_of_replays(object)) return std::nullopt;
  if (object.empty() || object.front() != '/' || !address) {
    return core::KernelId{"[code of no file]", "", "", 0};
  }
  merge::ModuleSymbols& module = symbols_.module(object, "");
  // The number of its polls is no property of the program; besides, threads take turns under valgrind.
  if (merge::waits_for_threads(module, *address, merge::is_openmp_module(object))) return std::nullopt;
  const merge::Function& f = resolve_inlined_ ? module.inlined_function_at(*address) : module.function_at(*address);
  return merge::kernel_of(f);
}

Result<const counters::CallgrindCounts*> PassCounts::of(const core::CountingPass& pass) {
  const std::string id = core::counting_pass_id(pass.configuration);
  if (const auto known = known_.find(id); known != known_.end()) return &known->second;
  auto counts =
      counters::read_callgrind_counts(folder_.run_folder(id), {pass.ranks, pass.stands_for},
                                      [this](const std::string& object, const std::string&,
                                             std::optional<uint64_t> address) { return name(object, address); });
  if (!counts) return counts.error();
  return &known_.emplace(id, std::move(counts).value()).first->second;
}

const counters::RankTimesOfKernels* PassCounts::times_of(const core::Run& run, const counters::RankChoice& choice) {
  if (const auto known = times_.find(run.id);
      known != times_.end() && known->second.clock == run.clock && known->second.ranks == choice.ranks) {
    return &known->second.of_kernels;
  }
  core::RunEntry entry;
  entry.configuration = {run.np, run.parameters};
  entry.repeat = run.repeat;
  const auto kernels =
      merge::kernels_of_ranks(folder_, entry, choice.ranks, {run.clock, "", resolve_inlined_}, symbols_);
  if (!kernels) return nullptr;
  KnownTimes times{run.clock, choice.ranks, {}};
  for (size_t i = 0; i < choice.ranks.size(); ++i) {
    for (const core::Kernel& kernel : kernels.value()[i]) {
      if (kernel.kind != core::KernelKind::kFunction) continue;
      std::vector<counters::RankTime>& of_kernel = times.of_kernels[core::id_of(kernel)];
      of_kernel.resize(choice.ranks.size());
      of_kernel[i] = {kernel.metrics.at(metric::kTime).sum, static_cast<double>(kernel.samples)};
    }
  }
  KnownTimes& kept = times_[run.id];
  kept = std::move(times);
  return &kept.of_kernels;
}

void PassCounts::attach(const core::Experiment& experiment, std::vector<core::Run>& runs) {
  std::vector<counters::CountedConfiguration> counted;
  for (const core::CountingPass& pass : experiment.counting_passes) {
    if (pass.state != core::RunState::kComplete) continue;
    counters::CountedConfiguration configuration;
    for (core::Run& run : runs) {
      if (core::Configuration{run.np, run.parameters} == pass.configuration) configuration.runs.push_back(&run);
    }
    if (configuration.runs.empty()) continue;
    const auto counts = of(pass);
    if (!counts) {
      for (core::Run* run : configuration.runs) {
        run->warnings.push_back("its simulated counts cannot be used: " + counts.error().message);
      }
      continue;
    }
    configuration.counts = counts.value();
    for (core::Run* run : configuration.runs) run->measured_llc_bytes = pass.measured_llc_bytes;
    const counters::RankChoice& ranks = counts.value()->ranks;
    if (ranks.ranks.size() < static_cast<size_t>(pass.configuration.np)) {
      for (const core::Run* run : configuration.runs) {
        if (const auto* times = times_of(*run, ranks)) configuration.times.push_back(times);
      }
      // The evidence is that of all repeats or of none.
      if (configuration.times.size() < configuration.runs.size()) configuration.times.clear();
    }
    counted.push_back(std::move(configuration));
  }
  counters::attach_callgrind_counts(counted);
  for (core::Run& run : runs) explain_source(experiment, run);
  for (const counters::CountedConfiguration& configuration : counted) {
    for (core::Run* run : configuration.runs) tell_part(*configuration.counts, *run);
  }
}

}  // namespace scalediag::launch
