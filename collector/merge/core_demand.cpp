#include "collector/merge/core_demand.h"

#include <algorithm>
#include <set>

namespace scalediag::merge {
namespace {

// A bipartite matching of threads and CPUs by augmenting paths. Threads of ranks that may run on the same CPUs are
// alike, so that paths lead over groups of them.
class Matching {
 public:
  explicit Matching(const CoreDemands& demands) {
    for (const auto& [key, ranks] : demands) {
      const auto& [cpus, threads] = key;
      Group& group = groups_.emplace_back();
      group.ranks = ranks;
      group.threads = static_cast<long long>(ranks) * threads;
      for (const CpuRange& range : cpus) {
        for (uint32_t cpu = range.first; cpu <= range.last; ++cpu) group.cpus.push_back(cpu);
      }
    }
  }

  std::optional<TooFewCpus> find_too_few() {
    for (size_t g = 0; g < groups_.size(); ++g) {
      for (long long t = 0; t < groups_[g].threads; ++t) {
        asked_.assign(groups_.size(), false);
        if (!give_one_to(g)) return those_asked();
      }
    }
    return std::nullopt;
  }

 private:
  struct Group {
    std::vector<uint32_t> cpus;
    size_t looked_at = 0;  // the first ones of cpus, which have an owner
    int ranks = 0;
    long long threads = 0;
  };

  bool give_one_to(size_t g) {
    asked_[g] = true;
    Group& group = groups_[g];
    while (group.looked_at < group.cpus.size()) {
      if (owner_of_.try_emplace(group.cpus[group.looked_at++], g).second) return true;
    }
    for (const uint32_t cpu : group.cpus) {
      const size_t owner = owner_of_.at(cpu);
      if (asked_[owner] || !give_one_to(owner)) continue;
      owner_of_[cpu] = g;
      return true;
    }
    return false;
  }

  // The groups of a search that failed: it has asked every group that owns a CPU of a group that it asked.
  TooFewCpus those_asked() const {
    constexpr long long kMost = 1 << 30;
    std::set<uint32_t> cpus;
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (asked_[g]) cpus.insert(groups_[g].cpus.begin(), groups_[g].cpus.end());
    }
    TooFewCpus lacking;
    lacking.cpus = static_cast<int>(cpus.size());
    long long threads = 0;
    for (const Group& group : groups_) {
      const bool is_inside = std::ranges::all_of(group.cpus, [&cpus](uint32_t cpu) { return cpus.count(cpu) != 0; });
      if (!is_inside) continue;
      lacking.ranks += group.ranks;
      threads += group.threads;
    }
    lacking.threads = static_cast<int>(std::min(threads, kMost));
    return lacking;
  }

  std::vector<Group> groups_;
  std::vector<bool> asked_;  // in the present search
  std::map<uint32_t, size_t> owner_of_;
};

}  // namespace

std::optional<TooFewCpus> find_too_few_cpus(const CoreDemands& demands) { return Matching(demands).find_too_few(); }

}  // namespace scalediag::merge
