// The number in a cell of a table, with what people write around it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalediag::fit {

enum class DecimalMark { kPoint, kComma };

enum class CellKind {
  kNumber,
  kMissing,  // empty, "-", "n/a", "nan"
  kText,
};

struct CellNumber {
  CellKind kind = CellKind::kText;
  double value = 0;
  std::string unit;  // behind the number: "ms", "%", "x"; "s" of a clock's time; empty: none
};

// "12.5", "1,024" (a thousand with kPoint), "12.5 ms", "98 %", "3.2x", "12.5 +- 0.2": the number in front, without the
// spread behind it. "1:02:03", "2-01:02:03", "1:02.5", "0m12.3s" and "2m 43s" in seconds.
CellNumber cell_number(std::string_view cell, DecimalMark mark);

// The text of a cell without blanks around it and marks of Markdown and LaTeX: "**12**", "$12$", "\textbf{12}".
std::string plain_cell(std::string_view cell);

// The same of a cell of CSV, where text without a number may be a name: "Grid::~Grid" keeps its marks.
std::string csv_cell(std::string_view cell);

// The factor to seconds of a unit's name; empty: it is no unit of time. "min" is minutes.
std::optional<double> seconds_per(std::string_view unit);

}  // namespace scalediag::fit
