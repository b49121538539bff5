#include "cli/inputs/log_estimate.h"

#include <algorithm>
#include <filesystem>

#include "cli/diagnostics.h"
#include "core/raw/message_log.h"
#include "core/text/quantities.h"
#include "loggp/representatives/received_bytes.h"

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;

// Two calls an event: its own, and one such as the completion of a request or a question beside it.
constexpr uint64_t kBytesOfEvent = 20;

loggp::RecordedPart part_of(uint32_t rank, const replay::RecordRequest& request) {
  loggp::RecordedPart part;
  part.small_bytes = message_log::kSmallContents;
  if (request.unrecorded_node > 0) {
    const auto node = message_log::ranks_of_node(rank, static_cast<uint32_t>(request.unrecorded_node),
                                                 static_cast<uint32_t>(request.np));
    part.first_rank = static_cast<int>(node.first);
    part.end_rank = static_cast<int>(node.end);
  }
  const auto found = request.loops.find(static_cast<int>(rank));
  if (found == request.loops.end()) return part;
  const replay::PartialLog& log = found->second;
  part.events = log.events() + log.more_events;
  for (const replay::CutLoop& loop : log.loops) part.only_small.emplace_back(loop.recorded_end(), loop.end());
  part.only_small.pop_back();  // the last one ends the log
  return part;
}

}  // namespace

LogEstimate estimate_logs(const std::vector<loggp::RankTrace>& traces, const replay::RecordRequest& request) {
  LogEstimate estimate;
  for (const loggp::RankTrace& trace : traces) {
    const loggp::RecordedPart part = part_of(trace.rank, request);
    const uint64_t bytes = loggp::received_bytes(trace, part) + kBytesOfEvent * std::min(trace.n_events, part.events);
    const uint64_t kept = std::min(bytes, request.max_log_bytes.value_or(UINT64_MAX));
    estimate.bytes += kept;
    if (kept <= estimate.most) continue;
    estimate.most = kept;
    estimate.most_rank = static_cast<int>(trace.rank);
  }
  return estimate;
}

Status check_room(const LogEstimate& estimate, const std::string& folder) {
  std::error_code failed;
  fs::path there = fs::absolute(folder, failed).lexically_normal();
  while (!fs::exists(there, failed) && there.has_relative_path()) there = there.parent_path();
  const fs::space_info space = fs::space(there, failed);
  if (failed || space.available >= estimate.bytes) return Done{};
  const std::string problem = "the logs may take " + core::bytes_text(static_cast<double>(estimate.bytes)) + ", and " +
                              there.string() + " has room for " +
                              core::bytes_text(static_cast<double>(space.available));
  const std::string remedy =
      "record fewer ranks (--ranks, --representatives), the first iterations (--iterations), or no messages within "
      "nodes (--node K --together); or into another folder: -o";
  if (space.available < estimate.bytes / 10) return Error{ErrorCode::kEnvironment, problem, remedy, folder};
  warn(problem + ": a log that finds no room makes the recording fail",
       "--max-log SIZE gives up only the ranks whose logs grow beyond it; or " + remedy);
  return Done{};
}

}  // namespace scalediag::cli
