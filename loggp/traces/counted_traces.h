// Instructions from the pass that counts them under valgrind, whose ranks record their events once more.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// Whether two traces of a rank have the same events in the same loops. Requests are not compared, since a rank may see
// messages complete in another order.
bool have_same_events(const RankTrace& a, const RankTrace& b);

// Gives `trace` the instructions of `counted`. Precondition: have_same_events(trace, counted).
void take_instructions(RankTrace& trace, const RankTrace& counted);

// Gives the traces of a run's ranks the instructions that a pass has counted, which left its files in `folder`;
// `stands_for` as core::CountingPass has it. Returns a sentence for each counted rank that has none, with the reason,
// and one where events were left uncounted because ranks reached the number of calls that are.
// Error (kInput): as of parse_rank_trace().
Result<std::vector<std::string>> take_instructions(std::vector<RankTrace>& traces, const std::string& folder,
                                                   const std::vector<int>& ranks, const std::vector<int>& stands_for);

}  // namespace scalediag::loggp
