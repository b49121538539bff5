// The values of one metric of a Cube profile, from its two members.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "fit/data/cube/cube_anchor.h"

namespace scalediag::fit {

enum class CubeReduction { kTime, kSum, kMin, kMax };  // over the threads of a rank

// True where values of `dtype` ("DOUBLE", "UINT64", ...) are plain numbers that can be read.
bool is_readable_dtype(const std::string& dtype);

CubeReduction reduction_of(const CubeMetric& metric);

// The exclusive value of each call path (CubeAnchor::nodes), of the mean rank, or the least or most of any. Call paths
// without a row have 0. Precondition: is_readable_dtype(metric.dtype). `where` names the member in errors. Errors
// (kInput): as read_cube().
core::Result<std::vector<double>> read_cube_values(const CubeAnchor& anchor, const CubeMetric& metric,
                                                   std::string_view index, std::string_view data,
                                                   const std::string& where);

}  // namespace scalediag::fit
