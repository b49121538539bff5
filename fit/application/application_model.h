// The model of a whole run; application.h has the equations.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/application/application_data.h"
#include "fit/application/communication_cost.h"
#include "fit/application/kernel_model.h"
#include "fit/curves/model.h"

namespace scalediag::fit {

// The whole run at one configuration.
struct Prediction {
  Estimate total_s;  // run_s + others_s
  // Between the end of MPI_Init and the start of MPI_Finalize: the sum of the next six.
  Estimate run_s;
  Estimate computation_s, openmp_waiting_s, gpu_s, communication_s, waiting_s, unattributed_s;
  Estimate others_s;
  Estimate slowest_computation_s;  // of the rank that computes longest
  // The two that computation_s is the mean of.
  Estimate computation_of_kernels_s;
  std::optional<Estimate> computation_direct_s;
};

// A comparison of the procedure with the largest measured scale, predicted from the others.
struct ApplicationBacktest {
  double np = 0;             // 0: too few scales
  std::vector<double> from;  // the scales it was predicted from
  double measured_s = 0;     // of the run between MPI_Init and MPI_Finalize
  double predicted_s = 0;
  bool inside = false;  // measured_s lies in the predicted interval
  double predicted_communication_s = 0, predicted_waiting_s = 0;
  double measured_computation_s = 0;
  double predicted_computation_s = 0;
  // The error |predicted - measured| / measured of the computation, as the sum of its kernels and directly.
  double kernels_error = 0;
  double direct_error = 0;
  // Over kernels of at least 1 % of the total whose time was measured, as that of MPI is not with the CPU clock.
  double median_kernel_error = 0;
  int kernels = 0;  // the number of these kernels; 0: there is no such error
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
  // Whether communication costs what a given network says rather than what was measured.
  bool on_given_network() const { return on_given_network_; }
  const ApplicationBacktest& backtest() const { return backtest_; }
  // The same of the second largest scale, predicted from those below it.
  const ApplicationBacktest& backtest_before() const { return backtest_before_; }
  const Model* total_model(const std::string& name) const;  // of ApplicationData::totals
  // BF_comm of a network: measured communication over its cost there; null where it is 1 or part of the fitted costs.
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
  double steps_beyond(double processes) const;
  Prediction predict_terms(std::span<const double> at) const;
  Estimate predict_slowest(std::span<const double> at, Prediction& p) const;
  // Whether what the slowest rank computes beyond the mean was, at every scale, what one rank has by itself.
  bool own_work_is_the_imbalance() const;

  std::shared_ptr<const ApplicationData> data_;
  std::vector<KernelModel> kernels_;
  std::map<std::string, Model> totals_;
  std::shared_ptr<const CommunicationCost> cost_, forms_of_source_;
  std::shared_ptr<const Model> blocking_factor_;
  bool on_given_network_ = false, measured_on_another_network_ = false;
  ApplicationBacktest backtest_, backtest_before_;
  std::vector<std::string> notes_;
  double level_ = 0.9;
  unsigned threads_ = 0;
};

}  // namespace scalediag::fit
