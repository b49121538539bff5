#include "loggp/representatives/replayed_computations.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "loggp/representatives/representatives.h"

namespace scalediag::loggp {
namespace {

// The vector of each rank, by `taken_from`.
core::Result<std::vector<const ComputationVector*>> vectors_for(
    const std::vector<int>& taken_from, const ReplayedRanks& replayed,
    const std::function<const RankTrace&(int rank)>& trace_of, const std::string& hint) {
  std::vector<const ComputationVector*> vectors;
  for (size_t rank = 0; rank < taken_from.size(); ++rank) {
    const ComputationVector& vector = replayed.vectors.at(taken_from[rank]);
    const uint64_t events = trace_of(static_cast<int>(rank)).n_events;
    if (vector.size() != events + 1) {
      return core::Error{core::ErrorCode::kInput,
                         replayed.folder + "/" + vector_file_name(taken_from[rank]) + " holds " +
                             std::to_string(vector.size()) + " computations, and rank " + std::to_string(rank) +
                             " has " + std::to_string(events) +
                             " events in its trace: one is before each of them, and one after the last",
                         hint, replayed.folder};
    }
    vectors.push_back(&vector);
  }
  return vectors;
}

// The replayed rank that each rank's computation is taken from. Where all were replayed, nothing has to be known of
// groups, which take minutes to find in long traces whose ranks are all unlike.
core::Result<std::vector<int>> taken_from_of(const std::vector<RankTrace>& traces, const ReplayedRanks& replayed) {
  std::vector<int> all(traces.size());
  std::iota(all.begin(), all.end(), 0);
  if (std::all_of(all.begin(), all.end(), [&](int rank) { return replayed.vectors.count(rank) > 0; })) return all;
  const auto model = model_of_run(traces);
  if (!model) return model.error();
  std::vector<ComputationVector> recorded;
  for (const RankTrace& trace : traces) recorded.push_back(computations_of(trace));
  return replayed_for(communication_groups(model.value()), replayed, recorded);
}

}  // namespace

core::Status set_replayed_computations(std::vector<RankTrace>& traces, const ReplayedRanks& replayed) {
  const auto taken_from = taken_from_of(traces, replayed);
  if (!taken_from) return taken_from.error();
  const auto vectors = vectors_for(
      taken_from.value(), replayed, [&](int rank) -> const RankTrace& { return traces[static_cast<size_t>(rank)]; },
      "replay the run whose trace is simulated");
  if (!vectors) return vectors.error();
  for (size_t rank = 0; rank < traces.size(); ++rank) set_computations(traces[rank], *vectors.value()[rank]);
  return core::Done{};
}

core::Result<ScaledProgram> replayed_program(ScaledTraces traces, const ReplayedRanks& replayed) {
  const auto taken_from = replayed_for(communication_groups(traces), replayed, {});
  if (!taken_from) return taken_from.error();
  const auto vectors = vectors_for(
      taken_from.value(), replayed,
      [&](int rank) -> const RankTrace& {
        return traces.classes()[traces.class_numbers()[static_cast<size_t>(rank)]].trace;
      },
      "the scaled trace is not that of the program: record " + std::to_string(traces.ranks()) +
          " ranks themselves with `scalediag profile --trace`, or leave out --computation");
  if (!vectors) return vectors.error();
  return ScaledProgram::of(std::move(traces), vectors.value());
}

}  // namespace scalediag::loggp
