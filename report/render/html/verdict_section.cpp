#include <algorithm>

#include "core/statistics.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/render/html/curve_svg.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"
#include "report/render/html/sections.h"
#include "report/render/source_text.h"
#include "report/render/verdict.h"

namespace scalediag::report::html {
namespace {

std::string figure(const std::string& value, const std::string& unit, const std::string& what) {
  return "<div class=\"figure\"><span class=\"value\">" + escaped(value) +
         (unit.empty() ? "" : " <span class=\"unit\">" + escaped(unit) + "</span>") + "</span><span class=\"what\">" +
         escaped(what) + "</span></div>\n";
}

std::string interval_text(const SweetSpot& spot) {
  if (spot.at_least == spot.at_most) return spot.measured ? " (measured)" : "";
  const auto end = [&](const std::optional<double>& processes) {
    return processes ? core::to_text(*processes) : "more than " + core::to_text(spot.examined);
  };
  return ": " + end(spot.at_least) + " - " + end(spot.at_most);
}

// The four most important numbers.
std::string figures(const Findings& findings) {
  const TargetFindings& target = main_target(findings);
  const core::TimeFormat time(target.run_s->value);
  std::string out = "<div class=\"figures\">\n";
  out += figure(
      time(target.run_s->value), time.unit() + std::string(clock_text(findings)),
      text_of(target.at) + ": " + time(target.run_s->low) + " - " + time(target.run_s->high) + " " + time.unit());
  if (target.speedup && findings.scaling != Scaling::kWeak)
    out += figure(core::fixed(*target.speedup, 2), "x", "speed-up over " + text_of(findings.base));
  if (target.efficiency)
    out += figure(core::percent(*target.efficiency), "", "efficiency over " + text_of(findings.base));
  if (findings.curve) {
    const SweetSpot& spot = findings.curve->sweet_spot;
    const double place = spot.processes.value_or(spot.examined);
    out += figure((spot.processes ? "" : "> ") + core::to_text(place), "processes",
                  "efficiency stays at " + core::fixed(100 * spot.bound, 0) + "% or above" + interval_text(spot));
  }
  return out + "</div>\n";
}

std::string curves(const Findings& findings) {
  const ScalingCurve& curve = *findings.curve;
  if (curve.samples.size() < 2) return "";
  const double base = findings.base.front().second;
  const bool weak = findings.scaling == Scaling::kWeak;
  std::string out = "<div class=\"charts\">\n";
  for (const CurveKind kind : {CurveKind::kSpeedup, CurveKind::kEfficiency}) {
    const bool speedup = kind == CurveKind::kSpeedup;
    if (speedup && weak) continue;
    out += "<figure data-chart=\"" + std::string(speedup ? "speedup" : "efficiency") + "\"><figcaption>" +
           (speedup ? "Speed-up over " : "Efficiency over ") + escaped(text_of(findings.base)) + "</figcaption>" +
           curve_svg(curve, kind, base, weak) + "</figure>\n";
  }
  return out + "</div>\n<p class=\"key\"><span class=\"key-point\"></span> " + origin_of_totals(findings) +
         " <span class=\"key-line\"></span> predicted <span class=\"key-band\"></span> " +
         core::fixed(100 * curve.samples.back().run_s.level, 0) +
         "% interval <span class=\"key-ideal\"></span> ideal <span class=\"key-bound\"></span> efficiency bound of " +
         core::fixed(100 * curve.sweet_spot.bound, 0) + "%</p>\n";
}

std::string totals(const Findings& findings) {
  double largest = 0;
  for (const TargetFindings& t : findings.targets) largest = std::max(largest, t.run_s->value);
  const core::TimeFormat time(largest);
  const bool parts = tells_communication(findings);
  const bool waiting = parts && findings.targets.front().waiting_s.has_value();
  std::vector<Column> columns = {{"target", false},
                                 {std::string(name_of_predicted(findings)) + " " + time.unit()},
                                 {core::fixed(100 * findings.targets.front().run_s->level, 0) + "% interval"}};
  if (parts) columns.push_back({"computation"});
  const bool threads = findings.targets.front().openmp_waiting_s.has_value();
  if (threads) columns.push_back({"OpenMP waiting"});
  if (parts) columns.push_back({"communication"});
  if (waiting) columns.push_back({"waiting"});
  const bool unattributed = has_unattributed(findings);
  if (unattributed) columns.push_back({"unattributed"});
  for (const char* title : {"speed-up", "efficiency"}) columns.push_back({title});
  const std::string of = findings.clock == "cpu" ? "CPU time per rank" : "mean over ranks";
  std::string out = table_begin(
      "Predicted " + std::string(name_of_predicted(findings)) + " time, " + of + ", in " + std::string(time.unit()),
      columns, "totals");
  for (const TargetFindings& t : findings.targets) {
    out += "<tr>" + row_title(text_of(t.at)) + cell(time(t.run_s->value), true, "strong") +
           html_cell(interval(time(t.run_s->low), time(t.run_s->high)), true);
    if (parts) out += cell(time(t.computation_s->value));
    if (threads) out += cell(t.openmp_waiting_s ? time(t.openmp_waiting_s->value) : "-");
    if (parts) out += cell(time(t.communication_s->value));
    if (waiting) out += cell(t.waiting_s ? time(t.waiting_s->value) : "-");
    if (unattributed) out += cell(time(t.unattributed_s->value));
    out += cell(t.speedup ? core::fixed(*t.speedup, 2) : "-") +
           cell(t.efficiency ? core::percent(*t.efficiency) : "-") + "</tr>\n";
  }
  out += table_end() + "<p>" + escaped(run_line(findings)) + "</p>\n";
  const std::string start_and_end = start_and_end_line(findings);
  return start_and_end.empty() ? out : out + "<p>" + escaped(start_and_end) + "</p>\n";
}

// The curve's numbers, for readers who cannot see it.
std::string samples(const Findings& findings) {
  const ScalingCurve& curve = *findings.curve;
  double largest = 0;
  for (const ScaleSample& s : curve.samples) largest = std::max(largest, s.run_s.value);
  const core::TimeFormat time(largest);
  std::string out = "<details><summary>The numbers of the curves</summary>\n";
  out += table_begin("", {{"processes"},
                          {origin_of_totals(findings) + std::string(" ") + time.unit()},
                          {std::string("predicted ") + time.unit()},
                          {"interval"},
                          {"speed-up"},
                          {"interval"},
                          {"efficiency"},
                          {"interval"}});
  for (const ScaleSample& s : curve.samples) {
    out += "<tr>" + row_title(core::to_text(process_count(s.at))) +
           cell(s.measured_run_s.empty() ? "-" : time(core::mean(s.measured_run_s))) + cell(time(s.run_s.value)) +
           html_cell(interval(time(s.run_s.low), time(s.run_s.high)), true) + cell(core::fixed(s.speedup.value, 2)) +
           html_cell(interval(core::fixed(s.speedup.low, 2), core::fixed(s.speedup.high, 2)), true) +
           cell(core::percent(s.efficiency.value)) +
           html_cell(interval(core::percent(s.efficiency.low), core::percent(s.efficiency.high)), true) + "</tr>\n";
  }
  return out + table_end() + "</details>\n";
}

}  // namespace

std::string verdict_section(const Findings& findings) {
  std::string out = "<section id=\"verdict\" aria-label=\"Verdict\">\n<div class=\"verdict\">\n";
  for (const std::string& sentence : verdict_of(findings)) out += "<p>" + escaped(sentence) + "</p>\n";
  out += "</div>\n";
  for (const TargetFindings& target : findings.targets) {
    if (const std::string causes = causes_text(target.waiting_causes); !causes.empty()) {
      out += "<p>Waiting at " + escaped(text_of(target.at)) + ": " + escaped(causes) + ".</p>\n";
    }
    for (const std::string& text : source_lines(findings, target)) {
      out += "<p class=\"quiet\">" + escaped(text) + ".</p>\n";
    }
  }
  const bool application = findings.targets.front().run_s.has_value();
  if (application) out += figures(findings);
  if (findings.curve) out += curves(findings);
  if (application) out += totals(findings);
  if (findings.curve) out += samples(findings);
  return out + section_end();
}

}  // namespace scalediag::report::html
