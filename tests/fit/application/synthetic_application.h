// Profiles of programs whose times and counts follow formulas that a test gives.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/profile/profile.h"

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
  std::function<int(int np)> communicator = nullptr;        // its ranks; null: all
};

struct SyntheticApplication {
  core::Clock clock = core::Clock::kCpu;
  std::vector<SyntheticKernel> kernels;
  std::vector<SyntheticOperation> operations;
  double others_s = 0.01;

  // One complete run at each number of processes, which fulfils the identities of core/profile/profile.h.
  core::Profile profile(const std::vector<int>& scales) const;
};

// A program whose one function "sweep" has counts and resources, with simulated caches of two levels, on a machine of
// 3 GHz whose levels take 1, 16 and 100 ns. Of a rank, in this order: instructions 8e9 / P, hits 2e9 / P and 1e8 / P,
// accesses to memory 1e7, which do not shrink, and 4e9 / P floating-point operations. CPI is 0.6 and BF_mem 0.25, so
// that T_comp = 1.6 / P, T_mem = 2 / P + 1.6 / P + 1 and the time 1.6 / P + 0.25 T_mem, in seconds.
core::Profile profile_with_resources(const std::vector<int>& scales);

}  // namespace scalediag::fit
