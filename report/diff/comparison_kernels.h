// The same kernel in two profiles. It is matched by name, since lines move and programs are renamed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/profile/profile.h"
#include "fit/application/slowest_rank.h"

namespace scalediag::report {

// Kernels are the same where name and module are; the executable counts as one module whatever it is called. Functions
// with equal name and module, static ones of several files, are told apart by the file's name, without folder and line.
class KernelKeys {
 public:
  using Key = std::tuple<std::string, std::string, std::string>;  // name, module, file where it is needed
  KernelKeys(const core::Profile& a, const core::Profile& b);
  Key of(const core::Kernel& kernel, bool of_a) const;
  static Key of(const core::MpiOperation& operation);
  // Whether any complete run of any configuration has the kernel: one that the sampler hardly hits is not gone where it
  // was missed.
  bool in_a(const Key& key) const { return in_a_.count(key) != 0; }
  bool in_b(const Key& key) const { return in_b_.count(key) != 0; }
  // The module's name in B where B has it, else in A; empty for MPI operations.
  std::string shown_module(const Key& key) const;

 private:
  void learn_files(const core::Profile& profile);
  void learn_kernels(const core::Profile& profile, bool of_a);
  std::string module_of(const core::Kernel& kernel, const std::string& application) const;

  std::string application_a_, application_b_;
  std::set<std::pair<std::string, std::string>> in_several_files_;
  std::set<Key> in_a_, in_b_;
};

// A count on both sides: sums over runs that have it.
struct CountPair {
  double a = 0, b = 0;
  int runs_a = 0, runs_b = 0;
  // (b - a) / a of the means; nothing where a side has none or a is 0.
  std::optional<double> relative() const;
};

struct KernelRow {
  std::string name;
  std::string kind;
  std::vector<double> a, b;  // seconds, a value a run; 0 where it was not seen
  double samples = 0;        // over all runs of both
  // The ranks' times, for functions and where they were seen; the slowest one may be much more than the mean.
  fit::RepeatsOverRanks ranks_a, ranks_b;
  CountPair instructions, calls, bytes;
  // The seconds that a sample stands for, in the mean over ranks; 0 for values that are not sampled.
  double seconds_per_sample() const;
};

using KernelTable = std::map<KernelKeys::Key, KernelRow>;

// Kernels and MPI operations of one configuration's runs.
KernelTable kernel_table(const std::vector<const core::Run*>& a, const std::vector<const core::Run*>& b,
                         const KernelKeys& keys);

}  // namespace scalediag::report
