// A table of timings as measurements.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "fit/data/measurement_set.h"

namespace scalediag::fit {

// A column of a table, as it was understood.
struct TakenColumn {
  std::string name;
  std::string taken_as;  // "the number of processes, np", "left out"
  std::string first;     // the first value, as written
};

struct TimingTable {
  MeasurementSet set;                // the metric is "time_s", or "time" where no unit is known
  std::vector<TakenColumn> columns;  // in the order of the file
  std::string layout;                // "columns between ',': 12 rows, 4 configurations"
  std::string whole_program;         // the kernel that stands for it; empty: none does
  bool in_seconds = false;           // false: nothing says the unit, and times are as written
};

// The kernel that stands for the whole program where the table does not name one.
constexpr char kProgram[] = "program";

// A text that is a table by its first lines, or a spreadsheet, of which the reader says how to export it.
bool is_timing_table(std::string_view text);

// `columns` are the values of --columns (column_request.h). Errors (kInput, kUsage) name the file, the line and the
// column, and where the table does not decide a question, the option that does.
core::Result<TimingTable> read_timing_table(std::string_view text, const std::string& file,
                                            const std::vector<std::string>& columns = {});

}  // namespace scalediag::fit
