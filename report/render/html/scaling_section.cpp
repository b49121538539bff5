#include "report/document/html_document.h"
#include "report/document/latex_document.h"
#include "report/proposal/scaling_table_text.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"
#include "report/render/html/sections.h"

namespace scalediag::report::html {
namespace {

// A click selects all of it, with and without scripts.
std::string to_copy(const char* format, const std::string& text) {
  return std::string("<details><summary>Copy as ") + format +
         "</summary><pre style=\"user-select:all;overflow-x:auto\">" + escaped(text) + "</pre></details>\n";
}

}  // namespace

std::string scaling_section(const std::vector<ScalingTable>& tables) {
  if (tables.empty()) return "";
  std::string out = section_begin("scaling", "Scaling",
                                  "Times, speed-up and efficiency over the smallest run, and what a job costs. Rows in "
                                  "italics are predicted; rows in doubt have a time only.");
  for (const ScalingTable& table : tables) {
    DocumentTable text = scaling_table_text(table);
    if (!table.label.empty()) text.caption = table.label + ". " + text.caption;
    out += "<div class=\"scroll\">" + html_table(text) + "</div>\n" + to_copy("CSV", csv_table(text)) +
           to_copy("LaTeX", latex_table(text));
  }
  return out + section_end();
}

}  // namespace scalediag::report::html
