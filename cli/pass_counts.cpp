#include "cli/pass_counts.h"

#include <algorithm>

#include "collector/merge/mpi_modules.h"

namespace scalediag::cli {
namespace {

using core::Result;

bool is_of_valgrind(const std::string& object) { return merge::file_name(object).rfind("vgpreload_", 0) == 0; }

}  // namespace

const core::CountingPass* find_pass(const core::Experiment& experiment, const core::Configuration& configuration) {
  const auto& passes = experiment.counting_passes;
  const auto found = std::find_if(passes.begin(), passes.end(), [&configuration](const core::CountingPass& pass) {
    return pass.configuration == configuration;
  });
  return found == passes.end() ? nullptr : &*found;
}

std::optional<counters::KernelIdentity> PassCounts::name(const std::string& object, std::optional<uint64_t> address) {
  if (merge::is_mpi_module(object) || merge::is_collector_module(object) || is_of_valgrind(object)) return std::nullopt;
  if (object.empty() || object.front() != '/' || !address) {
    return counters::KernelIdentity{"[code of no file]", "", "", 0};
  }
  merge::ModuleSymbols& module = symbols_.module(object, "");
  const merge::Function& f = resolve_inlined_ ? module.inlined_function_at(*address) : module.function_at(*address);
  return counters::KernelIdentity{f.name, f.module, f.file, f.line};
}

Result<const counters::SimulatedCounts*> PassCounts::of(const core::CountingPass& pass) {
  const std::string id = core::counting_pass_id(pass.configuration);
  if (const auto known = known_.find(id); known != known_.end()) return &known->second;
  auto counts =
      counters::read_simulated_counts(folder_.run_folder(id), {pass.ranks, pass.stands_for},
                                      [this](const std::string& object, const std::string&,
                                             std::optional<uint64_t> address) { return name(object, address); });
  if (!counts) return counts.error();
  return &known_.emplace(id, std::move(counts).value()).first->second;
}

void PassCounts::attach(const core::Experiment& experiment, std::vector<core::Run>& runs) {
  std::vector<counters::CountedConfiguration> counted;
  for (const core::CountingPass& pass : experiment.counting_passes) {
    if (pass.state != core::RunState::kComplete || experiment.counters == "none") continue;
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
    counted.push_back(std::move(configuration));
  }
  counters::attach_simulated_counts(counted);
  for (core::Run& run : runs) {
    // What merge says of a run whose events PAPI was to count is more exact.
    if (experiment.counter_source == "papi" && run.counters == "clock") continue;
    if (!experiment.counter_reason.empty()) run.counters_reason = experiment.counter_reason;
    if (run.counters != "clock" || experiment.counters == "none") continue;
    const core::CountingPass* pass = find_pass(experiment, {run.np, run.parameters});
    if (pass != nullptr && !pass->reason.empty())
      run.counters_reason = "the pass under valgrind failed: " + pass->reason;
  }
}

}  // namespace scalediag::cli
