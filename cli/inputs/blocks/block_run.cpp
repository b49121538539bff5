#include "cli/inputs/blocks/block_run.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "cli/inputs/representatives_input.h"
#include "cli/inputs/trace_input.h"
#include "core/text/value_list.h"
#include "fit/blocks/block_models.h"

namespace scalediag::cli {
namespace {

Result<std::set<int>> slice_of(const BlockSource& source, const loggp::ReplayedRanks& replayed, size_t ranks) {
  std::set<int> slice;
  if (!source.slice.empty()) {
    const auto listed = TRY(core::parse_value_list(source.slice, "--slice"));
    for (const core::ListValue& rank : listed) {
      if (!(rank.value >= 0 && rank.value < static_cast<double>(ranks)) || rank.value != std::floor(rank.value)) {
        return Error{ErrorCode::kUsage, "--slice: there is no rank " + rank.text,
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

}  // namespace

Result<BlockRun> read_block_run(const BlockSource& source) {
  const auto folder = TRY(find_trace_folder(source.path, source.np, source.run));
  auto traces = TRY(read_recorded_traces(folder));
  auto replayed = TRY(read_replayed(source.computation));
  auto slice = TRY(slice_of(source, replayed, traces.size()));
  return BlockRun{std::move(traces), std::move(slice), std::move(replayed)};
}

loggp::BlockSelection selection_of(const BlockRun& run, const std::string& metric, loggp::TagRanges tags) {
  loggp::BlockSelection selection;
  selection.ranks = run.ranks;
  if (metric == fit::kInstructionMetric) selection.metric = loggp::BlockMetric::kInstructions;
  if (!run.replayed.vectors.empty()) selection.replayed = &run.replayed;
  selection.tags = std::move(tags);
  return selection;
}

std::string program_of(const std::vector<loggp::RankTrace>& traces) {
  return std::filesystem::path(traces.front().executable).filename().string();
}

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

size_t executions_without(const loggp::BlockExecutions& executions, size_t column) {
  return static_cast<size_t>(
      std::ranges::count_if(executions.rows, [column](const auto& row) { return std::isnan(row[column]); }));
}

}  // namespace scalediag::cli
