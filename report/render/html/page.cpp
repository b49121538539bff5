#include "report/render/html/page.h"

#include "core/text/shortening.h"
#include "report/render/html/assets.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"
#include "report/render/html/sections.h"
#include "report/render/json/report_json.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace html {
namespace {

std::string policy() {
  return "default-src 'none'; script-src '" + csp_hash(kChartLibrary.sha256) + "' '" + csp_hash(kScript.sha256) +
         "'; style-src '" + csp_hash(kStyle.sha256) + "'; img-src data:; base-uri 'none'; form-action 'none'";
}

std::string head(const std::string& title) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
         policy() +
         "\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>" +
         escaped(title) + ": scaling report</title>\n<style>" + std::string(kStyle.text) + "</style>\n</head>\n";
}

std::string header(const std::string& title, const Findings& findings) {
  std::string measured;
  constexpr size_t kShown = 12;
  for (size_t i = 0; i < findings.measured.size() && i < kShown; ++i)
    measured += (i == 0 ? "" : ", ") + text_of(findings.measured[i]);
  if (findings.measured.size() > kShown) measured += ", ... (" + std::to_string(findings.measured.size()) + " points)";
  std::string predicted;
  for (size_t i = 0; i < findings.targets.size() && i < kShown; ++i)
    predicted += (i == 0 ? "" : ", ") + text_of(findings.targets[i].at);
  if (findings.targets.size() > kShown) predicted += ", ... (" + std::to_string(findings.targets.size()) + " targets)";
  return "<header>\n<button type=\"button\" class=\"js\" id=\"theme\">Dark</button>\n<h1>" + escaped(title) +
         "</h1>\n<p class=\"scope\">measured at " + escaped(measured) + "; predicted at " + escaped(predicted) +
         "</p>\n</header>\n";
}

std::string navigation(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out = "<nav aria-label=\"Sections\">\n";
  for (const auto& [id, title] : entries) out += "<a href=\"#" + id + "\">" + escaped(title) + "</a>\n";
  return out + "</nav>\n";
}

}  // namespace
}  // namespace html

core::Result<std::string> report_html(const Findings& findings, const std::vector<ScalingTable>& tables,
                                      const NextStep& next) {
  const core::Result<std::string> json = report_json(findings, JsonLayout::kCompact);
  if (!json) return json.error();
  const std::string title = findings.application.empty() ? findings.input : findings.application;
  std::string body;
  std::vector<std::pair<std::string, std::string>> entries;
  const auto add = [&](const char* id, const char* name, std::string section) {
    if (section.empty()) return;
    entries.emplace_back(id, name);
    body += std::move(section);
  };
  add("prediction", "Prediction", html::prediction_section(findings));
  add("scaling", "Scaling", html::scaling_section(tables));
  add("ranking", "Kernels", html::ranking_section(findings));
  add("kernels", "Evidence", html::kernel_section(findings));
  add("communication", "Communication", html::communication_section(findings));
  add("regions", "Regions", html::region_section(findings));
  add("callpaths", "Call paths", html::call_path_section(findings));
  add("phases", "Phases", html::phase_section(findings));
  add("efficiencies", "Efficiencies", html::efficiency_section(findings));
  add("provenance", "Provenance", html::provenance_section(findings));
  std::string page = html::head(title) + "<body class=\"plain\">\n" + html::icon_definitions();
  page += html::header(title, findings) + "<main>\n" + html::first_section(findings, next) + html::navigation(entries) +
          body + "</main>\n";
  page += "<script type=\"application/json\" id=\"findings\">";
  html::append_script_json(json.value(), page);
  page += "</script>\n";
  page += "<script>" + std::string(html::kChartLibrary.text) + "</script>\n";
  page += "<script>" + std::string(html::kScript.text) + "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace scalediag::report
