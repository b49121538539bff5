#include "report/render/html/curve_svg.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/text/numbers.h"
#include "core/text/quantities.h"

namespace scalediag::report::html {
namespace {

constexpr double kWidth = 560, kHeight = 320;
constexpr double kLeft = 52, kRight = 16, kTop = 14, kBottom = 40;
// A value above this many times the ideal one is drawn at the edge: an interval can reach to infinity.
constexpr double kMostOverIdeal = 1.5;

class Drawing {
 public:
  Drawing(const ScalingCurve& curve, CurveKind kind, double base_processes, bool weak)
      : curve_(curve), speedup_(kind == CurveKind::kSpeedup), logarithmic_(speedup_ && !weak), base_(base_processes) {
    x_low_ = process_count(curve.samples.front().at);
    x_high_ = process_count(curve.samples.back().at);
    const double ideal = logarithmic_ ? x_high_ / base_ : 1;
    top_ = ideal * (logarithmic_ ? 1.3 : 1.05);
    bottom_ = logarithmic_ ? 1 : 0;
    for (const ScaleSample& s : curve.samples) {
      top_ = std::max({top_, std::min(of(s).value, ideal * kMostOverIdeal), measured(s).value_or(0) * 1.05});
      if (logarithmic_) bottom_ = std::min({bottom_, std::max(of(s).low, 1e-3), measured(s).value_or(1)});
    }
    if (logarithmic_) bottom_ *= 0.8;
  }

  std::string svg() {
    out_ = "<svg class=\"curve\" viewBox=\"0 0 560 320\" role=\"img\" aria-label=\"";
    out_ += speedup_ ? "Speed-up" : "Efficiency";
    out_ += " over the number of processes\">";
    axes();
    ideal();
    band();
    line();
    sweet_spot();
    points();
    return std::move(out_) + "</svg>";
  }

 private:
  const Estimate& of(const ScaleSample& s) const { return speedup_ ? s.speedup : s.efficiency; }
  std::optional<double> measured(const ScaleSample& s) const {
    return speedup_ ? s.measured_speedup : s.measured_efficiency;
  }

  double x(double processes) const {
    const double span = std::log(x_high_ / x_low_);
    return kLeft + (span > 0 ? std::log(processes / x_low_) / span : 0.5) * (kWidth - kLeft - kRight);
  }
  double y(double value) const {
    const double clamped = std::clamp(value, bottom_, top_);
    const double part =
        logarithmic_ ? std::log(clamped / bottom_) / std::log(top_ / bottom_) : (clamped - bottom_) / (top_ - bottom_);
    return kHeight - kBottom - part * (kHeight - kTop - kBottom);
  }
  static std::string at(double x, double y) { return core::fixed(x, 1) + "," + core::fixed(y, 1); }

  void text(double x, double y, const char* anchor, const std::string& words) {
    out_ += "<text x=\"" + core::fixed(x, 1) + "\" y=\"" + core::fixed(y, 1) + "\" text-anchor=\"" + anchor + "\">" +
            words + "</text>";
  }
  void segment(const char* classes, double x1, double y1, double x2, double y2) {
    out_ += "<path class=\"" + std::string(classes) + "\" d=\"M" + at(x1, y1) + "L" + at(x2, y2) + "\"/>";
  }

  std::vector<double> y_ticks() const {
    std::vector<double> ticks;
    if (!logarithmic_) {
      for (double t = 0; t <= top_ + 1e-9; t += top_ > 2 ? 1 : 0.25) ticks.push_back(t);
      return ticks;
    }
    const double step = top_ / bottom_ > 300 ? 10 : top_ / bottom_ > 40 ? 4 : 2;
    double t = 1;
    while (t / step >= bottom_) t /= step;
    for (; t <= top_; t *= step) ticks.push_back(t);
    return ticks;
  }

  void axes() {
    for (const double tick : y_ticks()) {
      segment("grid", kLeft, y(tick), kWidth - kRight, y(tick));
      text(kLeft - 8, y(tick) + 4, "end", speedup_ ? core::to_text(tick) : core::fixed(100 * tick, 0) + "%");
    }
    double last = -100;
    for (const ScaleSample& s : curve_.samples) {
      const double place = x(process_count(s.at));
      if (place - last < 30) continue;
      segment("tick", place, kHeight - kBottom, place, kHeight - kBottom + 5);
      text(place, kHeight - kBottom + 18, "middle", core::to_text(process_count(s.at)));
      last = place;
    }
    segment("axis", kLeft, kHeight - kBottom, kWidth - kRight, kHeight - kBottom);
    text(kWidth - kRight, kHeight - 6, "end", "processes");
  }

  void ideal() {
    if (logarithmic_) {
      segment("ideal", x(x_low_), y(x_low_ / base_), x(x_high_), y(x_high_ / base_));
    } else {
      segment("ideal", x(x_low_), y(1), x(x_high_), y(1));
    }
  }

  void band() {
    std::string path;
    for (const ScaleSample& s : curve_.samples)
      path += (path.empty() ? "M" : "L") + at(x(process_count(s.at)), y(of(s).high));
    for (auto s = curve_.samples.rbegin(); s != curve_.samples.rend(); ++s)
      path += "L" + at(x(process_count(s->at)), y(of(*s).low));
    out_ += "<path class=\"band\" d=\"" + path + "Z\"/>";
  }

  void line() {
    std::string path;
    for (const ScaleSample& s : curve_.samples)
      path += (path.empty() ? "M" : "L") + at(x(process_count(s.at)), y(of(s).value));
    out_ += "<path class=\"line\" d=\"" + path + "\"/>";
  }

  void sweet_spot() {
    const SweetSpot& spot = curve_.sweet_spot;
    if (!speedup_) segment("bound", kLeft, y(spot.bound), kWidth - kRight, y(spot.bound));
    if (!spot.processes) return;
    const double place = x(*spot.processes);
    segment("bound", place, kTop, place, kHeight - kBottom);
    const bool left = place > kWidth * 0.6;
    text(place + (left ? -5 : 5), kTop + 10, left ? "end" : "start", core::to_text(*spot.processes));
  }

  void points() {
    for (const ScaleSample& s : curve_.samples) {
      const auto value = measured(s);
      if (!value) continue;
      out_ += "<circle class=\"point\" r=\"4\" cx=\"" + core::fixed(x(process_count(s.at)), 1) + "\" cy=\"" +
              core::fixed(y(*value), 1) + "\"><title>from the runs at " + core::to_text(process_count(s.at)) + ": " +
              (speedup_ ? core::fixed(*value, 2) : core::percent(*value)) + "</title></circle>";
    }
  }

  const ScalingCurve& curve_;
  const bool speedup_, logarithmic_;
  const double base_;
  double x_low_ = 1, x_high_ = 1, bottom_ = 0, top_ = 1;
  std::string out_;
};

}  // namespace

std::string curve_svg(const ScalingCurve& curve, CurveKind kind, double base_processes, bool weak) {
  return Drawing(curve, kind, base_processes, weak).svg();
}

std::string curve_key(const Findings& findings) {
  const ScalingCurve& curve = *findings.curve;
  return std::string("<p class=\"key\"><span class=\"key-point\"></span> ") + origin_of_totals(findings) +
         " <span class=\"key-line\"></span> predicted <span class=\"key-band\"></span> " +
         core::fixed(100 * curve.samples.back().run_s.level, 0) +
         "% interval <span class=\"key-ideal\"></span> ideal <span class=\"key-bound\"></span> efficiency bound of " +
         core::fixed(100 * curve.sweet_spot.bound, 0) + "%</p>\n";
}

}  // namespace scalediag::report::html
