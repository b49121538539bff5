#include "cli/inputs/scaling_input.h"

#include <set>
#include <utility>
#include <vector>

#include "cli/inputs/trace_input.h"
#include "core/experiment/experiment.h"

namespace scalediag::cli {

core::Result<loggp::ScalingModel> read_scaling_model(const std::string& path, int leave_out, int target) {
  const auto experiment = core::ExperimentFolder(path).load();
  if (!experiment) return experiment.error();
  std::set<int> scales;
  for (const core::RunEntry& entry : experiment.value().runs) {
    if (entry.state == core::RunState::kComplete && entry.configuration.np != leave_out) {
      scales.insert(entry.configuration.np);
    }
  }
  std::vector<std::vector<loggp::RankTrace>> traces;
  for (const int np : scales) {
    const auto folder = find_trace_folder(path, np, "");
    if (!folder) return folder.error();
    auto read = loggp::read_traces(folder.value());
    if (!read) return read.error();
    traces.push_back(std::move(read.value()));
  }
  return loggp::model_of(traces, target);
}

}  // namespace scalediag::cli
