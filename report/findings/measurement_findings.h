// Findings of measurements that came as series in Extra-P's formats. Call paths may contain one another, so nothing is
// summed up, and the data show no causes.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "fit/curves/fit.h"
#include "fit/curves/model.h"
#include "fit/data/measurement_set.h"
#include "report/findings/application_findings.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// Index of the parameter that is the number of processes: the first that is named so (fit::named_processes), else the
// first.
size_t processes_parameter(const std::vector<std::string>& names);

// A note where the first parameter is only assumed to be the number of processes; empty where one has such a name.
std::string assumed_processes(const std::vector<std::string>& names);

// `models` as fit_all() returned them for set.series. The notes name each series that could not be modelled.
// Precondition: at least one target, in the order of the set's parameters.
Findings measurement_findings(const fit::MeasurementSet& set, const std::vector<core::Result<fit::Model>>& models,
                              const std::vector<std::vector<double>>& targets, const FindingsOptions& options = {});

}  // namespace scalediag::report
