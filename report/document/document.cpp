#include "report/document/document.h"

#include <string_view>

#include "core/text/join.h"

namespace scalediag::report {
namespace {

std::string csv_cell(const std::string& text) {
  std::string cell = text;
  if (cell.size() > 1 && std::string_view("=+@").find(cell[0]) != std::string_view::npos) cell.insert(0, "'");
  if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string csv_table(const DocumentTable& table) {
  std::string out = core::join(table.columns, ",", [](const DocumentColumn& c) { return csv_cell(c.title); }) + "\n";
  for (const DocumentRow& row : table.rows) out += core::join(row.cells, ",", csv_cell) + "\n";
  return out;
}

std::vector<const Figure*> figures_of(const Document& document) {
  std::vector<const Figure*> all;
  for (const DocumentBlock& block : document.blocks) {
    const auto* figures = std::get_if<DocumentFigures>(&block);
    if (figures == nullptr) continue;
    for (const Figure& figure : figures->figures) all.push_back(&figure);
  }
  return all;
}

}  // namespace scalediag::report
