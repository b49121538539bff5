// Look-ups in series of observations.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/data/observations.h"
#include "report/point.h"
#include "report/scaling/scaling_verdict.h"

namespace scalediag::report {

Point point_of(const std::vector<std::string>& names, std::span<const double> at);

// Whether all parameters but the one at index `except` have the same values.
bool same_problem(std::span<const double> a, std::span<const double> b, size_t except);

// Mean over repeats at exactly this configuration.
std::optional<double> measured_at(const fit::Series& series, std::span<const double> at);

// The same of every configuration: for look-ups at many, since measured_at() goes through all observations.
std::map<std::vector<double>, double> measured_means(const fit::Series& series);

// The series over parameter `processes`, by rising value, at those configurations whose other parameters are as in
// `like`. Each point gets `relative_error`.
std::vector<MeasuredScale> along_processes(const fit::Series& series, size_t processes, std::span<const double> like,
                                           double relative_error);

// The configuration of a series with the largest value of parameter `processes`; of several, the one whose other
// parameters are those of `like`, else the first. Precondition: there is an observation.
std::vector<double> largest_configuration(const fit::Series& series, size_t processes, std::span<const double> like);

}  // namespace scalediag::report
