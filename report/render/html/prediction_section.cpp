#include <algorithm>

#include "core/statistics.h"
#include "core/text/bounded.h"
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

std::string speedup(const Findings& findings) {
  const ScalingCurve& curve = *findings.curve;
  if (curve.samples.size() < 2 || findings.scaling == Scaling::kWeak) return "";
  return "<div class=\"charts\">\n<figure data-chart=\"speedup\"><figcaption>Speed-up over " +
         escaped(text_of(findings.base)) + "</figcaption>" +
         curve_svg(curve, CurveKind::kSpeedup, findings.base.front().second, false) + curve_key(findings) +
         "</figure>\n</div>\n";
}

std::string totals(const Findings& findings) {
  double largest = 0;
  for (const TargetFindings& t : findings.targets) largest = std::max(largest, t.run_s->value);
  const core::TimeFormat time(largest);
  const double units = core::units_a_second(time);
  const std::vector<TotalsPart> parts = totals_parts(findings);
  std::vector<Column> columns = {{"target", false},
                                 {std::string(name_of_predicted(findings)) + " " + time.unit()},
                                 {core::fixed(100 * findings.targets.front().run_s->level, 0) + "% interval"}};
  for (const TotalsPart& part : parts) columns.push_back({part.title});
  for (const char* title : {"speed-up", "efficiency"}) columns.push_back({title});
  const std::string of = findings.clock == "cpu" ? "CPU time per rank" : "mean over ranks";
  std::string out = table_begin(
      "Predicted " + std::string(name_of_predicted(findings)) + " time, " + of + ", in " + std::string(time.unit()),
      columns, "totals");
  for (const TargetFindings& t : findings.targets) {
    const core::Bounded run = in_units(*t.run_s, units);
    out += "<tr>" + row_title(text_of(t.at)) + cell(run.value, true, "strong") +
           html_cell(interval(run.low, run.high), true);
    for (const TotalsPart& part : parts) {
      out += cell(t.*part.value ? in_units(*(t.*part.value), units).value : "-");
    }
    const std::optional<Estimate> speedup = speedup_of(t);
    out += cell(speedup ? in_units(*speedup, 1).value : "-") + cell(efficiency_cell(t)) + "</tr>\n";
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
  std::string out = "<details><summary>The numbers of the charts</summary>\n";
  out += table_begin("", {{"processes"},
                          {origin_of_totals(findings) + std::string(" ") + time.unit()},
                          {std::string("predicted ") + time.unit()},
                          {"interval"},
                          {"speed-up"},
                          {"interval"},
                          {"efficiency"},
                          {"interval"},
                          {"computation"},
                          {"threads waiting"},
                          {"GPU"},
                          {"messages"},
                          {"waiting"},
                          {"in no function"}});
  for (const ScaleSample& s : curve.samples) {
    const core::Bounded run = in_units(s.run_s, core::units_a_second(time)), speedup = in_units(s.speedup, 1);
    const core::Bounded efficiency = core::bounded_percent(s.efficiency.value, s.efficiency.low, s.efficiency.high);
    out += "<tr>" + row_title(core::to_text(process_count(s.at))) +
           cell(s.measured_run_s.empty() ? "-" : time(core::mean(s.measured_run_s))) + cell(run.value) +
           html_cell(interval(run.low, run.high), true) + cell(speedup.value) +
           html_cell(interval(speedup.low, speedup.high), true) + cell(efficiency.value) +
           html_cell(interval(efficiency.low, efficiency.high), true);
    for (const double part : {s.parts.computation_s, s.parts.openmp_waiting_s, s.parts.gpu_s, s.parts.communication_s,
                              s.parts.waiting_s, s.parts.unattributed_s}) {
      out += cell(time(part));
    }
    out += "</tr>\n";
  }
  return out + table_end() + "</details>\n";
}

}  // namespace

std::string prediction_section(const Findings& findings) {
  std::string out = section_begin("prediction", "Prediction in full", "");
  for (const std::string& sentence : verdict_of(findings)) out += "<p>" + escaped(sentence) + "</p>\n";
  for (const TargetFindings& target : findings.targets) {
    if (const std::string causes = causes_text(target.waiting_causes); !causes.empty()) {
      out += "<p>Waiting at " + escaped(text_of(target.at)) + ": " + escaped(causes) + ".</p>\n";
    }
    for (const std::string& text : source_lines(findings, target)) {
      out += "<p class=\"quiet\">" + escaped(text) + ".</p>\n";
    }
  }
  if (findings.curve) out += speedup(findings);
  if (findings.targets.front().run_s) out += totals(findings);
  if (findings.curve) out += samples(findings);
  return out + section_end();
}

}  // namespace scalediag::report::html
