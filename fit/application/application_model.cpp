// The whole run at a configuration, from the models of its parts.
#include "fit/application/application_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "core/parallel.h"
#include "core/profile/metric_names.h"
#include "fit/application/ended_error.h"
#include "fit/application/interval_sum.h"

namespace scalediag::fit {
namespace {

// The time that one rank has beyond the mean rank. It is taken as exact, since the mean's error is the rank's error as
// well.
Estimate beyond_mean(const KernelModel& kernel, std::span<const double> at) {
  const double mean = kernel.time_value(at);
  const Estimate slowest = kernel.critical_s(at);
  const auto beyond = [mean](double time_s) { return std::max(0.0, time_s - mean); };
  return {beyond(slowest.value), beyond(slowest.low), beyond(slowest.high), slowest.level};
}

}  // namespace

const Model* ApplicationModel::total_model(const std::string& name) const {
  const auto found = totals_.find(name);
  return found == totals_.end() ? nullptr : &found->second;
}

std::optional<double> ApplicationModel::blocking_factor_of_source(std::span<const double> at) const {
  if (data_->clock == core::Clock::kCpu || process_count(at) < 2) return std::nullopt;
  const std::vector<ConfigurationPoint>& measured = data_->configurations;
  const auto here = std::find_if(measured.begin(), measured.end(), [at](const ConfigurationPoint& point) {
    return std::equal(at.begin(), at.end(), point.at.begin(), point.at.end());
  });
  const bool is_measured = here != measured.end();
  if (!is_measured && measured_on_another_network_) return std::nullopt;
  double communication = 0;
  for (const KernelModel& kernel : kernels_) {
    if (kernel.data().kind != KernelKind::kMpi) continue;
    const std::optional<OperationLoad> load = is_measured ? measured_load(kernel.data(), *here) : kernel.load(at);
    if (load) communication += forms_of_source_->time_s(*load).value_or(0);
  }
  if (!(communication > 0)) return std::nullopt;
  if (is_measured) {
    return (mean_at(&data_->totals.at(metric::kRun), here->at) -
            mean_at(&data_->totals.at(metric::kComputation), here->at)) /
           communication;
  }
  const Prediction p = predict(at);
  return (p.run_s.value - p.computation_s.value) / communication;
}

// The interval holds both estimates and is not narrower than that of the kernels. One curve of a sum whose parts follow
// different trends misleads beyond the measured scales, so where the two differ by much the value is that of the
// kernels.
Estimate ApplicationModel::weighed_mean(const Estimate& of_kernels, const Estimate& direct) const {
  // Small errors of many kernels, for which the mean is taken, stay below this; the error of a curve that misses a
  // kernel does not.
  constexpr double kApart = 0.1;
  if (std::abs(direct.value - of_kernels.value) > kApart * of_kernels.value) {
    Estimate both = of_kernels;
    both.low = std::min(of_kernels.low, direct.value);
    both.high = std::max(of_kernels.high, direct.value);
    return both;
  }
  // A single scale cannot show that the error is smaller than this.
  constexpr double kLeastError = 0.02;
  const double a = std::pow(std::max(backtest_.kernels_error, kLeastError), -2);
  const double b = std::pow(std::max(backtest_.direct_error, kLeastError), -2);
  Estimate mean = of_kernels;
  mean.value = (a * of_kernels.value + b * direct.value) / (a + b);
  const double moved = mean.value - of_kernels.value;
  mean.low = std::max(0.0, std::min({of_kernels.low + moved, of_kernels.value, direct.value}));
  mean.high = std::max({of_kernels.high + moved, of_kernels.value, direct.value});
  return mean;
}

ApplicationModel::Surplus ApplicationModel::surplus(std::span<const double> at) const {
  struct Parts {
    std::vector<Estimate> computation, messages;
    double less_s = 0;  // of functions that the rank has less of than the others
  };
  std::map<int, Parts> of_rank;
  Surplus most{{0, 0, 0, level_}, {0, 0, 0, level_}};
  const auto consider = [&](const Parts& parts) {
    const Estimate more = sum_of(parts.computation, level_), messages = sum_of(parts.messages, level_);
    const Estimate computed = {more.value - parts.less_s, more.low - parts.less_s, more.high - parts.less_s, level_};
    most.computation_s = at_least(most.computation_s, computed);
    most.with_messages_s = at_least(most.with_messages_s, {computed.value + messages.value, computed.low + messages.low,
                                                           computed.high + messages.high, level_});
  };
  for (const KernelModel& kernel : kernels_) {
    const bool is_mpi = kernel.data().kind == KernelKind::kMpi;
    const KernelKind kind = kernel.data().kind;
    const bool computes_or_sends = kind == KernelKind::kFunction || kind == KernelKind::kSystem || is_mpi;
    if (!computes_or_sends || kernel.model(metric::kCritical) == nullptr) continue;
    const auto& least = kernel.data().least_rank;
    if (least) of_rank[least->rank].less_s += (1 - least->of_mean) * kernel.time_value(at);
    const Estimate beyond = beyond_mean(kernel, at);
    if (!(beyond.value > 0)) continue;
    if (const auto rank = kernel.data().slowest_rank) {
      (is_mpi ? of_rank[*rank].messages : of_rank[*rank].computation).push_back(beyond);
    } else if (!is_mpi) {
      consider({{beyond}, {}, 0});
    }
  }
  for (const auto& [rank, parts] : of_rank) consider(parts);
  return most;
}

bool ApplicationModel::own_work_is_the_imbalance() const {
  // Of the slowest rank's computation: errors of samples and of curves stay below it.
  constexpr double kUnexplained = 0.05;
  const auto slowest = data_->totals.find(metric::kSlowestComputation), mean = data_->totals.find(metric::kComputation);
  if (slowest == data_->totals.end() || mean == data_->totals.end()) return false;
  const auto measured = [](const Series& series, const std::vector<double>& at) {
    double sum = 0, values = 0;
    for (const Observation& o : series.observations) {
      if (o.at != at) continue;
      sum = std::accumulate(o.values.begin(), o.values.end(), sum);
      values += static_cast<double>(o.values.size());
    }
    return values > 0 ? sum / values : 0;
  };
  for (const Observation& o : slowest->second.observations) {
    const double of_slowest = measured(slowest->second, o.at), beyond = of_slowest - measured(mean->second, o.at);
    if (beyond - surplus(o.at).computation_s.value > kUnexplained * of_slowest) return false;
  }
  return true;
}

// The number of steps of the measured scales that `processes` lie beyond them: the backtest's error is that of one
// step.
double ApplicationModel::steps_beyond(double processes) const {
  const std::vector<double> scales = data_->scales();
  if (scales.size() < 2 || processes <= scales.back()) return 0;
  const double step = std::log(scales.back() / scales[scales.size() - 2]);
  return std::clamp(std::log(processes / scales.back()) / step, 1.0, 3.0);
}

// The terms that are sums of kernels, and those with a model of their own.
Prediction ApplicationModel::predict_terms(std::span<const double> at) const {
  std::vector<Estimate> times(kernels_.size());
  core::in_parallel(kernels_.size(), threads_, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) times[i] = kernels_[i].time_s(at);
  });
  std::vector<Estimate> functions, operations, waiting, gpu;  // what devices do meanwhile is no part of the run
  for (size_t i = 0; i < kernels_.size(); ++i) {
    const KernelKind kind = kernels_[i].data().kind;
    if (kind == KernelKind::kDevice) continue;
    (kind == KernelKind::kMpi       ? operations
     : kind == KernelKind::kWaiting ? waiting
     : kind == KernelKind::kGpu     ? gpu
                                    : functions)
        .push_back(times[i]);
  }
  Prediction p;
  p.computation_of_kernels_s = p.computation_s = sum_of(functions, level_);
  if (const Model* direct = total_model(metric::kComputation)) {
    p.computation_direct_s = direct->evaluate(at);
    p.computation_s = weighed_mean(p.computation_of_kernels_s, *p.computation_direct_s);
  }
  p.communication_s = sum_of(operations, level_);
  p.openmp_waiting_s = sum_of(waiting, level_);
  p.gpu_s = sum_of(gpu, level_);
  if (const Model* others = total_model(metric::kOthers)) p.others_s = others->evaluate(at);
  if (const Model* lost = total_model("unattributed_s")) p.unattributed_s = lost->evaluate(at);
  return p;
}

// Sets what the slowest rank computes, and returns the time that the mean rank is ahead of it or of a rank with
// messages of its own.
Estimate ApplicationModel::predict_slowest(std::span<const double> at, Prediction& p) const {
  Estimate ratio{1, 1, 1, level_};  // slowest rank / mean
  if (const Model* imbalance = total_model("imbalance")) ratio = imbalance->evaluate(at);
  ratio = at_least(ratio, Estimate{1, 1, 1, level_});
  const double mean = p.computation_s.value;
  const Surplus own = surplus(at);
  if (mean > 0) {
    const Estimate& more = own.computation_s;
    ratio = at_least(ratio, {1 + more.value / mean, 1 + more.low / mean, 1 + more.high / mean, level_});
  }
  p.slowest_computation_s = product_of(std::array{p.computation_s, ratio}, level_);
  Estimate behind = {mean * (ratio.value - 1), mean * (ratio.low - 1), mean * (ratio.high - 1), level_};
  // The ratio grows without limit where one rank has work of its own, and errors of the mean would grow with it.
  if (const Model* slowest = total_model(metric::kSlowestComputation)) {
    const double own_s = own.computation_s.value;
    const double most =
        own_work_is_the_imbalance() ? own_s : std::max({slowest->evaluate(at).value - mean, own_s, 0.0});
    if (behind.value > most) {
      behind.value = most;
      behind.low = std::min(behind.low, most);
      p.slowest_computation_s.value = mean + most;
      p.slowest_computation_s.low = std::min(p.slowest_computation_s.low, mean + most);
    }
  }
  return at_least(behind, own.with_messages_s);
}

Prediction ApplicationModel::predict(std::span<const double> at) const {
  const double steps = steps_beyond(process_count(at));
  Prediction p = predict_terms(at);
  const double ended = ended_error(*data_);
  p.computation_s = widened(p.computation_s, std::max(ended, std::abs(backtest_.computation_error()) * steps));
  const Estimate behind = predict_slowest(at, p);
  if (data_->clock == core::Clock::kCpu) {
    p.waiting_s = behind;
  } else {
    p.communication_s = at_least(p.communication_s, behind);
  }
  p.run_s =
      sum_of(std::array{p.computation_s, p.openmp_waiting_s, p.gpu_s, p.communication_s, p.waiting_s, p.unattributed_s},
             level_);
  p.run_s = widened(p.run_s, std::max(ended, std::abs(backtest_.error()) * steps));
  p.total_s = sum_of(std::array{p.run_s, p.others_s}, level_);
  for (Estimate* e : {&p.waiting_s, &p.others_s, &p.unattributed_s, &p.communication_s, &p.openmp_waiting_s, &p.gpu_s})
    e->level = level_;
  return p;
}

}  // namespace scalediag::fit
