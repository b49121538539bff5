#include "report/render/html/elements.h"

#include <array>
#include <cmath>

#include "core/profile/metric_names.h"
#include "core/text/function_name.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "report/document/document.h"
#include "report/render/html/escape.h"

namespace scalediag::report::html {
namespace {

std::string class_attribute(bool number, std::string_view classes) {
  std::string all(classes);
  if (number) all += all.empty() ? "n" : " n";
  return all.empty() ? "" : " class=\"" + all + "\"";
}

std::string icon(std::string_view name) {
  return "<svg class=\"icon\" aria-hidden=\"true\"><use href=\"#i-" + std::string(name) + "\"/></svg>";
}

// The icon for a cause; null for none.
const char* icon_of(Cause cause) {
  switch (cause) {
    case Cause::kNone: return nullptr;
    case Cause::kWork:
    case Cause::kGrowingWork:
    case Cause::kDeviceWork: return "work";
    case Cause::kMemory:
    case Cause::kStalls: return "memory";
    case Cause::kVolume:
    case Cause::kMessages:
    case Cause::kTransfers: return "volume";
    case Cause::kLatency:
    case Cause::kLaunches: return "latency";
    case Cause::kImbalance:
    case Cause::kLateSender:
    case Cause::kLateReceiver:
    case Cause::kIdleThreads:
    case Cause::kIdleDevice: return "imbalance";
    case Cause::kSerial:
    case Cause::kRooted: return "serial";
  }
  return nullptr;
}

}  // namespace

std::string table_begin(const std::string& caption, const std::vector<Column>& columns, const std::string& classes) {
  std::string out = "<div class=\"scroll\"><table" + (classes.empty() ? "" : " class=\"" + classes + "\"") + ">";
  if (!caption.empty()) out += "<caption>" + escaped(caption) + "</caption>";
  out += "<thead><tr>";
  for (const Column& column : columns) {
    out += "<th scope=\"col\"" + class_attribute(column.number, "");
    if (!column.sort.empty()) out += " data-sort=\"" + column.sort + "\"";
    out += ">" + escaped(column.title) + "</th>";
  }
  return out + "</tr></thead>\n<tbody>\n";
}

std::string table_end() { return "</tbody></table></div>\n"; }

std::string cell(std::string_view text, bool number, std::string_view classes) {
  return html_cell(escaped(text), number, classes);
}

std::string html_cell(std::string_view html, bool number, std::string_view classes) {
  return "<td" + class_attribute(number, classes) + ">" + std::string(html) + "</td>";
}

std::string row_title(std::string_view text) { return "<th scope=\"row\">" + escaped(text) + "</th>"; }

std::string interval(std::string_view low, std::string_view high) {
  return "<span class=\"quiet\">" + escaped(low) + " - " + escaped(high) + "</span>";
}

std::string cause_mark(const KernelFinding& kernel) {
  const char* sign = icon_of(kernel.cause);
  if (sign == nullptr) return "";
  return "<span class=\"mark\">" + icon(sign) + escaped(cause_text(kernel)) + "</span>";
}

std::string scales_text(const KernelFinding& kernel) {
  if (!kernel.scales) return kernel.exponent ? "?" : "-";
  if (*kernel.scales) return "yes";
  return "no, from " + core::to_text(std::round(kernel.stops_at.value_or(0)));
}

std::string scales_mark(const KernelFinding& kernel) {
  const std::string text = escaped(scales_text(kernel));
  if (!kernel.scales) return "<span class=\"quiet\">" + text + "</span>";
  if (*kernel.scales) return "<span class=\"mark\">" + icon("yes") + text + "</span>";
  return "<span class=\"mark bad\">" + icon("no") + text + "</span>";
}

std::string icon_definitions() {
  // Icons, each 16 by 16, drawn with lines of the text's colour.
  constexpr std::array<std::pair<const char*, const char*>, 8> kIcons = {{
      // Equal blocks on every rank.
      {"work", "M2 3h5v4h-5zM9 3h5v4h-5zM2 9h5v4h-5zM9 9h5v4h-5z"},
      // A chip.
      {"memory",
       "M4 4h8v8h-8zM6 4v-2.5M10 4v-2.5M6 14.5v-2.5M10 14.5v-2.5M4 6h-2.5M4 10h-2.5M14.5 6h-2.5"
       "M14.5 10h-2.5"},
      // An envelope.
      {"volume", "M1.5 3.5h13v9h-13zM1.5 4l6.5 5 6.5-5"},
      // A clock.
      {"latency", "M14 8a6 6 0 1 1-12 0a6 6 0 1 1 12 0M8 4.5v3.5l2.5 1.5"},
      // Uneven bars.
      {"imbalance", "M3 13.5v-10.5M7 13.5v-4M11 13.5v-6M14.5 13.5h-13"},
      // One lane of several.
      {"serial", "M2 3h12M2 8h3M2 13h3M11 0.5l3 2.5-3 2.5"},
      {"yes", "M2.5 8.5l3.5 4 7.5-9"},
      // A curve that turns up.
      {"no", "M2 3c2 8 5 8 7 5l4.5-5M10 3h3.5v3.5"},
  }};
  std::string out = "<svg class=\"hidden\" aria-hidden=\"true\"><defs>";
  for (const auto& [name, path] : kIcons) {
    out += "<symbol id=\"i-" + std::string(name) + "\" viewBox=\"0 0 16 16\"><path d=\"" + path + "\"/></symbol>";
  }
  return out + "</defs></svg>\n";
}

std::string kernel_name(const KernelFinding& kernel) {
  const std::string name = core::without_anonymous_namespaces(kernel.name);
  constexpr size_t kShown = 110;
  const std::string shown = core::shorten_function(name, kShown);
  std::string out = "<code" + (shown == kernel.name ? "" : " title=\"" + escaped(kernel.name) + "\"") + ">" +
                    escaped(shown) + "</code>";
  std::string place = kernel.module;
  if (!kernel.file.empty()) {
    const size_t slash = kernel.file.rfind('/');
    place += (place.empty() ? "" : ", ") + kernel.file.substr(slash == std::string::npos ? 0 : slash + 1);
    if (kernel.line > 0) place += ":" + std::to_string(kernel.line);
  }
  if (!place.empty()) out += "<span class=\"place\">" + escaped(place) + "</span>";
  return out;
}

std::string text_with_code(std::string_view text) {
  return paragraph_text(text, escaped, [](std::string_view part) { return "<code>" + escaped(part) + "</code>"; });
}

std::string section_begin(const std::string& id, const std::string& title, const std::string& lead) {
  std::string out = "<section aria-labelledby=\"" + id + "-title\">\n<details class=\"fold\"><summary><h2 id=\"" + id +
                    "-title\">" + escaped(title) + "</h2></summary>\n<div id=\"" + id + "\">\n";
  if (!lead.empty()) out += "<p class=\"lead\">" + text_with_code(lead) + "</p>\n";
  return out;
}

std::string section_end() { return "</div>\n</details>\n</section>\n"; }

std::string metric_text(const std::string& metric, double value) {
  if (value == 0) return "0";
  if (metric.ends_with("_s")) return core::time_text(value);
  if (metric == metric::kBytes || metric.ends_with("_bytes")) return core::bytes_text(value);
  if (metric.ends_with("_ratio")) return core::four_digits(value);
  return value >= 1e4 ? core::count_text(std::round(value)) : core::four_digits(value);
}

}  // namespace scalediag::report::html
