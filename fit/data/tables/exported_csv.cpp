#include "fit/data/tables/exported_csv.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "fit/data/file_head.h"
#include "fit/data/shown_text.h"
#include "fit/data/tables/cell_text.h"
#include "fit/data/tables/table_facts.h"
#include "fit/data/tables/table_text.h"

namespace scalediag::fit {
namespace {

enum LastColumn : size_t { kKernel, kMetric, kRepeat, kValue, kLastColumns };
constexpr std::string_view kLastNames[kLastColumns] = {"kernel", "metric", "repeat", "value"};

// `export` puts an apostrophe before what a spreadsheet would take for a formula.
std::string without_apostrophe(const std::string& cell) {
  const bool is_escaped = cell.size() > 1 && cell[0] == '\'' && std::string_view("=+-@").find(cell[1]) != cell.npos;
  return is_escaped ? cell.substr(1) : cell;
}

}  // namespace

bool is_exported_csv(std::string_view text) {
  std::string names(first_content_line(text.substr(0, 4096)));
  std::erase(names, '"');
  std::replace_if(
      names.begin(), names.end(), [](char c) { return c == ';' || c == '\t'; }, ',');
  std::string end;
  for (const std::string_view name : kLastNames) (end += ',') += name;
  return names.size() > end.size() && names.ends_with(end);
}

core::Result<MeasurementSet> read_exported_csv(const std::string& text, const std::string& file) {
  core::Result<TableText> table = TableText::of(text, file);
  if (!table) return table.error();
  const core::Result<TableFacts> facts = table_facts(table.value(), {}, file);
  if (!facts) return facts.error();
  const std::vector<std::string>& names = table.value().header();
  if (names.size() <= kLastColumns || !std::equal(std::rbegin(kLastNames), std::rend(kLastNames), names.rbegin())) {
    return core::Error{core::ErrorCode::kInput,
                       file + ": the columns do not end with kernel, metric, repeat and value, as those of `export` do",
                       "--columns says what they are, as in --columns np=procs,time=wall", file};
  }
  const size_t parameters = names.size() - kLastColumns;
  SeriesBuilder builder({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(parameters)});
  std::vector<double> at(parameters);
  TableRow row;
  table.value().rewind();
  while (true) {
    const core::Result<bool> more = table.value().next(row);
    if (!more) return more.error();
    if (!more.value()) break;
    const std::string where = file + ":" + std::to_string(row.line);
    const auto number_in = [&](size_t column) -> core::Result<double> {
      const CellNumber number = cell_number(row.cells[column], facts.value().mark);
      if (number.kind == CellKind::kMissing) return std::numeric_limits<double>::quiet_NaN();
      if (number.kind == CellKind::kNumber && number.unit.empty()) return number.value;
      return core::Error{
          core::ErrorCode::kInput,
          where + ": '" + shown(row.cells[column]) + "' of column '" + shown(names[column]) + "' is no number",
          "correct it, or leave the row out", file};
    };
    for (size_t p = 0; p < parameters; ++p) {
      const core::Result<double> value = number_in(p);
      if (!value) return value.error();
      at[p] = value.value();
    }
    const core::Result<double> value = number_in(parameters + kValue);
    if (!value) return value.error();
    builder.add(normalized_call_path(without_apostrophe(row.cells[parameters + kKernel])),
                without_apostrophe(row.cells[parameters + kMetric]), at, std::span(&value.value(), 1), where);
  }
  return std::move(builder).finish();
}

}  // namespace scalediag::fit
