// The program's time from what the synthetic signature measured (Panadero et al., Eq. 6).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/synth/signature_plan.h"

namespace scalediag::loggp {

// The lines of loggp/probe/synthetic_signature.c. Times of a measured process are since the run's common beginning.
struct SignatureMeasurement {
  struct Times {
    size_t run = 0, process = 0;
    double begin_s = 0, mark_s = 0, end_s = 0;
  };
  struct Hole {
    size_t run = 0, process = 0;
    uint64_t messages = 0;
    double mean_late_s = 0, most_late_s = 0;
  };
  std::string library;
  int processes = 0;
  double round_trip_s = 0;
  std::vector<Times> times;
  std::vector<Hole> holes;
  double took_s = 0;
};

// Errors (kInput): a line that cannot be read, or an output that is not complete.
core::Result<SignatureMeasurement> parse_signature(const std::string& text);

struct PhaseResult {
  std::string routines;
  double weight = 1;
  double time_s = 0;       // PhaseET: of a round
  double simulated_s = 0;  // the same by the simulation
  int slowest = 0;         // rank
  int measured = 0;        // ranks
};

struct SignatureResult {
  std::vector<PhaseResult> phases;
  double total_s = 0;      // PET
  double simulated_s = 0;  // the same sum of simulated phases
  double late_s = 0;       // mean by which black holes sent later than was due
  double most_late_s = 0;
};

// The time of a phase is from when the last rank began it to when the slowest one ended it: where ranks begin one after
// another, as in a pipeline, a rank's own time would count what ran beside the phase before it. A rank that was
// measured several times has the median. Error (kInput): a rank that was to be measured has no times.
core::Result<SignatureResult> signature_result(const SteppedProgram& stepped, const SimulatedMessages& simulated,
                                               const std::vector<SignatureRun>& runs,
                                               const SignatureMeasurement& measured);

// The same from the simulation only.
std::vector<PhaseResult> simulated_phases(const SteppedProgram& stepped, const SimulatedMessages& simulated);
double weighted_sum(const std::vector<PhaseResult>& phases, double PhaseResult::*time);

}  // namespace scalediag::loggp
