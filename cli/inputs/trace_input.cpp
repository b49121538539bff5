#include "cli/inputs/trace_input.h"

#include <utility>

#include "cli/inputs/remarks.h"
#include "core/experiment/experiment.h"

namespace scalediag::cli {

std::optional<launch::ProgramRun> program_of_traces(const std::string& name, const std::string& folder, int np) {
  if (auto scaled = core::ExperimentFolder(folder).load(); scaled && !scaled.value().runs.empty()) {
    const core::Configuration configuration{np, scaled.value().runs[0].configuration.parameters};
    return launch::ProgramRun{name, std::move(scaled).value(), configuration};
  }
  auto own = core::run_of_folder(folder);
  if (!own) return std::nullopt;
  const core::Configuration configuration = own->run().configuration;
  return launch::ProgramRun{name, std::move(own->experiment), configuration};
}

Result<std::vector<loggp::RankTrace>> read_recorded_traces(const std::string& folder) {
  predict::Remarks remarks;
  auto traces = predict::read_recorded_traces(folder, remarks);
  tell(remarks);
  return traces;
}

}  // namespace scalediag::cli
