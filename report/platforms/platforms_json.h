// A target on several machines, schema scalediag-platforms/1.
#pragma once

#include "report/platforms/platform_comparison.h"
#include "report/render/json/json_parts.h"

namespace scalediag::report {

Json platforms_json(const PlatformComparison& comparison);

}  // namespace scalediag::report
