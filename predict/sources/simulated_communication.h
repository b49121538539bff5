// Communication and waiting at a target by the simulation of the program's trace there, in place of averaged costs of
// its calls. The trace is one that was recorded at the target, or the scaled one of smaller numbers of ranks.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/result.h"
#include "fit/application/application_model.h"
#include "loggp/analysis/waiting_causes.h"
#include "loggp/traces/rank_trace.h"
#include "predict/sources/awaited_messages.h"

namespace scalediag::loggp {
class Program;
class ScaledTraces;
struct Network;
struct ScalingModel;
}  // namespace scalediag::loggp

namespace scalediag::predict {

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

// Calls and bytes of an MPI operation in traces, summed over ranks. Bytes are what the ranks hand to MPI, or for a pure
// receive what they make room for.
struct OperationCounts {
  double calls = 0, bytes = 0;
};

// The same for every operation. Requests that several calls complete, and communicators, are counted as the trace has
// them.
std::map<std::string, OperationCounts> counts_of(const std::vector<loggp::RankTrace>& run);
std::map<std::string, OperationCounts> counts_of(const loggp::ScaledTraces& traces);

struct SimulatedOperation {
  double time_s = 0;                      // of a rank in the mean, with its waits
  std::optional<OperationCounts> counts;  // of the trace; empty: it does not count as profiles do
  AwaitedMessages awaited;
};

struct SimulatedCommunication {
  double total_s = 0;        // of the run
  double computation_s = 0;  // of a rank in the mean, as it was simulated
  // Waiting for GPUs in the trace, and communication of GPUs as simulated; a rank in the mean.
  double device_wait_s = 0, device_communication_s = 0;
  double slowest_computation_s = 0;  // of the rank that computes longest
  double communication_s = 0;        // of a rank in the mean, without waiting for others
  double waiting_s = 0;              // the rest of the run that is not computation
  // Of a rank in the mean; they add up to waiting_s. Imbalance is what the rank that computes longest computes beyond
  // the mean; the rest is waited for the others' reasons (loggp/analysis/waiting_causes.h).
  loggp::WaitingCauses causes;
  double imbalance_s = 0;
  std::map<std::string, SimulatedOperation> operations;
  double relative_error = 0;      // of communication and of operations: half a 90 % interval over the value
  double computation_factor = 1;  // by which the trace's computations were multiplied
  double waiting_factor = 1;      // by which what was simulated as waiting is (stretch_waiting())
  // Of the time in MPI operations, by the events of each operation; empty: the trace was recorded at the target.
  std::optional<CertaintyShares> known;

  bool is_certain() const { return !known || known->several + known->none == 0; }
};

// Seconds of computation of a rank, mean over the program's ranks.
double mean_computation_s(const loggp::Program& program);

// Whether ranks wait for devices in it.
bool waits_for_devices(const loggp::Program& program);

// The factor of a scaled trace's waits for devices that makes them as long as the series of waits in calls of GPUs lead
// to; 1 where there is no such series, or where the trace has communication of GPUs apart from the waits.
double device_factor(const loggp::Program& program, const fit::ApplicationModel& model, std::span<const double> at);

// A program to simulate, with what is known of it besides.
struct SimulatedProgram {
  const loggp::Program& program;
  std::optional<std::map<std::string, CertaintyShares>> certainty = {};  // of a scaled trace
  std::map<std::string, OperationCounts> counts = {};
};

// Simulates a program on `network`, its computations multiplied by a factor so that a rank computes for `computation_s`
// in the mean; 0: as the trace has them. Its waits for devices are multiplied by `device_factor`. Errors: those of
// loggp::simulate().
core::Result<SimulatedCommunication> simulated_communication(const SimulatedProgram& simulated,
                                                             const loggp::Network& network, double computation_s,
                                                             double device_factor = 1);

// Multiplies what ranks wait, for every reason and in every operation. They then compute as much less evenly.
void stretch_waiting(SimulatedCommunication& s, double factor);

// "simulated with the scaled trace; of the time in MPI, ..."
std::string text_of(const SimulatedCommunication& simulated);

}  // namespace scalediag::predict
