// The trace of the ranks of a class, which differ only in whom they talk to.
#pragma once

#include <cstdint>
#include <vector>

#include "loggp/phases/scaled/rank_questions.h"
#include "loggp/phases/scaled/scaled_numbers.h"
#include "loggp/phases/scaling_model.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// Peers and sources of the trace are relations of ScaledPartners, or kNobody; tags, communicators and bytes are those
// of ScaledNumbers. Peers of kExchange are as of rank `made_for`: the members of the communicator from the rank itself
// upwards, and then those below it.
struct RankClass {
  RankTrace trace;
  std::vector<int> slots;  // Slot::id of each event
  int made_for = 0;
};

// The class of the rank that `answers` are of. All that it learns of that rank it asks there. `most_rounds`: as of
// ScaledTraces.
RankClass class_trace(const ScalingModel& model, uint64_t most_rounds, RankAnswers& answers, ScaledNumbers& numbers);

}  // namespace scalediag::loggp
