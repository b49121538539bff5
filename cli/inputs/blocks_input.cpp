#include "cli/inputs/blocks_input.h"

#include <algorithm>
#include <cmath>
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
// The error from which on a model is not to be relied on.
constexpr double kUnreliable = 0.5;

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
      if (!(rank.value >= 0 && rank.value < static_cast<double>(ranks)) || rank.value != std::floor(rank.value)) {
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
  auto traces = read_recorded_traces(folder.value());
  if (!traces) return traces.error();
  auto replayed = read_replayed(source.computation);
  if (!replayed) return replayed.error();
  auto slice = slice_of(source, replayed.value(), traces.value().size());
  if (!slice) return slice.error();
  return BlockRun{std::move(traces.value()), std::move(slice.value()), std::move(replayed.value())};
}

loggp::BlockSelection selection_of(const BlockRun& run, const std::string& metric, loggp::TagRanges tags) {
  loggp::BlockSelection selection;
  selection.ranks = run.ranks;
  if (metric == fit::kInstructionMetric) selection.metric = loggp::BlockMetric::kInstructions;
  if (!run.replayed.vectors.empty()) selection.replayed = &run.replayed;
  selection.tags = std::move(tags);
  return selection;
}

// The column of an attribute; empty: it is not there.
std::optional<size_t> column_of(const std::string& name, const std::vector<std::string>& there) {
  const auto found = std::find(there.begin(), there.end(), name);
  if (found == there.end()) return std::nullopt;
  return static_cast<size_t>(found - there.begin());
}

std::vector<double> picked(const std::vector<double>& row, const std::vector<size_t>& columns) {
  std::vector<double> values;
  for (const size_t column : columns) values.push_back(row[column]);
  return values;
}

// Error (kUsage): an attribute was asked for by name that no block has, or that is constant in every block.
core::Status check_attributes(const std::vector<fit::BlockSamples>& blocks, const loggp::ProgramBlocks& program,
                              const std::vector<std::string>& named) {
  for (const std::string& name : named) {
    bool is_there = false, varies = false;
    for (const fit::BlockSamples& block : blocks) {
      const auto column = column_of(name, block.attributes);
      if (!column) continue;
      is_there = true;
      varies = varies || std::any_of(block.rows.begin(), block.rows.end(),
                                     [&](const auto& row) { return row[*column] != block.rows.front()[*column]; });
    }
    if (!is_there) {
      std::set<std::string> known;
      for (const auto& [block, executions] : program.blocks) {
        known.insert(executions.attributes.begin(), executions.attributes.end());
      }
      return core::Error{core::ErrorCode::kUsage, "no block has an attribute " + name,
                         "there are " + core::join(std::vector<std::string>(known.begin(), known.end())),
                         "--attributes"};
    }
    if (!varies) {
      return core::Error{core::ErrorCode::kUsage,
                         "attribute " + name + " is constant in all blocks: nothing depends on it",
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
  if (model.held_out_error > kUnreliable) {
    warn("the model of block " + samples.name + " missed executions that were held out by " +
         core::spaced_percent(model.held_out_error) +
         " in the mean: part of its time depends on what no attribute tells, and its sum may be far off");
  }
  if (model.stopped_early) {
    warn("the solver of block " + samples.name +
         " stopped at its largest number of iterations: there may be better support vectors (--method takes another "
         "method)");
  }
  if (model.executions < fit::kRobustExecutions) {
    warn("block " + samples.name + " was executed only " + std::to_string(model.executions) +
         " times; with fewer than " + std::to_string(fit::kRobustExecutions) + " a model is not robust");
  }
}

// The number of executions that lack an attribute that others have: a parameter that the program did not name each
// time.
size_t without(const loggp::BlockExecutions& executions, size_t column) {
  return static_cast<size_t>(std::count_if(executions.rows.begin(), executions.rows.end(),
                                           [column](const auto& row) { return std::isnan(row[column]); }));
}

// The share of the computation from which on a block that is left out is told.
constexpr double kWorthTelling = 0.01;

// The samples of listed blocks that were executed often enough, the longest block first, with the attributes that are
// to be learnt from.
std::vector<fit::BlockSamples> samples_of(const loggp::ProgramBlocks& program, const BlockLearning& learning) {
  const std::vector<std::string>& named = learning.attributes;
  std::vector<fit::BlockSamples> all;
  for (const auto& [name, executions] : program.blocks) {
    if (executions.values.size() < fit::kFewestExecutions) {
      const double of_block = std::accumulate(executions.values.begin(), executions.values.end(), 0.0);
      if (of_block < kWorthTelling * program.total) continue;
      warn("block " + name + " is left out: it was executed " + std::to_string(executions.values.size()) +
           " times, and at least " + std::to_string(fit::kFewestExecutions) + " are needed");
      continue;
    }
    fit::BlockSamples samples{name, {}, {}, {}, executions.values, {}, program.total};
    std::vector<size_t> columns;
    for (size_t column = 0; column < executions.attributes.size(); ++column) {
      const std::string& attribute = executions.attributes[column];
      if (!named.empty() && std::find(named.begin(), named.end(), attribute) == named.end()) continue;
      const loggp::AttributeKind kind = loggp::kind_of_attribute(attribute);
      if (learning.for_other_sizes && kind == loggp::AttributeKind::kPlace) continue;
      if (const size_t missing = without(executions, column); missing > 0) {
        warn("parameter " + attribute + " of block " + name + " is left out: " + std::to_string(missing) + " of " +
             std::to_string(executions.rows.size()) + " executions do not name it");
        continue;
      }
      samples.attributes.push_back(attribute);
      samples.stages.push_back(static_cast<int>(kind));
      columns.push_back(column);
    }
    for (const auto& row : executions.rows) samples.rows.push_back(picked(row, columns));
    for (const auto& place : executions.places) samples.ranks.push_back(static_cast<int>(place.rank));
    all.push_back(std::move(samples));
  }
  const auto sum = [](const auto& samples) {
    return std::accumulate(samples.values.begin(), samples.values.end(), 0.0);
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return sum(a) > sum(b); });
  return all;
}

// The columns of a model's attributes in executions of its block.
core::Result<std::vector<size_t>> columns_of_model(const fit::BlockModel& model,
                                                   const loggp::BlockExecutions& executions) {
  std::vector<size_t> columns;
  for (const fit::UsedAttribute& attribute : model.attributes) {
    const auto column = column_of(attribute.name, executions.attributes);
    if (!column) {
      return core::Error{
          core::ErrorCode::kInput,
          "the model of block " + model.name + " needs an attribute that these traces lack: " + attribute.name,
          "learn without it: name the attributes to use with `blocks learn --attributes`", ""};
    }
    const size_t missing = without(executions, *column);
    if (missing > 0) {
      return core::Error{core::ErrorCode::kInput,
                         std::to_string(missing) + " of " + std::to_string(executions.rows.size()) +
                             " executions of block " + model.name + " name no " + attribute.name +
                             ", which its model needs",
                         "name it in every execution, or learn without it: name the attributes to use with `blocks "
                         "learn --attributes`",
                         ""};
    }
    columns.push_back(*column);
  }
  return columns;
}

core::Status check_program(const fit::BlockModels& models, const std::vector<loggp::RankTrace>& traces) {
  const std::string program = program_of(traces);
  if (program == models.program) return core::Done{};
  return core::Error{core::ErrorCode::kInput, "the models are of " + models.program + ", and the traces of " + program,
                     "learn models from traces of " + program, ""};
}

// Further beyond what was learnt from than so many times its range, a prediction is not to be relied on.
constexpr double kFar = 2;

void warn_of_far(const std::string& block, size_t far, size_t all) {
  if (10 * far <= all) return;
  warn(std::to_string(far) + " of " + std::to_string(all) + " executions of block " + block +
       " have an attribute further beyond what its model was learnt from than twice the range of that: the sum of the "
       "block may be far off; learn from ranks or runs in which its attributes vary more");
}

// Warns of models that are of the places of other ranks than there are.
void warn_of_places(const fit::BlockModels& models, size_t ranks) {
  if (models.ranks == 0 || models.ranks == ranks) return;
  std::vector<std::string> names;
  for (const fit::BlockModel& model : models.blocks) {
    const bool of_place = std::any_of(model.attributes.begin(), model.attributes.end(), [](const auto& attribute) {
      return loggp::kind_of_attribute(attribute.name) == loggp::AttributeKind::kPlace && attribute.name != "iteration";
    });
    if (of_place) names.push_back(model.name);
  }
  if (names.empty()) return;
  warn("models were learnt from " + std::to_string(models.ranks) + " ranks, this run has " + std::to_string(ranks) +
       ", and these need the place of a rank: " + core::join(names, "; ") +
       "; `blocks learn --for-other-sizes` learns without it");
}

// Models that know too little of the input go wrong although their attributes stay within what was learnt.
void warn_of_change(const report::AppliedBlock& sum) {
  constexpr double kMuch = 3;  // more than machines, or caches that ranks share, usually change
  if (sum.predicted_s < kMuch * sum.recorded_s && kMuch * sum.predicted_s > sum.recorded_s) return;
  warn("the models put " + core::fixed(sum.predicted_s, 3) + " s in place of " + core::fixed(sum.recorded_s, 3) +
       " s that were recorded, over all ranks: unless the other machine or input explains that, they do not know what "
       "the time depends on; `blocks check` shows each block");
}

core::Status check_any_block(const fit::BlockModels& models, const loggp::ProgramBlocks& program) {
  const bool any = std::any_of(models.blocks.begin(), models.blocks.end(),
                               [&](const auto& model) { return program.blocks.count(model.name) > 0; });
  if (any) return core::Done{};
  return core::Error{core::ErrorCode::kInput, "the traces have none of the blocks of the models",
                     "the program takes another way through its MPI calls: learn from traces that take this one", ""};
}

}  // namespace

core::Result<fit::BlockModels> learn_blocks(const BlockSource& source, const BlockLearning& learning) {
  const auto run = read_block_run(source);
  if (!run) return run.error();
  const std::vector<loggp::RankTrace>& traces = run.value().traces;
  fit::BlockModels models;
  models.tags = loggp::tag_ranges(traces);
  const loggp::BlockSelection selection = selection_of(run.value(), learning.metric, models.tags);
  const auto totals = loggp::block_totals(traces, selection);
  if (!totals) return totals.error();
  double total = 0;
  for (const auto& of_block : totals.value()) total += of_block.second;
  models.program = program_of(traces);
  models.metric = learning.metric;
  models.ranks = traces.size();
  for (const auto& [name, sum] : totals.value()) {
    if (sum > 0 && sum >= learning.least_share * total) models.listed.push_back(name);
  }
  const auto program = loggp::block_executions(traces, selection, {models.listed.begin(), models.listed.end()});
  if (!program) return program.error();
  const std::vector<fit::BlockSamples> blocks = samples_of(program.value(), learning);
  if (blocks.empty()) {
    return core::Error{core::ErrorCode::kInput,
                       source.path + " has no block with " + core::spaced_percent(learning.least_share) +
                           " of the computation that was executed " + std::to_string(fit::kFewestExecutions) + " times",
                       "learn from more ranks, or from a run with more iterations", source.path};
  }
  if (auto checked = check_attributes(blocks, program.value(), learning.attributes); !checked) return checked.error();
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
  const std::vector<loggp::RankTrace>& traces = run.value().traces;
  if (auto same = check_program(models, traces); !same) return same.error();
  loggp::BlockSelection selection = selection_of(run.value(), models.metric, models.tags);
  selection.with_recorded = true;
  const auto program = loggp::block_executions(traces, selection, {models.listed.begin(), models.listed.end()});
  if (!program) return program.error();
  if (auto any = check_any_block(models, program.value()); !any) return any.error();
  warn_of_places(models, traces.size());

  report::BlockCheck check;
  check.metric = models.metric;
  check.ranks = run.value().ranks.size();
  check.total = program.value().total;
  for (const fit::BlockModel& model : models.blocks) {
    const auto found = program.value().blocks.find(model.name);
    if (found == program.value().blocks.end()) continue;
    const loggp::BlockExecutions& executions = found->second;
    const auto columns = columns_of_model(model, executions);
    if (!columns) return columns.error();
    report::CheckedBlock block;
    block.name = model.name;
    block.executions = executions.values.size();
    std::vector<double> predicted;
    size_t far = 0;
    for (size_t i = 0; i < block.executions; ++i) {
      const std::vector<double> row = picked(executions.rows[i], columns.value());
      const auto estimate = model.estimate(row);
      far += estimate.beyond > kFar ? 1 : 0;
      const auto& place = executions.places[i];
      block.each.push_back({place.rank, place.computation, executions.values[i], estimate, model.outside(row)});
      predicted.push_back(estimate.value);
      block.outside += estimate.is_outside ? 1 : 0;
      block.measured += executions.values[i];
      block.predicted += estimate.value;
    }
    block.error = fit::relative_mean_error(predicted, executions.values);
    warn_of_far(model.name, far, block.executions);
    check.blocks.push_back(std::move(block));
  }
  return check;
}

core::Result<report::AppliedBlocks> apply_blocks(const fit::BlockModels& models, std::vector<loggp::RankTrace>& traces,
                                                 double other_factor) {
  if (models.metric != fit::kSecondMetric) {
    return core::Error{core::ErrorCode::kInput,
                       "the models are of " + models.metric + ", and a simulation needs seconds",
                       "learn them with `blocks learn --metric seconds`", ""};
  }
  if (auto same = check_program(models, traces); !same) return same.error();
  loggp::BlockSelection selection;
  selection.with_recorded = true;
  selection.tags = models.tags;
  for (size_t rank = 0; rank < traces.size(); ++rank) selection.ranks.insert(static_cast<int>(rank));
  const auto program = loggp::block_executions(traces, selection, {models.listed.begin(), models.listed.end()});
  if (!program) return program.error();
  if (auto any = check_any_block(models, program.value()); !any) return any.error();
  warn_of_places(models, traces.size());

  report::AppliedBlocks applied;
  // In seconds, of all ranks. A computation may have several blocks: each takes its recorded part away and adds its
  // own.
  std::vector<std::vector<double>> computed;
  for (const loggp::RankTrace& trace : traces) {
    const loggp::ComputationVector recorded = loggp::computations_of(trace);
    auto& of_rank = computed.emplace_back(recorded.begin(), recorded.end());
    for (double& seconds : of_rank) seconds *= other_factor;
  }
  for (const fit::BlockModel& model : models.blocks) {
    const auto found = program.value().blocks.find(model.name);
    if (found == program.value().blocks.end()) continue;
    const loggp::BlockExecutions& executions = found->second;
    const auto columns = columns_of_model(model, executions);
    if (!columns) return columns.error();
    report::AppliedBlock block{model.name};
    size_t far = 0;
    for (size_t i = 0; i < executions.values.size(); ++i) {
      const auto estimate = model.estimate(picked(executions.rows[i], columns.value()));
      const auto& [rank, computation, recorded_s] = executions.places[i];
      computed[rank][computation] += estimate.value - recorded_s * other_factor;
      far += estimate.beyond > kFar ? 1 : 0;
      ++block.executions;
      block.outside += estimate.is_outside ? 1 : 0;
      block.recorded_s += recorded_s;
      block.predicted_s += estimate.value;
    }
    warn_of_far(model.name, far, block.executions);
    applied.blocks.push_back(std::move(block));
  }
  warn_of_change(applied.sum());
  applied.other_s = program.value().total - applied.sum().recorded_s;
  for (size_t rank = 0; rank < traces.size(); ++rank) {
    loggp::ComputationVector vector;
    for (const double seconds : computed[rank]) vector.push_back(static_cast<float>(std::max(0.0, seconds)));
    loggp::set_computations(traces[rank], vector);
  }
  return applied;
}

}  // namespace scalediag::cli
