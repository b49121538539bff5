// The metrics of kernels that are modelled, and the series that models of them are made from.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fit/application/application_data.h"

namespace scalediag::fit {

// The metrics of functions that are modelled: the method "resources" and the causes need them, or users are given them.
// Those that follow from others (KernelModel::metric_model) are not among them. `checks`: those alone that a model
// needs which only checks another one.
std::span<const char* const> function_metrics(bool checks);
// The same of MPI operations, beside their calls and bytes.
std::span<const char* const> operation_metrics(bool checks);

// Whether the choice of the kernel's method is checked against a smaller scale.
bool is_worth_checking(const KernelFacts& kernel);

// Whether a model which only checks another one is made from that series.
bool checks_need(const KernelFacts& kernel, const std::string& metric);

bool same_values(const Series& a, const Series& b);

// The observations of several ranks. A single rank has no partner, so that its calls do not lie on the curve of the
// others.
Series of_several_ranks(const Series& series);

// The time of one instruction beside stalls, in seconds: T_comp / instructions, or the whole time where stalls are not
// known. It has no observations where instructions were not counted.
Series seconds_per_instruction(const KernelData& kernel);

// Relative standard error of a configuration's time; 0 where it was not sampled.
double sampling_error(const KernelData& kernel);

// The relative error of a configuration's time as its repeats show it, or as sampling makes it where that is larger.
double measuring_error(const KernelData& kernel, const std::vector<ConfigurationPoint>& points);

}  // namespace scalediag::fit
