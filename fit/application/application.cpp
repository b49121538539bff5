#include "fit/application/application.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <set>
#include <string_view>
#include <utility>

#include "core/parallel.h"
#include "core/profile/metric_names.h"
#include "core/statistics.h"
#include "core/text/numbers.h"
#include "core/text/value_list.h"
#include "fit/application/modelled_metrics.h"
#include "fit/curves/regime.h"
#include "fit/curves/steady.h"
#include "fit/data/scales_needed.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;

constexpr const char* kTotals[] = {"computation_s", "computation_max_s", "others_s",          "unattributed_s",
                                   "imbalance",     "openmp_idleness",   "memory_peak_bytes", "memory_peak_max_bytes"};

// Memory is no time: it hardly varies from run to run, by what MPI's libraries happen to take. In ten experiments with
// a program that takes a + b P, no peak was further than 0.6 % from the line.
constexpr double kMemoryAccuracy = 0.01;

// The number of levels at which a kernel's method is checked against a smaller scale: for the model, and for its
// backtest.
constexpr int kMaxDepth = 2;

}  // namespace

class ApplicationFitter {
 public:
  ApplicationFitter(ApplicationData data, const ApplicationOptions& options, int depth)
      : data_(std::make_shared<const ApplicationData>(std::move(data))), options_(options), depth_(depth) {
    options_.fit.processes = data_->parameter_names[data_->processes];
  }

  core::Result<ApplicationModel> fit() {
    if (data_->has_totals() && data_->configurations.size() < kScalesForTrend) return too_few();
    model_.data_ = data_;
    model_.notes_ = data_->notes;
    model_.level_ = options_.fit.level;
    model_.threads_ = options_.fit.threads;
    note_few_scales();
    if (!data_->has_totals()) {
      fit_call_paths();
      return std::move(model_);
    }
    fit_totals();
    fit_cost();
    fit_kernels();
    check_against_largest();
    return std::move(model_);
  }

 private:
  Error too_few() const {
    const int np = static_cast<int>(data_->configurations.front().np);
    std::set<int> wanted = {std::max(1, np / 4), std::max(1, np / 2), np, 2 * np};
    // With fewer than four process counts many hypotheses fit equally well.
    for (int more = 4 * np; wanted.size() < 4; more *= 2) wanted.insert(more);
    return {ErrorCode::kInput,
            "there is only one configuration (np=" + std::to_string(np) + "); a trend needs at least " +
                std::to_string(kScalesForTrend) + " process counts, and checking it " + std::to_string(kScalesForCheck),
            "measure further ones into the same folder, for example `scalediag profile -n " + core::list_of(wanted) +
                " ...`; `scalediag show` prints what is there",
            ""};
  }

  // Notes that one check is all that the scales allow. Data with fewer than kScalesForCheck have a note of their own.
  void note_few_scales() {
    const std::vector<double> scales = data_->scales();
    if (depth_ > 0 || scales.size() >= kScalesAdvised || scales.size() < kScalesForCheck) return;
    model_.notes_.push_back("measured at " + std::to_string(scales.size()) + " process counts (" +
                            core::list_of(scales) + "): one check is all that they allow; measure " +
                            std::to_string(kScalesAdvised) + " or more to rely on predictions");
  }

  // Each series is modelled by itself, beside the others, and nothing is put together.
  void fit_call_paths() {
    std::vector<const Series*> series;
    for (const KernelData& data : data_->kernels) series.push_back(&data.main_series());
    std::vector<core::Result<Model>> fitted = fit_all(series, options_.fit);
    constexpr size_t kFailuresTold = 3;
    size_t failed = 0;
    for (size_t i = 0; i < fitted.size(); ++i) {
      KernelModel& kernel = model_.kernels_.emplace_back();
      kernel.data_ = &data_->kernels[i];
      if (!fitted[i]) {
        kernel.failure_ = fitted[i].error().message;
        if (failed++ < kFailuresTold) {
          model_.notes_.push_back(series[i]->kernel + " (" + series[i]->metric +
                                  ") is not predicted: " + kernel.failure_);
        }
        continue;
      }
      if (const Backtest check = fitted[i].value().backtest(); check.predictions > 0) {
        kernel.backtest_ = {check.measured_largest, check.predicted_largest, {}, {}};
      }
      kernel.models_.emplace(series[i]->metric, std::move(fitted[i]).value());
    }
    if (failed > kFailuresTold) {
      model_.notes_.push_back(std::to_string(failed - kFailuresTold) + " more series are not predicted");
    }
    gather_backtests();
  }

  // The errors of all series at the largest scale; those below 1 % of the largest of their metric are left out.
  void gather_backtests() {
    std::map<std::string, double> largest;
    for (const KernelModel& kernel : model_.kernels_) {
      double& value = largest[kernel.data_->metric];
      if (kernel.backtest_) value = std::max(value, kernel.backtest_->measured_s);
    }
    std::vector<double> errors;
    for (const KernelModel& kernel : model_.kernels_) {
      const auto& check = kernel.backtest_;
      if (!check || !(check->measured_s > 0) || check->measured_s < 0.01 * largest[kernel.data_->metric]) continue;
      errors.push_back(std::abs(check->predicted_s / check->measured_s - 1));
    }
    if (errors.empty()) return;
    const std::vector<double> scales = data_->scales();
    model_.backtest_.np = scales.back();
    model_.backtest_.from = {scales.begin(), scales.end() - 1};
    model_.backtest_.kernels = static_cast<int>(errors.size());
    model_.backtest_.median_kernel_error = core::median(errors);
  }

  void fit_totals() {
    for (const char* name : kTotals) {
      const auto found = data_->totals.find(name);
      if (found == data_->totals.end() || is_zero_everywhere(found->second)) continue;
      FitOptions options = options_.fit;
      if (std::string_view(name).starts_with("memory")) options.accuracy = kMemoryAccuracy;
      core::Result<Model> fitted = fit::fit(found->second, options);
      if (fitted) model_.totals_.emplace(name, std::move(fitted).value());
    }
  }

  void fit_cost() {
    model_.forms_of_source_ = fit_paper_forms(measured_costs(*data_));
    if (options_.network == nullptr) {
      model_.cost_ = model_.forms_of_source_;
      return;
    }
    model_.cost_ = options_.network;
    model_.on_given_network_ = true;
    model_.measured_on_another_network_ = options_.measured_network != nullptr;
    if (data_->clock == core::Clock::kCpu) {
      if (options_.measured_network != nullptr) {
        model_.notes_.push_back(
            "the network that was measured on is of no use with the CPU clock, where BF_comm is taken as 1");
      }
      return;
    }
    // BF_comm is the measured communication time over the time that the network predicts, for each configuration.
    const CommunicationCost& measured_on =
        options_.measured_network != nullptr ? *options_.measured_network : *options_.network;
    Series ratio{data_->parameter_names, "bf_comm", "[all]", {}};
    for (const ConfigurationPoint& point : data_->configurations) {
      double calculated = 0, took = 0;
      for (const KernelData& kernel : data_->kernels) {
        if (kernel.kind != KernelKind::kMpi) continue;
        const auto load = measured_load(kernel, point);
        const auto cost = load ? measured_on.time_s(*load) : std::nullopt;
        if (!cost) continue;
        calculated += *cost;
        took += mean_at(kernel.find(metric::kTime), point.at);
      }
      if (calculated > 0) ratio.observations.push_back({point.at, {took / calculated}});
    }
    core::Result<Model> fitted = fit::fit(ratio, options_.fit);
    if (fitted) {
      model_.blocking_factor_ = std::make_shared<const Model>(std::move(fitted).value());
    } else {
      model_.notes_.push_back(
          "BF_comm, measured over calculated communication, cannot be modelled and is taken to be 1: " +
          fitted.error().message);
    }
  }

  bool is_unchecked(const KernelData& kernel) const { return depth_ > 0 && !is_worth_checking(kernel); }

  // Fits one metric of all kernels of a kind together, since their series learn from one another.
  void fit_metric(const std::string& metric, bool operations) {
    std::vector<const Series*> series;
    std::deque<Series> without_single_ranks;
    std::vector<size_t> kernel_of;
    for (size_t i = 0; i < data_->kernels.size(); ++i) {
      const KernelData& kernel = data_->kernels[i];
      const Series* found = kernel.find(metric);
      if ((kernel.kind == KernelKind::kMpi) != operations || found == nullptr || is_zero_everywhere(*found)) continue;
      if (metric != kernel.metric && is_unchecked(kernel)) continue;
      if (metric == metric::kCritical && same_values(*found, kernel.main_series())) continue;
      series.push_back(operations ? &without_single_ranks.emplace_back(of_several_ranks(*found)) : found);
      kernel_of.push_back(i);
    }
    std::vector<core::Result<Model>> fitted = fit_all(series, options_.fit);
    for (size_t i = 0; i < fitted.size(); ++i) {
      if (fitted[i]) model_.kernels_[kernel_of[i]].models_.emplace(metric, std::move(fitted[i]).value());
    }
  }

  void fit_instruction_costs() {
    struct Cost {
      Series series;
      std::optional<double> steady, steady_blocking;
    };
    const std::vector<KernelData>& kernels = data_->kernels;
    std::vector<Cost> costs(kernels.size());
    core::in_parallel(kernels.size(), options_.fit.threads, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        if (kernels[i].kind == KernelKind::kMpi || is_unchecked(kernels[i])) continue;
        Series ratio = seconds_per_instruction(kernels[i]);
        if (ratio.observations.size() != data_->configurations.size() || is_zero_everywhere(ratio)) continue;
        const double sampling = sampling_error(kernels[i]);
        const Series* blocking = kernels[i].find(metric::kMemoryBlocking);
        costs[i].steady = steady_level(ratio, sampling);
        if (blocking != nullptr) costs[i].steady_blocking = steady_level(*blocking, sampling);
        costs[i].series = std::move(ratio);
      }
    });
    std::vector<const Series*> series;
    std::vector<size_t> kernel_of;
    for (size_t i = 0; i < costs.size(); ++i) {
      if (costs[i].series.observations.empty()) continue;
      series.push_back(&costs[i].series);
      kernel_of.push_back(i);
    }
    std::vector<core::Result<Model>> fitted = fit_all(series, options_.fit);
    for (size_t i = 0; i < fitted.size(); ++i) {
      if (!fitted[i]) continue;
      KernelModel& kernel = model_.kernels_[kernel_of[i]];
      kernel.seconds_per_instruction_ = std::move(fitted[i]).value();
      kernel.steady_seconds_per_instruction_ = costs[kernel_of[i]].steady;
      kernel.steady_blocking_ = costs[kernel_of[i]].steady_blocking;
    }
  }

  void fit_kernels() {
    for (const KernelData& data : data_->kernels) {
      KernelModel& kernel = model_.kernels_.emplace_back();
      kernel.data_ = &data;
      if (data.kind != KernelKind::kMpi) continue;
      kernel.cost_ = model_.cost_;
      kernel.blocking_factor_ = model_.blocking_factor_;
      core::Result<CountModel> calls = fit_count(*data.find(metric::kCalls), options_.fit);
      core::Result<CountModel> bytes = fit_count(*data.find(metric::kBytes), options_.fit);
      if (calls) kernel.calls_ = std::move(calls).value();
      if (bytes) kernel.bytes_ = std::move(bytes).value();
      fit_communicator_size(kernel);
      fit_least_cost(kernel);
      note_largest_scale(kernel);
      fit_critical_load(kernel);
      if (const auto ratio = options_.volume_ratios.find(data.name); ratio != options_.volume_ratios.end()) {
        for (std::optional<CountModel>* volume : {&kernel.bytes_, &kernel.critical_bytes_}) {
          if (*volume) (*volume)->state_volume_ratio(ratio->second);
        }
      }
    }
    const bool checks = depth_ > 0;
    for (const KernelMetric& metric : function_metrics()) {
      if (metric.has_model(checks)) fit_metric(metric.name, false);
    }
    for (const KernelMetric& metric : operation_metrics()) {
      if (metric.has_model(checks)) fit_metric(metric.name, true);
    }
    fit_instruction_costs();
    for (KernelModel& kernel : model_.kernels_) {
      kernel.find_memory_levels();
      kernel.on_given_network_ = options_.network != nullptr && has_cost(kernel);
      kernel.method_ = kernel.on_given_network_ || !kernel.has(Method::kTime) ? Method::kResources : Method::kTime;
      if (!kernel.has(kernel.method_)) kernel.method_ = Method::kTime;
      if (is_stated(kernel)) kernel.method_ = Method::kResources;
    }
  }

  // Who takes part in a call does not hang on the problem's size.
  void fit_communicator_size(KernelModel& kernel) const {
    const Series* sizes = kernel.data_->find(metric::kCommunicatorSize);
    if (sizes == nullptr) return;
    FitOptions options = options_.fit;
    options.size.clear();
    core::Result<CountModel> fitted = fit_count(*sizes, options);
    if (fitted) kernel.communicator_size_ = std::move(fitted).value();
  }

  // No measured time lies below what the fastest calls say of it, whatever part of them was waiting.
  void fit_least_cost(KernelModel& kernel) const {
    for (const ConfigurationPoint& point : data_->configurations) {
      const auto load = measured_load(*kernel.data_, point);
      if (point.np < 2 || !load) continue;
      const double least = least_time(kernel.data_->fastest_calls, *load);
      if (least > 0)
        kernel.least_factor_ =
            std::min(kernel.least_factor_, mean_at(kernel.data_->find(metric::kTime), point.at) / least);
    }
  }

  // The time and load of the operation at the largest scale.
  void note_largest_scale(KernelModel& kernel) const {
    kernel.largest_scale_ = data_->scales().back();
    for (const ConfigurationPoint& point : data_->configurations) {
      const auto load = measured_load(*kernel.data_, point);
      if (point.np < std::max(2.0, kernel.largest_scale_) || !load) continue;
      kernel.at_largest_scale_.push_back({*load, mean_at(kernel.data_->find(metric::kTime), point.at)});
    }
  }

  bool is_stated(const KernelModel& kernel) const {
    return options_.volume_ratios.count(kernel.data_->name) != 0 && kernel.has(Method::kResources);
  }

  // Models the load of the rank that makes many more messages than the others. Its counts have models of their own; its
  // time is the cost of that load times a factor that is the same at all scales.
  void fit_critical_load(KernelModel& kernel) const {
    const KernelData& data = *kernel.data_;
    const Series* calls = data.find("critical_calls");
    if (calls == nullptr) return;
    core::Result<CountModel> of_calls = fit_count(*calls, options_.fit);
    core::Result<CountModel> of_bytes = fit_count(*data.find("critical_bytes"), options_.fit);
    if (!of_calls || !of_bytes) return;
    kernel.critical_calls_ = std::move(of_calls).value();
    kernel.critical_bytes_ = std::move(of_bytes).value();
    if (options_.network != nullptr) {
      if (model_.cost_->knows(data.name)) kernel.critical_factor_ = 1;
      return;
    }
    double sum = 0;
    std::vector<double> factors;
    for (const ConfigurationPoint& point : data_->configurations) {
      const double measured = mean_at(data.find(metric::kCritical), point.at);
      const OperationLoad load{data.name, point.np, mean_at(calls, point.at),
                               mean_at(data.find("critical_bytes"), point.at)};
      const double cost = model_.cost_->time_s(load).value_or(0);
      if (point.np < 2 || !(measured > 0) || !(cost > 0)) continue;
      factors.push_back(measured / cost);
      sum += std::log(factors.back());
    }
    if (factors.empty()) return;
    const double factor = std::exp(sum / static_cast<double>(factors.size()));
    double deviation = 1;
    for (const double f : factors) deviation = std::max({deviation, f / factor, factor / f});
    // Where the factors lie farther apart than this, they have a trend of their own.
    constexpr double kSteady = 1.25;
    if (deviation > kSteady) return;
    kernel.critical_factor_ = factor;
    kernel.critical_deviation_ = deviation;
  }

  // Whether the operation's loads have a cost wherever it was measured.
  bool has_cost(const KernelModel& kernel) const {
    if (kernel.data_->kind != KernelKind::kMpi || !kernel.has(Method::kResources)) return false;
    return std::all_of(data_->configurations.begin(), data_->configurations.end(),
                       [&](const ConfigurationPoint& point) {
                         const auto load = measured_load(*kernel.data_, point);
                         return !load || model_.cost_->time_s(*load).has_value();
                       });
  }

  // Fits without the largest scale, chooses each kernel's method by how well it predicts that scale, and compares the
  // prediction of the whole procedure, choice of methods included, with what was measured there.
  void check_against_largest() {
    const std::vector<double> scales = data_->scales();
    if (depth_ >= kMaxDepth || scales.size() < kScalesForCheck) {
      if (depth_ == 0) {
        model_.notes_.push_back("measured at " + std::to_string(scales.size()) + " process counts (" +
                                core::list_of(scales) +
                                "): too few to check the prediction against one of them; measure one more");
      }
      return;
    }
    const double largest = scales.back();
    core::Result<ApplicationModel> smaller =
        ApplicationFitter(without_scale(*data_, largest, checks_need), where_it_was_measured(), depth_ + 1).fit();
    if (!smaller) return;
    std::vector<ConfigurationPoint> held_out;
    for (const ConfigurationPoint& point : data_->configurations) {
      if (point.np == largest) held_out.push_back(point);
    }
    for (size_t i = 0; i < model_.kernels_.size(); ++i) {
      choose_method(model_.kernels_[i], smaller.value().kernels_[i], held_out);
    }
    hold_against(smaller.value(), held_out);
    model_.backtest_before_ = smaller.value().backtest_;
    model_.backtest_.np = largest;
    model_.backtest_.from = {scales.begin(), scales.end() - 1};
  }

  // The options for a prediction of the largest measured scale: it is compared with times of the network that was
  // measured on. With the CPU clock these times are those of the shortest calls, and no network predicts them.
  ApplicationOptions where_it_was_measured() const {
    ApplicationOptions options = options_;
    if (options.measured_network != nullptr) options.network = options.measured_network;
    if (data_->clock == core::Clock::kCpu) options.network = options.measured_network = nullptr;
    return options;
  }

  void choose_method(KernelModel& kernel, const KernelModel& smaller,
                     const std::vector<ConfigurationPoint>& held_out) const {
    const Series* measured = &kernel.data_->main_series();
    KernelBacktest check;
    std::array<double, 2> error = {0, 0};
    for (const ConfigurationPoint& point : held_out) {
      const double value = mean_at(measured, point.at);
      check.measured_s += value / static_cast<double>(held_out.size());
      check.predicted_s += smaller.time_value(point.at) / static_cast<double>(held_out.size());
      for (const Method method : {Method::kTime, Method::kResources}) {
        // Without the least cost, which is the same for both.
        error[method == Method::kResources] += std::abs(smaller.modelled_value(method, point.at) - value);
      }
    }
    if (!(check.measured_s > 0)) return;
    const double sum = check.measured_s * static_cast<double>(held_out.size());
    if (smaller.has(Method::kTime)) check.time_error = error[0] / sum;
    if (smaller.has(Method::kResources)) check.resources_error = error[1] / sum;
    if (!kernel.on_given_network_ && !is_stated(kernel) && check.time_error && check.resources_error &&
        kernel.has(Method::kResources)) {
      const double apart = *check.time_error - *check.resources_error;
      // Both the measured time and the one predicted from such times have this error.
      const bool told = std::abs(apart) > kNoiseInDifferences * measuring_error(*kernel.data_, held_out);
      kernel.method_ = apart > 0 || (!told && counts_are_steadier(kernel)) ? Method::kResources : Method::kTime;
    }
    kernel.backtest_ = check;
  }

  // Whether a prediction of it is held against a time of the run. With the CPU clock the time of an operation is made
  // of its calls and bytes at every scale.
  bool is_measured(const KernelModel& kernel) const {
    const KernelKind kind = kernel.data_->kind;
    return kind != KernelKind::kDevice && (data_->clock != core::Clock::kCpu || kind != KernelKind::kMpi);
  }

  // Whether instructions were predicted from smaller scales at least as well as the time.
  static bool counts_are_steadier(const KernelModel& kernel) {
    const Model* instructions = kernel.model(metric::kInstructions);
    if (instructions == nullptr) return false;
    return instructions->backtest().median_error <= kernel.model(metric::kTime)->backtest().median_error;
  }

  void hold_against(const ApplicationModel& smaller, const std::vector<ConfigurationPoint>& held_out) {
    ApplicationBacktest& backtest = model_.backtest_;
    double low = 0, high = 0, of_kernels = 0, direct = 0;
    for (const ConfigurationPoint& point : held_out) {
      const Prediction predicted = smaller.predict(point.at);
      backtest.predicted_s += predicted.run_s.value;
      backtest.predicted_computation_s += predicted.computation_s.value;
      backtest.predicted_communication_s += predicted.communication_s.value;
      backtest.predicted_waiting_s += predicted.waiting_s.value;
      of_kernels += predicted.computation_of_kernels_s.value;
      direct += predicted.computation_direct_s.value_or(predicted.computation_of_kernels_s).value;
      low += predicted.run_s.low;
      high += predicted.run_s.high;
      backtest.measured_s += mean_at(&data_->totals.at(metric::kRun), point.at);
      backtest.measured_computation_s += mean_at(&data_->totals.at(metric::kComputation), point.at);
    }
    if (backtest.measured_computation_s > 0) {
      backtest.kernels_error = std::abs(of_kernels / backtest.measured_computation_s - 1);
      backtest.direct_error = std::abs(direct / backtest.measured_computation_s - 1);
    }
    backtest.inside = low <= backtest.measured_s && backtest.measured_s <= high;
    const double measured_one = backtest.measured_s / static_cast<double>(held_out.size());
    std::vector<double> errors;
    for (const KernelModel& kernel : model_.kernels_) {
      const auto& check = kernel.backtest();
      if (!check || check->measured_s < 0.01 * measured_one || !is_measured(kernel)) continue;
      errors.push_back(std::abs(check->predicted_s / check->measured_s - 1));
    }
    backtest.kernels = static_cast<int>(errors.size());
    backtest.median_kernel_error = core::median(errors);
    for (double* value :
         {&backtest.measured_s, &backtest.predicted_s, &backtest.measured_computation_s,
          &backtest.predicted_computation_s, &backtest.predicted_communication_s, &backtest.predicted_waiting_s}) {
      *value /= static_cast<double>(held_out.size());
    }
  }

  std::shared_ptr<const ApplicationData> data_;
  ApplicationOptions options_;
  int depth_;
  ApplicationModel model_;
};

core::Result<ApplicationModel> fit_application(ApplicationData data, const ApplicationOptions& options) {
  return ApplicationFitter(std::move(data), options, 0).fit();
}

}  // namespace scalediag::fit
