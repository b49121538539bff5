// Caliper's .cali files: lines of records, which refer to nodes of a tree of names and values. Described in Caliper's
// documentation, "The Caliper stream format", and by its Python reader.
//
//   __rec=node,id=86,attr=8,data=avg#inclusive#sum#time.duration,parent=85
//   __rec=ctx,ref=101,attr=86=89,data=0.001615=0.002208
//   __rec=globals,ref=17,attr=146,data=27
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "fit/data/runs/measured_run.h"

namespace scalediag::fit {

bool is_cali(std::string_view text);

// Errors (kInput), with the line: it is no record; a node that is not there; a node that comes twice; numbers of
// attributes and data that differ; more than 4 million nodes or 256 MiB of call paths; run_of_caliper().
core::Result<MeasuredRun> read_cali(const std::string& text, const std::string& file);

}  // namespace scalediag::fit
