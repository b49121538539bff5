#include "loggp/emulation/region_times.h"

#include <algorithm>

namespace scalediag::loggp {

void RegionTimes::mark(uint32_t r, uint32_t region, bool begins, double time_s) {
  Rank& rank = ranks_[r];
  if (begins) {
    const size_t parent = rank.open.empty() ? kNone : rank.open.back().node;
    const auto [at, is_new] = node_of_.try_emplace({parent, region}, nodes_.size());
    if (is_new) {
      const std::vector<double> none(ranks_.size());
      nodes_.push_back({parent, region, none, none, none});
    }
    nodes_[at->second].count[r] += 1;
    rank.open.push_back({at->second, time_s, rank.communication_s});
    extent_of_.try_emplace({region, r}, Extent{0, time_s, time_s});
    return;
  }
  for (size_t place = rank.open.size(); place-- > 0;) {
    if (nodes_[rank.open[place].node].region != region) continue;
    leave(r, place, time_s);
    Extent& extent = extent_of_[{region, r}];
    ++extent.times;
    extent.end_s = time_s;
    return;
  }
}

void RegionTimes::leave(uint32_t r, size_t place, double time_s) {
  Rank& rank = ranks_[r];
  const Open& open = rank.open[place];
  nodes_[open.node].elapsed_s[r] += time_s - open.begin_s;
  nodes_[open.node].communication_s[r] += rank.communication_s - open.communication_s;
  rank.open.erase(rank.open.begin() + static_cast<std::ptrdiff_t>(place));
}

MarkedPart RegionTimes::part(uint32_t region) const {
  MarkedPart part;
  for (auto at = extent_of_.lower_bound({region, 0}); at != extent_of_.end() && at->first.first == region; ++at) {
    const Extent& extent = at->second;
    if (extent.times == 0) continue;
    part.begin_s = part.ranks == 0 ? extent.begin_s : std::min(part.begin_s, extent.begin_s);
    part.end_s = std::max(part.end_s, extent.end_s);
    part.times = std::max(part.times, extent.times);
    ++part.ranks;
  }
  return part;
}

std::vector<core::EmulatedRegion> RegionTimes::regions(const std::vector<std::string>& names,
                                                       const std::vector<RankTimes>& ranks) const {
  RegionTimes ended = *this;
  for (uint32_t r = 0; r < ranks_.size(); ++r) {
    while (!ended.ranks_[r].open.empty()) ended.leave(r, ended.ranks_[r].open.size() - 1, ranks[r].end_s);
  }
  std::vector<core::EmulatedRegion> all;
  for (const Node& node : ended.nodes_) {
    core::EmulatedRegion& region = all.emplace_back();
    // A parent's number is less than its child's.
    if (node.parent != kNone) {
      const core::EmulatedRegion& parent = all[node.parent];
      region.parent = parent.parent.empty() ? parent.name : parent.parent + "/" + parent.name;
    }
    region.name = names[node.region];
    region.count = node.count;
    region.elapsed_s = node.elapsed_s;
    region.communication_s = node.communication_s;
  }
  return all;
}

}  // namespace scalediag::loggp
