#include "cli/inputs/simulated_targets.h"

#include <utility>

#include "cli/inputs/scaling_input.h"
#include "cli/inputs/trace_input.h"
#include "core/experiment/experiment.h"
#include "core/text/shell_words.h"
#include "core/text/value_list.h"
#include "loggp/network/network_words.h"
#include "loggp/phases/scaled/scaled_program.h"

namespace scalediag::cli {
namespace {

using Simulated = std::map<double, report::SimulatedCommunication>;

// The command that records what is missing; all runs of an experiment are recorded, or none.
core::Error no_traces(const std::string& folder, const fit::ApplicationData& data) {
  std::string application = "APP";
  if (const auto experiment = core::ExperimentFolder(folder).load()) {
    application = core::join_shell_words(experiment.value().command);
  }
  return {core::ErrorCode::kInput, folder + " holds no traces, which --by simulation needs",
          "record them: `scalediag profile --trace -n " + core::list_of(data.scales()) + " -o ANOTHER_FOLDER -- " +
              application + "`",
          folder};
}

core::Result<report::SimulatedCommunication> simulated_target(const std::string& folder, int np, double computation_s,
                                                              const loggp::Network& network) {
  if (!has_only_other_scales(folder, np)) {
    const auto recorded = find_trace_folder(folder, np, "");
    if (!recorded) return recorded.error();
    const auto traces = loggp::read_traces(recorded.value());
    if (!traces) return traces.error();
    const auto program = loggp::TraceProgram::of(traces.value());
    if (!program) return program.error();
    return report::simulated_communication(program.value(), network, computation_s, std::nullopt);
  }
  auto traces = read_scaled_traces(folder, {}, np);
  if (!traces) return traces.error();
  if (const auto error = unmatched_error(traces.value(), folder)) return *error;
  const auto certainty = report::certainty_by_operation(traces.value().model());
  const auto program = loggp::ScaledProgram::of(std::move(traces.value()));
  if (!program) return program.error();
  auto simulated = report::simulated_communication(program.value(), network, computation_s, certainty);
  if (simulated) return simulated;
  core::Error error = simulated.error();
  error.message = "the scaled trace of " + std::to_string(np) + " ranks cannot be simulated: " + error.message;
  error.hint = "record more numbers of ranks, until equations explain all events, or leave --by out";
  return error;
}

}  // namespace

core::Result<Simulated> simulated_targets(const std::string& folder, const std::string& network_file,
                                          const fit::ApplicationModel& model,
                                          const std::vector<std::vector<double>>& targets,
                                          const std::map<double, double>& known_computation_s) {
  Simulated simulated;
  if (network_file.empty()) {
    return core::Error{core::ErrorCode::kUsage, "--by simulation needs the network that is simulated",
                       "--network NET names it; `scalediag network` measures one", ""};
  }
  if (model.data().parameter_names.size() > 1) {
    return core::Error{core::ErrorCode::kUsage,
                       "--by simulation is for data whose only parameter is the number of processes",
                       "leave --by out, or measure one problem size into a folder of its own", ""};
  }
  const auto experiment = core::ExperimentFolder(folder).load();
  if (!experiment || !experiment.value().traced) return no_traces(folder, model.data());
  const auto network = loggp::network_of(network_file);
  if (!network) return network.error();
  for (const std::vector<double>& at : targets) {
    if (simulated.count(fit::process_count(at)) > 0) continue;
    const auto known = known_computation_s.find(fit::process_count(at));
    const double computation_s =
        known == known_computation_s.end() ? model.predict(at).computation_s.value : known->second;
    auto target = simulated_target(folder, static_cast<int>(fit::process_count(at)), computation_s, network.value());
    if (!target) return target.error();
    simulated.emplace(fit::process_count(at), std::move(target.value()));
  }
  return simulated;
}

}  // namespace scalediag::cli
