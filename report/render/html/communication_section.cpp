#include <algorithm>
#include <cmath>

#include "core/profile/metric_names.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"
#include "report/render/html/sections.h"
#include "report/render/verdict.h"

namespace scalediag::report::html {
namespace {

const MetricEvidence* find(const KernelEvidence& evidence, const std::string& metric) {
  for (const MetricEvidence& m : evidence.metrics) {
    if (m.name == metric) return &m;
  }
  return nullptr;
}

// The value at the last measured configuration, the one with the most processes.
std::string last_measured(const KernelEvidence& evidence, const std::string& metric, const Findings& findings) {
  const MetricEvidence* found = find(evidence, metric);
  if (found == nullptr || found->measured.empty()) return "-";
  const MeasuredValue& last = found->measured.back();
  return last.configuration + 1 == findings.measured.size() ? metric_text(metric, last.mean) : "-";
}

// The value at the main target, with its interval where it is not exact.
std::string at_main_target(const KernelEvidence& evidence, const std::string& metric, const Findings& findings) {
  const MetricEvidence* found = find(evidence, metric);
  const std::vector<Point>& points = findings.evidence_points;
  const auto place = std::find(points.begin(), points.end(), main_target(findings).at);
  if (found == nullptr || found->curve.empty() || place == points.end()) return "-";
  const Estimate& e = found->curve[static_cast<size_t>(place - points.begin())];
  const std::string low = metric_text(metric, e.low), high = metric_text(metric, e.high);
  return escaped(metric_text(metric, e.value)) + (low == high ? "" : interval(low, high));
}

// The origin of the values at the measured configuration that `measured` names, for a caption.
std::string origins(const Findings& findings, const std::string& measured) {
  return findings.totals_modelled
             ? "time at " + measured + " " + origin_of_totals(findings) + ", all else there measured"
             : "measured at " + measured;
}

std::string operations(const Findings& findings) {
  const TargetFindings& target = main_target(findings);
  const std::string measured = text_of(findings.measured.back());
  std::string out = table_begin("MPI operations: " + origins(findings, measured) + ", predicted at " +
                                    text_of(target.at) + "; times of a rank in the mean, calls and bytes of all ranks",
                                {{"operation", false},
                                 {"time, " + measured},
                                 {"elapsed"},
                                 {"blocked"},
                                 {"calls"},
                                 {"bytes"},
                                 {"time, " + text_of(target.at)},
                                 {"calls"},
                                 {"bytes"},
                                 {"why it does not scale", false}},
                                "operations");
  for (const KernelFinding& k : target.kernels) {
    if (k.kind != fit::KernelKind::kMpi) continue;
    const KernelEvidence& e = findings.evidence[k.id];
    out += "<tr data-id=\"" + std::to_string(k.id) + "\">" + row_title(k.name);
    for (const char* metric : {"time_s", "elapsed_s", "blocked_s", "calls", "bytes"})
      out += cell(last_measured(e, metric, findings));
    out +=
        html_cell("<b class=\"strong\">" + escaped(metric_text(metric::kTime, k.estimate.value)) + "</b>" +
                      interval(metric_text(metric::kTime, k.estimate.low), metric_text(metric::kTime, k.estimate.high)),
                  true) +
        html_cell(at_main_target(e, "calls", findings), true) + html_cell(at_main_target(e, "bytes", findings), true) +
        html_cell(k.cause == Cause::kNone ? scales_mark(k) : cause_mark(k)) + "</tr>\n";
  }
  return out + table_end();
}

std::string calculated_by(const Findings& findings) {
  std::string out = "<dl>\n<dt>calculated by</dt><dd>" + escaped(findings.communication) + "</dd>\n";
  const auto factor = [&](const char* name, const std::optional<double>& value, const std::string& what) {
    if (!value) return;
    out += std::string("<dt>") + name + "</dt><dd>" + core::fixed(*value, 3) + " <span class=\"quiet\">" + what +
           "</span></dd>\n";
  };
  const std::string at = ", at " + escaped(text_of(findings.blocking_at));
  factor("BF_comm", findings.blocking.of_source,
         findings.totals_modelled ? "by definition: the CPU clock cannot measure waiting"
                                  : "run without computation over T_comm by fitted forms" + at);
  factor("BF_comm of the network", findings.blocking.of_network, "measured over calculated communication" + at);
  if (findings.traffic && !findings.traffic->mpi_library.empty())
    out += "<dt>library</dt><dd>" + escaped(findings.traffic->mpi_library) + "</dd>\n";
  for (const KernelFinding& k : main_target(findings).kernels) {
    if (k.kind == fit::KernelKind::kMpi && !k.cost.empty())
      out += "<dt>" + escaped(k.name) + "</dt><dd>" + escaped(k.cost) + "</dd>\n";
  }
  return out + "</dl>\n";
}

// The paragraph that explains the times of the section.
std::string lead(const Findings& findings) {
  if (!findings.totals_modelled) {
    if (!findings.on_given_network) return "Times contain waiting for other ranks.";
    return std::string("Measured times contain waiting for other ranks; predicted ones are what the network takes") +
           (findings.blocking.of_network ? ", times BF_comm of the network." : ".");
  }
  return "CPU clock" + (findings.clock_reason.empty() ? "" : " (" + findings.clock_reason + ")") +
         ": times are what the calls cost at their shortest, without waiting" +
         (findings.on_given_network ? ", and at targets what the network takes for them" : "") +
         "; elapsed and blocked times are as measured, waiting included.";
}

std::string sizes(const TrafficFindings& traffic) {
  if (traffic.sizes.empty()) return "";
  std::string out =
      "<details><summary>Calls by message size at " + escaped(text_of(traffic.at)) + "</summary>\n" +
      table_begin("", {{"operation", false}, {"bytes a call"}, {"calls"}, {"bytes"}, {"elapsed, mean rank"}});
  for (const OperationSizes& o : traffic.sizes) {
    for (const SizeClass& c : o.classes) {
      out += "<tr>" + row_title(o.operation) +
             cell(c.bytes_from == c.bytes_to ? core::bytes_text(c.bytes_from)
                                             : core::bytes_text(c.bytes_from) + " - " + core::bytes_text(c.bytes_to)) +
             cell(core::count_text(std::round(c.calls))) + cell(core::bytes_text(c.bytes)) +
             cell(metric_text(metric::kTime, c.wall_s)) + "</tr>\n";
    }
  }
  return out + table_end() + "</details>\n";
}

std::string block_text(int block, const TrafficMatrix& m) {
  const int first = block * m.ranks_per_block;
  const int last = std::min(first + m.ranks_per_block, m.ranks) - 1;
  return first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
}

// Shades follow the logarithm of the bytes: a rank's neighbours and the other ranks often differ by orders of
// magnitude.
std::string matrix(const TrafficFindings& traffic) {
  const TrafficMatrix& m = traffic.matrix;
  if (m.blocks == 0) return "";
  double most = 1, least = 0;
  for (const core::PeerTraffic& c : m.cells) {
    most = std::max(most, c.bytes);
    if (c.bytes > 0) least = least == 0 ? c.bytes : std::min(least, c.bytes);
  }
  constexpr double kSide = 320, kMargin = 34;
  const double step = kSide / m.blocks;
  std::string out =
      "<figure><figcaption>Bytes from rank (rows) to rank (columns) at " + escaped(text_of(traffic.at)) +
      (m.ranks_per_block > 1 ? ", " + std::to_string(m.ranks_per_block) + " ranks a cell" : "") +
      "</figcaption>\n<svg class=\"matrix\" viewBox=\"0 0 360 360\" role=\"img\" aria-label=\"Bytes between "
      "ranks\"><rect class=\"frame\" x=\"34\" y=\"20\" width=\"320\" height=\"320\"/>";
  for (const core::PeerTraffic& c : m.cells) {
    const double span = std::log(most / std::max(least, 1.0));
    const double part = c.bytes <= 0 ? 0 : span > 0 ? std::log(c.bytes / std::max(least, 1.0)) / span : 1;
    const int shade = std::clamp(static_cast<int>(std::lround(part * 8)), 0, 8);
    out += "<rect class=\"m" + std::to_string(shade) + "\" x=\"" + core::fixed(kMargin + c.to * step, 1) + "\" y=\"" +
           core::fixed(20 + c.from * step, 1) + "\" width=\"" + core::fixed(step * 0.94, 2) + "\" height=\"" +
           core::fixed(step * 0.94, 2) + "\"><title>" + block_text(c.from, m) + " to " + block_text(c.to, m) + ": " +
           core::bytes_text(c.bytes) + ", " + core::count_text(std::round(c.messages)) + " messages</title></rect>";
  }
  const int every = std::max(1, m.blocks / 8);
  for (int b = 0; b < m.blocks; b += every) {
    const std::string label = std::to_string(b * m.ranks_per_block);
    out += "<text x=\"30\" y=\"" + core::fixed(20 + (b + 0.5) * step + 4, 1) + "\" text-anchor=\"end\">" + label +
           "</text>";
    out += "<text x=\"" + core::fixed(kMargin + (b + 0.5) * step, 1) + "\" y=\"14\" text-anchor=\"middle\">" + label +
           "</text>";
  }
  return out + "</svg><p class=\"quiet\">stronger: more, up to " + core::bytes_text(most) + "</p></figure>\n";
}

}  // namespace

std::string communication_section(const Findings& findings) {
  const std::vector<KernelFinding>& kernels = main_target(findings).kernels;
  const bool any = std::any_of(kernels.begin(), kernels.end(),
                               [](const KernelFinding& k) { return k.kind == fit::KernelKind::kMpi; });
  if (!any || findings.evidence.empty()) return "";
  std::string out = section_begin("communication", "Communication", lead(findings));
  out += std::string(
             "<div class=\"charts\">\n<figure class=\"js\" data-chart=\"operations\"><figcaption>Time by operation, ") +
         origin_of_totals(findings) + " and predicted (*)</figcaption></figure>\n";
  if (findings.traffic) {
    if (!findings.traffic->sizes.empty()) {
      out += "<figure class=\"js\" data-chart=\"sizes\"><figcaption>Calls by message size at " +
             escaped(text_of(findings.traffic->at)) + "</figcaption></figure>\n";
    }
    out += matrix(*findings.traffic);
  }
  out += "</div>\n" + operations(findings) + calculated_by(findings);
  if (findings.traffic) out += sizes(*findings.traffic);
  return out + section_end();
}

}  // namespace scalediag::report::html
