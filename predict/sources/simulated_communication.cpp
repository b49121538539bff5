#include "predict/sources/simulated_communication.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/mpi_routines.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "loggp/collectives/gpu_algorithms.h"
#include "loggp/phases/program_phases.h"
#include "loggp/phases/scaled/scaled_trace.h"
#include "loggp/phases/scaling_model.h"
#include "loggp/simulator/simulator.h"
#include "predict/sources/network_cost.h"

namespace scalediag::predict {
namespace {

enum class Certainty { kOne, kSeveral, kNone };

Certainty certainty_of(bool is_irregular, bool is_open) {
  return is_irregular ? Certainty::kNone : is_open ? Certainty::kSeveral : Certainty::kOne;
}

double& part_of(CertaintyShares& shares, Certainty certainty) {
  return certainty == Certainty::kOne ? shares.one : certainty == Certainty::kSeveral ? shares.several : shares.none;
}

void count(const loggp::RankTrace& trace, const std::vector<loggp::TraceStep>& steps, double times,
           std::map<std::string, OperationCounts>& counts) {
  for (const loggp::TraceStep& step : steps) {
    if (step.count > 0) {
      count(trace, step.body, times * static_cast<double>(step.count), counts);
      continue;
    }
    const loggp::TraceEvent& event = trace.events[step.event];
    OperationCounts& of = counts[trace.routines[event.routine]];
    double bytes = static_cast<double>(event.bytes);
    for (const auto& [peer, sent] : event.sent) bytes += static_cast<double>(sent);
    of.calls += times * event.stands_for;
    of.bytes += times * event.stands_for * bytes;
  }
}

// What is waited for besides the imbalance of computation is shared out as the waits that were seen.
void share_out_waiting(const loggp::WaitingCauses& seen, SimulatedCommunication& s) {
  s.imbalance_s = std::clamp(s.slowest_computation_s - s.computation_s, 0.0, s.waiting_s);
  const double rest = s.waiting_s - s.imbalance_s;
  if (!(seen.sum_s() > 0)) {
    s.imbalance_s = s.waiting_s;
    return;
  }
  s.causes = seen;
  s.causes.multiply(rest / seen.sum_s());
}

}  // namespace

namespace {

double mean_s(const loggp::Program& program, bool on_device) {
  double sum = 0;
  for (int rank = 0; rank < program.ranks(); ++rank) {
    uint64_t position = 0;
    for (loggp::Op op = program.next(rank, position); op.kind != loggp::OpKind::kEnd;
         op = program.next(rank, position)) {
      if (op.kind == loggp::OpKind::kCompute && is_device_wait(op) == on_device) sum += op.seconds * op.stands_for;
    }
  }
  return sum / program.ranks();
}

}  // namespace

double mean_computation_s(const loggp::Program& program) { return mean_s(program, false); }

bool waits_for_devices(const loggp::Program& program) { return mean_s(program, true) > 0; }

double device_factor(const loggp::Program& program, const fit::ApplicationModel& model, std::span<const double> at) {
  if (std::ranges::any_of(program.labels(), loggp::is_gpu_communication)) return 1;
  double waits_s = 0;
  for (const fit::KernelModel& kernel : model.kernels()) {
    if (kernel.data().name.starts_with("[GPU wait] ")) waits_s += kernel.time_value(at);
  }
  if (!(waits_s > 0)) return 1;
  const double of_trace = mean_s(program, true);
  return of_trace > 0 ? waits_s / of_trace : 1;
}

std::map<std::string, CertaintyShares> certainty_by_operation(const loggp::ScalingModel& model) {
  struct Known {
    const loggp::Slot* slot = nullptr;
    Certainty certainty = Certainty::kOne;
  };
  std::map<int, Known> known;
  const std::vector<loggp::ProgramPhase> phases = loggp::phases_of(model);
  for (const loggp::ProgramPhase& phase : phases) {
    for (const loggp::Slot* slot : phase.slots) {
      const loggp::SlotEquations& e = model.equations.at(slot->id);
      known[slot->id] = {slot, certainty_of(!e.why_not.empty() || !phase.loop_why_not.empty(),
                                            !e.open.empty() || !phase.loop_open.empty())};
    }
  }
  std::map<std::string, CertaintyShares> shares;
  for (const auto& [id, it] : known) {
    Certainty certainty = it.certainty;
    for (const int awaited : it.slot->waits_for) {
      const auto found = known.find(awaited);
      if (found != known.end()) certainty = std::max(certainty, found->second.certainty);
    }
    for (const auto& [where, values] : it.slot->seen) {
      if (where.first == model.scales.back()) part_of(shares[it.slot->routine], certainty) += values.times;
    }
  }
  for (auto& [routine, of] : shares) {
    const double all = of.one + of.several + of.none;
    if (!(all > 0)) continue;
    for (double* part : {&of.one, &of.several, &of.none}) *part /= all;
  }
  return shares;
}

std::map<std::string, OperationCounts> counts_of(const std::vector<loggp::RankTrace>& run) {
  std::map<std::string, OperationCounts> counts;
  for (const loggp::RankTrace& trace : run) count(trace, trace.steps, 1, counts);
  return counts;
}

std::map<std::string, OperationCounts> counts_of(const loggp::ScaledTraces& traces) {
  std::map<std::string, OperationCounts> counts;
  for (int rank = 0; rank < traces.ranks(); ++rank) {
    const loggp::RankTrace trace = traces.rank(rank);
    count(trace, trace.steps, 1, counts);
  }
  return counts;
}

core::Result<SimulatedCommunication> simulated_communication(const SimulatedProgram& simulated,
                                                             const loggp::Network& network, double computation_s,
                                                             double device_factor) {
  const loggp::Program& program = simulated.program;
  const auto& certainty = simulated.certainty;
  SimulatedCommunication result;
  const double of_trace = mean_computation_s(program);
  if (of_trace > 0 && computation_s > 0) result.computation_factor = computation_s / of_trace;
  OperationTimes times(program, network);
  loggp::SimulationOptions options;
  options.compute_factor = result.computation_factor;
  options.device_factor = device_factor;
  options.observer = &times;
  const auto run = loggp::simulate(program, network, options);
  if (!run) return run.error();
  result.total_s = run.value().total_s;
  result.communication_s = times.transfer_s();
  result.computation_s = of_trace * result.computation_factor;
  for (const loggp::RankTimes& rank : run.value().ranks) {
    result.slowest_computation_s = std::max(result.slowest_computation_s, rank.computation_s + rank.device_wait_s);
  }
  // Waiting for GPUs is none of the parts here, but ranks whose GPUs are unequally busy wait for each other.
  result.device_wait_s = mean_s(program, true) * device_factor;
  result.slowest_computation_s -= result.device_wait_s;
  result.waiting_s = std::max(0.0, result.total_s - result.device_wait_s - result.computation_s - times.transfer_s());
  share_out_waiting(times.causes(), result);
  double in_mpi = 0, error = 0;
  if (certainty) result.known.emplace();
  for (const auto& [operation, seconds] : times.seconds()) {
    SimulatedOperation& of = result.operations[operation];
    of.time_s = seconds;
    if (loggp::is_gpu_communication(operation)) result.device_communication_s += seconds;
    of.awaited = times.awaited(operation);
    if (const auto found = simulated.counts.find(operation); found != simulated.counts.end()) of.counts = found->second;
    in_mpi += seconds;
    error += seconds * relative_error_on(network, operation);
    if (!certainty) continue;
    // Nothing is known of an operation that the largest measured scale does not have.
    const auto found = certainty->find(operation);
    const CertaintyShares shares = found != certainty->end() ? found->second : CertaintyShares{0, 0, 1};
    result.known->one += seconds * shares.one;
    result.known->several += seconds * shares.several;
    result.known->none += seconds * shares.none;
  }
  if (!(in_mpi > 0)) return result;
  result.relative_error = error / in_mpi;
  if (result.known) {
    for (double* part : {&result.known->one, &result.known->several, &result.known->none}) *part /= in_mpi;
  }
  return result;
}

void stretch_waiting(SimulatedCommunication& s, double factor) {
  const double more_s = (factor - 1) * s.waiting_s;
  s.waiting_factor *= factor;
  s.waiting_s += more_s;
  s.total_s += more_s;
  s.slowest_computation_s += (factor - 1) * s.imbalance_s;
  s.imbalance_s *= factor;
  s.causes.multiply(factor);
  for (auto& [operation, of] : s.operations) {
    of.time_s += (factor - 1) * of.awaited.waiting_s;
    for (double* waited : {&of.awaited.waiting_s, &of.awaited.late_sender_s, &of.awaited.late_receiver_s}) {
      *waited *= factor;
    }
  }
}

std::string text_of(const SimulatedCommunication& simulated) {
  std::string text = "communication and waiting are simulated with ";
  if (!simulated.known) {
    text += "the trace that was recorded";
  } else {
    const auto percent = [](double share) { return core::fixed(100 * share, 1) + " %"; };
    text += "the scaled trace: of the time in MPI, " + percent(simulated.known->one) +
            " is of events that obey one equation, " + percent(simulated.known->several) +
            " of events that obey several which differ there, " + percent(simulated.known->none) +
            " of events that no equation explains";
  }
  return text + "; the trace's computations are multiplied by " + core::fixed(simulated.computation_factor, 3) +
         " to last as long as those that are taken" +
         (simulated.waiting_factor != 1 ? ", and its waiting by " + core::fixed(simulated.waiting_factor, 2) +
                                              ", since a trace of means had so much less at measured scales"
                                        : "");
}

}  // namespace scalediag::predict
