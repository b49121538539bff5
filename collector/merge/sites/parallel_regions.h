// The names of OpenMP's parallel regions: "solve at heat.c:42", by the function that has the construct, and its place.
// Of a function that ends with the region's call clang's code tells no line: "solve at its end". Where lines are not
// known, GCC's regions are told apart by its count of them ("solve [omp region 0]"), others by
// their address.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "collector/merge/raw/rank_record.h"
#include "collector/merge/samples/sample_attribution.h"

namespace scalediag::merge {

// By the number of the region in the record. Regions in no module are left out.
std::map<uint32_t, std::string> names_of_parallel_regions(const RankRecord& record, SampleAttributor& attributor);

}  // namespace scalediag::merge
