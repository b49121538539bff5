// The part of a recorded run that a simulation cannot know: its trace holds communication and CPU time, but not the
// time that the ranks spent on no CPU outside of MPI.
#pragma once

#include <optional>
#include <string>

#include "loggp/analysis/analysis.h"

namespace scalediag::cli {

struct LeftOut {
  double seconds = 0;         // a rank, mean: from MPI_Init to MPI_Finalize, neither in MPI nor on a CPU
  double recorded_s = 0;      // of the rank that took longest
  bool shared_cores = false;  // ranks shared cores, so that it may be waiting for one
};

// The part that is missing if `input` is simulated, by the profile.json beside `run_folder`'s experiment, which has the
// time in MPI. `computed_s`: a rank's recorded computation, mean. Empty without the profile, or for inputs that were
// not recorded.
std::optional<LeftOut> left_out_of(const std::string& run_folder, const loggp::SimulationInput& input,
                                   double computed_s);

// The share from which on it is reported.
constexpr double kTellingShare = 0.2;

// One sentence about it.
std::string left_out_text(const LeftOut& left_out);

}  // namespace scalediag::cli
