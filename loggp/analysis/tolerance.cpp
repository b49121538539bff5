#include "loggp/analysis/tolerance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scalediag::loggp {
namespace {

constexpr double kTangentStep = 1e-5;  // of a factor
constexpr double kCloseEnough = 5e-3;  // of the run time, between what encloses it
constexpr double kVerified = 1e-3;     // of the run time, between what a limit should be and a simulation beside it
constexpr double kSameSlope = 1e-3;    // relative
constexpr int kMostPoints = 10;

// A point of T, and the slope from it upwards where it was needed.
struct TangentPoint {
  double factor = 1;
  double total_s = 0;
  std::optional<double> slope_s = std::nullopt;
  std::map<std::string, double> slopes_s = {};  // by operation

  double tangent_s(double at) const { return total_s + slope_s.value_or(0) * (at - factor); }
};

// Two neighbouring points with what is known of T between them: it is above both tangents and below the chord.
struct TangentPair {
  TangentPoint a, b;

  double chord_slope_s() const { return (b.total_s - a.total_s) / (b.factor - a.factor); }
  // Without a tangent in b, or in a, T may be straight.
  bool bends() const {
    if (!a.slope_s || !b.slope_s) return false;
    return *b.slope_s - *a.slope_s > kSameSlope * std::max(std::fabs(*a.slope_s), std::fabs(*b.slope_s));
  }
  // Where the tangents meet.
  double middle() const {
    const double at = (b.tangent_s(0) - a.tangent_s(0)) / (*a.slope_s - *b.slope_s);
    return std::clamp(at, a.factor, b.factor);
  }
  double lowest_s() const { return a.tangent_s(middle()); }
  double gap_s() const {
    if (a.slope_s && b.slope_s) {
      if (!bends()) return 0;
      return std::max(0.0, a.total_s + chord_slope_s() * (middle() - a.factor) - lowest_s());
    }
    const double from_a_s = a.slope_s ? b.total_s - a.tangent_s(b.factor) : std::numeric_limits<double>::infinity();
    const double from_b_s = b.slope_s ? a.total_s - b.tangent_s(a.factor) : std::numeric_limits<double>::infinity();
    const double gap_s = std::min(from_a_s, from_b_s);
    return std::isfinite(gap_s) ? std::max(0.0, gap_s) : b.total_s - a.total_s;
  }
};

std::vector<TangentPair> intervals_of(const std::vector<TangentPoint>& points) {
  std::vector<TangentPair> all;
  for (size_t i = 0; i + 1 < points.size(); ++i) all.push_back({points[i], points[i + 1]});
  return all;
}

class RunTimeCurve {
 public:
  RunTimeCurve(const std::function<Result<RunTime>(double)>& run_time, TangentPoint first)
      : run_time_(run_time), points_{std::move(first)} {}

  Status add_slope(TangentPoint& point) {
    const auto next = run_time_(point.factor * (1 + kTangentStep));
    ++simulations_;
    if (!next) return next.error();
    point.slope_s = std::max(0.0, (next.value().total_s - point.total_s) / (point.factor * kTangentStep));
    return Done{};
  }
  Status add(double factor) {
    auto there = run_time_(factor);
    ++simulations_;
    if (!there) return there.error();
    const auto after = std::ranges::find_if(points_, [&](const TangentPoint& p) { return p.factor > factor; });
    points_.insert(after, {factor, there.value().total_s, std::nullopt, std::move(there.value().slopes_s)});
    return Done{};
  }
  // One more simulation where it tells most about T between the i-th point and the next.
  Status refine(size_t i) {
    const TangentPair interval{points_[i], points_[i + 1]};
    if (!interval.b.slope_s) return add_slope(points_[i + 1]);
    if (!interval.a.slope_s) return add_slope(points_[i]);
    return add(interval.middle());
  }
  std::vector<TangentPoint>& points() { return points_; }
  std::vector<TangentPair> intervals() const { return intervals_of(points_); }
  int simulations() const { return simulations_; }

 private:
  const std::function<Result<RunTime>(double)>& run_time_;
  std::vector<TangentPoint> points_;
  int simulations_ = 0;
};

// The points of the straight lines that T is taken to consist of.
std::vector<TangentPoint> lines_through(const std::vector<TangentPair>& intervals) {
  std::vector<TangentPoint> line = {intervals.front().a};
  for (const TangentPair& interval : intervals) {
    if (interval.bends()) line.push_back({interval.middle(), interval.lowest_s()});
    line.push_back(interval.b);
  }
  return line;
}

// The first factor at which T is `wanted_s`; empty: it is less everywhere.
std::optional<double> crossing(const std::vector<TangentPoint>& line, double wanted_s) {
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i + 1].total_s < wanted_s) continue;
    const double rise_s = line[i + 1].total_s - line[i].total_s;
    if (rise_s <= 0) return line[i].factor;
    return line[i].factor + std::max(0.0, wanted_s - line[i].total_s) / rise_s * (line[i + 1].factor - line[i].factor);
  }
  return std::nullopt;
}

// Where the lines change their slope, below `until`.
std::vector<double> bends_of(const std::vector<TangentPoint>& line, double until) {
  std::vector<double> bends;
  for (size_t i = 1; i + 1 < line.size() && line[i].factor < until; ++i) {
    if (line[i].factor <= line[i - 1].factor || line[i + 1].factor <= line[i].factor) continue;
    const double before_s = TangentPair{line[i - 1], line[i]}.chord_slope_s();
    const double after_s = TangentPair{line[i], line[i + 1]}.chord_slope_s();
    if (after_s - before_s > kSameSlope * std::fabs(after_s)) bends.push_back(line[i].factor);
  }
  return bends;
}

// The factor at which T is `wanted_s`, beside a simulation that is as near to it as kVerified; empty: T is less up to
// kMostFactor. T need not be as it is enclosed: where a simulation shows that, is_convex becomes false, and straight
// lines between simulations are taken. error: raised to how far off T is where kMostSteps find no such factor.
Result<std::optional<double>> limit_of(RunTimeCurve& curve, double wanted_s, bool& is_convex, double& error) {
  constexpr int kMostSteps = 8;
  const double now_s = curve.points().front().total_s;
  for (int step = 0;; ++step) {
    const std::vector<TangentPoint>& points = curve.points();
    const auto at = crossing(is_convex ? lines_through(curve.intervals()) : points, wanted_s);
    if (!at && points.back().factor >= kMostFactor) return at;
    const double factor = at.value_or(std::min(kMostFactor, 4 * points.back().factor));
    if (at) {
      const auto above =
          std::find_if(points.begin() + 1, points.end() - 1, [&](const TangentPoint& p) { return p.factor >= factor; });
      const TangentPoint& nearer =
          std::fabs(above->factor - factor) < std::fabs((above - 1)->factor - factor) ? *above : *(above - 1);
      const double off = std::fabs(nearer.total_s - wanted_s) / now_s;
      if (off <= kVerified) return at;
      if (step > 0 && off > kCloseEnough) is_convex = false;
      if (step >= kMostSteps) {
        error = std::max(error, off);
        return at;
      }
      // Straight lines may come nearer and nearer from one side only: every third step halves the interval instead.
      if (step % 3 == 2) {
        TRY(curve.add(std::sqrt(above->factor * (above - 1)->factor)));
        continue;
      }
    }
    TRY(curve.add(factor));
  }
}

double sum_of(const std::map<std::string, double>& slopes_s) {
  double sum_s = 0;
  for (const auto& [operation, slope_s] : slopes_s) sum_s += slope_s;
  return sum_s;
}

// The points with the slopes of their paths where none was simulated, if these are right where one was: each lies
// between those of the chords to both sides, as it does where T is convex.
std::vector<TangentPoint> with_path_slopes(std::vector<TangentPoint> points) {
  for (const TangentPoint& point : points) {
    if (point.slope_s && std::fabs(sum_of(point.slopes_s) - *point.slope_s) > kSameSlope * *point.slope_s)
      return points;
  }
  const auto is_above = [](double slope_s, double other_s) { return slope_s > other_s * (1 + kSameSlope); };
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i].slope_s) continue;
    const double slope_s = sum_of(points[i].slopes_s);
    if (i > 0 && is_above(TangentPair{points[i - 1], points[i]}.chord_slope_s(), slope_s)) continue;
    if (i + 1 < points.size() && is_above(slope_s, TangentPair{points[i], points[i + 1]}.chord_slope_s())) continue;
    points[i].slope_s = slope_s;
  }
  return points;
}

// By operation the seconds that the run takes longer at `until`.
std::map<std::string, double> added_until(const std::vector<TangentPoint>& points, double until) {
  std::map<std::string, double> added_s;
  const auto add = [&added_s](const TangentPoint& point, double width) {
    for (const auto& [operation, slope_s] : point.slopes_s) added_s[operation] += slope_s * width;
  };
  for (size_t i = 0; i < points.size() && points[i].factor < until; ++i) {
    TangentPoint a = points[i];
    a.slope_s = sum_of(a.slopes_s);
    if (i + 1 == points.size()) {
      add(a, until - a.factor);
      break;
    }
    TangentPoint b = points[i + 1];
    b.slope_s = sum_of(b.slopes_s);
    const double end = std::min(until, b.factor);
    // Two paths of the same slope may be of different operations.
    const double change = TangentPair{a, b}.bends() ? TangentPair{a, b}.middle() : (a.factor + b.factor) / 2;
    const double middle = std::min(end, change);
    add(a, middle - a.factor);
    add(b, end - middle);
  }
  return added_s;
}

}  // namespace

Result<Tolerance> tolerance_of(const std::function<Result<RunTime>(double)>& run_time, const RunTime& now,
                               const std::vector<double>& longer) {
  const double now_s = now.total_s;
  RunTimeCurve curve(run_time, {1, now_s, std::nullopt, now.slopes_s});
  TangentPoint& start = curve.points().front();
  TRY(curve.add_slope(start));
  // T is nowhere below its first tangent, so that it has risen enough where that has.
  const double enough_s = longer.back() * now_s;
  const double last = *start.slope_s > 0 ? 1 + enough_s / *start.slope_s : kMostFactor;
  TRY(curve.add(std::min(last * (1 + kTangentStep), kMostFactor)));

  Tolerance result;
  for (;;) {
    const std::vector<TangentPair> all = curve.intervals();
    const auto widest =
        std::ranges::max_element(all, [](const TangentPair& a, const TangentPair& b) { return a.gap_s() < b.gap_s(); });
    const double error = now_s > 0 ? widest->gap_s() / now_s : 0;
    if (error <= kCloseEnough || curve.points().size() >= kMostPoints) break;
    TRY(curve.refine(static_cast<size_t>(widest - all.begin())));
  }
  bool is_convex = true;
  for (const double share : longer) {
    const auto factor = TRY(limit_of(curve, (1 + share) * now_s, is_convex, result.error));
    result.limits.push_back({share, factor, {}});
  }
  if (is_convex) {
    const double until = result.limits.back().factor.value_or(kMostFactor);
    result.bends = bends_of(lines_through(intervals_of(with_path_slopes(curve.points()))), until);
  }
  for (Tolerance::Limit& limit : result.limits) {
    if (!limit.factor) continue;
    for (const auto& [operation, added_s] : added_until(curve.points(), *limit.factor)) {
      limit.shares[operation] = added_s / (limit.longer * now_s);
    }
  }
  if (const auto last_factor = result.limits.back().factor) {
    for (const auto& [operation, slope_s] : now.slopes_s) {
      result.alone[operation] = slope_s * (*last_factor - 1) / now_s;
    }
  }
  result.simulations = curve.simulations();
  return result;
}

}  // namespace scalediag::loggp
