// The emulated times of the regions that a program marks (docs/regions.md), by rank.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/emulated_times.h"
#include "loggp/simulator/observer.h"
#include "loggp/simulator/simulation.h"

namespace scalediag::loggp {

// A region of one name on all ranks, wherever it lies.
struct MarkedPart {
  uint64_t times = 0;  // of the rank that left it most often
  size_t ranks = 0;    // that left it
  double begin_s = 0;  // the first begin of all ranks that left it
  double end_s = 0;    // the last end
};

// Regions of a rank are entered and left as in the profile's table of regions: one may end before those that were
// entered after it, which then go on by themselves, and an end without a beginning is nothing.
class RegionTimes {
 public:
  explicit RegionTimes(int ranks) : ranks_(static_cast<size_t>(ranks)) {}
  void add_communication(uint32_t rank, double s) { ranks_[rank].communication_s += s; }
  void mark(uint32_t rank, uint32_t region, bool begins, double time_s);

  MarkedPart part(uint32_t region) const;
  // Regions that are still open end with their rank. `names` are those of regions by number.
  std::vector<core::EmulatedRegion> regions(const std::vector<std::string>& names,
                                            const std::vector<RankTimes>& ranks) const;

 private:
  static constexpr size_t kNone = SIZE_MAX;
  struct Open {
    size_t node = 0;
    double begin_s = 0, communication_s = 0;  // of the rank, when it was entered
  };
  struct Rank {
    std::vector<Open> open;  // innermost last
    double communication_s = 0;
  };
  struct Extent {
    uint64_t times = 0;
    double begin_s = 0, end_s = 0;
  };
  struct Node {
    size_t parent = kNone;
    uint32_t region = 0;
    std::vector<double> count, elapsed_s, communication_s;  // by rank
  };
  void leave(uint32_t rank, size_t place, double time_s);

  std::vector<Rank> ranks_;
  std::vector<Node> nodes_;
  std::map<std::pair<size_t, uint32_t>, size_t> node_of_;      // by parent and region
  std::map<std::pair<uint32_t, uint32_t>, Extent> extent_of_;  // by region and rank
};

}  // namespace scalediag::loggp
