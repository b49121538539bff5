#include "predict/sources/computation_interval.h"

#include <algorithm>
#include <cmath>

#include "core/text/join.h"
#include "core/text/quantities.h"
#include "fit/application/application.h"

namespace scalediag::predict {
namespace {

fit::Series series_of(const std::string& kernel, const std::string& metric) { return {{"np"}, metric, kernel, {}}; }

// Repeats have the whole only; a phase is taken to have the same share of it in each of them.
fit::ApplicationData application_of(const MeasuredComputation& measured) {
  fit::ApplicationData data;
  data.parameter_names = {"np"};
  data.clock = core::Clock::kCpu;
  fit::Series whole = series_of("", metric::kComputation);
  for (const auto& [ranks, runs] : measured.run_s) {
    const std::vector<double> at = {static_cast<double>(ranks)};
    data.configurations.push_back({at, at.front(), static_cast<int>(runs.size())});
    whole.observations.push_back({at, runs});
  }
  for (const loggp::PhaseComputation& phase : measured.phases) {
    fit::KernelData kernel;
    kernel.name = "phase " + std::to_string(phase.phase);
    fit::Series series = series_of(kernel.name, metric::kTime);
    for (const auto& [ranks, runs] : measured.run_s) {
      const double share = runs.front() > 0 ? phase.mean_s.at(ranks) / runs.front() : 0;
      kernel.largest_share = std::max(kernel.largest_share, share);
      std::vector<double> values;
      for (const double run_s : runs) values.push_back(share * run_s);
      series.observations.push_back({{static_cast<double>(ranks)}, std::move(values)});
    }
    kernel.series.emplace(metric::kTime, std::move(series));
    data.kernels.push_back(std::move(kernel));
  }
  data.totals = {{metric::kComputation, whole}, {metric::kRun, whole}};
  return data;
}

std::string list_text(const std::vector<int>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size(); ++i) {
    text += (i == 0 ? "" : i + 1 < numbers.size() ? ", " : " and ") + std::to_string(numbers[i]);
  }
  return text;
}

}  // namespace

core::Result<ScaledComputation> scaled_computation(const MeasuredComputation& measured, int ranks, double trace_s,
                                                   const std::optional<PointComputation>& points) {
  const auto model = fit::fit_application(application_of(measured));
  if (!model) return model.error();
  ScaledComputation scaled;
  scaled.ranks = ranks;
  for (const auto& [scale, runs] : measured.run_s) scaled.scales.push_back(scale);
  if (model.value().backtest().np > 0) scaled.check_error = model.value().backtest().computation_error();
  const fit::Estimate predicted = model.value().predict(std::vector{static_cast<double>(ranks)}).computation_s;
  scaled.predicted_s = predicted;
  if (points) {
    PointComputation taken = *points;
    taken.mean_s = trace_s;
    scaled.points = taken.runs;
    scaled.without_point = taken.without;
    scaled.mean_s = point_estimate(taken, predicted);
    return scaled;
  }
  scaled.is_outside = trace_s < predicted.low || trace_s > predicted.high;
  scaled.mean_s = {trace_s, std::min(predicted.low, trace_s), std::max(predicted.high, trace_s), predicted.level};
  return scaled;
}

std::string text_of(const ScaledComputation& computation) {
  const fit::Estimate& mean = computation.mean_s;
  const core::TimeFormat time(mean.high);
  const auto range = [&](const fit::Estimate& e) { return time(e.low) + " - " + time(e.high) + " " + time.unit(); };
  std::string text = "computation of a rank on " + std::to_string(computation.ranks) + ": " + time(mean.value) + " " +
                     time.unit() + " in the mean, " + core::spaced_percent(mean.level, 0) + " interval " + range(mean) +
                     ", from " + list_text(computation.scales) + " ranks";
  if (computation.check_error) {
    std::vector<int> others = computation.scales;
    others.pop_back();
    text += " (" + std::to_string(computation.scales.back()) + " from " + list_text(others) + ": " +
            core::signed_percent(*computation.check_error) + ")";
  } else {
    text += ", which are too few to check it: a guess from experience";
  }
  if (computation.is_outside) {
    text += "; the trace's power of the number of ranks lies outside of " + range(computation.predicted_s) +
            ", which is widened to hold it";
  }
  if (!computation.points.empty()) {
    text += "; phases with a measurable point compute as in " + core::join(computation.points);
  }
  if (computation.knows_caches()) return text;
  return text + "; no measured point says whether data falls into a cache there" +
         (computation.without_point.empty()
              ? ""
              : " in phase" + std::string(computation.without_point.size() > 1 ? "s " : " ") +
                    list_text(computation.without_point)) +
         ", and the interval does not hold that";
}

}  // namespace scalediag::predict
