#include "cli/inputs/loop_input.h"

#include <utility>

#include "cli/inputs/scaling_input.h"
#include "cli/inputs/trace_input.h"

namespace scalediag::cli {
namespace {

core::Result<std::vector<loggp::RankTrace>> read_rank_traces(const std::string& path, int np,
                                                             const std::vector<int>& ranks) {
  std::vector<loggp::RankTrace> wanted;
  if (has_only_other_scales(path, np)) {
    const auto scaled = read_scaled_traces(path, {}, np);
    if (!scaled) return scaled.error();
    for (const int rank : ranks) wanted.push_back(scaled.value().rank(rank));
    return wanted;
  }
  const auto folder = find_trace_folder(path, np, "");
  if (!folder) return folder.error();
  auto traces = loggp::read_traces(folder.value());
  if (!traces) return traces.error();
  if (traces.value().size() != static_cast<size_t>(np)) {
    return core::Error{core::ErrorCode::kInput,
                       folder.value() + " has the traces of " + std::to_string(traces.value().size()) +
                           " ranks, not of " + std::to_string(np),
                       "name an experiment: its traces are scaled to other numbers of ranks", folder.value()};
  }
  for (const int rank : ranks) wanted.push_back(std::move(traces.value()[static_cast<size_t>(rank)]));
  return wanted;
}

}  // namespace

core::Result<std::vector<loggp::RankLoop>> read_rank_loops(const std::string& path, int np,
                                                           const std::vector<int>& ranks) {
  const auto traces = read_rank_traces(path, np, ranks);
  if (!traces) return traces.error();
  std::vector<loggp::RankLoop> loops;
  for (size_t i = 0; i < ranks.size(); ++i) {
    auto loop = loggp::main_loop_of(traces.value()[i]);
    if (!loop) {
      return core::Error{core::ErrorCode::kInput,
                         path + ": the trace of rank " + std::to_string(ranks[i]) + " has no loop",
                         "record the whole run, without --iterations", path};
    }
    loops.push_back(std::move(*loop));
  }
  return loops;
}

}  // namespace scalediag::cli
