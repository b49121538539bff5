#include "cli/inputs/blocks/learn_blocks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "cli/diagnostics.h"
#include "core/statistics.h"
#include "core/text/join.h"
#include "core/text/quantities.h"

namespace scalediag::cli {
namespace {

// Values that vary by more than this, as a part of their mean, want an explanation.
constexpr double kVaries = 0.1;
// The error from which on a model is not to be relied on.
constexpr double kUnreliable = 0.5;
// The share of the computation from which on a block that is left out is told.
constexpr double kWorthTelling = 0.01;

// What can be learnt from.
struct Learnable {
  std::vector<fit::BlockSamples> blocks;  // the longest first, with the attributes that are to be learnt from
  std::set<std::string> attributes;       // that could be named
  std::map<std::string, Error> left_out;  // of other attributes, why, and what mends it
};

Error left_out(const std::string& attribute, const std::string& why, const std::string& hint) {
  return {ErrorCode::kUsage, "attribute " + attribute + " is left out: " + why, hint, "--attributes"};
}

// Adds the attributes of a block that was executed often enough to what can be learnt from, and returns the columns of
// those that are to be.
std::vector<size_t> columns_to_learn_from(const std::string& block, const loggp::BlockExecutions& executions,
                                          const BlockLearning& learning, Learnable& learnable) {
  const std::vector<std::string>& named = learning.attributes;
  std::vector<size_t> columns;
  for (size_t column = 0; column < executions.attributes.size(); ++column) {
    const std::string& attribute = executions.attributes[column];
    const bool is_asked = named.empty() || std::find(named.begin(), named.end(), attribute) != named.end();
    if (learning.for_other_sizes && executions.kinds[column] == loggp::AttributeKind::kPlace) {
      learnable.left_out.insert_or_assign(
          attribute, left_out(attribute, "--for-other-sizes learns without places of ranks and numbers of iterations",
                              "leave out one of the two options, or name other attributes"));
      continue;
    }
    if (const size_t missing = executions_without(executions, column); missing > 0) {
      const std::string why =
          std::to_string(missing) + " of " + std::to_string(executions.rows.size()) + " executions do not name it";
      if (is_asked) warn("parameter " + attribute + " of block " + block + " is left out: " + why);
      learnable.left_out.insert_or_assign(
          attribute, left_out(attribute, "of block " + block + ", " + why,
                              "name it in every execution of the block, or learn from other attributes"));
      continue;
    }
    learnable.attributes.insert(attribute);
    if (is_asked) columns.push_back(column);
  }
  return columns;
}

// Warns of a block that was executed too seldom, and remembers its attributes.
void leave_out(const std::string& block, const loggp::BlockExecutions& executions, double total, Learnable& learnable) {
  const std::string why = "it was executed " + std::to_string(executions.values.size()) + " times, and at least " +
                          std::to_string(fit::kFewestExecutions) + " are needed";
  for (const std::string& attribute : executions.attributes) {
    learnable.left_out.emplace(attribute, left_out(attribute, "block " + block + " has no model, " + why,
                                                   "learn from more ranks, or from a run with more iterations"));
  }
  const double of_block = std::accumulate(executions.values.begin(), executions.values.end(), 0.0);
  if (of_block >= kWorthTelling * total) warn("block " + block + " is left out: " + why);
}

Learnable learnable_blocks(const loggp::ProgramBlocks& program, const BlockLearning& learning) {
  Learnable learnable;
  for (const auto& [name, executions] : program.blocks) {
    if (executions.values.size() < fit::kFewestExecutions) {
      leave_out(name, executions, program.total, learnable);
      continue;
    }
    fit::BlockSamples samples{name, {}, {}, {}, executions.values, {}, program.total};
    const std::vector<size_t> columns = columns_to_learn_from(name, executions, learning, learnable);
    for (const size_t column : columns) {
      samples.attributes.push_back(executions.attributes[column]);
      samples.stages.push_back(static_cast<int>(executions.kinds[column]));
    }
    for (const auto& row : executions.rows) samples.rows.push_back(picked(row, columns));
    for (const auto& place : executions.places) samples.ranks.push_back(static_cast<int>(place.rank));
    learnable.blocks.push_back(std::move(samples));
  }
  const auto sum = [](const auto& samples) {
    return std::accumulate(samples.values.begin(), samples.values.end(), 0.0);
  };
  std::ranges::stable_sort(learnable.blocks, [&](const auto& a, const auto& b) { return sum(a) > sum(b); });
  return learnable;
}

// Error (kUsage): an attribute was asked for by name that no block has, or that was left out of all that have it, or
// that is constant in every block.
Status check_attributes(const Learnable& learnable, const std::vector<std::string>& named) {
  for (const std::string& name : named) {
    if (learnable.attributes.count(name) == 0) {
      const auto left_out = learnable.left_out.find(name);
      if (left_out != learnable.left_out.end()) return left_out->second;
      const std::vector<std::string> known(learnable.attributes.begin(), learnable.attributes.end());
      return Error{ErrorCode::kUsage, "no block has an attribute " + name, "there are " + core::join(known),
                   "--attributes"};
    }
    const bool varies = std::ranges::any_of(learnable.blocks, [&](const auto& block) {
      const auto column = column_of(name, block.attributes);
      return column && std::ranges::any_of(
                           block.rows, [&](const auto& row) { return row[*column] != block.rows.front()[*column]; });
    });
    if (varies) continue;
    return Error{ErrorCode::kUsage, "attribute " + name + " is constant in all blocks: nothing depends on it",
                 "name other attributes, or learn from runs in which it varies", "--attributes"};
  }
  return Done{};
}

// Places and iterations stand for what really decides, in this run.
void warn_of_places(const fit::BlockSamples& samples, const fit::BlockModel& model) {
  std::vector<std::string> places;
  for (const auto& attribute : model.attributes) {
    const auto column = column_of(attribute.name, samples.attributes);
    if (!column || samples.stages[*column] != static_cast<int>(loggp::AttributeKind::kPlace)) continue;
    places.push_back(attribute.name);
  }
  if (places.empty()) return;
  warn("the model of block " + model.name + " counts with " + core::join(places) +
           ": nothing that the program names, and none of its messages, tells how long it takes, so that the model "
           "holds for this number of ranks and this input only",
       "mark the block, and name what it depends on (docs/regions.md), or learn with --for-other-sizes");
}

void warn_of_unexplained(const fit::BlockSamples& samples, const fit::BlockModel& model) {
  const double varies = core::coefficient_of_variation(samples.values);
  if (model.method == fit::BlockMethod::kMean && varies > kVaries) {
    warn("block " + samples.name + " varies by " + core::spaced_percent(varies) +
         " (standard deviation), and no attribute explains it: its mean is used");
  }
  if (!model.held_out_error) {
    warn("the executions of block " + samples.name +
         " that were held out took no time, others did: the error of its model is not known");
  }
  if (model.held_out_error.value_or(0) > kUnreliable) {
    warn("the model of block " + samples.name + " missed executions that were held out by " +
         core::spaced_percent(*model.held_out_error) +
         " in the mean: part of its time depends on what no attribute tells, and its sum may be far off");
  }
  if (model.function.stopped_early) {
    warn("the solver of block " + samples.name +
         " stopped at its largest number of iterations: there may be better support vectors (--method takes another "
         "method)");
  }
  if (model.executions < fit::kRobustExecutions) {
    warn("block " + samples.name + " was executed only " + std::to_string(model.executions) +
         " times; with fewer than " + std::to_string(fit::kRobustExecutions) + " a model is not robust");
  }
}

// The names of blocks with the share that is asked for.
Result<std::vector<std::string>> long_blocks(const std::map<std::string, double>& totals, double least_share,
                                             const std::string& metric, const std::string& path) {
  double total = 0;
  for (const auto& of_block : totals) total += of_block.second;
  if (!(total > 0)) {
    return Error{ErrorCode::kInput, path + ": all blocks of these ranks take 0 " + metric,
                 "learn from ranks, or from a run, that compute", path};
  }
  std::vector<std::string> names;
  for (const auto& [name, sum] : totals) {
    if (sum > 0 && sum >= least_share * total) names.push_back(name);
  }
  if (!names.empty()) return names;
  const auto longest =
      std::ranges::max_element(totals, [](const auto& a, const auto& b) { return a.second < b.second; });
  return Error{ErrorCode::kUsage,
               path + " has no block with " + core::spaced_percent(least_share, 2) +
                   " of the computation: the longest, " + longest->first + ", has " +
                   core::spaced_percent(longest->second / total, 2),
               "ask for less with --share", "--share"};
}

}  // namespace

Result<fit::BlockModels> learn_blocks(const BlockSource& source, const BlockLearning& learning) {
  const auto run = TRY(read_block_run(source));
  const std::vector<loggp::RankTrace>& traces = run.traces;
  fit::BlockModels models;
  models.program = program_of(traces);
  models.metric = learning.metric;
  models.ranks = traces.size();
  models.tags = loggp::tag_ranges(traces);
  const loggp::BlockSelection selection = selection_of(run, learning.metric, models.tags);
  const auto totals = TRY(loggp::block_totals(traces, selection));
  models.listed = TRY(long_blocks(totals, learning.least_share, learning.metric, source.path));
  const auto program = TRY(loggp::block_executions(traces, selection, {models.listed.begin(), models.listed.end()}));
  const Learnable learnable = learnable_blocks(program, learning);
  if (learnable.blocks.empty()) {
    return Error{ErrorCode::kInput,
                 source.path + " has no block with " + core::spaced_percent(learning.least_share) +
                     " of the computation that was executed at least " + std::to_string(fit::kFewestExecutions) +
                     " times",
                 "learn from more ranks, or from a run with more iterations", source.path};
  }
  TRY(check_attributes(learnable, learning.attributes));
  for (const fit::BlockSamples& samples : learnable.blocks) {
    auto model = TRY(fit::learn_block(samples, learning.options));
    warn_of_unexplained(samples, model);
    warn_of_places(samples, model);
    models.blocks.push_back(std::move(model));
  }
  return models;
}

}  // namespace scalediag::cli
