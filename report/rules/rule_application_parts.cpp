#include "report/rules/rule_application_parts.h"

#include <cmath>

#include "core/text/quantities.h"

namespace scalediag::report {

const char* const kNotMeasured = "it was not measured";

std::string how_modelled(Quantity quantity) {
  constexpr const char* kShortestCalls = "MPI calls count as the shortest ones took";
  const std::string clock = "CPU clock: ";
  if (quantity == Quantity::kCommunication) return clock + kShortestCalls;
  if (quantity == Quantity::kWaiting) return clock + "waiting counts as the imbalance of computation";
  return clock + kShortestCalls + ", and waiting as the imbalance of computation";
}

const char* total_name(Quantity quantity) {
  switch (quantity) {
    case Quantity::kComputation:
      return "computation_s";
    case Quantity::kCommunication:
      return "communication_s";
    case Quantity::kWaiting:
      return "waiting_s";
    case Quantity::kOthers:
      return "others_s";
    case Quantity::kRun:
      return "run_s";
    default:
      return "total_s";
  }
}

std::optional<Estimate> predicted_total(const TargetFindings& target, Quantity quantity) {
  switch (quantity) {
    case Quantity::kComputation:
      return target.computation_s;
    case Quantity::kCommunication:
      return target.communication_s;
    case Quantity::kWaiting:
      return target.waiting_s;
    case Quantity::kOthers:
      return target.others_s;
    case Quantity::kRun:
      return target.run_s;
    default:
      return target.total_s;
  }
}

std::string seconds(double value) {
  const core::TimeFormat format(value);
  return format(value) + " " + format.unit();
}

double sampling_error_of(const fit::KernelData& kernel) {
  return kernel.fewest_samples > 0 ? 1 / std::sqrt(kernel.fewest_samples) : 0;
}

bool is_mpi(const fit::KernelData& kernel) { return kernel.kind == fit::KernelKind::kMpi; }

}  // namespace scalediag::report
