#include "fit/curves/several_parameters.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "fit/curves/curve_fitter.h"
#include "fit/curves/hypotheses.h"

namespace scalediag::fit {
namespace {

// Exponents are drawn towards 0 as if each had been seen to be 0 with a tenth of a point's weight.
constexpr double kRidge = 0.1;

std::vector<double> without(std::vector<double> at, size_t dimension) {
  at[dimension] = 0;
  return at;
}

double doublings_beyond(const CurveFit& fit, double x) {
  const std::vector<double>& scales = fit.curve().scales->x;
  return std::max({0.0, std::log2(x / scales.back()), std::log2(scales.front() / x)});
}

struct EstimateAt {
  std::vector<double> at;
  LogEstimate estimate;
};

// Evaluates points in the remaining dimensions at the target, one dimension after the other, until one estimate is
// left.
std::optional<LogEstimate> fold(std::vector<EstimateAt> points, std::span<const size_t> dimensions,
                                std::span<const Axis> axes, std::span<const double> at, double level, ModelSet models) {
  for (size_t i = 0; i < dimensions.size(); i++) {
    const size_t d = dimensions[i];
    std::map<std::vector<double>, std::map<double, LogEstimate>> groups;
    for (const EstimateAt& p : points) groups[without(p.at, d)][p.at[d]] = p.estimate;
    std::vector<Curve> curves;
    std::vector<EstimateAt> next;  // their estimates have the widest of their curve's half widths, until that is fitted
    for (const auto& [rest, along] : groups) {
      if (along.size() < kScalesForTrend) continue;
      Curve& curve = curves.emplace_back();
      HalfWidths& widest = next.emplace_back(EstimateAt{rest, {}}).estimate.half_widths;
      std::vector<double> x;
      for (const auto& [value, estimate] : along) {
        x.push_back(value);
        curve.values.push_back(std::exp(estimate.center));
        widest = {std::max(widest.below, estimate.half_widths.below),
                  std::max(widest.above, estimate.half_widths.above)};
      }
      curve.weights.assign(x.size(), 1);
      curve.scales = std::make_shared<ScaleTable>(x, axes[i]);
    }
    if (curves.empty()) return std::nullopt;
    const std::vector<CurveFit> fits = fit_curves(std::move(curves), level, models);
    for (size_t c = 0; c < fits.size(); c++) {
      const LogEstimate e = fits[c].estimate(at[d]);
      next[c].estimate = {e.center, together(e.half_widths, next[c].estimate.half_widths)};
    }
    points = std::move(next);
  }
  return points.front().estimate;
}

}  // namespace

Curve curve_along(std::vector<const Point*> points, size_t dimension, Axis axis, ScaleTables* tables) {
  std::ranges::sort(points,
                    [dimension](const Point* a, const Point* b) { return a->at[dimension] < b->at[dimension]; });
  Curve curve;
  std::vector<double> x;
  for (const Point* p : points) {
    x.push_back(p->at[dimension]);
    curve.values.push_back(p->value);
    curve.weights.push_back(p->weight);
  }
  curve.scales = tables->at(x, axis);
  return curve;
}

std::vector<Slice> slices_along(std::span<const Point> points, size_t dimension, Axis axis, ScaleTables* tables,
                                std::vector<Curve>* curves) {
  std::map<std::vector<double>, std::vector<const Point*>> groups;
  for (const Point& p : points) groups[without(p.at, dimension)].push_back(&p);
  std::vector<Slice> slices;
  for (auto& [rest, group] : groups) {
    if (group.size() < kScalesForTrend) continue;
    slices.push_back({dimension, rest, curves->size()});
    curves->push_back(curve_along(std::move(group), dimension, axis, tables));
  }
  return slices;
}

PowerProduct fit_product(std::span<const Point> points, std::span<const size_t> dimensions) {
  const auto n = static_cast<Eigen::Index>(points.size());
  const auto m = static_cast<Eigen::Index>(dimensions.size());
  Eigen::MatrixXd a(n, m);
  Eigen::VectorXd y(n);
  for (Eigen::Index i = 0; i < n; i++) {
    const Point& p = points[static_cast<size_t>(i)];
    y[i] = std::log(p.value);
    for (Eigen::Index j = 0; j < m; j++) a(i, j) = std::log(p.at[dimensions[static_cast<size_t>(j)]]);
  }
  const Eigen::RowVectorXd center = a.colwise().mean();
  const double mean = y.mean();
  const Eigen::MatrixXd centered = a.rowwise() - center;
  const Eigen::VectorXd deviations = (y.array() - mean).matrix();
  PowerProduct out;
  // Points without noise give the exact exponents, which must not be drawn towards 0.
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(centered);
  Eigen::VectorXd b = qr.solve(deviations);
  out.exact = n > m + 1 && qr.rank() == m && (deviations - centered * b).cwiseAbs().maxCoeff() < kExact;
  if (!out.exact) {
    Eigen::MatrixXd gram = centered.transpose() * centered;
    gram.diagonal().array() += kRidge;
    b = gram.ldlt().solve(centered.transpose() * deviations);
  }
  out.exponents.assign(b.data(), b.data() + m);
  out.log_factor = mean - center.dot(b);
  const Eigen::VectorXd missed = deviations - centered * b;
  out.deviation = std::sqrt(missed.squaredNorm() / static_cast<double>(std::max<Eigen::Index>(1, n - m - 1)));
  return out;
}

SeveralParameters::SeveralParameters(std::vector<Point> points, std::vector<size_t> dimensions, std::vector<Axis> axes,
                                     std::vector<Slice> slices, std::vector<CurveFit> fits, double level,
                                     ModelSet models)
    : points_(std::move(points)),
      dimensions_(std::move(dimensions)),
      axes_(std::move(axes)),
      slices_(std::move(slices)),
      fits_(std::move(fits)),
      product_(fit_product(points_, dimensions_)),
      level_(level),
      models_(models) {}

LogEstimate SeveralParameters::estimate(std::span<const double> at) const {
  LogEstimate e = along_curves(at);
  if (product_.exact) e.center = log_product(at);
  return e;
}

LogEstimate SeveralParameters::along_curves(std::span<const double> at) const {
  const std::vector<double> target(at.begin(), at.end());
  const Slice* through = nullptr;
  double least = std::numeric_limits<double>::infinity();
  size_t most_scales = 0;
  for (const size_t d : dimensions_) {
    const std::vector<double> rest = without(target, d);
    for (const Slice& s : slices_) {
      if (s.dimension != d || s.at != rest) continue;
      const double beyond = doublings_beyond(fits_[s.curve], at[d]);
      const size_t scales = fits_[s.curve].curve().values.size();
      const bool checked = scales >= kScalesForCheck;
      const bool best_checked = most_scales >= kScalesForCheck;
      if (through && (best_checked && !checked)) continue;
      if (!through || (checked && !best_checked) || beyond < least) {
        through = &s;
        least = beyond;
        most_scales = scales;
      }
    }
  }
  if (through) return fits_[through->curve].estimate(at[through->dimension]);

  for (size_t first = 0; first < dimensions_.size(); first++) {
    const size_t d = dimensions_[first];
    std::vector<EstimateAt> points;
    for (const Slice& s : slices_)
      if (s.dimension == d) points.push_back({s.at, fits_[s.curve].estimate(at[d])});
    if (points.size() < kScalesForTrend) continue;
    std::vector<size_t> others = dimensions_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(first));
    std::vector<Axis> axes = axes_;
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(first));
    if (const auto e = fold(std::move(points), others, axes, at, level_, models_)) return *e;
  }
  return scattered(at);
}

double SeveralParameters::log_product(std::span<const double> at) const {
  double v = product_.log_factor;
  for (size_t j = 0; j < dimensions_.size(); j++) v += product_.exponents[j] * std::log(at[dimensions_[j]]);
  return v;
}

LogEstimate SeveralParameters::scattered(std::span<const double> at) const {
  const Point* nearest = &points_.front();
  double distance = std::numeric_limits<double>::infinity();
  for (const Point& p : points_) {
    double squares = 0;
    for (const size_t d : dimensions_) squares += std::pow(std::log2(at[d] / p.at[d]), 2);
    if (squares < distance) {
      distance = squares;
      nearest = &p;
    }
  }
  distance = std::sqrt(distance);
  LogEstimate e;
  e.center = log_product(at) + 0.5 * (std::log(nearest->value) - log_product(nearest->at));
  // Without slices nothing could be checked: the width is twice the scatter around the product and the usual error of
  // hypotheses (a tenth per square root of a doubling).
  const double width = std::min(kWidest, 2 * std::hypot(product_.deviation, 0.1 * root_doublings(distance)));
  e.half_widths = {width, width};
  return e;
}

}  // namespace scalediag::fit
