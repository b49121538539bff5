#include "cli/inputs/blocks_input.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/inputs/representatives_input.h"
#include "cli/inputs/trace_input.h"
#include "core/statistics.h"
#include "core/text/join.h"
#include "core/text/quantities.h"
#include "core/text/value_list.h"
#include "loggp/blocks/block_executions.h"

namespace scalediag::cli {
namespace {

// Values that vary by more than this, as a part of their mean, want an explanation.
constexpr double kVaries = 0.1;

std::string program_of(const std::vector<loggp::RankTrace>& traces) {
  return std::filesystem::path(traces.front().executable).filename().string();
}

// The traces of a run, the ranks to look at, and what replayed ranks computed.
struct BlockRun {
  std::vector<loggp::RankTrace> traces;
  std::set<int> ranks;
  loggp::ReplayedRanks replayed;
};

core::Result<std::set<int>> slice_of(const BlockSource& source, const loggp::ReplayedRanks& replayed, size_t ranks) {
  std::set<int> slice;
  if (!source.slice.empty()) {
    const auto listed = core::parse_value_list(source.slice, "--slice");
    if (!listed) return listed.error();
    for (const core::ListValue& rank : listed.value()) {
      if (rank.value != static_cast<int>(rank.value) || rank.value < 0 || rank.value >= static_cast<double>(ranks)) {
        return core::Error{core::ErrorCode::kUsage, "--slice: there is no rank " + rank.text,
                           "the run has ranks 0 to " + std::to_string(ranks - 1), "--slice"};
      }
      slice.insert(static_cast<int>(rank.value));
    }
  } else if (!replayed.vectors.empty()) {
    for (const auto& vector : replayed.vectors) slice.insert(vector.first);
  } else {
    for (size_t rank = 0; rank < ranks; ++rank) slice.insert(static_cast<int>(rank));
  }
  return slice;
}

core::Result<BlockRun> read_block_run(const BlockSource& source) {
  const auto folder = find_trace_folder(source.path, source.np, source.run);
  if (!folder) return folder.error();
  auto traces = loggp::read_traces(folder.value());
  if (!traces) return traces.error();
  auto replayed = read_replayed(source.computation);
  if (!replayed) return replayed.error();
  auto slice = slice_of(source, replayed.value(), traces.value().size());
  if (!slice) return slice.error();
  return BlockRun{std::move(traces.value()), std::move(slice.value()), std::move(replayed.value())};
}

// The columns of `wanted` in `there`. Error (kUsage): one is missing.
core::Result<std::vector<size_t>> columns_of(const std::vector<std::string>& wanted,
                                             const std::vector<std::string>& there, core::Error missing) {
  std::vector<size_t> columns;
  for (const std::string& name : wanted) {
    const auto found = std::find(there.begin(), there.end(), name);
    if (found == there.end()) {
      missing.message += name;
      if (missing.hint.empty()) missing.hint = "there are " + core::join(there);
      return missing;
    }
    columns.push_back(static_cast<size_t>(found - there.begin()));
  }
  return columns;
}

std::vector<double> picked(const std::vector<double>& row, const std::vector<size_t>& columns) {
  std::vector<double> values;
  for (const size_t column : columns) values.push_back(row[column]);
  return values;
}

bool all_constant(const fit::BlockSamples& samples, size_t attribute) {
  return std::all_of(samples.rows.begin(), samples.rows.end(),
                     [&](const auto& row) { return row[attribute] == samples.rows.front()[attribute]; });
}

// Error (kUsage): an attribute was asked for by name, and is constant in every block.
core::Status check_attributes(const std::vector<fit::BlockSamples>& blocks, const std::vector<std::string>& named) {
  for (size_t i = 0; i < named.size(); ++i) {
    const bool constant =
        std::all_of(blocks.begin(), blocks.end(), [i](const auto& block) { return all_constant(block, i); });
    if (constant) {
      return core::Error{core::ErrorCode::kUsage,
                         "attribute " + named[i] + " is constant in all blocks: nothing depends on it",
                         "name other attributes, or learn from runs in which it varies", "--attributes"};
    }
  }
  return core::Done{};
}

void warn_of_unexplained(const fit::BlockSamples& samples, const fit::BlockModel& model) {
  const double varies = core::coefficient_of_variation(samples.values);
  if (model.method == fit::BlockMethod::kMean && varies > kVaries) {
    warn("block " + samples.name + " varies by " + core::spaced_percent(varies) +
         " (standard deviation), and no attribute explains it: its mean is used");
  }
  if (model.executions < fit::kRobustExecutions) {
    warn("block " + samples.name + " was executed only " + std::to_string(model.executions) +
         " times; with fewer than " + std::to_string(fit::kRobustExecutions) + " a model is not robust");
  }
}

// The samples of listed blocks that were executed often enough, the longest block first.
std::vector<fit::BlockSamples> samples_of(loggp::ProgramBlocks program, const std::vector<std::string>& attributes,
                                          const std::vector<size_t>& columns) {
  std::vector<fit::BlockSamples> all;
  for (auto& [name, executions] : program.blocks) {
    if (executions.values_s.size() < fit::kFewestExecutions) {
      warn("block " + name + " is left out: it was executed " + std::to_string(executions.values_s.size()) +
           " times, and at least " + std::to_string(fit::kFewestExecutions) + " are needed");
      continue;
    }
    fit::BlockSamples samples{name, attributes, {}, std::move(executions.values_s), program.total_s};
    for (const auto& row : executions.attributes) samples.rows.push_back(picked(row, columns));
    all.push_back(std::move(samples));
  }
  const auto sum = [](const auto& samples) {
    return std::accumulate(samples.values.begin(), samples.values.end(), 0.0);
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return sum(a) > sum(b); });
  return all;
}

// Each model with the columns of its attributes.
using ModelColumns = std::map<std::string, std::pair<const fit::BlockModel*, std::vector<size_t>>>;

core::Result<ModelColumns> columns_of_models(const fit::BlockModels& models, const std::vector<std::string>& there) {
  ModelColumns columns;
  for (const fit::BlockModel& model : models.blocks) {
    std::vector<std::string> names;
    for (const fit::UsedAttribute& attribute : model.attributes) names.push_back(attribute.name);
    auto its_columns = columns_of(
        names, there,
        {core::ErrorCode::kInput, "the model of block " + model.name + " needs an attribute that these traces lack: ",
         "learn without it: name the attributes to use with `blocks learn --attributes`", ""});
    if (!its_columns) return its_columns.error();
    columns[model.name] = {&model, std::move(its_columns.value())};
  }
  return columns;
}

core::Status check_program(const fit::BlockModels& models, const std::vector<loggp::RankTrace>& traces) {
  const std::string program = program_of(traces);
  if (program == models.program) return core::Done{};
  return core::Error{core::ErrorCode::kInput, "the models are of " + models.program + ", and the traces of " + program,
                     "learn models from traces of " + program, ""};
}

core::Status check_any_block(const fit::BlockModels& models, const loggp::ProgramBlocks& program) {
  const bool any = std::any_of(models.blocks.begin(), models.blocks.end(),
                               [&](const auto& model) { return program.blocks.count(model.name) > 0; });
  if (any) return core::Done{};
  return core::Error{core::ErrorCode::kInput, "the traces have none of the blocks of the models",
                     "the program takes another way through its MPI calls: learn from traces that take this one", ""};
}

std::set<int> all_ranks(const std::vector<loggp::RankTrace>& traces) {
  std::set<int> ranks;
  for (size_t rank = 0; rank < traces.size(); ++rank) ranks.insert(static_cast<int>(rank));
  return ranks;
}

}  // namespace

core::Result<fit::BlockModels> learn_blocks(const BlockSource& source, const BlockLearning& learning) {
  const auto run = read_block_run(source);
  if (!run) return run.error();
  const auto& [traces, ranks, replayed] = run.value();
  const auto times = loggp::block_times(traces, ranks);
  if (!times) return times.error();
  double total_s = 0;
  for (const auto& time : times.value()) total_s += time.second;
  fit::BlockModels models;
  models.program = program_of(traces);
  for (const auto& [name, seconds] : times.value()) {
    if (seconds >= learning.least_share * total_s) models.listed.push_back(name);
  }
  auto program = loggp::block_executions(traces, ranks, {models.listed.begin(), models.listed.end()}, replayed);
  if (!program) return program.error();

  const std::vector<std::string> there = loggp::block_attributes(!replayed.vectors.empty());
  const std::vector<std::string> names = learning.attributes.empty() ? there : learning.attributes;
  const auto columns =
      columns_of(names, there, {core::ErrorCode::kUsage, "there is no attribute ", "", "--attributes"});
  if (!columns) return columns.error();
  const std::vector<fit::BlockSamples> blocks = samples_of(std::move(program.value()), names, columns.value());
  if (blocks.empty()) {
    return core::Error{core::ErrorCode::kInput,
                       source.path + " has no block with " + core::spaced_percent(learning.least_share) +
                           " of the computation that was executed " + std::to_string(fit::kFewestExecutions) + " times",
                       "learn from more ranks, or from a run with more iterations", source.path};
  }
  if (auto checked = check_attributes(blocks, learning.attributes); !checked) return checked.error();
  for (const fit::BlockSamples& samples : blocks) {
    auto model = fit::learn_block(samples, learning.options);
    if (!model) return model.error();
    warn_of_unexplained(samples, model.value());
    models.blocks.push_back(std::move(model.value()));
  }
  return models;
}

core::Result<report::BlockCheck> check_blocks(const fit::BlockModels& models, const BlockSource& source) {
  const auto run = read_block_run(source);
  if (!run) return run.error();
  const auto& [traces, ranks, replayed] = run.value();
  if (auto same = check_program(models, traces); !same) return same.error();
  const auto program = loggp::block_executions(traces, ranks, {models.listed.begin(), models.listed.end()}, replayed);
  if (!program) return program.error();
  if (auto any = check_any_block(models, program.value()); !any) return any.error();
  const auto columns = columns_of_models(models, loggp::block_attributes(!replayed.vectors.empty()));
  if (!columns) return columns.error();

  report::BlockCheck check;
  check.ranks = ranks.size();
  check.total_s = program.value().total_s;
  for (const fit::BlockModel& model : models.blocks) {
    const auto found = program.value().blocks.find(model.name);
    if (found == program.value().blocks.end()) continue;
    const loggp::BlockExecutions& executions = found->second;
    report::CheckedBlock block;
    block.name = model.name;
    block.executions = executions.values_s.size();
    std::vector<double> predicted;
    for (size_t i = 0; i < block.executions; ++i) {
      const auto estimate = model.estimate(picked(executions.attributes[i], columns.value().at(model.name).second));
      predicted.push_back(estimate.value);
      block.outside += estimate.is_outside ? 1 : 0;
      block.measured_s += executions.values_s[i];
      block.predicted_s += estimate.value;
    }
    block.error = fit::relative_mean_error(predicted, executions.values_s);
    check.blocks.push_back(std::move(block));
  }
  return check;
}

core::Result<report::AppliedBlocks> apply_blocks(const fit::BlockModels& models, std::vector<loggp::RankTrace>& traces,
                                                 double other_factor) {
  if (auto same = check_program(models, traces); !same) return same.error();
  const auto program =
      loggp::block_executions(traces, all_ranks(traces), {models.listed.begin(), models.listed.end()}, {});
  if (!program) return program.error();
  if (auto any = check_any_block(models, program.value()); !any) return any.error();
  const auto columns = columns_of_models(models, loggp::block_attributes(false));
  if (!columns) return columns.error();

  report::AppliedBlocks applied;
  std::vector<loggp::ComputationVector> vectors;
  for (const loggp::RankTrace& trace : traces) {
    auto& vector = vectors.emplace_back(loggp::computations_of(trace));
    for (float& seconds : vector) seconds = static_cast<float>(seconds * other_factor);
  }
  for (const auto& [name, model] : columns.value()) {
    const auto found = program.value().blocks.find(name);
    if (found == program.value().blocks.end()) continue;
    const loggp::BlockExecutions& executions = found->second;
    for (size_t i = 0; i < executions.values_s.size(); ++i) {
      const auto estimate = model.first->estimate(picked(executions.attributes[i], model.second));
      const auto& [rank, computation] = executions.places[i];
      vectors[rank][computation] = static_cast<float>(estimate.value);
      ++applied.executions;
      applied.outside += estimate.is_outside ? 1 : 0;
      applied.recorded_s += executions.values_s[i];
      applied.predicted_s += estimate.value;
    }
  }
  applied.other_s = program.value().total_s - applied.recorded_s;
  for (size_t rank = 0; rank < traces.size(); ++rank) loggp::set_computations(traces[rank], vectors[rank]);
  return applied;
}

}  // namespace scalediag::cli
