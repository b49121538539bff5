// The content of Caliper's files in any of their forms: records with a call path and values.
//
// Times become exclusive and per mean rank: averages over ranks are taken as they are, values of each rank are
// averaged, sums over ranks are divided by the number of ranks, and inclusive times lose those of the paths below.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "fit/data/runs/measured_run.h"

namespace scalediag::fit {

struct CaliperColumn {
  std::string name;  // "avg#inclusive#sum#time.duration"
  std::string unit;  // "sec"; empty: the file does not say
};

struct CaliperRecord {
  std::string path;                              // "main->solve"; empty: outside of all regions
  std::vector<std::pair<size_t, double>> cells;  // column and value
};

struct CaliperData {
  std::vector<CaliperColumn> columns;
  std::vector<CaliperRecord> records;
  std::map<std::string, std::string> globals;  // "jobsize": "27"
};

// The call path of values outside of all regions.
constexpr char kNoRegion[] = "[no region]";

// Errors (kInput): no record has a time, or only sums of which it is not clear over how many ranks.
core::Result<MeasuredRun> run_of_caliper(const CaliperData& data, const std::string& file);

}  // namespace scalediag::fit
