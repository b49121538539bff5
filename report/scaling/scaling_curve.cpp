#include "report/scaling/scaling_curve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/profile/metric_names.h"
#include "core/statistics.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {
namespace {

class CurveBuilder {
 public:
  CurveBuilder(const predict::Predictor& predictor, Scaling scaling, double base_processes, std::vector<double> like)
      : predictor_(predictor),
        model_(predictor.model()),
        weak_(scaling == Scaling::kWeak),
        base_processes_(base_processes),
        moving_(std::move(like)) {
    base_s_ = base_run_s(predictor, base_processes, moving_);
  }

  ScaleSample sample(const std::vector<double>& at) {
    ScaleSample sample;
    sample.at = point_of(model_.data().parameter_names, at);
    sample.measured_s = measured_of("total_s", at);
    sample.measured_run_s = measured_of("run_s", at);
    const double measured = core::mean(sample.measured_run_s);
    if (measured > 0 && base_s_ > 0) {
      sample.measured_speedup = base_s_ / measured;
      sample.measured_efficiency = *sample.measured_speedup * growth(fit::process_count(at));
    }
    sample.total_s = predicted(fit::process_count(at)).total.estimate;
    sample.run_s = predicted(fit::process_count(at)).run.estimate;
    sample.speedup = speedup(fit::process_count(at), 1);
    sample.efficiency = speedup(fit::process_count(at), growth(fit::process_count(at)));
    sample.parts = parts(at, !sample.measured_run_s.empty());
    sample.simulated = predictor_.measured(at) != nullptr;
    return sample;
  }

  SweetSpot sweet_spot(const std::vector<ScaleSample>& samples, double bound) {
    SweetSpot spot;
    spot.bound = bound;
    double last_above = base_processes_;
    double largest_measured = base_processes_;
    for (const ScaleSample& s : samples) {
      spot.examined = process_count(s.at);
      if (spot.measured || spot.examined < base_processes_ || !(s.measured_efficiency || was_run(s.at))) continue;
      largest_measured = process_count(s.at);
      if (s.measured_efficiency.value_or(s.efficiency.value) < bound) {
        spot.measured = true;
        spot.on_network = !s.measured_efficiency;
      } else {
        last_above = largest_measured;
      }
    }
    if (spot.measured) {
      spot.processes = spot.at_least = spot.at_most = last_above;
      return spot;
    }
    if (predictor_.is_more_than_model()) {
      const auto last_sample = [&](double Estimate::*which) {
        return last_sample_above(samples, largest_measured, bound, which);
      };
      spot.processes = last_sample(&Estimate::value);
      spot.at_least = last_sample(&Estimate::low);
      spot.at_most = last_sample(&Estimate::high);
      for (const ScaleSample& s : samples) {
        if (spot.processes && !spot.below_at && process_count(s.at) > *spot.processes)
          spot.below_at = process_count(s.at);
      }
      return spot;
    }
    // The interval may be narrower again at a sample beyond, which is in tables.
    const auto end = [&](double Estimate::*which) {
      std::optional<double> last = last_beyond(largest_measured, spot.examined, bound, which);
      for (const ScaleSample& s : samples) {
        const double processes = process_count(s.at);
        if (!last || s.efficiency.*which < bound || processes <= *last) continue;
        last = processes < spot.examined ? std::optional(processes) : std::nullopt;
      }
      return last;
    };
    spot.processes = end(&Estimate::value);
    spot.at_least = end(&Estimate::low);
    spot.at_most = end(&Estimate::high);
    return spot;
  }

 private:
  RunParts parts(const std::vector<double>& at, bool is_measured) {
    if (is_measured) {
      const auto total = [&](const char* name) {
        const auto series = model_.data().totals.find(name);
        return series == model_.data().totals.end() ? 0 : measured_at(series->second, at).value_or(0);
      };
      return {total("computation_s"),   total("openmp_waiting_s"), total("gpu_s"),
              total("communication_s"), total("waiting_s"),        total("unattributed_s")};
    }
    const predict::Prediction& p = predicted(fit::process_count(at));
    return {p.computation.estimate.value,   p.openmp_waiting.estimate.value, p.gpu.estimate.value,
            p.communication.estimate.value, p.waiting.estimate.value,        p.unattributed.estimate.value};
  }

  bool was_run(const Point& at) const {
    const auto& runs = model_.data().configurations;
    return std::any_of(runs.begin(), runs.end(), [&](const fit::ConfigurationPoint& run) {
      return point_of(model_.data().parameter_names, run.at) == at;
    });
  }

  // `from` where the first sample beyond it is below the bound; empty: the last one is above it.
  static std::optional<double> last_sample_above(const std::vector<ScaleSample>& samples, double from, double bound,
                                                 double Estimate::*which) {
    double last = from;
    for (const ScaleSample& s : samples) {
      if (process_count(s.at) <= from) continue;
      if (s.efficiency.*which < bound) return last;
      last = process_count(s.at);
    }
    return std::nullopt;
  }

  double growth(double processes) const { return weak_ ? 1 : base_processes_ / processes; }

  std::vector<double> measured_of(const char* total, const std::vector<double>& at) const {
    // Points that were measured on one network are not on a curve for another one, and those without waiting not on one
    // with it.
    if (model_.on_given_network() || predictor_.measured(at) != nullptr) return {};
    for (const fit::Observation& o : model_.data().totals.at(total).observations) {
      if (o.at == at) return o.values;
    }
    return {};
  }

  const predict::Prediction& predicted(double processes) {
    const auto known = predicted_.find(processes);
    if (known != predicted_.end()) return known->second;
    moving_.front() = processes;
    return predicted_.emplace(processes, predictor_.at(moving_)).first->second;
  }

  Estimate speedup(double processes, double factor) {
    const Estimate& t = predicted(processes).run.estimate;
    if (!(t.value > 0)) return {0, 0, 0, t.level};
    const Estimate s = speedup_over(base_s_, t, weak_ ? 1 : processes / base_processes_);
    return {s.value * factor, s.low * factor, s.high * factor, s.level};
  }

  bool above(double processes, double bound, double Estimate::*which) {
    return speedup(processes, growth(processes)).*which >= bound;
  }

  // Searches in steps of about the square root of 2, and then within the step that fails, to 1 % or a whole number.
  std::optional<double> last_beyond(double from, double to, double bound, double Estimate::*which) {
    double good = from;
    while (good < to) {
      const double next = std::min(to, std::max(good + 1, std::round(good * std::sqrt(2.0))));
      if (above(next, bound, which)) {
        good = next;
        continue;
      }
      double bad = next;
      while (bad - good > 1 && bad - good > 0.01 * good) {
        const double middle = std::floor((good + bad) / 2);
        (above(middle, bound, which) ? good : bad) = middle;
      }
      return good;
    }
    return std::nullopt;
  }

  const predict::Predictor& predictor_;
  const fit::ApplicationModel& model_;
  const bool weak_;
  const double base_processes_;
  std::vector<double> moving_;
  double base_s_ = 0;
  std::map<double, predict::Prediction> predicted_;
};

}  // namespace

double base_run_s(const predict::Predictor& predictor, double base_processes, std::span<const double> at) {
  std::vector<double> base(at.begin(), at.end());
  base.front() = base_processes;
  const fit::ApplicationModel& model = predictor.model();
  const bool is_elsewhere = model.on_given_network() || predictor.measured(base) != nullptr;
  const auto measured = is_elsewhere ? std::nullopt : measured_at(model.data().totals.at(metric::kRun), base);
  return measured ? *measured : predictor.at(base).run.estimate.value;
}

Estimate speedup_over(double base_s, const Estimate& run_s, double ideal) {
  const double high = run_s.low > 0 ? base_s / run_s.low : std::max(ideal, base_s / run_s.value);
  return {base_s / run_s.value, base_s / run_s.high, high, run_s.level};
}

// As many of rising scales as a chart can show, about evenly spaced in doublings, with the first and the last one.
std::vector<double> shown_scales(const std::vector<double>& scales) {
  constexpr size_t kMostShown = 200;
  if (scales.size() <= kMostShown) return scales;
  const double apart = std::pow(scales.back() / scales.front(), 1.0 / kMostShown);
  std::vector<double> shown = {scales.front()};
  for (const double scale : scales) {
    if (scale >= apart * shown.back() || scale == scales.back()) shown.push_back(scale);
  }
  return shown;
}

std::vector<std::vector<double>> curve_points(const std::vector<double>& measured_scales,
                                              const std::vector<double>& target, size_t processes,
                                              const std::vector<std::vector<double>>& further, bool with_doublings) {
  const std::vector<double> shown = shown_scales(measured_scales);
  std::set<double> scales(shown.begin(), shown.end());
  const double largest = scales.empty() ? 1 : *scales.rbegin();
  scales.insert(target[processes]);
  for (const std::vector<double>& at : further) {
    if (at[processes] <= target[processes]) scales.insert(at[processes]);
  }
  // The number of doublings beyond the largest measured scale, which is a factor of about a million.
  constexpr int kDoublings = 20;
  double scale = 2 * largest;
  for (int i = 0; with_doublings && i < kDoublings && scale < target[processes]; ++i, scale *= 2) scales.insert(scale);
  std::vector<std::vector<double>> points;
  for (const double s : scales) {
    points.push_back(target);
    points.back()[processes] = s;
  }
  return points;
}

ScalingCurve scaling_curve(const predict::Predictor& predictor, Scaling scaling, double base_processes,
                           const std::vector<std::vector<double>>& points, double bound) {
  ScalingCurve curve;
  CurveBuilder builder(predictor, scaling, base_processes, points.back());
  for (const std::vector<double>& at : points) curve.samples.push_back(builder.sample(at));
  curve.sweet_spot = builder.sweet_spot(curve.samples, bound);
  return curve;
}

}  // namespace scalediag::report
