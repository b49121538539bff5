#include <algorithm>
#include <cmath>

#include "core/profile/metric_names.h"
#include "core/profile/resource_notes.h"
#include "core/text/function_name.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "report/findings/places/call_site_findings.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"
#include "report/render/html/sections.h"
#include "report/render/verdict.h"

namespace scalediag::report::html {
namespace {

std::string definition(const std::string& name, const std::string& html) {
  return html.empty() ? "" : "<dt>" + escaped(name) + "</dt><dd>" + html + "</dd>\n";
}

std::string facts(const KernelFinding& k, const Findings& findings) {
  std::string out = "<dl>\n";
  out += definition("name", "<code>" + escaped(k.name) + "</code>");
  std::string source = k.file.empty() ? std::string() : k.file + (k.line > 0 ? ":" + std::to_string(k.line) : "");
  if (!k.module.empty()) source += (source.empty() ? "" : ", ") + k.module;
  out += definition("source", escaped(source));
  out += definition(text_of(main_target(findings).at),
                    escaped(metric_text(k.metric, k.estimate.value)) + " " +
                        interval(metric_text(k.metric, k.estimate.low), metric_text(k.metric, k.estimate.high)) +
                        (k.share > 0 && !k.slowest ? ", " + core::percent(k.share) + " of the run" : ""));
  if (k.slowest) {
    out += definition(k.slowest_rank.empty() ? "slowest rank" : k.slowest_rank + ", the slowest",
                      escaped(metric_text(k.metric, k.slowest->value)) + " " +
                          interval(metric_text(k.metric, k.slowest->low), metric_text(k.metric, k.slowest->high)) +
                          ", " + core::percent(k.share) + " of the run");
  }
  out += definition("scales", scales_mark(k) + (k.cause == Cause::kNone ? "" : ", " + cause_mark(k)) +
                                  (k.evidence.empty() ? "" : ": " + escaped(k.evidence)));
  out += definition(
      "model", (k.formula.empty() ? "no formula" : "<code>" + escaped(k.formula) + "</code>") +
                   (k.method == fit::Method::kResources ? " (composed of its resources)" : " (modelled directly)") +
                   (k.formula_note.empty() ? "" : "; " + escaped(k.formula_note)));
  out += definition("cost", escaped(k.cost));
  out += definition("calls", escaped(call_sites_text(k, findings)));
  out += definition("resources", escaped(core::join(k.resource_notes, "; ", core::resource_note_text)));
  if (k.backtest_error)
    out += definition("checked", "predicted " +
                                     escaped((*k.backtest_error >= 0 ? "+" : "") + core::percent(*k.backtest_error)) +
                                     " off at the largest measured scale, from the smaller ones");
  return out + "</dl>\n";
}

// The caption that explains the rows of a table of metrics.
std::string points_caption(const KernelFinding& kernel, const KernelEvidence& evidence, const Findings& findings) {
  const bool modelled = findings.totals_modelled && kernel.kind == fit::KernelKind::kMpi;
  std::string text = modelled ? std::string("Measured (time_s: ") + origin_of_totals(findings) + ")" : "Measured";
  text += ", and predicted (*) with interval";
  if (!findings.provenance) return text;
  const bool slowest = std::any_of(evidence.metrics.begin(), evidence.metrics.end(),
                                   [](const MetricEvidence& metric) { return metric.name == metric::kCritical; });
  return text + (kernel.kind == fit::KernelKind::kMpi ? "; calls and bytes of all ranks, else" : ";") +
         (slowest ? " critical_s of the slowest rank, else" : "") + " of a rank in the mean";
}

// A table whose rows are metrics; its columns are the measured configurations and then the predicted ones.
std::string points(const KernelFinding& kernel, const KernelEvidence& evidence, const Findings& findings) {
  std::vector<size_t> predicted;
  for (size_t i = 0; i < findings.evidence_points.size(); ++i) {
    const Point& at = findings.evidence_points[i];
    const bool target = std::any_of(findings.targets.begin(), findings.targets.end(),
                                    [&](const TargetFindings& t) { return t.at == at; });
    if (target) predicted.push_back(i);
  }
  std::vector<Column> columns = {{"metric", false}};
  for (const Point& at : findings.measured) columns.push_back({text_of(at)});
  for (const size_t i : predicted) columns.push_back({text_of(findings.evidence_points[i]) + " *"});
  columns.push_back({"formula", false});
  std::string out = table_begin(points_caption(kernel, evidence, findings), columns, "points");
  for (const MetricEvidence& metric : evidence.metrics) {
    out += "<tr>" + row_title(metric.name);
    std::vector<std::string> cells(findings.measured.size(), "-");
    for (const MeasuredValue& m : metric.measured) cells[m.configuration] = metric_text(metric.name, m.mean);
    for (const std::string& text : cells) out += cell(text);
    for (const size_t i : predicted) {
      if (metric.curve.empty()) {
        out += cell("-");
        continue;
      }
      const Estimate& e = metric.curve[i];
      out += html_cell(escaped(metric_text(metric.name, e.value)) +
                           interval(metric_text(metric.name, e.low), metric_text(metric.name, e.high)),
                       true);
    }
    out += html_cell(metric.formula.empty() ? "" : "<code>" + escaped(metric.formula) + "</code>") + "</tr>\n";
  }
  return out + table_end();
}

std::string alternatives(const MetricEvidence& metric) {
  if (metric.alternatives.empty()) return "";
  std::string out = table_begin("Hypotheses considered for " + metric.name +
                                    "; error is that of predicting larger scales from "
                                    "smaller ones",
                                {{"hypothesis", false}, {"formula", false}, {"weight"}, {"error"}, {"rejected", false}},
                                "alternatives");
  for (const fit::Alternative& a : metric.alternatives) {
    out += "<tr>" + row_title(a.hypothesis) + html_cell("<code>" + escaped(a.formula) + "</code>") +
           cell(core::fixed(a.weight, 2)) + cell(core::percent(std::expm1(a.backtest_error))) + cell(a.reason, false) +
           "</tr>\n";
  }
  out += table_end();
  if (metric.alternatives_left_out > 0)
    out += "<p class=\"quiet\">" + std::to_string(metric.alternatives_left_out) +
           " further hypotheses are left out.</p>\n";
  for (const std::string& note : metric.notes) out += "<p class=\"quiet\">" + escaped(note) + "</p>\n";
  return out;
}

}  // namespace

std::string kernel_section(const Findings& findings) {
  if (findings.evidence.empty()) return "";
  std::string out =
      section_begin("kernels", "Evidence, kernel by kernel",
                    "What was measured of each kernel, the curve that continues it and what spoke against "
                    "other curves.");
  const std::vector<KernelFinding>& kernels = main_target(findings).kernels;
  size_t shown = 0;
  for (const KernelFinding& k : kernels) {
    const KernelEvidence& evidence = findings.evidence[k.id];
    if (!evidence.complete || shown == kKernelsInFull) continue;
    ++shown;
    const std::string name = core::shorten_function(core::without_anonymous_namespaces(k.name), 90);
    out += "<details class=\"kernel\" data-id=\"" + std::to_string(k.id) + "\"><summary><span class=\"rank\">" +
           place_text(k) + "</span> <code>" + escaped(name) + "</code> <span class=\"quiet\">" +
           escaped((k.metric == metric::kTime ? "" : k.metric + " ") + metric_text(k.metric, of_slowest(k).value)) +
           (k.share > 0 ? ", " + core::percent(k.share) : "") + "</span> " +
           (k.cause == Cause::kNone ? std::string() : cause_mark(k)) + "</summary>\n";
    out += facts(k, findings) + "<div class=\"charts js\"></div>\n" + points(k, evidence, findings);
    for (const MetricEvidence& metric : evidence.metrics) out += alternatives(metric);
    out += "</details>\n";
  }
  if (shown < kernels.size()) {
    out += "<p class=\"quiet\">" + std::to_string(kernels.size() - shown) +
           " smaller kernels are left out here; they are in the data at the end of this page<span class=\"js\">, and a "
           "click on one in the tables above shows it</span>.</p>\n";
  }
  return out + "<div id=\"opened\"></div>\n" + section_end();
}

}  // namespace scalediag::report::html
