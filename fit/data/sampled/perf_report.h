// Reports of perf, the text of `perf report --stdio`.
//
// By symbol, without callees: of the events cpu-clock and task-clock "cpu_time" in seconds, of other ones their count
// under the event's name. Values are the column Period (--show-total-period) where it is there, else the share of the
// event's count, which has two decimal places of percent. "[other]" is what the rows leave out; "total_cpu_time" and
// the event at "[whole program]" are the event's count.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "fit/data/runs/measured_run.h"

namespace scalediag::fit {

// Recognises also the first 4000 bytes of such a report.
bool is_perf_report(std::string_view text);

// Errors (kInput), with the line: several events in one table, no column of symbols or shares, a row with fewer cells
// than columns, a value that is no number, no row.
core::Result<MeasuredRun> read_perf_report(const std::string& text, const std::string& file);

}  // namespace scalediag::fit
