// An estimate of the size of a recording's logs, by traces of the program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/replay/record_session.h"
#include "core/result.h"
#include "loggp/traces/rank_trace.h"

namespace scalediag::cli {

struct LogEstimate {
  uint64_t bytes = 0;  // of all logs, before they are packed
  uint64_t most = 0;   // of one
  int most_rank = 0;
};

// `traces`: of the ranks that are recorded.
LogEstimate estimate_logs(const std::vector<loggp::RankTrace>& traces, const replay::RecordRequest& request);

// Warns where the file system that the folder is on, or will be, has less room than that: an estimate may be too high.
// Error (kEnvironment): it has not even room for a tenth.
Status check_room(const LogEstimate& estimate, const std::string& folder);

}  // namespace scalediag::cli
