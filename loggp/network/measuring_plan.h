// The sizes that `scalediag network` measures, and the time that this takes, from a few messages sent beforehand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loggp/network/network_measurement.h"

namespace scalediag::loggp {

// The most passes over all sizes: other activity on the network varies with time.
constexpr int kMostPasses = 3;

// The sizes in bytes of the messages sent beforehand. The larger one is at most `largest`.
std::vector<uint64_t> trial_sizes(uint64_t largest);

struct MeasuringPlan {
  std::vector<uint64_t> sizes;
  uint64_t largest = 0;  // of sizes
  int passes = 0;        // how often each size is measured
  double budget_s = 0;   // for one pass over a size
  double seconds = 0;    // an estimate

  // In words, the part of everything (all sizes up to `largest`, `budget_s` for a pass over a size) that the plan
  // leaves out; empty: it has all.
  std::string left_out(uint64_t largest, double budget_s) const;
};

class MeasuringTimes {
 public:
  // `trial` measured trial_sizes() over all links, and outlives this; `pass_budget_s` is for one pass over a size.
  MeasuringTimes(const NetworkMeasurement& trial, double pass_budget_s) : trial_(trial), budget_s_(pass_budget_s) {}

  // Estimated seconds to measure `sizes` on all links with the fewest repeats of loggp/probe/network_probe.c.
  // `overheads`: with the overheads of messages up to 64 KiB.
  double of_sizes(const std::vector<uint64_t>& sizes, int passes, bool overheads) const;
  // The same with overheads, S_sync and the exchange between all ranks, which counts twice, as acknowledgements wait
  // behind data there.
  double of_all(const std::vector<uint64_t>& sizes, int passes) const;

  // Sizes up to `largest` bytes that take at most `limit_s`: three passes, then one, then with a quarter of the time
  // for a size, then without the sizes between powers of two, then without the largest ones, as far as 64 KiB, and then
  // with a sixteenth of the time for a size. The last takes longer where the limit is too short for any.
  MeasuringPlan plan(uint64_t largest, double limit_s) const;

 private:
  struct OfMessage {
    double round_trip_s = 0;
    double gap_s = 0;
  };
  OfMessage of_message(const MeasuredLink& link, uint64_t bytes) const;

  double of_sizes(const std::vector<uint64_t>& sizes, int passes, bool overheads, double budget_s) const;
  double of_all(const std::vector<uint64_t>& sizes, int passes, double budget_s) const;

  const NetworkMeasurement& trial_;
  double budget_s_;
};

}  // namespace scalediag::loggp
