#include "fit/data/tables/table_facts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "fit/data/shown_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;

// The meanings that a number's marks can have.
enum class Marks { kNone, kPointIsDecimal, kCommaIsDecimal, kCommaIsEither };

Marks marks_of(std::string_view cell) {
  const size_t begin = cell.find_first_of("0123456789");
  if (begin == cell.npos || cell.find_first_of(".,") == cell.npos) return Marks::kNone;
  const std::string_view number =
      cell.substr(begin, std::min(cell.find_first_not_of("0123456789.,", begin), cell.size()) - begin);
  const auto commas = std::count(number.begin(), number.end(), ',');
  const auto points = std::count(number.begin(), number.end(), '.');
  if (commas > 0 && points > 0) {
    return number.rfind('.') > number.rfind(',') ? Marks::kPointIsDecimal : Marks::kCommaIsDecimal;
  }
  if (commas + points == 0) return Marks::kNone;
  const char mark = commas > 0 ? ',' : '.';
  const bool several = commas + points > 1;
  const size_t at = number.find(mark);
  const bool three = number.size() - number.rfind(mark) - 1 == 3;
  const bool can_be_group = three && at > 0 && at <= 3 && number.front() != '0';
  if (mark == '.') return several ? Marks::kCommaIsDecimal : can_be_group ? Marks::kNone : Marks::kPointIsDecimal;
  if (several) return Marks::kPointIsDecimal;
  return can_be_group ? Marks::kCommaIsEither : Marks::kCommaIsDecimal;
}

struct MarkEvidence {
  std::string cell;  // the first one; empty: none
  size_t line = 0;
};

core::Result<DecimalMark> find_mark(TableText& table, const std::string& file) {
  MarkEvidence point, comma, either;
  TableRow row;
  while (true) {
    const core::Result<bool> more = table.next(row);
    if (!more) return more.error();
    if (!more.value()) break;
    for (const std::string& cell : row.cells) {
      const Marks marks = marks_of(cell);
      if (marks == Marks::kNone) continue;
      MarkEvidence& evidence = marks == Marks::kPointIsDecimal   ? point
                               : marks == Marks::kCommaIsDecimal ? comma
                                                                 : either;
      // A text such as a version or a date has marks, too.
      const DecimalMark mark = marks == Marks::kCommaIsDecimal ? DecimalMark::kComma : DecimalMark::kPoint;
      if (evidence.cell.empty() && cell_number(cell, mark).kind == CellKind::kNumber) evidence = {cell, row.line};
    }
  }
  const auto ask = [&file](const MarkEvidence& at, const std::string& what) {
    return Error{ErrorCode::kInput, file + ":" + std::to_string(at.line) + ": '" + shown(at.cell) + "' " + what,
                 "--columns decimal=point where a comma separates thousands, --columns decimal=comma where it is the "
                 "decimal mark",
                 file};
  };
  if (!point.cell.empty() && !comma.cell.empty()) {
    return ask(comma, "has a decimal comma, and '" + shown(point.cell) + "' in line " + std::to_string(point.line) +
                          " a decimal point");
  }
  if (point.cell.empty() && comma.cell.empty() && !either.cell.empty()) {
    return ask(either, "may be a thousand or have a decimal comma");
  }
  return comma.cell.empty() ? DecimalMark::kPoint : DecimalMark::kComma;
}

void take_cell(const std::string& cell, DecimalMark mark, ColumnFacts& facts) {
  const CellNumber number = cell_number(cell, mark);
  if (number.kind == CellKind::kMissing) return;
  if (facts.first.empty()) facts.first = cell;
  if (number.kind == CellKind::kText) {
    ++facts.texts;
    if (facts.text_values.size() < kMostValuesKept) facts.text_values.insert(cell);
    return;
  }
  ++facts.numbers;
  if (facts.values.size() < kMostValuesKept) facts.values.insert(number.value);
  if (facts.units.size() < kMostValuesKept) facts.units.insert(number.unit);
  if (number.value != std::floor(number.value)) facts.whole = false;
}

}  // namespace

bool is_wanted(const TableRow& row, const ColumnRequest& request, DecimalMark mark) {
  return std::all_of(request.only.begin(), request.only.end(), [&](const auto& only) {
    const std::string& cell = row.cells[only.first];
    if (cell == only.second) return true;
    const CellNumber a = cell_number(cell, mark);
    const CellNumber b = cell_number(only.second, DecimalMark::kPoint);
    return a.kind == CellKind::kNumber && b.kind == CellKind::kNumber && a.value == b.value && a.unit == b.unit;
  });
}

core::Result<TableFacts> table_facts(TableText& table, const ColumnRequest& request, const std::string& file) {
  TableFacts facts;
  table.rewind();
  if (request.decimal) {
    facts.mark = *request.decimal;
  } else {
    const core::Result<DecimalMark> mark = find_mark(table, file);
    if (!mark) return mark.error();
    facts.mark = mark.value();
    table.rewind();
  }
  facts.columns.resize(table.header().size());
  TableRow row;
  bool any = false;
  while (true) {
    const core::Result<bool> more = table.next(row);
    if (!more) return more.error();
    if (!more.value()) break;
    any = true;
    if (!is_wanted(row, request, facts.mark)) continue;
    ++facts.rows;
    for (size_t i = 0; i < row.cells.size(); ++i) take_cell(row.cells[i], facts.mark, facts.columns[i]);
  }
  table.rewind();
  if (facts.rows > 0) return facts;
  return Error{ErrorCode::kInput,
               file + (any ? " has no row with the values that --columns asks for" : " has no row of values"),
               any ? "leave out the item with ==, or correct it" : kTableExample, file};
}

}  // namespace scalediag::fit
