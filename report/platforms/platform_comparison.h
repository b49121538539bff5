// One target on several machines: the time, core-hours and cost of the run on each, and which of them is the least.
//
//   core-hours  time of the run, from MPI_Init to MPI_Finalize, x ranks x cores of a rank / 3600
//   cost        core-hours x the price of one
//
// Of two platforms one is known to be less only where its 90 % interval lies below the other's. The intervals have what
// is not known of each platform by itself, so that a platform whose interval touches the least one's may be the least.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fit/curves/model_facts.h"
#include "report/findings/findings.h"
#include "report/findings/trust.h"
#include "report/point.h"

namespace scalediag::report {

using fit::Estimate;

struct PlatformFindings {
  std::string name;
  std::string replayed;         // the folder with the ranks that were replayed there
  std::string network;          // as it was named
  std::string processor;        // empty: not known
  std::optional<double> price;  // of a core-hour, in the user's currency
  double cores_per_rank = 1;
  Trust trust;
  Estimate run_s;
  Estimate core_hours;
  std::optional<Estimate> cost;               // where there is a price
  std::vector<std::string> differences = {};  // from where it was recorded, each a sentence
  std::string disagreement = {};              // as of disagreement_text(); empty: sources agree
};

// Precondition: the target has a time of the run.
PlatformFindings platform_of(const TargetFindings& target, PlatformFindings platform);

// The platform with the least of a value, and those of which it is not known that they have more.
struct Least {
  size_t index = 0;
  std::vector<size_t> others;  // ascending
  bool is_known() const { return others.empty(); }
};
// Values that are not there do not take part. Nothing: fewer than two are there.
std::optional<Least> least_of(const std::vector<std::optional<Estimate>>& values);

struct PlatformComparison {
  std::string application;
  Point at;
  std::vector<PlatformFindings> platforms;  // as they were asked for
  std::optional<Least> fastest, fewest_core_hours, cheapest;
};

PlatformComparison compare_platforms(std::string application, Point at, std::vector<PlatformFindings> platforms);

}  // namespace scalediag::report
