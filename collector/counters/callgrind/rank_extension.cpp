#include "collector/counters/callgrind/rank_extension.h"

#include <cmath>

#include "core/profile/metric_names.h"

namespace scalediag::counters {
namespace {

constexpr double kTolerable = 0.1;
constexpr double kStandardErrors = 3;
constexpr double kFewestSamples = 25;

}  // namespace

void RankEvidence::add(const core::Kernel& kernel, const std::vector<RankTime>& times, const RankChoice& choice) {
  ++repeats_;
  by_rank_s_.resize(choice.ranks.size());
  if (const auto time = kernel.metrics.find(metric::kTime); time != kernel.metrics.end()) all_s_ += time->second.sum;
  all_samples_ += static_cast<double>(kernel.samples);
  for (size_t i = 0; i < times.size(); ++i) {
    const double ranks = choice.stands_for[i];
    by_rank_s_[i] += times[i].time_s;
    counted_s_ += times[i].time_s;
    counted_samples_ += times[i].samples;
    extended_s_ += ranks * times[i].time_s;
    extended_squares_ += ranks * ranks * times[i].time_s;
  }
}

Extension RankEvidence::extension() const {
  // A value of n samples has the variance n: time x the seconds that a sample stands for.
  const double seconds_per_sample = all_samples_ > 0 ? all_s_ / all_samples_ : 0;
  const double error_s = std::sqrt(seconds_per_sample * (extended_squares_ + all_s_));
  if (std::abs(extended_s_ - all_s_) <= kTolerable * all_s_ + kStandardErrors * error_s) return Extension::kByRanks;
  return counted_samples_ >= kFewestSamples && counted_s_ > 0 ? Extension::kByTime : Extension::kNone;
}

std::vector<double> RankEvidence::counted_s() const {
  std::vector<double> mean = by_rank_s_;
  for (double& time_s : mean) time_s /= repeats_;
  return mean;
}

}  // namespace scalediag::counters
