// The columns of a table as the user names them with --columns:
//
//   NAME=COLUMN             a parameter: np=procs, nodes=nodes, size=N
//   time=COLUMN[UNIT]       a time; several are kernels, each named after its column
//   time=NUMBER[UNIT]/COLUMN{/COLUMN}   a time from what falls as it rises: speed-ups, efficiencies, rates
//   kernel=COLUMN           the name of the kernel that a row is about
//   skip=COLUMN             nothing
//   COLUMN==VALUE           only rows with that text or number
//   decimal=comma | point   the decimal mark
//   table=N                 of several tables in one file the Nth
//
// Items stand between commas, or in options of their own; a name with a comma stands in double quotes. [UNIT] may be
// left out.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "fit/data/tables/cell_text.h"

namespace scalediag::fit {

struct RequestedTime {
  size_t column = 0;                 // of a time
  std::string unit;                  // empty: as the column says
  std::optional<double> numerator;   // the number over the columns below; empty: the column is a time
  std::vector<size_t> denominators;  // columns
};

struct ColumnRequest {
  std::vector<std::pair<std::string, size_t>> parameters;  // name and column
  std::vector<RequestedTime> times;
  std::optional<size_t> kernel;
  std::vector<size_t> skipped;
  std::vector<std::pair<size_t, std::string>> only;  // column and value
  std::optional<DecimalMark> decimal;
};

// The number of table=N; 0: it is not asked for. Error (kUsage): it is no number above 0.
core::Result<size_t> requested_table(const std::vector<std::string>& columns);

// `columns` are the values of the option, `header` the names in the file. Errors (kUsage): an item that is none of
// these; a name that no column or more than one has, with those that are there.
core::Result<ColumnRequest> parse_columns(const std::vector<std::string>& columns,
                                          const std::vector<std::string>& header);

// `text` as it stands in a shell: "--columns 'np=MPI procs'".
std::string columns_option(const std::string& text);

}  // namespace scalediag::fit
