#include <algorithm>

#include "core/text/join.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"
#include "report/render/html/sections.h"

namespace scalediag::report::html {
namespace {

std::string provenance_row(const std::string& name, const std::string& text) {
  return text.empty() ? "" : "<dt>" + escaped(name) + "</dt><dd>" + escaped(text) + "</dd>\n";
}

std::string runs(const Provenance& provenance, bool cpu) {
  double largest = 0;
  for (const MeasuredRuns& r : provenance.runs) largest = std::max({largest, r.total_s, r.wall_s});
  const core::TimeFormat time(largest);
  std::string out =
      table_begin("Measured runs; times are means over ranks and repeats, unsteady kernels vary by 5% or more",
                  {{"configuration", false},
                   {"repeats"},
                   {(cpu ? "CPU time per rank " : "total ") + std::string(time.unit())},
                   {"variation"},
                   {std::string("elapsed ") + time.unit()},
                   {"samples"},
                   {"lost samples"},
                   {"unsteady kernels"}});
  for (const MeasuredRuns& r : provenance.runs) {
    out += "<tr>" + row_title(text_of(r.at)) + cell(std::to_string(r.repeats)) + cell(time(r.total_s)) +
           cell(r.repeats > 1 ? core::percent(r.total_cv) : "-") + cell(time(r.wall_s)) +
           cell(std::to_string(r.samples)) +
           cell(std::to_string(r.lost_samples), true, r.lost_samples > 0 ? "bad" : "") +
           cell(r.repeats > 1 ? std::to_string(r.unsteady) : "-") + "</tr>\n";
  }
  return out + table_end();
}

std::string events(const Provenance& provenance) {
  if (provenance.events.empty()) return "";
  std::string out = "<details><summary>Counted events</summary>\n" +
                    table_begin("", {{"event", false}, {"metric", false}, {"derived", false}, {"source", false}});
  for (const core::CounterEvent& e : provenance.events) {
    out += "<tr>" + row_title(e.event) + cell(e.metric, false) + cell(e.derived ? "yes" : "no", false) +
           cell(e.formula_or_source, false) + "</tr>\n";
  }
  return out + table_end() + "</details>\n";
}

std::string list(const std::string& title, const std::vector<std::string>& texts) {
  if (texts.empty()) return "";
  std::string out = "<h3>" + escaped(title) + "</h3>\n<ul>\n";
  for (const std::string& text : texts) out += "<li>" + escaped(text) + "</li>\n";
  return out + "</ul>\n";
}

}  // namespace

std::string provenance_section(const Findings& findings) {
  std::string out = section_begin("provenance", "Where the numbers come from", "");
  out += "<dl>\n" + provenance_row("input", findings.input);
  if (findings.provenance) {
    for (const auto& [name, text] : findings.provenance->facts) out += provenance_row(name, text);
  }
  out += provenance_row("points", core::join(findings.measured, ", ", [](const Point& p) { return text_of(p); }));
  out += provenance_row("scaling",
                        std::string(name_of(findings.scaling)) +
                            (findings.scaling_reason.empty() ? "" : ": " + findings.scaling_reason) +
                            (findings.scaling_contradiction.empty() ? "" : ", but " + findings.scaling_contradiction));
  out += "</dl>\n";
  std::vector<std::string> warnings;
  if (findings.provenance) {
    out += runs(*findings.provenance, findings.clock == "cpu") + events(*findings.provenance);
    for (const core::RunWarning& warning : findings.provenance->warnings) {
      std::string text = warning.text;
      for (size_t i = 0; i < warning.runs.size(); ++i) text += (i == 0 ? " (" : ", ") + warning.runs[i];
      warnings.push_back(text + (warning.runs.empty() ? "" : ")"));
    }
    out += list("Runs that do not count", findings.provenance->missing);
  }
  out += list("Warnings of the measurement", warnings) + list("Notes", findings.notes);
  if (findings.next_run) out += list("The run that would help most", {sentence_of(*findings.next_run)});
  return out + section_end();
}

}  // namespace scalediag::report::html
