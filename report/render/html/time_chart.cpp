#include "report/render/html/time_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/text/bounded.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/render/html/escape.h"

namespace scalediag::report::html {
namespace {

constexpr double kChartLeft = 58, kChartRight = 552, kChartTop = 40, kChartBase = 280;
constexpr size_t kMostBars = 10;
// An interval is drawn up to so many times the highest bar.
constexpr double kMostOfBars = 1.3;
// A bar of a smaller part of the highest one would not show its parts.
constexpr double kLowestBar = 1.0 / 15;

struct PartOfRun {
  const char* name;
  const char* style;
  double RunParts::*seconds;
};
constexpr std::array<PartOfRun, 6> kPartsOfRun = {
    {{"computation", "part-computation", &RunParts::computation_s},
     {"threads waiting for one another", "part-threads", &RunParts::openmp_waiting_s},
     {"calls of GPUs", "part-gpu", &RunParts::gpu_s},
     {"messages", "part-messages", &RunParts::communication_s},
     {"waiting for other ranks", "part-waiting", &RunParts::waiting_s},
     {"in no function", "part-rest", &RunParts::unattributed_s}}};

double sum_of(const RunParts& parts) {
  double sum = 0;
  for (const PartOfRun& part : kPartsOfRun) sum += parts.*part.seconds;
  return sum;
}

struct TimeBar {
  const ScaleSample* sample;
  bool predicted;
};

class TimeChart {
 public:
  explicit TimeChart(const Findings& findings) : findings_(findings) {
    choose_bars();
    double highest = 0, lowest = sum_of(bars_.front().sample->parts), end = 0;
    for (const TimeBar& bar : bars_) {
      highest = std::max(highest, sum_of(bar.sample->parts));
      lowest = std::min(lowest, sum_of(bar.sample->parts));
      if (bar.predicted) end = std::max(end, bar.sample->run_s.high);
    }
    shares_ = lowest < kLowestBar * highest;
    end_ = shares_ || !(highest > 0) ? 1 : std::clamp(end, highest, kMostOfBars * highest);
  }

  std::string figure() {
    const std::string run = name_of_predicted(findings_), time = findings_.clock == "cpu" ? "CPU time" : "Time";
    const std::string caption = shares_ ? "Where the time of the " + run + " goes, in shares; above each bar its " +
                                              (findings_.clock == "cpu" ? "CPU time" : "time")
                                        : time + " of the " + run + " and where it goes";
    out_ = "<figure class=\"time\"><figcaption>" + escaped(caption) +
           "</figcaption><svg class=\"stack\" viewBox=\"0 0 560 320\" role=\"img\" aria-label=\"" + escaped(caption) +
           "\"><defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
           "<path class=\"hatch\" d=\"M-1,7L7,-1M-1,1L1,-1M5,7L7,5\"/></pattern></defs>";
    ticks();
    for (size_t i = 0; i < bars_.size(); ++i) draw(i);
    divide();
    return std::move(out_) + "</svg>" + key() + "</figure>\n";
  }

 private:
  // All measured scales and the targets; of many the first and the last ones.
  void choose_bars() {
    for (const ScaleSample& s : findings_.curve->samples) {
      const auto is = [&](const Point& at) { return at == s.at; };
      const bool measured = std::any_of(findings_.measured.begin(), findings_.measured.end(), is);
      const bool target = std::any_of(findings_.targets.begin(), findings_.targets.end(),
                                      [&](const TargetFindings& t) { return t.at == s.at; });
      if (measured || target) bars_.push_back({&s, !measured});
    }
    if (bars_.size() > kMostBars) {
      bars_.erase(bars_.begin() + 1, bars_.end() - static_cast<std::ptrdiff_t>(kMostBars - 1));
    }
  }

  double factor(const TimeBar& bar) const {
    const double whole = sum_of(bar.sample->parts);
    return shares_ && whole > 0 ? 1 / whole : 1;
  }
  double y(double value) const { return kChartBase - value / end_ * (kChartBase - kChartTop); }
  double step() const { return (kChartRight - kChartLeft) / static_cast<double>(bars_.size()); }
  double middle(size_t bar) const { return kChartLeft + (static_cast<double>(bar) + 0.5) * step(); }
  static std::string number(double value) { return core::fixed(value, 1); }

  void text(double x, double y, const char* anchor, const std::string& words) {
    out_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" + escaped(words) +
            "</text>";
  }
  void line(const char* style, const std::string& path) {
    out_ += std::string("<path class=\"") + style + "\" d=\"" + path + "\"/>";
  }

  void ticks() {
    const double power = std::pow(10, std::floor(std::log10(end_)));
    double step = power;
    for (const double part : {5.0, 2.0, 1.0, 0.5, 0.25}) {
      if (end_ / (part * power) <= 5) step = part * power;
    }
    const core::TimeFormat time(end_);
    for (int i = 0; i * step <= end_ * (1 + 1e-9); ++i) {
      const double tick = i * step;
      line("grid", "M" + number(kChartLeft) + "," + number(y(tick)) + "H" + number(kChartRight));
      text(kChartLeft - 6, y(tick) + 4, "end",
           tick == 0 ? "0"
           : shares_ ? core::fixed(100 * tick, 0) + " %"
                     : core::to_text(std::round(1e6 * core::units_a_second(time) * tick) / 1e6) + " " + time.unit());
    }
    text(kChartRight, 316, "end", "processes");
  }

  static std::string time_of(const TimeBar& bar) {
    const double value = sum_of(bar.sample->parts);
    const core::TimeFormat time(value);
    const double units = core::units_a_second(time);
    const Estimate& e = bar.sample->run_s;
    // Measured times have three digits.
    const core::Bounded shown = bar.predicted && e.low <= value && value <= e.high
                                    ? core::bounded(units * value, units * e.low, units * e.high)
                                    : core::bounded(units * value, units * value * 0.995, units * value * 1.005);
    return shown.value == "-" ? shown.value : shown.value + " " + time.unit();
  }

  void draw(size_t i) {
    const TimeBar& bar = bars_[i];
    const RunParts& parts = bar.sample->parts;
    const double whole = sum_of(parts), width = std::min(0.66 * step(), 56.0), left = middle(i) - width / 2;
    const auto rect = [&](const std::string& style, double from, double to, const std::string& inside) {
      out_ += "<rect" + style + " x=\"" + number(left) + "\" y=\"" + number(y(to)) + "\" width=\"" + number(width) +
              "\" height=\"" + number(y(from) - y(to)) + "\">" + inside + "</rect>";
    };
    double below = 0;
    for (const PartOfRun& part : kPartsOfRun) {
      const double seconds = parts.*part.seconds;
      if (!(seconds > 0)) continue;
      rect(std::string(" class=\"") + part.style + "\"", below * factor(bar), (below + seconds) * factor(bar),
           "<title>" +
               escaped(text_of(bar.sample->at) + ", " + part.name + ": " + core::time_text(seconds) + ", " +
                       core::spaced_percent(seconds / whole)) +
               "</title>");
      below += seconds;
    }
    double label = y(whole * factor(bar));
    if (bar.predicted) rect(" class=\"predicted\" fill=\"url(#hatch)\"", 0, whole * factor(bar), "");
    if (bar.predicted && !shares_) {
      const Estimate& e = bar.sample->run_s;
      const double high = std::min(e.high * factor(bar), end_);
      line("whisker", "M" + number(middle(i)) + "," + number(y(high)) + "V" + number(y(e.low * factor(bar))));
      label = y(high);
    }
    text(middle(i), label - 5, "middle", time_of(bar));
    text(middle(i), kChartBase + 17, "middle", core::to_text(process_count(bar.sample->at)));
  }

  // Predicted scales need not all be larger than the measured ones.
  void divide() {
    const auto is_predicted = [](const TimeBar& bar) { return bar.predicted; };
    const auto first = std::find_if(bars_.begin(), bars_.end(), is_predicted);
    line("axis", "M" + number(kChartLeft) + "," + number(kChartBase) + "H" + number(kChartRight));
    if (first == bars_.begin() || !std::all_of(first, bars_.end(), is_predicted)) return;
    const double x = kChartLeft + static_cast<double>(first - bars_.begin()) * step();
    text(first == bars_.end() ? kChartRight : x - 8, 14, "end", origin_of_totals(findings_));
    if (first == bars_.end()) return;
    line("ideal", "M" + number(x) + ",4V" + number(kChartBase));
    text(x + 8, 14, "start", "predicted");
  }

  std::string key() const {
    const auto has = [&](const PartOfRun& part) {
      return std::any_of(bars_.begin(), bars_.end(),
                         [&](const TimeBar& bar) { return bar.sample->parts.*part.seconds > 0; });
    };
    const bool waiting = has(kPartsOfRun[3]);
    std::string out = "<p class=\"parts\">";
    for (const PartOfRun& part : kPartsOfRun) {
      if (!has(part)) continue;
      const bool all_of_mpi = part.seconds == &RunParts::communication_s && !waiting;
      out += std::string("<span><svg viewBox=\"0 0 10 10\"><rect class=\"") + part.style +
             "\" width=\"10\" height=\"10\"/></svg> " + (all_of_mpi ? "messages, with waiting" : part.name) +
             "</span> ";
    }
    return out +
           "<span><svg viewBox=\"0 0 10 10\"><rect class=\"predicted\" width=\"10\" height=\"10\" "
           "fill=\"url(#hatch)\"/></svg> predicted" +
           (shares_ ? "" : ", with 90 % interval") + "</span></p>";
  }

  const Findings& findings_;
  std::vector<TimeBar> bars_;
  bool shares_ = false;  // all bars are equally high
  double end_ = 0;       // of the axis
  std::string out_;
};

}  // namespace

std::string time_chart(const Findings& findings) { return TimeChart(findings).figure(); }

}  // namespace scalediag::report::html
