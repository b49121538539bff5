#include "report/findings/efficiencies.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/profile/metric_names.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {
namespace {

class EfficiencyBuilder {
 public:
  EfficiencyBuilder(const predict::Predictor& predictor, const std::vector<double>& base, Scaling scaling)
      : predictor_(predictor), model_(predictor.model()), data_(model_.data()), base_(base), scaling_(scaling) {}

  std::vector<Efficiencies> all(const std::vector<std::vector<double>>& targets) const {
    std::vector<Efficiencies> efficiencies;
    const Parts base = measured_parts(base_);
    const auto add = [&](const std::vector<double>& at, const Parts& parts, bool predicted) {
      if (!(parts.computation > 0) || !(parts.run > 0) || !(parts.slowest > 0)) return;
      Efficiencies e;
      e.at = point_of(data_.parameter_names, at);
      e.predicted = predicted;
      e.simulated = parts.is_simulated;
      e.waiting_causes = parts.waiting_causes;
      // It is not known how a rank's computation and its device's add up: the device of the one that computes longest
      // counts as the mean one, so that inequality of devices is part of the communication.
      const double busy = parts.computation + parts.gpu, most_busy = parts.slowest + parts.gpu;
      e.load_balance = busy / most_busy;
      e.communication_efficiency = most_busy * (busy + parts.openmp_waiting) / busy / parts.run;
      e.parallel_efficiency = e.load_balance * e.communication_efficiency;
      if (waits_for_threads()) {
        e.thread_efficiency = 1 / (1 + std::max(0.0, parts.idleness));
        e.parallel_efficiency *= *e.thread_efficiency;
      }
      if (uses_gpu()) {
        e.offload_efficiency = 1 - parts.gpu / (busy + parts.openmp_waiting);
        e.devices = core::device_efficiencies(parts.devices, parts.run);
      }
      // The factor by which the whole work grows: in strong scaling the work of all ranks together stays, in weak
      // scaling that of a rank.
      const double growth = scaling_ == Scaling::kWeak ? 1 : fit::process_count(at) / fit::process_count(base_);
      const bool comparable = std::equal(at.begin() + 1, at.end(), base_.begin() + 1);
      if (comparable && scaling_ != Scaling::kUnknown) {
        e.computation_scalability = base.computation / (parts.computation * growth);
        if (base.instructions && parts.instructions && *parts.instructions > 0) {
          e.instruction_scalability = *base.instructions / (*parts.instructions * growth);
          e.ipc_scalability = *e.computation_scalability / *e.instruction_scalability;
        }
      }
      e.blocking = blocking_factors(model_, at);
      efficiencies.push_back(std::move(e));
    };
    for (const fit::ConfigurationPoint& c : data_.configurations) add(c.at, measured_parts(c.at), false);
    for (const std::vector<double>& at : targets) add(at, predicted_parts(at), true);
    return efficiencies;
  }

 private:
  struct Parts {
    double computation = 0, slowest = 0, openmp_waiting = 0, gpu = 0;
    core::DeviceTimes devices;
    double idleness = 0;  // of threads: CPU time of waiting / of computation
    double run = 0;       // without what lies before the end of MPI_Init or after the start of MPI_Finalize
    std::optional<double> instructions;
    bool is_simulated = false;
    std::vector<predict::CauseOfWaiting> waiting_causes;
  };

  bool waits_for_threads() const { return data_.totals.count("openmp_waiting_s") != 0; }

  bool uses_gpu() const { return data_.totals.count(metric::kGpu) != 0; }

  core::DeviceTimes measured_devices(const std::vector<double>& at) const {
    const auto of = [&](const char* name) {
      const auto total = data_.totals.find(name);
      return total == data_.totals.end() ? 0 : measured_at(total->second, at).value_or(0);
    };
    return {of(metric::kDeviceKernels), of(metric::kDeviceKernelsMax), of(metric::kDeviceBusyMax)};
  }

  // Sums of kernels, each times what its sum misses of what was measured at the largest scale: kernels that were too
  // few or not timed, and ranks that have most of one kernel and not of another.
  core::DeviceTimes predicted_devices(const std::vector<double>& at) const {
    const std::vector<double>& largest = data_.configurations.back().at;
    const core::DeviceTimes measured = measured_devices(largest);
    core::DeviceTimes there, here;
    for (const fit::KernelModel& kernel : model_.kernels()) {
      if (kernel.data().kind != fit::KernelKind::kDevice) continue;
      const double slowest_there = measured_at(kernel.data().critical_series(), largest).value_or(0);
      const double slowest_here = kernel.critical_value(at);
      there.most_busy_s += slowest_there;
      here.most_busy_s += slowest_here;
      if (kernel.data().is_copy) continue;
      there.most_kernels_s += slowest_there;
      here.most_kernels_s += slowest_here;
      there.kernels_s += measured_at(kernel.data().main_series(), largest).value_or(0);
      here.kernels_s += kernel.time_value(at);
    }
    const auto times = [](double value, double of, double to) { return of > 0 ? value * to / of : 0; };
    core::DeviceTimes all;
    all.kernels_s = times(here.kernels_s, there.kernels_s, measured.kernels_s);
    all.most_kernels_s =
        std::max(all.kernels_s, times(here.most_kernels_s, there.most_kernels_s, measured.most_kernels_s));
    all.most_busy_s = std::max(all.most_kernels_s, times(here.most_busy_s, there.most_busy_s, measured.most_busy_s));
    return all;
  }

  Parts measured_parts(const std::vector<double>& at) const {
    Parts parts;
    parts.computation = measured_at(data_.totals.at(metric::kComputation), at).value_or(0);
    parts.slowest = measured_at(data_.totals.at(metric::kSlowestComputation), at).value_or(0);
    parts.run = measured_at(data_.totals.at(metric::kRun), at).value_or(0);
    if (waits_for_threads()) {
      parts.openmp_waiting = measured_at(data_.totals.at("openmp_waiting_s"), at).value_or(0);
      parts.idleness = measured_at(data_.totals.at("openmp_idleness"), at).value_or(0);
    }
    if (uses_gpu()) parts.gpu = measured_at(data_.totals.at(metric::kGpu), at).value_or(0);
    parts.devices = measured_devices(at);
    const auto counted = data_.totals.find(metric::kInstructions);
    if (counted != data_.totals.end()) parts.instructions = measured_at(counted->second, at);
    // The CPU clock knows no waiting; the simulation does. Computation stays what was measured.
    const predict::SimulatedCommunication* simulated = predictor_.measured(at);
    if (data_.clock == core::Clock::kCpu && simulated != nullptr && simulated->computation_s > 0) {
      parts.slowest = simulated->slowest_computation_s;
      parts.run = predictor_.at(at).run.estimate.value;
      parts.is_simulated = true;
      parts.waiting_causes = predict::causes_of(*simulated);
    }
    return parts;
  }

  // Instructions of a rank. A kernel's counts follow a hypothesis that their sum need not follow, so the kernels'
  // predictions are added up. The instructions of kernels that were too small to be modelled are taken to grow with
  // them.
  std::optional<double> instructions_at(const std::vector<double>& at) const {
    const auto total = data_.totals.find(metric::kInstructions);
    if (total == data_.totals.end()) return std::nullopt;
    const std::vector<double>& largest = data_.configurations.back().at;
    double predicted = 0, modelled = 0;
    for (const fit::KernelModel& kernel : model_.kernels()) {
      const fit::Series* counted = kernel.data().find(metric::kInstructions);
      const fit::Model* model = kernel.model(metric::kInstructions);
      if (counted == nullptr || model == nullptr) continue;
      predicted += model->value(at);
      modelled += measured_at(*counted, largest).value_or(0);
    }
    const auto all = measured_at(total->second, largest);
    if (!all || !(modelled > 0)) return std::nullopt;
    return predicted * std::max(1.0, *all / modelled);
  }

  Parts predicted_parts(const std::vector<double>& at) const {
    const predict::Prediction p = predictor_.at(at);
    Parts parts;
    parts.computation = p.computation.estimate.value;
    parts.slowest = p.simulated ? p.simulated->slowest_computation_s : p.slowest_computation.estimate.value;
    parts.openmp_waiting = p.openmp_waiting.estimate.value;
    parts.gpu = p.gpu.estimate.value;
    parts.devices = predicted_devices(at);
    parts.run = p.run.estimate.value;
    if (p.simulated) {
      parts.is_simulated = true;
      parts.waiting_causes = p.waiting_causes;
    }
    if (const fit::Model* idleness = model_.total_model("openmp_idleness")) parts.idleness = idleness->value(at);
    // With the CPU clock the predicted times already hold all threads.
    if (data_.clock == core::Clock::kCpu && parts.computation > 0) {
      parts.idleness = parts.openmp_waiting / parts.computation;
    }
    parts.instructions = instructions_at(at);
    return parts;
  }

  const predict::Predictor& predictor_;
  const fit::ApplicationModel& model_;
  const fit::ApplicationData& data_;
  const std::vector<double>& base_;
  const Scaling scaling_;
};

}  // namespace

std::vector<Efficiencies> efficiencies_of(const predict::Predictor& predictor, const std::vector<double>& base,
                                          const std::vector<std::vector<double>>& targets, Scaling scaling) {
  return EfficiencyBuilder(predictor, base, scaling).all(targets);
}

BlockingFactors blocking_factors(const fit::ApplicationModel& model, const std::vector<double>& at) {
  if (model.data().clock == core::Clock::kCpu) return {1, std::nullopt};
  BlockingFactors factors{model.blocking_factor_of_source(at), std::nullopt};
  if (model.blocking_factor() != nullptr) factors.of_network = model.blocking_factor()->value(at);
  return factors;
}

}  // namespace scalediag::report
