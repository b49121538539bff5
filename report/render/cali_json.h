// Measurements as Caliper's JSON, in the form that Hatchet and Thicket read ("json-split").
#pragma once

#include <string>
#include <vector>

#include "fit/data/measurement_set.h"

namespace scalediag::report {

struct NamedText {
  std::string name;  // of a file: "np4.r0.json"
  std::string text;
};

// A file for each configuration and repeat, since that is what both take as one profile. The nodes are the frames of
// call paths; a frame that has no values of its own has none in its columns. Times are "time", in seconds, which
// Hatchet prints, and again "avg#sum#time.duration", Caliper's name of an average over ranks; other metrics keep their
// names. The parameters are metadata, the number of processes also as "jobsize".
std::vector<NamedText> cali_json(const fit::MeasurementSet& set);

}  // namespace scalediag::report
