// The application model: the run time of a program at a scale nobody ran, as the sum of its kernels (Ding et al. 2018,
// Eq. 1; definitions in application_data.h):
//
//   T_run = sum over functions (T_comp + BF_mem T_mem) + T_openmp + BF_comm T_comm + T_wait + T_unattributed
//   T_app = T_run + T_others, what starting and ending takes
//
// BF_comm of this equation is that of a network (below). That of the source takes all that is no computation together,
//
//   BF_comm = (T_app - T_comp - T_others) / T_comm
//
// with T_comm of the source's forms (communication_cost.h), fitted to the measured times: 1 where ranks do nothing but
// compute and communicate and the forms meet what communication took.
//
// Each function is modelled by two methods, and the one that predicted the kernel's own largest scale better from the
// smaller ones is used:
//   time        its time directly
//   resources   instructions x (T_comp / instructions) + BF_mem x T_mem, each factor by its own model, T_mem as the sum
//               of its levels', T_L1 + T_L2 + T_LLC + T_memory. T_comp / instructions and BF_mem of a function that
//               show no trend beyond their noise (steady.h) are constant;
//               intervals hold what their models say as well, unless the time's own series excludes it
// A function below a two-thousandth of the time at every scale is modelled by its time directly, without that check.
// The measured time at that scale has an error of its own. Where the two methods differ by no more than that, resources
// are used if instructions followed their law at least as well as the time did its own: counts repeat where times do
// not, so that noise makes no growth of a function whose instructions stay.
//
// An MPI operation is modelled likewise: its time directly, or its calls and bytes (count_model.h) with their cost by a
// CommunicationCost. With the CPU clock only the latter is meaningful: time in MPI then depends on how the machine
// shares its cores, waiting cannot be seen, and BF_comm is 1. T_wait then comes from the slowest rank: it is its
// computation over the mean by its own model, and at least the excess of a rank by those kernels of which it has more
// than the others, messages included. With the wall clock waiting is time in MPI, and communication is no less than the
// time that such a rank makes the others wait.
//
// An operation takes no less time than its calls and bytes at their cheapest: the fastest calls of all runs, times the
// smaller of what there is more of messages and of bytes (communication_cost.h). Both are counts, which follow laws
// where times are noisy, so that no curve through times falls while they grow.
//
// T_openmp, threads that wait for others of their rank, is modelled by its time directly.
//
// A kernel that was sampled n times a configuration is known to 1 / sqrt(n) at best, whether or not its points lie on a
// curve: its interval holds that error too.
//
// Computation is predicted as the sum of its kernels and, because errors of many small ones add up, from its measured
// sums directly as well. The mean of both is taken, each weighed by the inverse square of its error at the largest
// scale. Where they lie more than 10 % apart, as the sum of different laws does, the kernels count alone. So with
// errors beyond a few percent a kernel's time and the total may not add up to the last digit.
//
// The interval of a sum: errors of kernels are partly common (one machine, one procedure), so its half width lies half
// way between adding them up and adding their squares, in variance. It holds the direct model of the whole computation,
// and it is never narrower than the procedure's error at the largest measured scale.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/application_data.h"
#include "fit/communication_cost.h"
#include "fit/count_model.h"
#include "fit/model.h"

namespace scalediag::fit {

enum class Way { kTime, kResources };
const char* name_of(Way way);  // "time", "resources"

struct ApplicationOptions {
  FitOptions fit;
  // By MPI operation: how many times the measured bytes it carries at a problem size that was not measured, where one
  // was. An operation that is named here is priced by its calls and bytes.
  std::map<std::string, double> volume_ratios;
  // Prices MPI operations; null: the forms of Ding et al., fitted to what was measured.
  std::shared_ptr<const CommunicationCost> network;
  // The network that the profile was measured on, which BF_comm refers to; null: `network` is that one.
  std::shared_ptr<const CommunicationCost> measured_network;
};

// A kernel predicted at the largest measured scale from the smaller ones.
struct KernelBacktest {
  double measured_s = 0;
  double predicted_s = 0;                             // by the way that is used
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
  Way way() const { return way_; }
  // Seconds per rank, mean over ranks.
  Estimate time_s(std::span<const double> at) const { return with_measuring_error(by(way_, at)); }
  double time_value(std::span<const double> at) const;
  // The time of the slowest rank; of an operation of which one rank makes many more messages than the others, that
  // rank's.
  Estimate critical_s(std::span<const double> at) const;
  double critical_value(std::span<const double> at) const;
  std::string formula() const;
  std::string critical_formula() const;     // of critical_s
  ValueOfFormula value_of_formula() const;  // of one that is composed, of its worst factor
  // An explanation of how the operation's cost at that point is calculated; empty where there is no more to say.
  std::string price_explained(std::span<const double> at) const;
  // The model of any metric of the kernel. For functions (core/profile.h) those of resources are as in the method
  // "resources", so that at any configuration T_mem is the sum of its levels, T_stall is BF_mem x T_mem, T_comp is
  // instructions x CPI / hz, and ratios are those of the counts. Empty: not measured, or at too few scales.
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

 private:
  friend class ApplicationFitter;
  bool has(Way way) const;
  Estimate by(Way way, std::span<const double> at) const;
  Estimate modelled(Way way, std::span<const double> at) const;
  double modelled_value(Way way, std::span<const double> at) const;
  // What the operation's calls and bytes cost at least, by the fastest calls of all runs; 0 where that is not known.
  Estimate least_cost(std::span<const double> at) const;
  Estimate with_measuring_error(Estimate estimate) const;
  double value_by(Way way, std::span<const double> at) const;
  // The parts of the method "resources".
  bool has_blocking() const { return model("bf_mem") != nullptr && model("t_mem_s") != nullptr; }
  Estimate computing(std::span<const double> at) const;
  Estimate blocking_memory(std::span<const double> at) const;  // BF_mem
  Estimate memory(std::span<const double> at) const;           // T_mem
  double memory_value(std::span<const double> at) const;
  void find_memory_levels();
  std::vector<const Model*> memory_levels() const;  // their sum is T_mem
  std::string cost_formula() const;                 // seconds an instruction
  bool knows_computing() const;  // true: an instruction's cost is T_comp / instructions, and not the whole time /
                                 // instructions
  std::optional<MetricModel> own_model(const std::string& name) const;
  std::optional<MetricModel> composed_model(const std::string& name) const;
  std::optional<MetricModel> hit_ratio(const std::string& name) const;
  std::optional<MetricModel> quotient(const std::string& dividend, const std::string& divisor) const;
  Estimate blocking(std::span<const double> at) const;  // BF_comm

  const KernelData* data_ = nullptr;
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
  std::shared_ptr<const CommunicationCost> cost_;
  std::shared_ptr<const Model> blocking_factor_;  // null: 1
  Way way_ = Way::kTime;
  bool on_given_network_ = false;
  std::optional<KernelBacktest> backtest_;
};

// The whole run at one configuration.
struct Prediction {
  Estimate total_s;  // run_s + others_s
  // Between the end of MPI_Init and the start of MPI_Finalize: the sum of the next five.
  Estimate run_s;
  Estimate computation_s, openmp_waiting_s, communication_s, waiting_s, unattributed_s;
  Estimate others_s;
  Estimate slowest_computation_s;  // of the rank that computes longest
  // The two that computation_s is the mean of.
  Estimate computation_of_kernels_s;
  std::optional<Estimate> computation_direct_s;
};

// A comparison of the procedure with the largest measured scale, predicted from the others.
struct ApplicationBacktest {
  int np = 0;             // 0: too few scales
  std::vector<int> from;  // the scales it was predicted from
  double measured_s = 0;  // of the run between MPI_Init and MPI_Finalize
  double predicted_s = 0;
  bool inside = false;  // measured_s lies in the predicted interval
  double measured_computation_s = 0;
  double predicted_computation_s = 0;
  // The error |predicted - measured| / measured of the computation, as the sum of its kernels and directly.
  double kernels_error = 0;
  double direct_error = 0;
  double median_kernel_error = 0;  // over kernels of at least 1 % of the total
  int kernels = 0;                 // the number of these kernels
  double error() const { return measured_s > 0 ? (predicted_s - measured_s) / measured_s : 0; }
  double computation_error() const {
    return measured_computation_s > 0 ? (predicted_computation_s - measured_computation_s) / measured_computation_s : 0;
  }
};

class ApplicationModel {
 public:
  const ApplicationData& data() const { return *data_; }
  const std::vector<KernelModel>& kernels() const { return kernels_; }
  const CommunicationCost& cost() const { return *cost_; }
  // Whether communication is priced on a network that was given rather than by what was measured.
  bool on_given_network() const { return on_given_network_; }
  const ApplicationBacktest& backtest() const { return backtest_; }
  const Model* total_model(const std::string& name) const;  // of ApplicationData::totals
  // BF_comm of a network: measured over priced communication; null where it is 1 or part of the fitted prices.
  const Model* blocking_factor() const { return blocking_factor_.get(); }
  // BF_comm of the source: at a measured configuration of what was measured, elsewhere of what is predicted. Nothing
  // where a rank is alone or nothing is communicated, with the CPU clock, which does not know what communication took,
  // and at predicted configurations on another network than the measured one.
  std::optional<double> blocking_factor_of_source(std::span<const double> at) const;
  Prediction predict(std::span<const double> at) const;
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  friend class ApplicationFitter;
  Estimate weighed_mean(const Estimate& of_kernels, const Estimate& direct) const;
  // The least amount that one rank has to do beyond the mean rank, by any single function of which it has more, or by
  // all kernels together that are its own. Zero where all ranks are alike.
  struct Surplus {
    Estimate computation_s, with_messages_s;
  };
  Surplus surplus(std::span<const double> at) const;
  // Whether what the slowest rank computes beyond the mean was, at every scale, what one rank has by itself.
  bool own_work_is_the_imbalance() const;

  std::shared_ptr<const ApplicationData> data_;
  std::vector<KernelModel> kernels_;
  std::map<std::string, Model> totals_;
  std::shared_ptr<const CommunicationCost> cost_, forms_of_source_;
  std::shared_ptr<const Model> blocking_factor_;
  bool on_given_network_ = false, measured_on_another_network_ = false;
  ApplicationBacktest backtest_;
  std::vector<std::string> notes_;
  double level_ = 0.9;
  unsigned threads_ = 0;
};

// Errors (kInput): fewer than kScalesForTrend configurations (the hint names further runs).
core::Result<ApplicationModel> fit_application(ApplicationData data, const ApplicationOptions& options = {});

}  // namespace scalediag::fit
