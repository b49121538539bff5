// Tables of scaling studies as JSON: their fields are those of report/scaling/scaling_table.h.
#pragma once

#include <vector>

#include "report/render/json/json_parts.h"
#include "report/scaling/scaling_table.h"

namespace scalediag::report {

Json json_of(const ScalingTable& table);
Json json_of(const std::vector<ScalingTable>& tables);
// {"value", "low", "high", "level"}; low and high are null where nothing is known about the error.
Json json_of(const Bounded& value);

}  // namespace scalediag::report
