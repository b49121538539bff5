// The statistics of the repeats of one configuration: averages, variation, imbalance, and whether the numbers are
// reliable enough. Pure computation over core/profile/profile.h; nothing is printed here.
//
// A time of a configuration is the mean over its repeats of the mean over ranks. A coefficient of variation (CV) is
// the sample standard deviation over the repeats of the mean over ranks, divided by their mean.
//
// Sampling alone makes values vary: a sum of n samples has a relative standard error of about 1 / sqrt(n) (counts of
// rare events are Poisson distributed).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace scalediag::core {

// 1 / sqrt(samples); 0 for no samples, which stands for a value that was timed and not sampled ("[off-CPU]").
double sampling_error(double samples);

// The sampling error above which a value is called uncertain: fewer than 100 samples.
constexpr double kUncertainSamplingError = 0.1;

struct KernelSummary {
  std::string name;
  std::string module;
  std::string file;
  int line = 0;
  KernelKind kind = KernelKind::kFunction;
  double time_s = 0;
  double share = 0;          // of total_s, 0 to 1
  double max_over_mean = 0;  // mean over repeats of the slowest rank's time / time_s; 0 where time_s is
  double cv = 0;
  uint64_t samples = 0;       // over all ranks and repeats
  double sampling_error = 0;  // relative, of time_s
};

// A place that called an operation; values as those of OperationSummary.
struct SiteSummary {
  CallSite site;
  double time_s = 0;
  double share = 0;
  double calls = 0;
  double bytes = 0;
  double wall_s = 0;
  double blocked_s = 0;
  double sampling_error = 0;
};

struct OperationSummary {
  std::string operation;
  double time_s = 0;
  double share = 0;
  double calls = 0;  // over all ranks, mean over repeats; so are bytes
  double bytes = 0;
  double wall_s = 0;
  double blocked_s = 0;
  double cv = 0;  // of time_s
  uint64_t samples = 0;
  double sampling_error = 0;       // 0 with the wall clock, which times MPI without sampling
  std::vector<SiteSummary> sites;  // by falling time_s, wall_s and calls; empty where they are not known
};

struct ConfigurationSummary {
  int np = 0;
  std::map<std::string, double> parameters;
  std::vector<const Run*> runs;  // the repeats behind the numbers, as given
  Clock clock = Clock::kCpu;
  double total_s = 0;
  double computation_s = 0;
  double openmp_waiting_s = 0;
  double gpu_s = 0;
  double communication_s = 0;
  double others_s = 0;
  double unattributed_s = 0;
  double wall_s = 0;
  double imbalance = 0;  // max / mean - 1 over ranks of computation_s, both averaged over repeats
  double total_cv = 0;
  double run_cv = 0;                         // of the total without start and end
  uint64_t samples = 0;                      // over all repeats
  uint64_t lost_samples = 0;                 // over all repeats
  std::vector<KernelSummary> kernels;        // by falling time_s, ties by name, module, file, line
  std::vector<OperationSummary> operations;  // by falling time_s, ties by name
};

// A kernel or operation that some repeats lack counts as 0 there. Precondition: the runs are repeats of one
// configuration with one clock, and there is at least one; they outlive the summary.
ConfigurationSummary summarize(std::span<const Run* const> repeats);

// The profile's runs by configuration, in the order of np, then parameters; within a configuration by repeat. With
// `complete_only`, runs that are not complete are left out, and so is a configuration that has no others, and so are
// whole runs beside ended ones (repeats/ended_runs.h).
std::vector<std::vector<const Run*>> group_by_configuration(const Profile& profile, bool complete_only);

// The operations on files by falling mean time_s, ties by name: those of MPI, with their elapsed time,
// and the run's `files`.
std::vector<FileOperation> file_operations(const Run& run);

// A warning and the runs that it concerns.
struct RunWarning {
  std::string text;
  std::vector<std::string> runs;  // ids
};

// The runs' warnings, each once, in the order of their first run. Warnings that differ only in a percentage, or in the
// count that they begin with, are combined into one with a range: "12 to 34 % of the samples were lost".
std::vector<RunWarning> group_warnings(std::span<const Run> runs);

struct StabilityOptions {
  double target_cv = 0.05;
  double kernel_share = 0.01;  // kernels below this share of the total are not judged
};

struct NoisyKernel {
  std::string name;  // of a kernel or an MPI operation
  double share = 0;
  double cv = 0;
  double sampling_cv = 0;    // the CV that sampling alone causes: 1 / sqrt(mean samples a run)
  bool few_samples = false;  // cv <= 2 sampling_cv: sampling explains it, and more repeats do not improve a single run
};

struct Stability {
  bool stable = false;
  double run_cv = 0;
  // Those with a cv at or above the target, by falling share; those with few_samples do not make it unstable.
  std::vector<NoisyKernel> noisy;
};

// Whether the repeats agree: the CV of the run, which is what predictions are about, and of each kernel and MPI
// operation above `kernel_share` is below `target_cv`. Fewer than two repeats are never stable, since their variation
// is unknown. Precondition: complete runs of one configuration with one clock.
Stability judge_stability(std::span<const Run* const> repeats, const StabilityOptions& options = {});
// The same from an existing summary, which takes most of the time to make.
Stability judge_stability(const ConfigurationSummary& summary, const StabilityOptions& options = {});

}  // namespace scalediag::core
