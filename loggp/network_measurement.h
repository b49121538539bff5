// What the probe (probe/network_probe.c) measured between two ranks, before it becomes parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/network.h"

namespace scalediag::loggp {

// A burst of the PRTT method is of this many messages, as probe/network_probe.c sends them.
constexpr int kBurst = 10;

struct MeasuredSize {
  SizeSample sample;
  std::optional<double> send_overhead_s;     // o_s + O b
  std::optional<double> receive_overhead_s;  // o_r + O b
  int repeats = 0;
};

struct MeasuredLink {
  bool same_node = false;
  std::string hosts[2];
  std::optional<uint64_t> sync_bytes;  // kAnySize: all that were tried went without waiting
  bool always_waits = false;           // even an empty message waits for its receiver
  std::vector<MeasuredSize> sizes;     // rising, each once
  double connect_s = 0;                // how much longer the first round trip took than the second

  // Whether something else ran while sizes[i] was measured, so that its medians say what that took and not the network:
  // they vary widely, larger messages were much faster, or a gap is longer than messages take or negative.
  bool is_disturbed(size_t i) const;
};

struct NetworkMeasurement {
  std::string library;  // what the MPI library calls itself
  int ranks = 0;
  double reduction_s_per_byte = 0;
  // Until every rank had sent so much to every other one, all at once; 0: not measured.
  uint64_t exchanged_bytes = 0;
  double exchange_s = 0;
  uint64_t retransmitted = 0;  // segments that TCP sent again meanwhile
  std::vector<MeasuredLink> links;
};

// From what the probe printed, among other lines of launchers or of the library. Error (kInput): lines are missing or
// cannot be read, or a duration cannot be.
core::Result<NetworkMeasurement> parse_measurement(const std::string& text);

// Of any link, rising.
std::vector<uint64_t> disturbed_sizes(const NetworkMeasurement& measured);

// Adds the sizes of a second measurement of the same links; of a size that is in both the quicker one is kept, because
// what disturbs makes slower.
void add_sizes(NetworkMeasurement& to, const NetworkMeasurement& more);

}  // namespace scalediag::loggp
