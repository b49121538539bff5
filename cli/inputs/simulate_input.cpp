#include "cli/inputs/simulate_input.h"

#include <filesystem>
#include <sstream>

#include "cli/diagnostics.h"
#include "cli/inputs/blocks/apply_blocks.h"
#include "cli/inputs/evidence/lone_input.h"
#include "cli/inputs/representatives_input.h"
#include "cli/inputs/scaling_input.h"
#include "cli/inputs/trace_input.h"
#include "core/atomic_file.h"
#include "core/experiment/experiment.h"
#include "loggp/traces/goal.h"
#include "loggp/traces/median_traces.h"
#include "loggp/traces/tit.h"

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;

// The files that `text` names, one a line, beside the file itself; empty if no line names an existing one.
std::vector<std::string> named_files(const std::string& path, const std::string& text) {
  std::vector<std::string> files;
  bool any_is_there = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty()) continue;
    const fs::path file = fs::path(path).parent_path() / line;
    std::error_code failed;
    any_is_there |= fs::is_regular_file(file, failed);
    files.push_back(file.string());
  }
  return any_is_there ? files : std::vector<std::string>();
}

Result<loggp::SimulationInput> read_recorded(const SimulationSource& source) {
  const auto folder = TRY(find_trace_folder(source.path, source.np, source.run));
  auto traces = TRY(loggp::read_traces(folder));
  if (source.run.empty() && source.computation.empty()) {
    if (folder != source.path) predict::take_medians_of_repeats(folder, traces);
    if (source.blocks.empty()) {
      const predict::LoneRanks lone = tell_lone_ranks(source.path);
      loggp::stretch_computations(traces, lone.factor_at(static_cast<double>(traces.size())));
    }
  }
  if (!source.computation.empty()) {
    const auto replayed = TRY(read_replayed(source.computation));
    TRY(check_replayed_program(source.path, folder, source.np, source.computation));
    const auto known = loggp::known_computations(traces, predict::read_other_repeats(folder));
    const auto set = TRY(loggp::set_replayed_computations(traces, replayed, known));
    tell_stand_ins(set);
    if (source.replayed != nullptr) *source.replayed = loggp::replayed_share(replayed, set);
  }
  if (!source.blocks.empty()) {
    const auto models = TRY(fit::read_block_models(source.blocks));
    const auto applied = TRY(apply_blocks(models, traces, source.block_factor));
    if (source.applied != nullptr) *source.applied = applied;
  }
  auto program = loggp::TraceProgram::of(traces);
  if (!program) {
    Error error = program.error();
    error.message = folder + ": " + error.message;
    error.where = folder;
    return error;
  }
  return loggp::SimulationInput(std::move(program.value()));
}

// Whether copies may be simulated where equations leave messages without a partner.
bool makes_copies(const SimulationSource& source) {
  return source.copied != nullptr && source.computation.empty() && source.points.empty() &&
         source.most_rounds == UINT64_MAX;
}

Result<loggp::ScaledProgram> scaled_program(const SimulationSource& source) {
  auto traces = TRY(read_scaled_traces(source.path, {}, source.np, source.points, source.most_rounds,
                                       source.computation.empty() ? source.scaled : nullptr, makes_copies(source)));
  if (const auto error = unmatched_error(traces, source.path)) return *error;
  if (source.computation.empty()) return loggp::ScaledProgram::of(std::move(traces));
  const auto replayed = TRY(read_replayed(source.computation));
  TRY(check_replayed_program(source.path, source.path, source.np, source.computation));
  auto program = loggp::replayed_program(std::move(traces), replayed);
  if (program) check_largest_run(source.path);
  return program;
}

// Copies of a recorded run, since equations give no program that runs to its end, for the reason `why`.
Result<loggp::SimulationInput> copied_program(const SimulationSource& source, const Error& why) {
  if (!makes_copies(source)) return why;
  predict::Remarks remarks;
  auto copied =
      predict::copied_traces(source.path, source.np, source.iterations, remarks, tell_lone_ranks(source.path));
  if (!copied) return source.iterations > 0 ? copied.error() : why;
  if (source.scaled != nullptr) *source.scaled = copied.value().computation;
  loggp::SimulationInput input(copied.value().program);
  *source.copied = std::move(copied.value());
  source.copied->value().why = why;
  return input;
}

// The run of source.np ranks that `improve` traced, with what its ranks computed alone. Nothing: it did not, or
// something else is asked for.
std::optional<SimulationSource> traced_target(const SimulationSource& source) {
  const core::ExperimentFolder experiment(source.path);
  const std::string traced = experiment.traced_of(source.np);
  const bool asks = !source.run.empty() || !source.computation.empty() || !source.points.empty() ||
                    !source.blocks.empty() || source.iterations > 0 || source.most_rounds != UINT64_MAX;
  std::error_code none;
  if (asks || !fs::is_directory(traced, none)) return std::nullopt;
  SimulationSource found = source;
  found.path = traced;
  found.computation = "replay:" + experiment.replays_of(source.np);
  return found;
}

}  // namespace

std::vector<std::string> files_of_list(const std::string& path) {
  const auto text = core::read_file(path);
  if (!text || loggp::looks_like_goal(text.value()) || loggp::looks_like_tit(text.value())) return {};
  return named_files(path, text.value());
}

Result<loggp::SimulationInput> read_or_scale_simulation_input(const SimulationSource& source) {
  if (const auto target = traced_target(source)) {
    auto recorded = read_recorded(*target);
    if (recorded) {
      note("simulated: the run of " + std::to_string(source.np) +
           " ranks that `improve` traced, with what they computed when they were replayed alone");
      return recorded;
    }
    warn("the run that `improve` traced is left out: " + recorded.error().message);
  }
  if (source.np == 0 || !source.run.empty() || !has_only_other_scales(source.path, source.np)) {
    std::error_code none;
    const bool is_folder = fs::is_directory(source.path, none);
    const auto refused = [&](const std::string& option, const std::string& why) {
      return Error{ErrorCode::kUsage,
                   option + " is for a number of ranks that was not run: " +
                       (is_folder ? why : "a file has the ranks, and all the rounds, that are written in it"),
                   is_folder ? "name such a number with --np, or leave out " + option : "leave out " + option,
                   source.path};
    };
    if (!source.points.empty()) return refused("--points", "recorded computations are known");
    if (source.iterations > 0) return refused("--iterations", "recorded runs have their own");
    if (source.most_rounds != UINT64_MAX) return refused("--rounds", "recorded rounds differ from one another");
    return read_simulation_input(source);
  }
  if (!source.blocks.empty()) {
    return Error{ErrorCode::kUsage,
                 "--blocks needs the trace of a run, and " + source.path + " has none of " + std::to_string(source.np) +
                     " ranks: a scaled trace has no computation of its own",
                 "record it with `scalediag profile -n " + std::to_string(source.np) + " --trace --series`",
                 "--blocks"};
  }
  if (source.iterations > 0 && !makes_copies(source)) {
    return Error{ErrorCode::kUsage,
                 "--iterations is for copies of a recorded run, which have its computation and all of its rounds",
                 "leave out --iterations, or --computation, --points and --rounds", "--iterations"};
  }
  if (source.iterations > 0) return copied_program(source, {});
  auto program = scaled_program(source);
  if (!program) return copied_program(source, program.error());
  return loggp::SimulationInput(std::move(program.value()));
}

Result<loggp::SimulationInput> read_simulation_input(const SimulationSource& source) {
  const std::string& path = source.path;
  std::error_code none;
  if (fs::is_directory(path, none)) return read_recorded(source);
  for (const auto& [option, given] : {std::pair("--computation", &source.computation), {"--blocks", &source.blocks}}) {
    if (given->empty()) continue;
    return Error{ErrorCode::kUsage,
                 std::string(option) + " replaces what ranks of recorded traces compute, and " + path + " is a file",
                 std::string("leave out ") + option, path};
  }
  const auto text = TRY(core::read_file(path));
  if (loggp::looks_like_goal(text)) {
    auto schedule = TRY(loggp::parse_goal(text, path));
    return loggp::SimulationInput(std::move(schedule));
  }
  loggp::TitReader reader(source.flops_per_s);
  if (loggp::looks_like_tit(text)) {
    TRY(reader.add(text, path));
  } else {
    const std::vector<std::string> files = named_files(path, text);
    if (files.empty()) {
      return Error{ErrorCode::kInput, path + " is neither a GOAL schedule nor a time-independent trace",
                   "a schedule begins with num_ranks, a trace with '0 init', or with names of files", path};
    }
    for (const std::string& file : files) {
      const auto part = TRY(core::read_file(file));
      TRY(reader.add(part, file));
    }
  }
  auto program = reader.finish();
  if (!program) {
    Error error = program.error();
    error.message = path + ": " + error.message;
    error.where = path;
    return error;
  }
  return loggp::SimulationInput(std::move(program.value()));
}

}  // namespace scalediag::cli
