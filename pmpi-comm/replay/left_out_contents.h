// Large contents that a log leaves out, in iterations after the first ones of a loop that others follow: a replay
// receives there again what came in the last iteration before them, block by block. What a program computes of it is no
// longer what the run computed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/raw/message_log.h"

namespace scalediag::pmpi {

class LeftOutContents {
 public:
  LeftOutContents() = default;
  // Ascending, and none within another.
  explicit LeftOutContents(std::vector<message_log::LeftOut> ranges) : ranges_(std::move(ranges)) {}

  bool empty() const { return ranges_.empty(); }

  // Of the next block, which comes after `events` events: its number in its iteration, and what becomes of it.
  struct Place {
    bool is_kept = false, is_left_out = false;
    size_t number = 0;
  };
  // `events` never falls from one call to the next, and each block is asked about once.
  Place place_of(uint64_t events) {
    while (next_ < ranges_.size() && events >= ranges_[next_].end) ++next_;
    if (next_ == ranges_.size()) return {};
    const message_log::LeftOut& range = ranges_[next_];
    if (events + range.per_iteration < range.begin || range.per_iteration == 0) return {};
    const uint64_t iteration = (events + range.per_iteration - range.begin) / range.per_iteration;
    if (iteration != iteration_ || next_ != present_) number_ = 0;
    if (next_ != present_) kept_.clear();
    iteration_ = iteration;
    present_ = next_;
    return {iteration == 0, iteration > 0, number_++};
  }

  void keep(const Place& place, std::string contents) {
    if (kept_.size() <= place.number) kept_.resize(place.number + 1);
    kept_[place.number] = std::move(contents);
  }
  // Empty where the iteration had fewer blocks.
  const std::string& kept(const Place& place) const {
    return place.number < kept_.size() ? kept_[place.number] : none_;
  }

 private:
  std::vector<message_log::LeftOut> ranges_;
  size_t next_ = 0, present_ = SIZE_MAX;  // ranges: the first that has not ended, and that of kept_
  uint64_t iteration_ = 0;                // from the one that is kept on
  size_t number_ = 0;
  std::vector<std::string> kept_;
  std::string none_;
};

}  // namespace scalediag::pmpi
