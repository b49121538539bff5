#include "fit/application/kernel_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/profile/metric_names.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "fit/application/interval_sum.h"
#include "fit/numerics/normal_quantile.h"

namespace scalediag::fit {
namespace {

// Errors of factors are correlated: where a cost per instruction is too high, a blocking factor is too low. The product
// of their intervals ignores that, so it is cut to the interval of the time's own series. The value stays.
Estimate bounded_by(Estimate composed, const Estimate& direct) {
  composed.low = std::max(composed.low, std::min(direct.low, composed.value));
  composed.high = std::min(composed.high, std::max(direct.high, composed.value));
  return composed;
}

// The estimate of a value that grows with both counts.
template <class Of>
Estimate of_counts(const Estimate& calls, const Estimate& bytes, Of of) {
  const double value = of(calls.value, bytes.value);
  return {value, std::min(value, of(calls.low, bytes.low)), std::max(value, of(calls.high, bytes.high)), calls.level};
}

}  // namespace

const char* name_of(Method method) { return method == Method::kTime ? "time" : "resources"; }

const Model* KernelModel::model(const std::string& metric) const {
  const auto found = models_.find(metric);
  return found == models_.end() ? nullptr : &found->second;
}

bool KernelModel::has(Method method) const {
  if (method == Method::kTime) return main_model() != nullptr;
  if (data_->kind == KernelKind::kMpi) {
    return calls_ && bytes_ && cost_ != nullptr && cost_->knows(data_->name);
  }
  return model(metric::kInstructions) != nullptr && seconds_per_instruction_;
}

std::optional<OperationLoad> KernelModel::load(std::span<const double> at) const {
  if (!calls_ || !bytes_) return std::nullopt;
  const double ranks = process_count(at);
  const double taking_part =
      communicator_size_ ? std::clamp(communicator_size_->evaluate(at).value, 1.0, std::max(1.0, ranks)) : ranks;
  return OperationLoad{data_->name, taking_part, calls_->evaluate(at).value / ranks,
                       bytes_->evaluate(at).value / ranks};
}

std::string KernelModel::cost_explained(std::span<const double> at) const {
  const auto known = load(at);
  return method_ == Method::kResources && cost_ != nullptr && known ? cost_->explain(*known) : "";
}

Estimate KernelModel::least_cost(std::span<const double> at) const {
  const bool is_known =
      data_->kind == KernelKind::kMpi && !on_given_network_ && calls_ && bytes_ && process_count(at) >= 2;
  if (!is_known) return {};
  OperationLoad some = *load(at);
  return of_counts(calls_->evaluate(at), bytes_->evaluate(at), [&](double calls, double bytes) {
    some.calls = calls / process_count(at);
    some.bytes = bytes / process_count(at);
    return least_factor_ * least_time(data_->fastest_calls, some);
  });
}

double KernelModel::most_cost(std::span<const double> at) const {
  const double ranks = process_count(at);
  if (at_largest_scale_.empty() || on_given_network_ || !calls_ || !bytes_ || !(ranks > largest_scale_)) {
    return std::numeric_limits<double>::infinity();
  }
  OperationLoad most = *load(at);
  most.calls = calls_->evaluate(at).high / ranks;
  most.bytes = bytes_->evaluate(at).high / ranks;
  return most_time(at_largest_scale_, most, ranks / largest_scale_);
}

bool KernelModel::is_most_cost(std::span<const double> at) const {
  return most_cost(at) < modelled_value(method_, at) && !is_least_cost(at);
}

bool KernelModel::is_least_cost(std::span<const double> at) const {
  return least_cost(at).value > modelled_value(method_, at);
}

double KernelModel::value_by(Method method, std::span<const double> at) const {
  return has(method) ? std::max(std::min(modelled_value(method, at), most_cost(at)), least_cost(at).value) : 0;
}

Estimate KernelModel::by(Method method, std::span<const double> at) const {
  return has(method) ? at_least(at_most(modelled(method, at), most_cost(at)), least_cost(at)) : Estimate{};
}

double KernelModel::modelled_value(Method method, std::span<const double> at) const {
  if (!has(method)) return 0;
  if (method == Method::kTime) return main_model()->value(at);
  if (data_->kind == KernelKind::kMpi) {
    const double cost = cost_->time_s(*load(at)).value_or(0);
    return blocking_factor_ == nullptr ? cost : cost * blocking_factor_->value(at);
  }
  const double cost =
      steady_seconds_per_instruction_ ? *steady_seconds_per_instruction_ : seconds_per_instruction_->value(at);
  double value = model(metric::kInstructions)->value(at) * cost;
  if (has_blocking())
    value += (steady_blocking_ ? *steady_blocking_ : model(metric::kMemoryBlocking)->value(at)) * memory_value(at);
  return value;
}

Estimate KernelModel::modelled(Method method, std::span<const double> at) const {
  if (!has(method)) return {};
  if (method == Method::kTime) return main_model()->evaluate(at);
  if (data_->kind == KernelKind::kMpi) {
    OperationLoad some = *load(at);
    Estimate cost = of_counts(calls_->evaluate(at), bytes_->evaluate(at), [&](double calls, double bytes) {
      some.calls = calls / process_count(at);
      some.bytes = bytes / process_count(at);
      return cost_->time_s(some).value_or(0);
    });
    cost = widened(cost, cost_->relative_error(data_->name));
    if (blocking_factor_ == nullptr) return cost;
    return product_of(std::array{cost, blocking_factor_->evaluate(at)}, cost.level);
  }
  Estimate whole = computing(at);
  if (has_blocking()) {
    const Estimate stalls = product_of(std::array{blocking_memory(at), memory(at)}, whole.level);
    whole = sum_of(std::array{whole, stalls}, whole.level);
  }
  return has(Method::kTime) ? bounded_by(whole, modelled(Method::kTime, at)) : whole;
}

Estimate KernelModel::with_measuring_error(Estimate estimate) const {
  if (on_given_network_) return estimate;
  estimate.high = std::max(estimate.high, estimate.value * data_->cost_uncertainty);
  if (data_->samples <= 0 || estimate.value <= 0) return estimate;
  const double sampling = kNormal90 / std::sqrt(data_->samples);
  const double above = std::log(estimate.high / estimate.value);
  if (estimate.low > 0) {
    estimate.low = estimate.value * std::exp(-std::hypot(std::log(estimate.value / estimate.low), sampling));
  }
  estimate.high = estimate.value * std::exp(std::hypot(above, sampling));
  return estimate;
}

double KernelModel::time_value(std::span<const double> at) const { return value_by(method_, at); }

std::optional<OperationLoad> KernelModel::critical_load(std::span<const double> at) const {
  if (!critical_calls_ || !critical_bytes_) return load(at);
  return OperationLoad{data_->name, process_count(at), critical_calls_->evaluate(at).value,
                       critical_bytes_->evaluate(at).value};
}

// Counts follow exact formulas, so that the cost of the slowest rank's load is preferred to a curve of its times.
double KernelModel::critical_value(std::span<const double> at) const {
  const double mean = time_value(at);
  if (critical_factor_) {
    return std::max(mean, *critical_factor_ * cost_->time_s(*critical_load(at)).value_or(0) * blocking(at).value);
  }
  const Model* critical = model(metric::kCritical);
  return critical == nullptr || on_given_network_ ? mean : std::max(mean, critical->value(at));
}

Estimate KernelModel::critical_s(std::span<const double> at) const {
  const Estimate mean = time_s(at);
  if (critical_factor_) {
    OperationLoad some = *critical_load(at);
    Estimate slowest =
        of_counts(critical_calls_->evaluate(at), critical_bytes_->evaluate(at), [&](double calls, double bytes) {
          some.calls = calls;
          some.bytes = bytes;
          return *critical_factor_ * cost_->time_s(some).value_or(0);
        });
    slowest = product_of(std::array{widened(slowest, critical_deviation_ - 1), blocking(at)}, mean.level);
    // Each message may cost what the fastest calls took, whatever CPU time they used.
    if (!on_given_network_)
      slowest.high = std::max(slowest.high, slowest.value * data_->cost_uncertainty / data_->cost_limit);
    return at_least(slowest, mean);
  }
  const Model* critical = model(metric::kCritical);
  if (critical == nullptr || on_given_network_) return mean;
  return at_least(critical->evaluate(at), mean);
}

Estimate KernelModel::blocking(std::span<const double> at) const {
  return blocking_factor_ == nullptr ? Estimate{1, 1, 1} : blocking_factor_->evaluate(at);
}

std::string KernelModel::formula() const {
  if (method_ == Method::kTime) return main_model() == nullptr ? "0" : main_model()->formula();
  if (data_->kind == KernelKind::kMpi) {
    const std::string cost = cost_->formula(data_->name);
    // The cost is that of one rank; the counts are those of all ranks.
    return (blocking_factor_ == nullptr ? cost : "BF_comm x (" + cost + ")") + "; of a rank, calls = (" +
           calls_->formula() + ") / P, bytes = (" + bytes_->formula() + ") / P" +
           (communicator_size_ ? "; ranks of a communicator = " + communicator_size_->formula() : "");
  }
  const auto factor = [](const std::optional<double>& steady, const Model& of) {
    return "(" + (steady ? core::four_digits(*steady) : of.formula()) + ")";
  };
  std::string text = "(" + model(metric::kInstructions)->formula() + ") x " +
                     factor(steady_seconds_per_instruction_, *seconds_per_instruction_);
  if (has_blocking()) {
    const std::string levels = core::join(memory_levels(), " + ", [](const Model* level) { return level->formula(); });
    text += " + " + factor(steady_blocking_, *model(metric::kMemoryBlocking)) + " x (" + levels + ")";
  }
  return text;
}

std::optional<double> KernelModel::formula_value(std::span<const double> at) const {
  if (method_ != Method::kTime || main_model() == nullptr) return std::nullopt;
  return main_model()->formula_value(at);
}

std::string KernelModel::critical_formula() const {
  if (critical_factor_) {
    std::string factor = blocking_factor_ == nullptr ? "" : "BF_comm x ";
    if (*critical_factor_ != 1) factor += core::four_digits(*critical_factor_) + " x ";
    return factor + "(" + cost_->formula(data_->name) +
           "); of the slowest rank, calls = " + critical_calls_->formula() + ", bytes = " + critical_bytes_->formula();
  }
  const Model* critical = model(metric::kCritical);
  return critical == nullptr || on_given_network_ ? formula() : critical->formula();
}

ValueOfFormula KernelModel::value_of_formula() const {
  if (method_ == Method::kTime) return main_model() == nullptr ? ValueOfFormula{} : main_model()->value_of_formula();
  std::vector<ValueOfFormula> factors;
  if (data_->kind == KernelKind::kMpi) {
    if (blocking_factor_ != nullptr) factors.push_back(blocking_factor_->value_of_formula());
    for (const CountModel* counted : {calls(), bytes()}) factors.push_back(counted->value_of_formula());
  } else {
    factors.push_back(model(metric::kInstructions)->value_of_formula());
    if (!steady_seconds_per_instruction_) factors.push_back(seconds_per_instruction_->value_of_formula());
    if (has_blocking()) {
      if (!steady_blocking_) factors.push_back(model(metric::kMemoryBlocking)->value_of_formula());
      for (const Model* level : memory_levels()) factors.push_back(level->value_of_formula());
    }
  }
  ValueOfFormula all;
  for (const ValueOfFormula& factor : factors) {
    all.is_value = all.is_value && factor.is_value;
    all.weight = std::min(all.weight, factor.trust());
    all.hypotheses = std::max(all.hypotheses, factor.hypotheses);
  }
  return all;
}

}  // namespace scalediag::fit
