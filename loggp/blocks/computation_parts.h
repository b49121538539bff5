// The computations of a rank in order, divided at the marks of the program.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "loggp/blocks/tag_ranges.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

struct ComputationPart {
  std::string block;                         // as block_executions.h names it
  uint64_t computation = 0;                  // its number in the rank's trace
  double seconds = 0;                        // as recorded
  double instructions = -1;                  // -1: not counted
  std::map<std::string, double> parameters;  // that the program named in it
  const TraceEvent* next = nullptr;          // the event after the computation; null: there is none
  bool is_last = false;                      // of its computation
};

// Calls visit() for every part of every computation; without `at_marks` each computation is one part. Tags of `ranges`
// stand for one another. Precondition: the trace has its computations in order (--series).
void each_part(const RankTrace& trace, bool at_marks, const TagRanges& ranges,
               const std::function<void(const ComputationPart& part)>& visit);

}  // namespace scalediag::loggp
