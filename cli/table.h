// The tables of report under this room's names.
#pragma once

#include "cli/shortening.h"
#include "report/table.h"

namespace scalediag::cli {

using report::kUnlimited;
using report::Table;
using report::TableColumn;
using report::TableStyle;

}  // namespace scalediag::cli
