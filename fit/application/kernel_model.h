// The model of one kernel of an application; application.h has the equations.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/profile/metric_names.h"
#include "fit/application/application_data.h"
#include "fit/application/communication_cost.h"
#include "fit/counts/count_model.h"
#include "fit/curves/model.h"

namespace scalediag::fit {

enum class Method { kTime, kResources };
const char* name_of(Method method);  // "time", "resources"

// A kernel predicted at the largest measured scale from the smaller ones.
struct KernelBacktest {
  double measured_s = 0;
  double predicted_s = 0;                             // by the method that is used
  std::optional<double> time_error, resources_error;  // |predicted - measured| / measured
};

// The prediction of one metric of a kernel: by its own model, or from those of others.
struct MetricModel {
  std::function<Estimate(std::span<const double>)> evaluate;  // valid as long as the kernel's model
  std::string formula;  // for a metric that follows from others, in their names: "bf_mem x t_mem_s"
  ValueOfFormula value_of_formula;
};

class KernelModel {
 public:
  const KernelData& data() const { return *data_; }
  // The reason why a call path has no model; empty where it has one.
  const std::string& failure() const { return failure_; }
  Method method() const { return method_; }
  // Seconds per rank, mean over ranks; of a call path its metric, in the data's unit.
  Estimate time_s(std::span<const double> at) const { return with_measuring_error(by(method_, at)); }
  double time_value(std::span<const double> at) const;
  // The time of the slowest rank; of an operation of which one rank makes many more messages than the others, that
  // rank's.
  Estimate critical_s(std::span<const double> at) const;
  double critical_value(std::span<const double> at) const;
  std::string formula() const;
  // What formula() comes to, which need not be time_s(); empty for one that is composed.
  std::optional<double> formula_value(std::span<const double> at) const;
  std::string critical_formula() const;     // of critical_s
  ValueOfFormula value_of_formula() const;  // of one that is composed, of its worst factor
  // An explanation of how the operation's cost at that point is calculated; empty where there is no more to say.
  std::string cost_explained(std::span<const double> at) const;
  // The model of any metric of the kernel. For functions (core/profile/profile.h) those of resources are as in the
  // method "resources", so that at any configuration T_mem is the sum of its levels, T_stall is BF_mem x T_mem, T_comp
  // is instructions x CPI / hz, and ratios are those of the counts. Empty: not measured, or at too few scales.
  std::optional<MetricModel> metric_model(const std::string& name) const;
  std::optional<Estimate> metric(const std::string& name, std::span<const double> at) const;
  const Model* model(const std::string& metric) const;  // null where there is none
  const CountModel* calls() const { return calls_ ? &*calls_ : nullptr; }
  const CountModel* bytes() const { return bytes_ ? &*bytes_ : nullptr; }
  // The load of the operation on the mean rank. Empty where its counts have no models.
  std::optional<OperationLoad> load(std::span<const double> at) const;
  // The load of the operation on its slowest rank: that of KernelFacts::slowest_rank, else that of the mean rank. Empty
  // where its counts have no models.
  std::optional<OperationLoad> critical_load(std::span<const double> at) const;
  const std::optional<KernelBacktest>& backtest() const { return backtest_; }
  // Whether the operation's cost is that of a network that was given, which need not be the one that it was measured
  // on.
  bool on_given_network() const { return on_given_network_; }
  // Whether the time there is what its calls take at least, because its model would fall below it.
  bool is_least_cost(std::span<const double> at) const;
  // Whether it is the most that its calls may take there, because its model would exceed that.
  bool is_most_cost(std::span<const double> at) const;

 private:
  friend class ApplicationFitter;
  bool has(Method method) const;
  Estimate by(Method method, std::span<const double> at) const;
  Estimate modelled(Method method, std::span<const double> at) const;
  double modelled_value(Method method, std::span<const double> at) const;
  // The least cost of the operation's calls and bytes, by the fastest calls of all runs; 0 where that is not known.
  Estimate least_cost(std::span<const double> at) const;
  // The most that they may take on more ranks than were measured, by their time at the largest scale; else infinite.
  double most_cost(std::span<const double> at) const;
  Estimate with_measuring_error(Estimate estimate) const;
  double value_by(Method method, std::span<const double> at) const;
  // The parts of the method "resources".
  bool has_blocking() const { return model(metric::kMemoryBlocking) != nullptr && model(metric::kMemory) != nullptr; }
  Estimate computing(std::span<const double> at) const;
  Estimate blocking_memory(std::span<const double> at) const;  // BF_mem
  Estimate memory(std::span<const double> at) const;           // T_mem
  double memory_value(std::span<const double> at) const;
  void find_memory_levels();
  std::vector<const Model*> memory_levels() const;  // their sum is T_mem
  std::string cost_formula() const;                 // seconds an instruction
  // Whether an instruction's cost is T_comp / instructions; else it is the whole time / instructions.
  bool knows_computing() const;
  std::optional<MetricModel> own_model(const std::string& name) const;
  std::optional<MetricModel> composed_model(const std::string& name) const;
  std::optional<MetricModel> hit_ratio(const std::string& name) const;
  std::optional<MetricModel> quotient(const std::string& dividend, const std::string& divisor) const;
  Estimate blocking(std::span<const double> at) const;  // BF_comm

  const Model* main_model() const { return model(data_->metric); }

  const KernelData* data_ = nullptr;
  std::string failure_;
  std::map<std::string, Model> models_;
  std::optional<Model> seconds_per_instruction_;
  std::optional<double> steady_seconds_per_instruction_, steady_blocking_;  // see steady.h
  bool memory_by_level_ = false;  // T_mem is the sum of its levels' models; else it has one itself
  std::optional<CountModel> calls_, bytes_;
  std::optional<CountModel> communicator_size_;  // nothing: all ranks
  std::optional<CountModel> critical_calls_, critical_bytes_;
  // The slowest rank's measured time over the cost of its load: the geometric mean over the configurations, and the
  // largest factor by which one deviates from that mean. Empty where the cost does not predict the time.
  std::optional<double> critical_factor_;
  double critical_deviation_ = 1;
  // The least quotient of the operation's measured time and of what the fastest calls say, at most 1.
  double least_factor_ = 1;
  std::vector<MeasuredCost> at_largest_scale_;
  double largest_scale_ = 0;
  std::shared_ptr<const CommunicationCost> cost_;
  std::shared_ptr<const Model> blocking_factor_;  // null: 1
  Method method_ = Method::kTime;
  bool on_given_network_ = false;
  std::optional<KernelBacktest> backtest_;
};

}  // namespace scalediag::fit
