#include "report/document/html_document.h"

#include <algorithm>

#include "report/document/figure_svg.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"

namespace scalediag::report {
namespace {

constexpr const char* kDocumentStyle =
    "body{margin:2rem auto;max-width:60rem;padding:0 1.5rem;font:15px/1.5 system-ui,\"DejaVu Sans\",sans-serif;"
    "color:#1c2126;background:#fff}"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:1.8rem}"
    "table{border-collapse:collapse;font-size:.85rem;margin:.8rem 0}"
    "caption{text-align:left;color:#444c54;padding-bottom:.3rem}"
    "th,td{padding:.2rem .6rem .2rem 0;text-align:left;vertical-align:top;border-bottom:1px solid #d8dee4}"
    "thead th{border-bottom:1px solid #1c2126;font-weight:600;vertical-align:bottom}"
    "tbody th{font-weight:400}"
    ".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    "thead th.n{white-space:normal}.text td{overflow-wrap:anywhere}"
    "tr.predicted td,tr.predicted th{font-style:italic;color:#444c54}"
    "tr.first-predicted td,tr.first-predicted th{border-top:1px solid #1c2126}"
    ".remark{border-left:3px solid #ad4600;padding-left:.8rem}"
    ".figures{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}.figures svg{flex:1 1 "
    "22rem;max-width:30rem;height:auto}"
    "figure{margin:1rem 0;break-inside:avoid}figcaption{font-size:.9rem;color:#444c54}"
    "table,.remark{break-inside:avoid}"
    "@media print{body{margin:0;max-width:none;font-size:10pt}}";

struct HtmlWriter {
  std::string out;

  void operator()(const DocumentHeading& heading) { out += "<h2>" + html::escaped(heading.text) + "</h2>\n"; }

  void operator()(const DocumentParagraph& paragraph) {
    const auto code = [](std::string_view text) { return "<code>" + html::escaped(text) + "</code>"; };
    out += (paragraph.is_remark ? "<p class=\"remark\"><strong>Note.</strong> " : "<p>") +
           paragraph_text(paragraph.text, html::escaped, code) + "</p>\n";
  }

  void operator()(const DocumentTable& table) { out += html_table(table); }

  void operator()(const DocumentFigures& figures) {
    out += "<figure><div class=\"figures\">\n";
    for (const Figure& figure : figures.figures) out += figure_svg(figure);
    out += "</div><figcaption>" + html::escaped(figures.caption) + "</figcaption></figure>\n";
  }
};

}  // namespace

std::string html_table(const DocumentTable& table) {
  const bool has_numbers = std::any_of(table.columns.begin(), table.columns.end(),
                                       [](const DocumentColumn& column) { return column.is_number; });
  std::string out = has_numbers ? "<table>\n" : "<table class=\"text\">\n";
  if (!table.caption.empty()) out += "<caption>" + html::escaped(table.caption) + "</caption>\n";
  std::string titles;
  bool has_titles = false;
  for (const DocumentColumn& column : table.columns) {
    titles += std::string("<th scope=\"col\"") + (column.is_number ? " class=\"n\">" : ">") +
              html::escaped(column.title) + "</th>";
    has_titles = has_titles || !column.title.empty();
  }
  if (has_titles) out += "<thead><tr>" + titles + "</tr></thead>\n";
  out += "<tbody>\n";
  bool after_measured = false;
  for (const DocumentRow& row : table.rows) {
    const bool is_first = row.is_predicted && after_measured;
    after_measured = !row.is_predicted;
    out +=
        row.is_predicted ? std::string("<tr class=\"predicted") + (is_first ? " first-predicted\">" : "\">") : "<tr>";
    for (size_t i = 0; i < row.cells.size(); ++i) {
      out += html::cell(row.cells[i], table.columns[i].is_number);
    }
    out += "</tr>\n";
  }
  out += "</tbody>\n</table>\n";
  return out;
}

std::string html_document(const Document& document) {
  HtmlWriter writer{
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      html::escaped(document.title) + "</title>\n<style>" + kDocumentStyle + "</style>\n</head>\n<body>\n<h1>" +
      html::escaped(document.title) + "</h1>\n"};
  for (const DocumentBlock& block : document.blocks) std::visit(writer, block);
  return std::move(writer.out) + "</body>\n</html>\n";
}

}  // namespace scalediag::report
