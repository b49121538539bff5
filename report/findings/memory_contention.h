// Test E of Ding et al. 2018 (core/profile/memory_contention.h), held against predictions for other problem sizes.
#pragma once

#include <string>
#include <vector>

#include "fit/application/application_data.h"

namespace scalediag::report {

// Whether a parameter other than the processes has a value there that was not measured.
bool is_other_problem(const fit::ApplicationData& data, const std::vector<double>& at);

// The functions that show contention at any measured configuration.
struct Contention {
  bool counted = false;      // misses and accesses were counted
  bool guessed = false;      // they were simulated with a last cache of a guessed size: nothing else is known then
  int functions = 0;         // how many show it
  double share = 0;          // their share of the computation, at the configuration where it is largest
  double largest_ratio = 0;  // the largest E: accesses that miss the last cache / all accesses
  std::string worst;         // the function with that E, and where: "solve at np=2"
};
Contention contention_of(const fit::ApplicationData& data);

// A sentence that contention shows, or that it is not known. Empty where none of the targets is another problem, or the
// test is passed.
std::string contention_note(const fit::ApplicationData& data, const std::vector<std::vector<double>>& targets);

}  // namespace scalediag::report
