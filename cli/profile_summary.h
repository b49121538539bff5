// What `scalediag profile` says at its end: where the data are, a line a configuration, what to distrust, what to do
// next. On stderr: stdout belongs to the application.
#pragma once

#include <string>
#include <vector>

#include "cli/measured_runs.h"
#include "core/experiment.h"

namespace scalediag::cli {

// total, computation, communication and others a configuration, means over ranks and repeats. Empty for no runs.
std::string configuration_table(const std::vector<core::Run>& runs);

// "clock: CPU time (why); sampler: perf at 250 Hz". Empty for no runs.
std::string measurement_line(const std::vector<core::Run>& runs);

// The configurations whose repeats vary more than they should, each with its CV and what to do.
struct NoisyConfiguration {
  std::string label;
  core::Stability stability;
  int repeats = 0;
};
std::string describe_noise(const NoisyConfiguration& noisy, double target_cv);

// What the runs themselves warn of, each once, with the runs it concerns: "text (np0002.r0 and 3 more)".
std::vector<std::string> collect_warnings(const std::vector<core::Run>& runs);

// That predictions need more numbers of processes, where several were measured and fewer than four; else empty.
std::string few_scales_text(const std::vector<core::Run>& runs);

}  // namespace scalediag::cli
