// Warnings for readers of a run's numbers.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collector/merge/raw/rank_record.h"

namespace scalediag::merge {

class RunWarnings {
 public:
  void add(const RankRecord& record);
  std::vector<std::string> finish() const;

  uint64_t samples() const { return samples_; }
  uint64_t lost_samples() const { return losses_.lost_samples; }

 private:
  struct Sampler {
    int ranks = 0;
    std::string reason;  // of the first rank that gives one
  };
  void warn_of_cost(std::vector<std::string>& warnings) const;

  std::map<std::string, Sampler> samplers_;
  std::set<std::string> hosts_;
  uint64_t ranks_ = 0;
  uint64_t cpus_of_a_host_ = 0;
  double cpu_s_ = 0;             // of all processes
  double taking_samples_s_ = 0;  // about
  Losses losses_;                // summed
  uint64_t samples_ = 0;
  int never_finalised_ = 0;
  uint64_t spawned_ = 0;
};

}  // namespace scalediag::merge
