#include "cli/inputs/trace_input.h"

#include <filesystem>

#include "cli/diagnostics.h"
#include "core/experiment/experiment.h"
#include "core/text/shell_words.h"
#include "loggp/traces/counted_traces.h"

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;

bool has_traces(const std::string& folder) {
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    if (it->path().extension() == ".trace") return true;
  }
  return false;
}

}  // namespace

core::Result<std::string> find_trace_folder(const std::string& path, int np, const std::string& run) {
  if (has_traces(path)) return path;
  const core::ExperimentFolder folder(path);
  const auto experiment = folder.load();
  if (!experiment) return experiment.error();
  const core::RunEntry* found = nullptr;
  std::string others;
  for (const core::RunEntry& entry : experiment.value().runs) {
    const std::string id = core::run_id(entry.configuration, entry.repeat);
    if (!has_traces(folder.run_folder(id)) || (!run.empty() && id != run)) continue;
    if (run.empty() && (entry.state != core::RunState::kComplete || (np != 0 && entry.configuration.np != np))) {
      continue;
    }
    if (found == nullptr) {
      found = &entry;
    } else if (!(entry.configuration == found->configuration)) {
      others += ", " + id;
    }
  }
  if (found == nullptr) {
    const std::string which = !run.empty() ? " of the run " + run
                              : np != 0    ? " of a complete run with " + std::to_string(np) + " ranks"
                                           : " of a complete run";
    // Either all runs of one experiment are recorded or none, and --fresh would remove the existing ones.
    const std::string into = experiment.value().traced ? core::quote_shell_word(path) : "ANOTHER_FOLDER";
    const std::string ranks = np != 0 ? std::to_string(np) : "LIST";
    return core::Error{core::ErrorCode::kInput, path + " holds no trace" + which,
                       "record one with `scalediag profile --trace -o " + into + " -n " + ranks + " -- APP`", path};
  }
  const std::string id = core::run_id(found->configuration, found->repeat);
  if (!others.empty()) {
    return core::Error{core::ErrorCode::kUsage, path + " holds traces of several runs: " + id + others,
                       "choose one with --np or --run", path};
  }
  return folder.run_folder(id);
}

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

core::Result<std::vector<loggp::RankTrace>> read_recorded_traces(const std::string& path) {
  auto traces = loggp::read_traces(path);
  if (!traces) return traces;
  std::error_code failed;
  const fs::path run = fs::weakly_canonical(path, failed);
  const core::ExperimentFolder folder(run.parent_path().parent_path().string());
  const auto experiment = folder.load();
  if (!experiment) return traces;  // traces by themselves
  for (const core::RunEntry& entry : experiment.value().runs) {
    if (core::run_id(entry.configuration, entry.repeat) != run.filename()) continue;
    for (const core::CountingPass& pass : experiment.value().counting_passes) {
      if (!(pass.configuration == entry.configuration) || pass.state != core::RunState::kComplete) continue;
      const auto without = loggp::take_instructions(
          traces.value(), folder.run_folder(core::counting_pass_id(pass.configuration)), pass.ranks, pass.stands_for);
      if (!without) return without.error();
      for (const std::string& line : without.value()) warn(line);
    }
  }
  return traces;
}

}  // namespace scalediag::cli
