#include "loggp/analysis/tolerance.h"

#include <algorithm>
#include <cmath>
#include <future>

namespace scalediag::loggp {
namespace {

constexpr double kTangentStep = 1e-5;  // of a factor
constexpr double kCloseEnough = 1e-4;  // of the run time, between tangents and chord
constexpr double kSameSlope = 1e-3;    // relative
constexpr int kMostPoints = 10;

// A point of T, and the slope from it upwards.
struct TangentPoint {
  double factor = 1;
  double total_s = 0;
  double slope_s = 0;
};

// The tangents of two neighbouring points and the chord between them.
struct TangentPair {
  TangentPoint a, b;

  bool bends() const {
    return b.slope_s - a.slope_s > kSameSlope * std::max(std::fabs(a.slope_s), std::fabs(b.slope_s));
  }
  // Where the tangents meet.
  double middle() const {
    const double at =
        ((b.total_s - b.slope_s * b.factor) - (a.total_s - a.slope_s * a.factor)) / (a.slope_s - b.slope_s);
    return std::clamp(at, a.factor, b.factor);
  }
  double lowest_s() const { return a.total_s + a.slope_s * (middle() - a.factor); }
  double gap_s() const {
    if (!bends()) return 0;
    const double along = (middle() - a.factor) / (b.factor - a.factor);
    return std::max(0.0, a.total_s + along * (b.total_s - a.total_s) - lowest_s());
  }
};

class RunTimeCurve {
 public:
  RunTimeCurve(const std::function<core::Result<double>(double)>& total_s, TangentPoint first)
      : total_s_(total_s), points_{first} {}

  core::Status add_slope(TangentPoint& point) {
    const auto next = total_s_(point.factor * (1 + kTangentStep));
    ++simulations_;
    if (!next) return next.error();
    point.slope_s = std::max(0.0, (next.value() - point.total_s) / (point.factor * kTangentStep));
    return core::Done{};
  }
  core::Status add(double factor) {
    TangentPoint point;
    point.factor = factor;
    auto here = std::async(std::launch::async, [&] { return total_s_(factor); });
    const auto next = total_s_(factor * (1 + kTangentStep));
    const auto total_s = here.get();
    simulations_ += 2;
    if (!total_s) return total_s.error();
    if (!next) return next.error();
    point.total_s = total_s.value();
    point.slope_s = std::max(0.0, (next.value() - point.total_s) / (factor * kTangentStep));
    const auto after =
        std::find_if(points_.begin(), points_.end(), [&](const TangentPoint& p) { return p.factor > factor; });
    points_.insert(after, point);
    return core::Done{};
  }
  std::vector<TangentPoint>& points() { return points_; }
  std::vector<TangentPair> intervals() const {
    std::vector<TangentPair> all;
    for (size_t i = 0; i + 1 < points_.size(); ++i) all.push_back({points_[i], points_[i + 1]});
    return all;
  }
  int simulations() const { return simulations_; }

 private:
  const std::function<core::Result<double>(double)>& total_s_;
  std::vector<TangentPoint> points_;
  int simulations_ = 0;
};

// The factor between the two points at which T is `wanted_s`; empty: it is less there.
std::optional<double> crossing(const TangentPair& interval, double wanted_s) {
  std::vector<TangentPoint> line = {interval.a, interval.b};
  if (interval.bends()) line.insert(line.begin() + 1, {interval.middle(), interval.lowest_s(), interval.b.slope_s});
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i + 1].total_s < wanted_s) continue;
    const double rise_s = line[i + 1].total_s - line[i].total_s;
    if (rise_s <= 0) return line[i].factor;
    return line[i].factor + std::max(0.0, wanted_s - line[i].total_s) / rise_s * (line[i + 1].factor - line[i].factor);
  }
  return std::nullopt;
}

}  // namespace

core::Result<Tolerance> tolerance_of(const std::function<core::Result<double>(double)>& total_s, double now_s,
                                     const std::vector<double>& longer) {
  RunTimeCurve curve(total_s, {1, now_s, 0});
  TangentPoint& now = curve.points().front();
  if (auto added = curve.add_slope(now); !added) return added.error();
  // T is nowhere below its first tangent, so that it has risen enough where that has.
  const double enough_s = longer.back() * now_s;
  const double last = now.slope_s > 0 ? 1 + enough_s / now.slope_s : kMostFactor;
  if (auto added = curve.add(std::min(last * (1 + kTangentStep), kMostFactor)); !added) return added.error();

  Tolerance result;
  for (;;) {
    const std::vector<TangentPair> all = curve.intervals();
    const auto widest = std::max_element(
        all.begin(), all.end(), [](const TangentPair& a, const TangentPair& b) { return a.gap_s() < b.gap_s(); });
    result.error = now_s > 0 ? widest->gap_s() / now_s : 0;
    if (result.error <= kCloseEnough || curve.points().size() >= kMostPoints) break;
    if (auto added = curve.add(widest->middle()); !added) return added.error();
  }
  for (const double share : longer) {
    Tolerance::Limit limit{share, std::nullopt};
    for (const TangentPair& interval : curve.intervals()) {
      if ((limit.factor = crossing(interval, (1 + share) * now_s))) break;
    }
    result.limits.push_back(limit);
  }
  const double until = result.limits.back().factor.value_or(kMostFactor);
  for (const TangentPair& interval : curve.intervals()) {
    if (interval.bends() && interval.middle() < until) result.bends.push_back(interval.middle());
  }
  result.simulations = curve.simulations();
  return result;
}

}  // namespace scalediag::loggp
