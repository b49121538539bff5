// A table of a first screen, which the terminal and the page show.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/text/table.h"

namespace scalediag::report {

// In place of a value that is not told.
constexpr const char* kNoNumber = "-";

struct ScreenTable {
  std::string title = {};  // empty: none
  std::vector<core::TableColumn> columns = {};
  std::vector<std::vector<std::string>> rows = {};  // a cell a column
  size_t left_out = 0;                              // the number of rows beyond these
  size_t may_go = 0;                                // last columns that go where the others leave no room
  std::string remark = {};                          // below it
};

}  // namespace scalediag::report
