#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "report/render/html/curve_svg.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"
#include "report/render/html/sections.h"
#include "report/render/html/time_chart.h"
#include "report/render/text/first/predict_screen.h"
#include "report/render/verdict.h"

namespace scalediag::report::html {
namespace {

constexpr size_t kNameWidth = 48;  // in characters

std::string table_of(const ScreenTable& table, const std::string& caption) {
  std::vector<Column> columns;
  for (const core::TableColumn& column : table.columns) {
    columns.push_back({column.title, column.align == core::TableColumn::Align::kRight});
  }
  std::string out = table_begin(caption, columns, "screen");
  for (const std::vector<std::string>& row : table.rows) {
    out += "<tr>";
    for (size_t i = 0; i < row.size(); ++i) {
      const bool is_name = table.columns[i].shorten == core::shorten_function;
      out += is_name ? html_cell("<code title=\"" + escaped(row[i]) + "\">" +
                                 escaped(core::shorten_function(row[i], kNameWidth)) + "</code>")
                     : cell(row[i], columns[i].number, columns[i].title == "between" ? "quiet" : "");
    }
    out += "</tr>\n";
  }
  const std::string more = table.left_out > 0 ? std::to_string(table.left_out) + " more under Kernels. " : "";
  return out + table_end() +
         ((more + table.remark).empty() ? "" : "<p class=\"quiet\">" + escaped(more + table.remark) + "</p>\n");
}

std::string efficiency_figure(const Findings& findings) {
  const ScalingCurve& curve = *findings.curve;
  if (curve.samples.size() < 2) return "";
  const std::string text = "Efficiency over " + text_of(findings.base) + "; it stays at or above " +
                           core::fixed(100 * curve.sweet_spot.bound, 0) + " % up to " +
                           sweet_spot_text(curve.sweet_spot, findings.processes);
  return "<figure data-chart=\"efficiency\"><figcaption>" + escaped(text) + "</figcaption>" +
         curve_svg(curve, CurveKind::kEfficiency, findings.base.front().second, findings.scaling == Scaling::kWeak) +
         curve_key(findings) + "</figure>\n";
}

}  // namespace

std::string first_section(const Findings& findings, const NextStep& next) {
  const PredictScreen screen = predict_screen_of(findings, false);
  std::string out = "<section id=\"answer\" aria-label=\"Answer\">\n";
  for (const std::string& answer : screen.answers) out += "<p class=\"answer\">" + escaped(answer) + "</p>\n";
  for (const ScreenTable& table : screen.targets) out += table_of(table, table.title);
  for (const std::string& remark : screen.remarks) out += "<p class=\"quiet\">" + escaped(remark) + "</p>\n";
  if (!screen.limits.rows.empty()) {
    out += "<h3>" + escaped(screen.limits.title) + "</h3>\n" + table_of(screen.limits, "");
  } else if (!screen.limits.title.empty()) {
    out += "<h3>" + escaped(screen.limits.title) + "</h3>\n<p>" + kNothingLimits + "</p>\n";
  }
  out += "<h3>How sure</h3>\n<dl>\n";
  for (const auto& [name, text] : screen.certainty) {
    out += "<dt>" + escaped(name) + "</dt><dd>" + escaped(text) + "</dd>\n";
  }
  out += "</dl>\n";
  for (const std::string& warning : screen.warnings) {
    out += "<p><span class=\"bad\">Warning:</span> " + escaped(warning) + "</p>\n";
  }
  if (screen.more_warnings > 0) {
    out += "<p class=\"quiet\">" + std::to_string(screen.more_warnings) + " more under Provenance.</p>\n";
  }
  const std::string step = next.command.empty()
                               ? escaped(screen.next)
                               : "<code>" + escaped(next.command) + "</code><br>It will " + escaped(next.steps) + ".";
  if (!step.empty()) out += "<h3>What to do next</h3>\n<p>" + step + "</p>\n";
  if (findings.curve)
    out += "<div class=\"charts\">\n" + time_chart(findings) + efficiency_figure(findings) + "</div>\n";
  return out + "</section>\n";
}

}  // namespace scalediag::report::html
