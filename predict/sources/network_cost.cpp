#include "predict/sources/network_cost.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/mpi_routines.h"
#include "fit/numerics/normal_quantile.h"
#include "loggp/network/parameter_fit.h"
#include "loggp/simulator/operation_cost.h"

namespace scalediag::predict {
namespace {

class NetworkCost : public fit::CommunicationCost {
 public:
  NetworkCost(loggp::OperationCosts costs, std::string file) : costs_(std::move(costs)), file_(std::move(file)) {}

  bool knows(const std::string& operation) const override { return loggp::OperationCosts::knows(operation); }

  std::optional<double> time_s(const fit::OperationLoad& load) const override {
    if (!(load.calls > 0)) return knows(load.operation) ? std::optional(0.0) : std::nullopt;
    const auto cost = costs_.call_s(load.operation, ranks_of(load), bytes_of(load));
    return cost ? std::optional(*cost * load.calls) : std::nullopt;
  }

  double relative_error(const std::string& operation) const override {
    return relative_error_on(costs_.network(), operation);
  }

  std::string formula(const std::string& operation) const override {
    return knows(operation) ? "calls x cost on " + name() : "";
  }

  std::string explain(const fit::OperationLoad& load) const override {
    return costs_.explain(load.operation, ranks_of(load), bytes_of(load));
  }

  std::string description() const override { return "LogGP on " + name() + ", algorithms of " + costs_.table_name(); }

 private:
  std::string name() const {
    const std::string& name = costs_.network().name;
    return name.empty() ? file_ : file_ + " (" + name + ")";
  }
  static uint32_t ranks_of(const fit::OperationLoad& load) {
    return static_cast<uint32_t>(std::clamp(std::round(load.processes), 1.0, 1e9));
  }
  static uint64_t bytes_of(const fit::OperationLoad& load) {
    return load.calls > 0 ? static_cast<uint64_t>(std::llround(std::min(load.bytes / load.calls, 1e18))) : 0;
  }

  loggp::OperationCosts costs_;
  std::string file_;
};

}  // namespace

// The residuals of the messages that the network was fitted to, and the error of LogGP itself: of 144 collectives that
// docs/accuracy.md compares with measured ones, all but five came out within 30 %, and of the programs whose messages
// are from rank to rank all within 10 %.
double relative_error_on(const loggp::Network& network, const std::string& operation) {
  constexpr double kOfCollectives = 0.3, kOfMessages = 0.1;
  const double residual =
      std::max(loggp::largest_residual(network.same_node), loggp::largest_residual(network.other_node));
  return std::hypot(fit::kNormal90 * residual, mpi::is_collective(operation) ? kOfCollectives : kOfMessages);
}

core::Result<std::shared_ptr<const fit::CommunicationCost>> network_cost(loggp::Network network,
                                                                         const std::string& file) {
  auto costs = loggp::OperationCosts::of(std::move(network));
  if (!costs) return costs.error();
  return std::shared_ptr<const fit::CommunicationCost>(std::make_shared<NetworkCost>(std::move(costs).value(), file));
}

}  // namespace scalediag::predict
