// The quantities of report under this room's names.
#pragma once

#include "report/quantities.h"

namespace scalediag::cli {

using report::bytes_text;
using report::count_text;
using report::counters_text;
using report::counting_text;
using report::fixed;
using report::percent;
using report::percent_digits;
using report::TimeFormat;

}  // namespace scalediag::cli
