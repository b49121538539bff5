// The same kernel in two profiles: lines move and programs are renamed, names mostly stay.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/profile.h"

namespace scalediag::report {

// A kernel is the same where name and module are; the executable counts as one module whatever it is called. Functions
// that share both, static ones of several files, are told apart by the file's name, without folder and line.
class KernelKeys {
 public:
  using Key = std::tuple<std::string, std::string, std::string>;  // name, module, file where it is needed
  KernelKeys(const core::Profile& a, const core::Profile& b);
  Key of(const core::Kernel& kernel, bool of_a) const;

 private:
  void learn(const core::Profile& profile);
  std::string module_of(const core::Kernel& kernel, const std::string& application) const;

  std::string application_a_, application_b_;
  std::set<std::pair<std::string, std::string>> in_several_files_;
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
  std::string module;  // as B names it, else as A does
  std::string kind;
  std::vector<double> a, b;  // seconds, a value a run; 0 where it was not seen
  bool in_a = false, in_b = false;
  double samples = 0;  // over all runs of both
  CountPair instructions, calls, bytes;
  // What a sample stands for in the mean over ranks; 0 for what is not sampled.
  double seconds_per_sample() const;
};

using KernelTable = std::map<std::tuple<std::string, std::string, std::string>, KernelRow>;

// Kernels and MPI operations of one configuration's runs.
KernelTable kernel_table(const std::vector<const core::Run*>& a, const std::vector<const core::Run*>& b,
                         const KernelKeys& keys);

}  // namespace scalediag::report
