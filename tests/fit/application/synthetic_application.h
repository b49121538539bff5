// Profiles of programs whose times and counts follow laws that a test gives.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/profile.h"

namespace scalediag::fit {

struct SyntheticKernel {
  std::string name;
  std::function<double(int np, int rank)> time_s;        // of a rank
  std::function<double(int np)> instructions = nullptr;  // of a rank; null: not counted
  double samples_a_second = 1000;
  core::KernelKind kind = core::KernelKind::kFunction;
};

struct SyntheticOperation {
  std::string name;
  std::function<double(int np)> calls;                                // summed over ranks
  std::function<double(int np)> bytes;                                // summed over ranks
  std::function<double(int np)> call_s;                               // the shortest call
  std::function<double(int np)> blocked_s = [](int) { return 0.0; };  // of a rank, in all calls
  std::function<double(int np, int rank)> share = nullptr;  // of a rank in calls and bytes; null: all ranks alike
};

struct SyntheticApplication {
  core::Clock clock = core::Clock::kCpu;
  std::vector<SyntheticKernel> kernels;
  std::vector<SyntheticOperation> operations;
  double others_s = 0.01;

  // One complete run at each number of processes, which fulfils the identities of core/profile.h.
  core::Profile profile(const std::vector<int>& scales) const;
};

}  // namespace scalediag::fit
