// Communication and waiting at a target by the simulation of the program's trace there, in place of averaged costs of
// its calls. The trace is one that was recorded at the target, or the scaled one of smaller numbers of ranks.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/result.h"

namespace scalediag::loggp {
class Program;
struct Network;
struct ScalingModel;
}  // namespace scalediag::loggp

namespace scalediag::report {

// Parts of something by how much is known of the events that it is about; they add up to 1, or to 0 where there is
// nothing.
struct CertaintyShares {
  double one = 0;      // events that obey one equation
  double several = 0;  // those that obey several, which differ at the target
  double none = 0;     // those that no equation explains
};

// Of the events of each MPI operation at the largest measured scale, by its name. A wait is as certain as the messages
// that it may wait for.
std::map<std::string, CertaintyShares> certainty_by_operation(const loggp::ScalingModel& model);

struct SimulatedCommunication {
  double communication_s = 0;                 // of a rank in the mean, without waiting for others
  double waiting_s = 0;                       // the rest of the run that is not computation
  std::map<std::string, double> operation_s;  // time of a rank in an MPI operation in the mean, with its waits
  double relative_error = 0;                  // of all of them: half a 90 % interval over the value
  double computation_factor = 1;              // by which the trace's computations were multiplied
  // Of the time in MPI operations, by the events of each operation; empty: the trace was recorded at the target.
  std::optional<CertaintyShares> known;

  bool is_certain() const { return !known || known->several + known->none == 0; }
};

// Seconds of computation of a rank, mean over the program's ranks.
double mean_computation_s(const loggp::Program& program);

// Simulates `program` on `network`, its computations multiplied by a factor so that a rank computes for `computation_s`
// in the mean. `certainty`: of a scaled trace. Errors: those of loggp::simulate().
core::Result<SimulatedCommunication> simulated_communication(
    const loggp::Program& program, const loggp::Network& network, double computation_s,
    const std::optional<std::map<std::string, CertaintyShares>>& certainty);

// "simulated with the scaled trace; of the time in MPI, ..."
std::string text_of(const SimulatedCommunication& simulated);

}  // namespace scalediag::report
