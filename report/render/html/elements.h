// Small pieces of HTML that several sections use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/findings/findings.h"

namespace scalediag::report::html {

struct Column {
  std::string title;      // text
  bool number = true;     // right aligned, digits of equal width
  std::string sort = {};  // the key that a click on the title sorts by, as in assets/tables.js; empty: not sortable
};

// <table><caption>...<thead>...<tbody>; rows are to follow, then table_end().
std::string table_begin(const std::string& caption, const std::vector<Column>& columns,
                        const std::string& classes = "");
std::string table_end();

// Cells of a row. `html` is trusted markup, `text` is escaped.
std::string cell(std::string_view text, bool number = true, std::string_view classes = "");
std::string html_cell(std::string_view html, bool number = false, std::string_view classes = "");
std::string row_title(std::string_view text);  // the first cell of a row, as its heading

// "1.23 - 4.56" in a less prominent style.
std::string interval(std::string_view low, std::string_view high);

// The words and the icon for a kernel's cause; empty for none.
std::string cause_mark(const KernelFinding& kernel);

// "yes", "no, from 64" or "?", with an icon.
std::string scales_mark(const KernelFinding& kernel);
std::string scales_text(const KernelFinding& kernel);

// Definitions of the icons, once a page.
std::string icon_definitions();

// The name, and below it the file and line.
std::string kernel_name(const KernelFinding& kernel);

// Escaped, with what stands between backticks as code.
std::string text_with_code(std::string_view text);

// A section that is closed until a reader opens it, and open on paper. `lead` may have code between backticks.
std::string section_begin(const std::string& id, const std::string& title, const std::string& lead);
std::string section_end();

// The value in the unit that the metric's name ends with: times as "1.234 ms", bytes as "1.23 MB".
std::string metric_text(const std::string& metric, double value);

}  // namespace scalediag::report::html
