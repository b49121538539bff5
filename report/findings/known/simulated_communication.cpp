#include "report/findings/known/simulated_communication.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/mpi_routines.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "loggp/phases/scaling_model.h"
#include "loggp/simulator/observer.h"
#include "loggp/simulator/simulator.h"
#include "report/findings/network_cost.h"

namespace scalediag::report {
namespace {

enum class Certainty { kOne, kSeveral, kNone };

Certainty certainty_of(bool is_irregular, bool is_open) {
  return is_irregular ? Certainty::kNone : is_open ? Certainty::kSeveral : Certainty::kOne;
}

double& part_of(CertaintyShares& shares, Certainty certainty) {
  return certainty == Certainty::kOne ? shares.one : certainty == Certainty::kSeveral ? shares.several : shares.none;
}

// Adds up what ranks do in each operation.
class OperationTimes : public loggp::Observer {
 public:
  explicit OperationTimes(const loggp::Program& program) : program_(program) {}

  void on_span(const loggp::Span& span) override {
    if (span.op == nullptr || span.op->kind == loggp::OpKind::kCompute) return;
    const double seconds = (span.end_s - span.begin_s) / program_.ranks();
    operation_s[loggp::name_of(program_.labels(), *span.op)] += seconds;
    if (span.kind == loggp::SpanKind::kComputation || span.kind == loggp::SpanKind::kTransfer) transfer_s += seconds;
  }

  std::map<std::string, double> operation_s;
  double transfer_s = 0;

 private:
  const loggp::Program& program_;
};

}  // namespace

double mean_computation_s(const loggp::Program& program) {
  double sum = 0;
  for (int rank = 0; rank < program.ranks(); ++rank) {
    uint64_t position = 0;
    for (loggp::Op op = program.next(rank, position); op.kind != loggp::OpKind::kEnd;
         op = program.next(rank, position)) {
      if (op.kind == loggp::OpKind::kCompute) sum += op.seconds;
    }
  }
  return sum / program.ranks();
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

core::Result<SimulatedCommunication> simulated_communication(
    const loggp::Program& program, const loggp::Network& network, double computation_s,
    const std::optional<std::map<std::string, CertaintyShares>>& certainty) {
  SimulatedCommunication result;
  const double of_trace = mean_computation_s(program);
  if (of_trace > 0 && computation_s > 0) result.computation_factor = computation_s / of_trace;
  OperationTimes times(program);
  loggp::SimulationOptions options;
  options.compute_factor = result.computation_factor;
  options.observer = &times;
  const auto simulated = loggp::simulate(program, network, options);
  if (!simulated) return simulated.error();
  result.communication_s = times.transfer_s;
  const double computed = of_trace * result.computation_factor;
  result.waiting_s = std::max(0.0, simulated.value().total_s - computed - times.transfer_s);
  result.operation_s = std::move(times.operation_s);
  double in_mpi = 0, error = 0;
  if (certainty) result.known.emplace();
  for (const auto& [operation, seconds] : result.operation_s) {
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
         " to last as long as those predicted";
}

}  // namespace scalediag::report
