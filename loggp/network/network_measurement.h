// The measurements of the probe (loggp/probe/network_probe.c) between two ranks, which are the input of the fit of
// parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/network/network.h"

namespace scalediag::loggp {

// The number of messages in a burst of the PRTT method, as in loggp/probe/network_probe.c.
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
  std::optional<uint64_t> sync_bytes;  // kAnySize: no size that was tried made the sender wait
  bool always_waits = false;           // even an empty message waits for its receiver
  std::vector<MeasuredSize> sizes;     // rising, each once
  double connect_s = 0;                // seconds that the first round trip took longer than the second

  // Whether something else ran while sizes[i] was measured, so that its medians are not those of the network: they vary
  // widely, larger messages were much faster, or a gap is negative or longer than messages take.
  bool is_disturbed(size_t i) const;
};

struct NetworkMeasurement {
  std::string library;  // the MPI library's own name and version
  int ranks = 0;
  double reduction_s_per_byte = 0;
  double copy_s_per_byte = 0;  // 0: not measured
  // The bytes that every rank sent to every other one, all at once; 0: not measured.
  uint64_t exchanged_bytes = 0;
  double exchange_s = 0;
  uint64_t retransmitted = 0;  // segments that TCP sent again meanwhile
  double took_s = 0;           // all of it, without starting and ending the ranks
  std::vector<MeasuredLink> links;
};

// Reads the output of the probe, among lines of launchers or of the library. Error (kInput): lines are missing or
// cannot be read, or a value cannot be a duration.
Result<NetworkMeasurement> parse_measurement(const std::string& text);

// The number of `sizes` that links lack, summed over all links, because the probe ran out of time.
size_t missing_sizes(const NetworkMeasurement& measured, const std::vector<uint64_t>& sizes);

// The disturbed sizes of all links, in bytes, rising.
std::vector<uint64_t> disturbed_sizes(const NetworkMeasurement& measured);

// Adds the sizes of a second measurement of the same links; of a size that both have the faster one is kept, because
// disturbances only slow down.
void add_sizes(NetworkMeasurement& to, const NetworkMeasurement& more);

}  // namespace scalediag::loggp
