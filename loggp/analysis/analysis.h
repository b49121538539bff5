// The analysis of a simulation: efficiencies, and the parts of its critical path.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "loggp/emulation/told_program.h"
#include "loggp/phases/scaled/scaled_program.h"
#include "loggp/simulator/program.h"
#include "loggp/simulator/schedule.h"
#include "loggp/simulator/simulator.h"
#include "loggp/traces/trace_program.h"

namespace scalediag::loggp {

// The inputs that can be simulated.
using SimulationInput = std::variant<ListProgram, Schedule, TraceProgram, ScaledProgram, ToldProgram>;
// The program of the input; nullptr for a schedule.
const Program* program_of(const SimulationInput& input);
// The labels of the input's operations; empty for schedules.
const std::vector<std::string>& labels_of(const SimulationInput& input);
int ranks_of(const SimulationInput& input);
Result<Simulation> simulate(const SimulationInput& input, const Network& network,
                            const SimulationOptions& options = {});

// The POP project's factors, each at most 1 (serialisation and transfer up to rounding):
//   load balance   mean computation / largest computation, both of a CPU where ranks have several
//   serialisation  largest computation / time on the ideal network, which costs nothing
//   transfer       time on the ideal network / time
//   communication  serialisation x transfer;  parallel efficiency: load balance x communication
struct Efficiencies {
  double load_balance = 1;
  double serialisation = 1;
  double transfer = 1;

  double communication() const { return serialisation * transfer; }
  double parallel() const { return load_balance * communication(); }
};
// Each factor is 1 where its divisor is 0.
Efficiencies efficiencies(const Simulation& actual, const Simulation& on_ideal_network);

struct PathPart {
  std::string name;  // kernel, MPI operation, or "messages under way"
  SpanKind kind = SpanKind::kComputation;
  double seconds = 0;
  bool on_device = false;  // of computation: the host waited for its GPU
};

// The parts of the critical path of `simulation` (of the same input, network and options, with record_path), in
// seconds, the largest first; they add up to its total. Simulates once more.
Result<std::vector<PathPart>> critical_path(const SimulationInput& input, const Network& network,
                                            SimulationOptions options, const Simulation& simulation);

// The share of latencies, or of bytes, in the critical path of a simulation, in seconds by the operation that sent the
// messages. Empty where it has no path.
std::map<std::string, double> path_latencies_s(const SimulationInput& input, const Simulation& simulation);
std::map<std::string, double> path_bytes_s(const SimulationInput& input, const Simulation& simulation);

const char* name_of(SpanKind kind);         // "computation", "transfer", "late sender", ...
const char* kind_of(const PathPart& part);  // the same, or "device"

}  // namespace scalediag::loggp
