// Which ranks are replayed at the same time.
#pragma once

#include <vector>

#include "collector/replay/message_log_file.h"
#include "core/result.h"

namespace scalediag::replay {

struct GroupRequest {
  bool together = false;     // ranks at the same time
  bool share_cores = false;  // also more of them than cores
};

// The logs, ascending by rank, in groups that are replayed one after another, each all at once: as many nodes as there
// are cores for, where ranks send to one another; all ranks, where the request has them together; or each alone. Errors
// (kUsage): a rank without others of its node that it sends to; more ranks than cores where these are not to be shared.
Result<std::vector<std::vector<MessageLog>>> replay_groups(const std::vector<MessageLog>& logs,
                                                           const GroupRequest& request, int cores);

}  // namespace scalediag::replay
