// The metrics of kernels, which of them are modelled, and the series that models of them are made from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fit/application/application_data.h"

namespace scalediag::fit {

// A metric that users are given for a kernel.
struct KernelMetric {
  enum class Use : uint8_t {
    kShown,     // follows from others (KernelModel::metric_model) or from exact counts, or is only shown as measured
    kModelled,  // has a model, which users, the method "resources" or the causes need
    kChecked    // has a model also where the choice of a kernel's method is checked
  };
  const char* name;
  Use use;

  // `checks`: in an application model that only checks another one.
  bool has_model(bool checks) const { return use == Use::kChecked || (use == Use::kModelled && !checks); }
};

// In the order in which users are shown them.
std::span<const KernelMetric> function_metrics();
std::span<const KernelMetric> operation_metrics();

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
