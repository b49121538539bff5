#include "fit/profile/program_instructions.h"

#include <cmath>

#include "core/profile/metric_names.h"

namespace scalediag::fit {
namespace {

constexpr double kTolerable = 0.05;

std::string share_text(double part, double all) { return std::to_string(std::lround(100 * part / all)) + " %"; }

}  // namespace

ProgramInstructions program_instructions(const core::Run& run) {
  ProgramInstructions program;
  double all_s = 0, other_ranks_s = 0, uncounted_s = 0, sum = 0;
  bool any = false;
  for (const core::Kernel& kernel : run.kernels) {
    const auto time = kernel.metrics.find(metric::kTime);
    const auto counted = kernel.metrics.find(metric::kInstructions);
    if (counted != kernel.metrics.end()) {
      any = true;
      sum += counted->second.mean;
    }
    if (kernel.kind != core::KernelKind::kFunction || time == kernel.metrics.end()) continue;
    all_s += time->second.mean;
    if (kernel.metrics.count("counted_time_s") != 0) {
      other_ranks_s += time->second.mean;
    } else if (counted == kernel.metrics.end()) {
      uncounted_s += time->second.mean;
    }
  }
  if (!any) return program;
  if (run.counters == "papi" && !run.counted_ranks.empty()) {
    program.why_not =
        "only " + std::to_string(run.counted_ranks.size()) + " of " + std::to_string(run.np) + " ranks were counted";
  } else if (other_ranks_s > kTolerable * all_s) {
    program.why_not =
        "ranks that were not simulated did other work than those that were (functions with " +
        share_text(other_ranks_s, all_s) +
        " of the time): `scalediag profile --counters simulated --simulate-ranks all` counts on all ranks";
  } else if (other_ranks_s + uncounted_s > kTolerable * all_s) {
    program.why_not =
        "functions with " + share_text(other_ranks_s + uncounted_s, all_s) + " of the time have no counts";
  } else {
    program.per_rank = sum;
  }
  return program;
}

}  // namespace scalediag::fit
