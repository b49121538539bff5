// The tables of report, as this room's code calls them.
#pragma once

#include "cli/shortening.h"
#include "report/table.h"

namespace scalediag::cli {

using report::kUnlimited;
using report::Table;
using report::TableColumn;
using report::TableStyle;

}  // namespace scalediag::cli
