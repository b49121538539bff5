#include "pmpi-comm/replay/message_order.h"

#include <algorithm>

namespace scalediag::pmpi {

uint64_t MessageOrder::begin(uint64_t communicator, std::optional<int> source, std::optional<int> tag) {
  open_[++last_] = {communicator, source, tag, false};
  return last_;
}

std::optional<uint64_t> MessageOrder::met(uint64_t number, int source, int tag) {
  const uint64_t communicator = communicator_of(number);
  open_.erase(number);
  Channel& channel = channels_[{communicator, source, tag}];
  const auto place = std::lower_bound(channel.later.begin(), channel.later.end(), number);
  uint64_t before = channel.before + static_cast<uint64_t>(place - channel.later.begin());
  bool is_known = !is_lost_;
  for (auto open = open_.begin(); open != open_.end() && open->first < number; ++open) {
    const Receive& other = open->second;
    const bool fits =
        other.communicator == communicator && other.source.value_or(source) == source && other.tag.value_or(tag) == tag;
    if (!fits) continue;
    // Messages do not overtake: the one that waits for this very sender and tag has met its message already.
    ++before;
    is_known = is_known && other.source && other.tag && !other.is_doubtful;
  }
  channel.later.insert(place, number);
  const uint64_t first_open = open_.empty() ? UINT64_MAX : open_.begin()->first;
  const auto settled = std::lower_bound(channel.later.begin(), channel.later.end(), first_open);
  channel.before += static_cast<uint64_t>(settled - channel.later.begin());
  channel.later.erase(channel.later.begin(), settled);
  return is_known ? std::optional<uint64_t>(before) : std::nullopt;
}

void MessageOrder::doubt(uint64_t number) {
  if (const auto found = open_.find(number); found != open_.end()) found->second.is_doubtful = true;
}

void MessageOrder::lose(uint64_t number) {
  const auto found = open_.find(number);
  if (found == open_.end()) return;
  const Receive receive = found->second;
  if (receive.source && receive.tag && !receive.is_doubtful) {
    met(number, *receive.source, *receive.tag);
  } else {
    is_lost_ = true;
    open_.erase(found);
  }
}

}  // namespace scalediag::pmpi
