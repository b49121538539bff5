// The assignment of a CPU to each busy thread of the ranks on one host, among those that its rank may run on.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "collector/merge/raw/rank_record.h"

namespace scalediag::merge {

// Ranks that have more busy threads than CPUs that they are bound to.
struct TooFewCpus {
  int ranks = 0;
  int threads = 0;  // busy at once, of all of them
  int cpus = 0;
};

// The number of ranks that may run on these CPUs and keep that many threads busy at once.
using CoreDemands = std::map<std::pair<std::vector<CpuRange>, int>, int>;

// Empty where each thread can have a CPU to itself. Otherwise ranks that cannot (Hall's theorem): all those that may
// run only on some set of CPUs, which are fewer than their threads.
std::optional<TooFewCpus> find_too_few_cpus(const CoreDemands& demands);

}  // namespace scalediag::merge
