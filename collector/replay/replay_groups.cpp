#include "collector/replay/replay_groups.h"

#include <string>

namespace scalediag::replay {
namespace {

// Logs that are replayed at the same time, one group after the other: those of a node, where logs lack the messages
// between its ranks; all, where they have them. Precondition: ranks are ascending.
std::vector<std::vector<MessageLog>> groups_of(const std::vector<MessageLog>& logs, bool together) {
  std::vector<std::vector<MessageLog>> groups;
  for (const MessageLog& log : logs) {
    const message_log::Identity& rank = log.identity;
    const auto is_other_node = [&](const message_log::Identity& before) {
      return rank.node > 0 && !message_log::ranks_of_node(rank.rank, rank.node, rank.size).has(before.rank);
    };
    if (groups.empty() || !together || is_other_node(groups.back().back().identity)) groups.emplace_back();
    groups.back().push_back(log);
  }
  return groups;
}

// The same, as many nodes at the same time as there are cores for.
std::vector<std::vector<MessageLog>> at_once(const std::vector<std::vector<MessageLog>>& groups, int cores) {
  std::vector<std::vector<MessageLog>> merged;
  for (const auto& group : groups) {
    const bool is_node = group[0].identity.node > 0;
    if (!is_node || merged.empty() || merged.back().size() + group.size() > static_cast<size_t>(cores)) {
      merged.push_back(group);
    } else {
      merged.back().insert(merged.back().end(), group.begin(), group.end());
    }
  }
  return merged;
}

Status can_run(const std::vector<MessageLog>& group, const GroupRequest& request, int cores) {
  const message_log::Identity& one = group[0].identity;
  if (one.node > 0) {
    const message_log::NodeRange node = message_log::ranks_of_node(one.rank, one.node, one.size);
    if (group.size() != node.size()) {
      const std::string first = std::to_string(node.first);
      const std::string all = node.size() > 1 ? first + ".." + std::to_string(node.end - 1) + ":1" : first;
      return Error{ErrorCode::kUsage,
                   "rank " + std::to_string(one.rank) + " cannot be replayed without ranks " + all +
                       " of its node: they were recorded without the messages between them",
                   "replay them at the same time: --ranks " + all, "--ranks"};
    }
  }
  if (!request.together || request.share_cores || group.size() <= static_cast<size_t>(cores)) return Done{};
  return Error{ErrorCode::kUsage,
               "--together: " + std::to_string(group.size()) + " ranks would share " + std::to_string(cores) +
                   (cores == 1 ? " core" : " cores") + ", which is not how a node runs them",
               "name as many ranks as there are cores, or fewer: --ranks LIST; --share-cores, where the run to be "
               "known shares them, too",
               "--together"};
}

}  // namespace

Result<std::vector<std::vector<MessageLog>>> replay_groups(const std::vector<MessageLog>& logs,
                                                           const GroupRequest& request, int cores) {
  const auto nodes = groups_of(logs, request.together);
  for (const auto& node : nodes) TRY(can_run(node, request, cores));
  return at_once(nodes, cores);
}

}  // namespace scalediag::replay
