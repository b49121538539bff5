// What was measured at a target itself: the mean over its runs, with their noise as interval.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fit/application/application_data.h"
#include "fit/curves/model_facts.h"

namespace scalediag::predict {

// Of `total`, one of ApplicationData::totals, at the configuration `at`: the mean over its runs with Student's
// interval. A single run has the interval of `by_model` in proportion. Nothing: it was not measured there.
std::optional<fit::Estimate> measured_part(const fit::ApplicationData& data, const std::string& total,
                                           const std::vector<double>& at, const fit::Estimate& by_model);

// Whether `at` is one of the measured configurations of a program, whose times add up to totals.
bool is_measured(const fit::ApplicationData& data, const std::vector<double>& at);

}  // namespace scalediag::predict
