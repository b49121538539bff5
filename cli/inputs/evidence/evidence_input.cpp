#include "cli/inputs/evidence/evidence_input.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/inputs/evidence/points_targets.h"
#include "cli/inputs/evidence/replayed_targets.h"
#include "cli/inputs/representatives_input.h"
#include "cli/network/host_network.h"
#include "core/text/join.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"
#include "core/text/value_list.h"
#include "loggp/network/network_json.h"
#include "loggp/network/network_words.h"
#include "predict/sources/measured_part.h"

namespace scalediag::cli {

using core::Error;
using core::ErrorCode;

namespace {

// Reads the network that traces are simulated on: the one that was asked for, else the one that was measured for the
// experiment. Error: as of network_of(), where it was asked for.
core::Status find_network(const PredictionRequest& request, predict::Evidence& evidence) {
  const std::string measured = host_network_file(request.input);
  const bool is_asked_for = !request.network.empty();
  if (!is_asked_for && measured.empty()) {
    evidence.why_no_simulation = "there is no network to simulate: --network names one";
    return core::Done{};
  }
  auto network = loggp::network_of(is_asked_for ? request.network : measured);
  if (network) {
    evidence.network = std::move(network.value());
  } else if (is_asked_for) {
    return network.error();
  } else {
    warn("nothing is simulated: " + network.error().message, network.error().hint);
    evidence.why_no_simulation = network.error().message;
  }
  return core::Done{};
}

// Names the command that records traces, where no scale has them.
Error no_traces(const MeasurementInput& input, const fit::ApplicationData& data) {
  const std::string application = input.profile ? core::join_shell_words(input.profile->command) : "APP";
  std::string words;
  for (const auto& [name, table] : input.experiment ? input.experiment->words : std::map<std::string, std::string>()) {
    words += " --words " + core::quote_shell_word(name + "=" + table);
  }
  return {ErrorCode::kInput, input.path + " holds no traces, which --by simulation needs",
          "record them: `scalediag profile --trace -n " + core::list_of(data.scales()) + words +
              " -o ANOTHER_FOLDER -- " + application + "`",
          input.path};
}

core::Status find_simulation(const MeasurementInput& input, const PredictionRequest& request,
                             const fit::ApplicationData& data, predict::Evidence& evidence) {
  const bool is_asked_for = request.by == kBySimulation;
  if (request.by != kByAll && !is_asked_for) return core::Done{};
  if (is_asked_for && request.network.empty() && host_network_file(input.path).empty()) {
    return Error{ErrorCode::kUsage, "--by simulation needs the network that is simulated",
                 "--network NET names it; `scalediag network` measures one", ""};
  }
  if (is_asked_for && data.parameter_names.size() > 1) {
    return Error{ErrorCode::kUsage, "--by simulation is for data whose only parameter is the number of processes",
                 "leave --by out, or measure one problem size into a folder of its own", ""};
  }
  const bool is_whole_program = data.has_totals() && input.region.empty() && data.parameter_names.size() == 1;
  if (!input.experiment || !is_whole_program) return is_asked_for ? core::Status(no_traces(input, data)) : core::Done{};
  const predict::PairLimit unasked{predict::kFewPairs, "--by simulation asks for it"};
  evidence.traces = predict::traces_of(input.path, input.lone, is_asked_for ? predict::PairLimit() : unasked);
  const bool has_traced_target = std::any_of(evidence.replayed.begin(), evidence.replayed.end(),
                                             [](const auto& target) { return target.second.traced != nullptr; });
  if (!evidence.traces && !has_traced_target) return is_asked_for ? core::Status(no_traces(input, data)) : core::Done{};
  evidence.simulate = is_asked_for ? predict::Simulate::kAlways : predict::Simulate::kWherePossible;
  // Emulated runs had a network that is known, and were simulated on it.
  const bool was_measured = data.clock == core::Clock::kWall && input.experiment->emulation.empty();
  if (was_measured && !is_asked_for && request.network.empty()) {
    evidence.why_no_simulation =
        "communication and waiting are those of the runs, with a core for each rank: --network names another network";
    return core::Done{};
  }
  return find_network(request, evidence);
}

// Reads the messages that few processes executed at targets, as far as that was for the network that is simulated.
void find_executed(const MeasurementInput& input, const std::vector<predict::Target>& targets,
                   predict::Evidence& evidence) {
  if (!evidence.network || !evidence.traces) return;
  const auto fingerprint = loggp::fingerprint_of(*evidence.network);
  if (!fingerprint) return;
  for (const predict::Target& at : targets) {
    auto executed = predict::read_executed(input.path, at.ranks());
    if (!executed) warn("executed messages are left out: " + executed.error().message, executed.error().hint);
    if (!executed || !executed.value()) continue;
    predict::ExecutedMessages& found = *executed.value();
    const std::string of = "what was executed for " + core::counted(at.ranks(), "rank") + " is left out: ";
    const std::string again =
        "`scalediag synth " + input.path + " --np " + std::to_string(at.ranks()) + " --network NET` executes it";
    if (found.network != fingerprint.value()) {
      warn(of + "it was for another network, " + found.network_name, again + " for this one");
    } else if (!found.disturbed.empty()) {
      warn(of + found.disturbed, again + " again");
    } else {
      evidence.executed.emplace(at, std::move(found));
    }
  }
}

// Reads the ranks that `improve` replayed, at numbers of processes that were not measured.
void find_replays(const MeasurementInput& input, const fit::ApplicationData& data,
                  const std::vector<predict::Target>& targets, predict::Evidence& evidence) {
  const core::ExperimentFolder experiment(input.path);
  for (const int ranks : experiment.replayed_scales()) {
    if (predict::is_measured(data, {static_cast<double>(ranks)})) continue;
    auto replayed = replayed_target(experiment.replays_of(ranks), input, data, targets);
    if (replayed) {
      evidence.replayed.emplace(replayed.value().at, std::move(replayed.value().computation));
    } else {
      warn("replays are left out: " + replayed.error().message, replayed.error().hint);
    }
  }
}

}  // namespace

core::Result<predict::Evidence> evidence_of(const MeasurementInput& input, const PredictionRequest& request,
                                            const fit::ApplicationData& data, std::vector<predict::Target>& targets) {
  predict::Evidence evidence;
  if (!request.replayed.empty()) {
    if (!request.region.empty()) {
      return Error{ErrorCode::kUsage, "--replayed is of whole runs, and --region of a part", "leave out one of them",
                   ""};
    }
    const auto replayed = TRY(replayed_target(request.replayed, input, data, targets));
    if (std::ranges::find(targets, replayed.at) == targets.end()) {
      return Error{ErrorCode::kUsage,
                   "--replayed " + request.replayed + " was recorded with " +
                       std::to_string(replayed.computation.ranks) + " processes, and no target has as many",
                   "add --at np=" + std::to_string(replayed.computation.ranks), ""};
    }
    evidence.replayed.emplace(replayed.at, replayed.computation);
  } else if (input.experiment && request.region.empty() && data.parameter_names.size() == 1) {
    find_replays(input, data, targets, evidence);
  }
  if (!request.points.empty()) {
    if (!request.region.empty() || !request.replayed.empty() || request.by == kByCallPath) {
      return Error{ErrorCode::kUsage,
                   "--points is of whole runs that are predicted, not of a part, call paths or replays",
                   "leave out --points, or --region, --replayed and --by callpath", ""};
    }
    auto points = points_targets(request.points, input, data, targets);
    if (!points) return points.error();
    evidence.points = std::move(points.value());
  }
  const core::Status simulation = find_simulation(input, request, data, evidence);
  if (!simulation) return simulation.error();
  if (!request.replayed.empty() && evidence.network) tell_other_nodes(request.replayed, *evidence.network);
  find_executed(input, targets, evidence);
  return evidence;
}

}  // namespace scalediag::cli
