#include <algorithm>
#include <cmath>

#include "core/text/bounded.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"
#include "report/render/html/sections.h"
#include "report/render/verdict.h"

namespace scalediag::report::html {
namespace {

std::vector<Column> columns(bool application, const std::string& unit) {
  std::vector<Column> all = {{"rank", true, "rank"},
                             {"was", true, "rank_measured"},
                             {"kernel", false, "name"},
                             {application ? "time " + unit : "value", true, "value"},
                             {"90% interval", true, "high"}};
  if (application) all.push_back({"share", true, "share"});
  all.push_back({"scales", false, "scales"});
  all.push_back({application ? "why not" : "model", false, application ? "cause" : "formula"});
  return all;
}

std::string row(const KernelFinding& k, bool application, const core::TimeFormat& time) {
  const Estimate& slowest = of_slowest(k);
  const double units = application ? core::units_a_second(time) : 1;
  const core::Bounded number = in_units(slowest, units);
  std::string out = "<tr data-id=\"" + std::to_string(k.id) + "\"" + (k.matters ? "" : " class=\"minor\"") + ">";
  out += cell(place_text(k)) + cell(k.rank_measured ? std::to_string(*k.rank_measured) : "-") +
         html_cell(kernel_name(k)) + cell(number.value, true, "strong") +
         html_cell(interval(number.low, number.high), true);
  if (application) out += cell(core::percent(k.share));
  out += html_cell(scales_mark(k)) + (application ? html_cell(cause_mark(k)) : cell(k.formula, false));
  return out + "</tr>\n";
}

// The unit for assets/tables.js, which writes the times of further rows like the others.
std::string row_format(const core::TimeFormat& time) {
  return " data-scale=\"" + core::to_text(core::units_a_second(time)) + "\"";
}

std::string table(const TargetFindings& target, size_t index, const std::string& metric, bool application,
                  size_t most_rows) {
  std::vector<const KernelFinding*> kernels;
  for (const KernelFinding& kernel : target.kernels) {
    if (kernel.metric == metric) kernels.push_back(&kernel);
  }
  const core::TimeFormat time(kernels.empty() ? 0 : of_slowest(*kernels.front()).value);
  const bool on_devices = !kernels.empty() && overlaps_run(*kernels.front());
  const std::string caption = text_of(target.at) + kernels_by_text(target) +
                              (on_devices    ? "time on devices, while the host computes or waits: no part of the run"
                               : application ? "time"
                                             : metric);
  const size_t shown = std::min(most_rows, kernels.size());
  const std::string format = application ? row_format(time) : "";
  std::string out = "<div class=\"ranking\"" + format + " data-target=\"" + std::to_string(index) +
                    "\" data-metric=\"" + escaped(metric) + "\" data-label=\"" +
                    escaped(text_of(target.at) + (on_devices    ? " on devices"
                                                  : application ? ""
                                                                : " " + metric)) +
                    "\">\n" + table_begin(caption, columns(application, time.unit()), "kernels");
  for (size_t i = 0; i < shown; ++i) out += row(*kernels[i], application, time);
  out += table_end();
  if (shown < kernels.size()) {
    double rest = 0;
    for (size_t i = shown; i < kernels.size(); ++i) rest += of_slowest(*kernels[i]).value;
    out += "<p class=\"quiet\">" + std::to_string(kernels.size() - shown) + " smaller kernels are left out here" +
           (application ? ", together " + time(rest) + " " + time.unit() : std::string()) +
           "; they are in the data at the end of this page.</p>\n";
  }
  return out + "</div>\n";
}

std::string stopping(const TargetFindings& target, const Findings& findings) {
  std::vector<const KernelFinding*> kernels = stopping_kernels(target);
  for (const KernelFinding* on_device : stopping_kernels(target, true)) kernels.push_back(on_device);
  if (kernels.empty() || findings.scaling == Scaling::kUnknown) return "";
  std::string out = "<h3>Does not scale up to " + escaped(text_of(target.at)) + "</h3>\n<ul class=\"stopping\">\n";
  constexpr size_t kShown = 12;
  for (size_t i = 0; i < std::min(kShown, kernels.size()); ++i) {
    const KernelFinding& k = *kernels[i];
    const std::string from =
        "from " + findings.processes + "=" + core::to_text(std::round(k.stops_at.value_or(0))) + " on";
    out += "<li>" + kernel_name(k) + " " + cause_mark(k) + "<span class=\"quiet\">" +
           escaped(from + (k.evidence.empty() ? "" : ": " + k.evidence)) + "</span></li>\n";
  }
  out += "</ul>\n";
  if (kernels.size() > kShown) out += "<p>" + std::to_string(kernels.size() - kShown) + " more.</p>\n";
  return out;
}

}  // namespace

std::string ranking_section(const Findings& findings) {
  const bool application = findings.targets.front().run_s.has_value();
  std::string out = section_begin(
      "ranking", "Kernels across scales",
      "A kernel is a function without those it calls, or an MPI operation. Times, shares and ranks are of the slowest "
      "rank, where one is slower than chance makes it. \"was\" is its rank at the largest measured "
      "scale; \"?\" means that the data do not decide it.");
  out +=
      "<figure class=\"wide js\" data-chart=\"bump\"><figcaption>Rank at each scale; what does not scale is drawn in "
      "colour</figcaption></figure>\n";
  out += stopping(main_target(findings), findings);
  const std::vector<std::string> metrics = metrics_of(findings.targets.front());
  const size_t tables = std::max<size_t>(1, findings.targets.size() * metrics.size());
  const size_t most_rows = std::max<size_t>(50, kMostRankingRows / tables);
  out += "<div class=\"controls js\" id=\"ranking-controls\"></div>\n";
  for (size_t i = 0; i < findings.targets.size(); ++i) {
    for (const std::string& metric : metrics) out += table(findings.targets[i], i, metric, application, most_rows);
  }
  return out + section_end();
}

}  // namespace scalediag::report::html
