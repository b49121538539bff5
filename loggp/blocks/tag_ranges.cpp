#include "loggp/blocks/tag_ranges.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>

namespace scalediag::loggp {
namespace {

constexpr size_t kFewTags = 16;
constexpr size_t kFewestOfRange = 4;
constexpr int64_t kLeap = 4;

// Distances to the next tag from this one on divide ranges.
int64_t dividing_distance(const std::vector<int>& tags) {
  std::vector<int64_t> distances;
  for (size_t i = 1; i < tags.size(); ++i) distances.push_back(int64_t{tags[i]} - tags[i - 1]);
  std::ranges::sort(distances);
  int64_t dividing = std::numeric_limits<int64_t>::max();
  double largest_leap = 0;
  for (size_t i = 1; i < distances.size(); ++i) {
    const double leap = static_cast<double>(distances[i]) / static_cast<double>(distances[i - 1]);
    if (distances[i] < kLeap * distances[i - 1] || leap <= largest_leap) continue;
    largest_leap = leap;
    dividing = distances[i];
  }
  return dividing;
}

// The distance by which a range goes beyond its ends: half the way to the next tags of others, and where there are
// none, its length.
int64_t reach_of(const TagRanges& ranges, size_t i) {
  int64_t least = std::numeric_limits<int64_t>::max();
  if (i > 0) least = int64_t{ranges[i].first} - ranges[i - 1].second;
  if (i + 1 < ranges.size()) least = std::min(least, int64_t{ranges[i + 1].first} - ranges[i].second);
  if (ranges.size() == 1) return int64_t{ranges[i].second} - ranges[i].first;
  return (least - 1) / 2;
}

}  // namespace

bool has_tag(trace::EventKind kind) {
  switch (kind) {
    case trace::EventKind::kSend:
    case trace::EventKind::kRecv:
    case trace::EventKind::kIsend:
    case trace::EventKind::kIrecv:
    case trace::EventKind::kBufferedSend:
    case trace::EventKind::kSendrecv: return true;
    default: return false;
  }
}

TagRanges tag_ranges(const std::vector<RankTrace>& traces) {
  std::set<int> distinct;
  for (const RankTrace& trace : traces) {
    for (const TraceEvent& event : trace.events) {
      if (has_tag(event.kind) && event.tag >= 0) distinct.insert(event.tag);
    }
  }
  if (distinct.size() <= kFewTags) return {};
  const std::vector<int> tags(distinct.begin(), distinct.end());
  const int64_t dividing = dividing_distance(tags);
  TagRanges ranges;
  for (size_t begin = 0; begin < tags.size();) {
    size_t end = begin + 1;
    while (end < tags.size() && int64_t{tags[end]} - tags[end - 1] < dividing) ++end;
    if (end - begin >= kFewestOfRange) {
      ranges.emplace_back(tags[begin], tags[end - 1]);
    } else {
      for (size_t i = begin; i < end; ++i) ranges.emplace_back(tags[i], tags[i]);
    }
    begin = end;
  }
  return ranges;
}

std::string tag_text(int tag, const TagRanges& ranges) {
  for (size_t i = 0; tag >= 0 && i < ranges.size(); ++i) {
    const auto& [from, to] = ranges[i];
    if (from == to) continue;
    const int64_t reach = reach_of(ranges, i);
    if (tag < from - reach || tag > to + reach) continue;
    return "tag " + std::to_string(from) + ".." + std::to_string(to);
  }
  return "tag " + std::to_string(tag);
}

}  // namespace scalediag::loggp
