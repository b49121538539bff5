// The final output of `scalediag profile`: the place of the data, a line a configuration, doubtful results, next steps.
// It is on stderr, since stdout belongs to the application.
#pragma once

#include <string>
#include <vector>

#include "collector/launch/session/measured_runs.h"
#include "core/experiment/experiment.h"

namespace scalediag::launch {

// A table with total, computation, communication and others of each configuration, means over ranks and repeats. Empty
// for no runs.
std::string configuration_table(const std::vector<core::Run>& runs);

// "clock: CPU time (why); sampler: perf at 250 Hz". Empty for no runs.
std::string measurement_line(const std::vector<core::Run>& runs);

// The time that was saved by ending runs after some rounds, of what whole runs would have taken. Empty where none was.
std::string saved_time_text(const std::vector<core::Run>& runs);

// A configuration whose repeats vary more than they should, with its CV and a remedy.
struct NoisyConfiguration {
  std::string label;
  core::Stability stability;
  int repeats = 0;
};
std::string describe_noise(const NoisyConfiguration& noisy, double target_cv);

// The runs' own warnings, each once, with its runs: "text (np0002.r0 and 3 more)".
std::vector<std::string> collect_warnings(const std::vector<core::Run>& runs);

// The remark that predictions need more numbers of processes, where several were measured and fewer than four; else
// empty.
std::string few_scales_text(const std::vector<core::Run>& runs);

// The last lines that a run wrote to stderr, or else to stdout, each indented by "  | "; without the messages that Open
// MPI's launcher puts between lines of dashes. Empty where there are none.
std::string last_output(const std::string& run_folder);

}  // namespace scalediag::launch
