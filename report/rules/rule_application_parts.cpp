#include "report/rules/rule_application_parts.h"

#include <algorithm>
#include <cmath>

#include "core/text/quantities.h"

namespace scalediag::report {
namespace {

struct Total {
  Quantity quantity;
  const char* name;
  std::optional<Estimate> TargetFindings::*predicted;
};
constexpr Total kTotals[] = {{Quantity::kTotal, "total_s", &TargetFindings::total_s},
                             {Quantity::kRun, "run_s", &TargetFindings::run_s},
                             {Quantity::kComputation, "computation_s", &TargetFindings::computation_s},
                             {Quantity::kGpu, "gpu_s", &TargetFindings::gpu_s},
                             {Quantity::kCommunication, "communication_s", &TargetFindings::communication_s},
                             {Quantity::kWaiting, "waiting_s", &TargetFindings::waiting_s},
                             {Quantity::kOthers, "others_s", &TargetFindings::others_s}};

const Total& total_of(Quantity quantity) {
  return *std::find_if(std::begin(kTotals), std::end(kTotals),
                       [quantity](const Total& total) { return total.quantity == quantity; });
}

}  // namespace

const char* const kNotMeasured = "it was not measured";

std::string how_modelled(Quantity quantity) {
  constexpr const char* kShortestCalls = "MPI calls count as the shortest ones took";
  const std::string clock = "CPU clock: ";
  if (quantity == Quantity::kCommunication) return clock + kShortestCalls;
  if (quantity == Quantity::kWaiting) return clock + "waiting counts as the imbalance of computation";
  return clock + kShortestCalls + ", and waiting as the imbalance of computation";
}

const char* total_name(Quantity quantity) { return total_of(quantity).name; }

std::optional<Estimate> predicted_total(const TargetFindings& target, Quantity quantity) {
  return target.*total_of(quantity).predicted;
}

double sampling_error_of(const fit::KernelData& kernel) {
  return kernel.fewest_samples > 0 ? 1 / std::sqrt(kernel.fewest_samples) : 0;
}

bool is_mpi(const fit::KernelData& kernel) { return kernel.kind == fit::KernelKind::kMpi; }

}  // namespace scalediag::report
