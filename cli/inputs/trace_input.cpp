#include "cli/inputs/trace_input.h"

#include <filesystem>

#include "cli/inputs/remarks.h"
#include "core/experiment/experiment.h"

namespace scalediag::cli {

namespace fs = std::filesystem;

std::optional<launch::ProgramRun> program_of_traces(const std::string& name, const std::string& folder, int np) {
  if (auto scaled = core::ExperimentFolder(folder).load(); scaled && !scaled.value().runs.empty()) {
    const core::Configuration configuration{np, scaled.value().runs[0].configuration.parameters};
    return launch::ProgramRun{name, std::move(scaled).value(), configuration};
  }
  std::error_code failed;
  const fs::path run = fs::weakly_canonical(folder, failed);
  auto experiment = core::ExperimentFolder(run.parent_path().parent_path().string()).load();
  if (!experiment) return std::nullopt;
  for (const core::RunEntry& entry : experiment.value().runs) {
    if (core::run_id(entry.configuration, entry.repeat) != run.filename()) continue;
    const core::Configuration configuration = entry.configuration;
    return launch::ProgramRun{name, std::move(experiment).value(), configuration};
  }
  return std::nullopt;
}

core::Result<std::vector<loggp::RankTrace>> read_recorded_traces(const std::string& folder) {
  predict::Remarks remarks;
  auto traces = predict::read_recorded_traces(folder, remarks);
  tell(remarks);
  return traces;
}

}  // namespace scalediag::cli
