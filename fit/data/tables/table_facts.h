// Facts about the columns of a table, by which their meaning is decided.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/data/tables/column_request.h"
#include "fit/data/tables/table_text.h"

namespace scalediag::fit {

// Different values are kept up to this number.
constexpr size_t kMostValuesKept = 1000;

struct ColumnFacts {
  size_t numbers = 0, texts = 0;      // cells; others are missing
  std::string first;                  // the first cell that is not missing, as written
  std::set<std::string> text_values;  // at most kMostValuesKept
  std::set<double> values;            // the same
  bool whole = true;                  // all numbers are whole
  std::set<std::string> units;        // behind numbers: "ms", ""; at most kMostValuesKept

  bool is_text() const { return texts > numbers; }
  // More than one value.
  bool varies() const { return text_values.size() + values.size() > 1; }
};

struct TableFacts {
  std::vector<ColumnFacts> columns;  // in the order of the header
  size_t rows = 0;                   // those that are wanted
  DecimalMark mark = DecimalMark::kPoint;
};

// Reads the whole table twice, with the memory of the kept values. Errors (kInput): those of the rows; decimal marks
// that cannot be told from groups of thousands; no row is wanted.
core::Result<TableFacts> table_facts(TableText& table, const ColumnRequest& request, const std::string& file);

// True where the row has the values that the request asks for (COLUMN==VALUE).
bool is_wanted(const TableRow& row, const ColumnRequest& request, DecimalMark mark);

}  // namespace scalediag::fit
