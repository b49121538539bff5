// What a reader of a run's numbers has to know.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collector/merge/raw_reader.h"

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
  std::map<std::string, Sampler> samplers_;
  Losses losses_;  // summed
  uint64_t samples_ = 0;
  int never_finalised_ = 0;
  uint64_t spawned_ = 0;
};

}  // namespace scalediag::merge
