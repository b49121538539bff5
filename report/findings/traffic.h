// The messages of a profile beyond what is modelled: their sizes, their senders and receivers, and the ranks' shares of
// the work. All are of the configuration with the most processes; means over its repeats.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "report/point.h"

namespace scalediag::report {

struct SizeClass {
  double bytes_from = 0;  // of a call
  double bytes_to = 0;
  double calls = 0;  // over all ranks
  double bytes = 0;
  double wall_s = 0;  // of a rank, mean
};

struct OperationSizes {
  std::string operation;
  std::vector<SizeClass> classes;  // by rising size, over all communicators
};

// Traffic between blocks of ranks. Cells without any are left out.
struct TrafficMatrix {
  int ranks = 0;
  int ranks_per_block = 1;
  int blocks = 0;
  std::vector<core::PeerTraffic> cells;  // `from` and `to` are blocks
};

struct RankLoad {
  int ranks_per_block = 1;
  std::vector<double> computation_s, communication_s, total_s;  // a block of ranks each
};

struct TrafficFindings {
  Point at;
  std::string mpi_library;
  std::vector<OperationSizes> sizes;  // by falling bytes
  TrafficMatrix matrix;               // blocks == 0: no traffic between ranks was counted
  RankLoad load;
};

// The number of blocks a side above which ranks are put together, so that a matrix stays readable.
constexpr int kMatrixBlocks = 32;

// All fields are empty if the profile has no complete run.
TrafficFindings traffic_findings(const core::Profile& profile);

}  // namespace scalediag::report
