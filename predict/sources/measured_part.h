// A target that was measured itself: the mean over its runs, with their noise as interval.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fit/application/application_data.h"
#include "fit/curves/model_facts.h"

namespace scalediag::predict {

inline constexpr const char* kOfRuns = "of the runs of the target itself";  // why such a part is taken

// The mean of `total`, one of ApplicationData::totals, over the runs of the configuration `at`, with Student's
// interval, which is as far below the mean as above it, as a factor. A single run has the interval of `by_model` in
// proportion, of at most a factor of 2 on each side. No interval is narrower than fit::ended_error(). Nothing: it was
// not measured there.
std::optional<fit::Estimate> measured_part(const fit::ApplicationData& data, const std::string& total,
                                           const std::vector<double>& at, const fit::Estimate& by_model);

// Whether `at` is one of the measured configurations of a program, whose times add up to totals.
bool is_measured(const fit::ApplicationData& data, const std::vector<double>& at);

}  // namespace scalediag::predict
