// The meaning of every column of a table, decided from its name, its values and what the user says.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/data/tables/column_request.h"
#include "fit/data/tables/table_facts.h"

namespace scalediag::fit {

struct PlannedParameter {
  std::string name;
  size_t column = 0;
};

struct PlannedTime {
  RequestedTime from;
  std::string kernel;  // that of the column; empty: the whole program, or the kernel of the row
  double factor = 1;   // to seconds, where no cell has a unit of its own
};

struct ColumnPlan {
  std::vector<PlannedParameter> parameters;
  std::vector<PlannedTime> times;
  std::optional<size_t> kernel;    // the column with names
  bool in_seconds = false;         // false: no unit is known, and times stand as they are
  std::vector<std::string> taken;  // by column: what it is taken for
};

// Reads the table for what columns have in common; `table` is rewound. Errors (kInput, with the --columns that answers
// it): no column or several can be the processes or the time; only speed-ups; a column that divides the rows further
// and is neither a parameter nor a kernel; several units.
core::Result<ColumnPlan> plan_columns(TableText& table, const TableFacts& facts, const ColumnRequest& request,
                                      const std::string& file);

}  // namespace scalediag::fit
