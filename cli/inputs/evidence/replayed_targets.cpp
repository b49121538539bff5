#include "cli/inputs/evidence/replayed_targets.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "cli/diagnostics.h"
#include "cli/inputs/representatives_input.h"
#include "collector/launch/store/program_comparison.h"
#include "core/experiment/experiment.h"
#include "core/text/shell_words.h"
#include "loggp/phases/computation/scaled_computation.h"
#include "loggp/representatives/replayed_computations.h"
#include "loggp/traces/median_traces.h"
#include "loggp/traces/trace_program.h"
#include "predict/evidence/trace_evidence.h"
#include "predict/evidence/traces.h"

namespace scalediag::cli {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Error (kInput): `recorded` is not the program that was profiled. Warns of other doubts.
core::Status check_same_program(const core::Experiment& recorded, const std::string& folder,
                                const MeasurementInput& input) {
  const core::Configuration& configuration = recorded.runs.front().configuration;
  core::Experiment profiled;
  if (input.experiment) {
    profiled = *input.experiment;
  } else {  // a profile.json alone
    profiled.command = input.profile->command;
    profiled.executable = input.profile->application;
    profiled.executable_fingerprint = recorded.executable_fingerprint;
    profiled.stdin_file = recorded.stdin_file;
  }
  const auto compared =
      launch::compare_programs({folder, recorded, configuration}, {input.path, profiled, configuration});
  const std::string& other = compared.other_program.empty() ? compared.other_arguments : compared.other_program;
  if (!other.empty()) {
    return Error{ErrorCode::kInput, "what was replayed is not what is predicted: " + other,
                 "record and replay the program with the arguments that were profiled", folder};
  }
  for (const std::string& doubt : compared.doubts) warn(doubt);
  return core::Done{};
}

// The computation of each of `np` ranks, in seconds.
Result<std::vector<double>> computations(const std::string& folder, const loggp::ReplayedRanks& replayed, int np,
                                         const std::string& input) {
  std::vector<loggp::StandIn> stand_ins;
  for (int rank = 0; rank < np && replayed.vectors.count(rank) > 0; ++rank)
    stand_ins.push_back({rank, 1, std::nullopt});
  if (stand_ins.size() < static_cast<size_t>(np)) {
    auto known = read_stand_ins(input, np, replayed);
    if (!known) {
      Error error = known.error();
      error.message = "only " + std::to_string(replayed.vectors.size()) + " of " + std::to_string(np) +
                      " ranks were replayed, and traces do not tell which others they stand for: " + error.message;
      error.hint = "replay all ranks: `scalediag replay " + core::quote_shell_word(folder) +
                   "`; or profile with --trace, and record with --representatives";
      return error;
    }
    stand_ins = std::move(known.value());
  }
  std::vector<double> of_rank;
  for (const loggp::StandIn& stand_in : stand_ins) {
    const loggp::ComputationVector& vector = replayed.vectors.at(stand_in.rank);
    of_rank.push_back(std::accumulate(vector.begin(), vector.end(), 0.0) * stand_in.factor);
  }
  return of_rank;
}

// Gives the traces what their ranks computed alone. A program that polls has other events in each run: of such ranks
// the whole computation is that of the replay.
void set_computations(std::vector<loggp::RankTrace>& traces, const std::vector<double>& of_rank,
                      const loggp::ReplayedRanks& replayed) {
  if (loggp::set_replayed_computations(traces, replayed, {})) return;
  for (loggp::RankTrace& trace : traces) {
    const auto vector = replayed.vectors.find(static_cast<int>(trace.rank));
    if (vector != replayed.vectors.end() && vector->second.size() == trace.n_events + 1) {
      loggp::set_computations(trace, vector->second);
    } else if (const double traced_s = loggp::computation_s(trace); traced_s > 0) {
      loggp::stretch_computations(trace, of_rank[trace.rank] / traced_s);
    }
  }
}

// The traced run of the recorded ranks with what they computed alone. Null: there is none, or it cannot be used, of
// which people are warned.
std::shared_ptr<const predict::TracedProgram> traced_run(const std::string& folder, const std::vector<double>& of_rank,
                                                         const loggp::ReplayedRanks& replayed) {
  std::error_code none;
  if (!std::filesystem::is_directory(folder, none)) return nullptr;
  const auto refused = [&](const Error& error) {
    warn("the traced run is left out: " + error.message, error.hint);
    return nullptr;
  };
  const auto run = predict::find_trace_folder(folder, static_cast<int>(of_rank.size()), "");
  if (!run) return refused(run.error());
  auto traces = loggp::read_traces(run.value());
  if (!traces) return refused(traces.error());
  set_computations(traces.value(), of_rank, replayed);
  auto program = loggp::TraceProgram::of(traces.value());
  if (!program) return refused(program.error());
  auto traced = std::make_shared<predict::TracedProgram>();
  traced->program = std::make_shared<loggp::TraceProgram>(std::move(program.value()));
  traced->computation_s = loggp::mean_computation_s(traces.value());
  traced->counts = predict::counts_of(traces.value());
  return traced;
}

}  // namespace

Result<ReplayedTarget> replayed_target(const std::string& folder, const MeasurementInput& input,
                                       const fit::ApplicationData& data, const std::vector<predict::Target>& targets) {
  if (!input.profile || data.parameter_names.size() > 1) {
    return Error{ErrorCode::kUsage,
                 "--replayed is for profiles of programs whose only parameter is the number of processes",
                 "leave --replayed out, or measure one problem size into a folder of its own", ""};
  }
  if (!predict::replays_tell_computation(input.profile->runs)) {
    return Error{ErrorCode::kInput,
                 "the program uses GPUs, and replays count the time in their libraries as computation",
                 "predict it without", folder};
  }
  const auto recorded = core::ExperimentFolder(folder).load();
  if (!recorded) {
    Error error = recorded.error();
    const int np = targets.front().ranks();
    error.hint = "make one with `scalediag record -n " + std::to_string(np) + " -o " + folder +
                 " -- APP`, and measure it with `scalediag replay " + folder + "`";
    return error;
  }
  if (recorded.value().runs.empty()) {
    return Error{ErrorCode::kInput, "no run was recorded there", "`scalediag record` records one", folder};
  }
  const int np = recorded.value().runs.front().configuration.np;
  if (const core::Status same = check_same_program(recorded.value(), folder, input); !same) {
    return same.error();
  }
  const auto replayed = loggp::read_replayed_ranks(folder);
  if (!replayed) return replayed.error();
  const auto of_rank = computations(folder, replayed.value(), np, input.path);
  if (!of_rank) return of_rank.error();
  ReplayedTarget target = {predict::Target::of(data, {static_cast<double>(np)}), {}};
  predict::ReplayedComputation& computation = target.computation;
  computation.folder = folder;
  computation.ranks = np;
  computation.replayed = static_cast<int>(replayed.value().vectors.size());
  computation.repeats = replayed.value().least_repeats();
  computation.mean_s = std::accumulate(of_rank.value().begin(), of_rank.value().end(), 0.0) / np;
  computation.most_s = *std::max_element(of_rank.value().begin(), of_rank.value().end());
  if (std::ranges::find(targets, target.at) == targets.end()) return target;
  computation.traced = traced_run(core::ExperimentFolder(input.path).traced_of(np), of_rank.value(), replayed.value());
  return target;
}

}  // namespace scalediag::cli
