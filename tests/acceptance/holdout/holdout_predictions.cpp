// The modeller's predictions of the largest scales of a file of measurements from the smaller ones only.
//
//   holdout_predictions FILE PARAMETER LARGEST_TRAINED
//   holdout_predictions FILE PARAMETER FILE_HELD_OUT      where each call path has its own largest trained scale
// and `ding2018` after them: by the selection of Ding et al. 2018.
//
// Prints a JSON object a line for every held-out measurement: call path, point, mean and median of the repeats, and the
// estimate; then one with the number of models, the estimates between 1 and 1000 times the largest trained scale that
// were negative or not finite, and the seconds spent in fitting. holdout.py judges them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "core/statistics.h"
#include "fit/curves/fit.h"
#include "fit/curves/model.h"
#include "fit/data/measurement_file.h"

namespace {

using scalediag::fit::Model;
using scalediag::fit::Observation;
using scalediag::fit::Series;

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  const size_t half = v.size() / 2;
  return v.size() % 2 == 1 ? v[half] : (v[half - 1] + v[half]) / 2;
}

// The number of negative or infinite estimates from the largest trained scale up to 1000 times it.
int impossible_estimates(const Model& model, std::vector<double> at, size_t dimension) {
  int impossible = 0;
  const double from = at[dimension];
  for (double factor = 1; factor <= 1000; factor *= 1.25) {
    at[dimension] = from * factor;
    const scalediag::fit::Estimate e = model.evaluate(at);
    const bool fine =
        std::isfinite(e.value) && std::isfinite(e.high) && e.low >= 0 && e.low <= e.value && e.value <= e.high;
    impossible += fine ? 0 : 1;
  }
  return impossible;
}

scalediag::core::Result<scalediag::fit::MeasurementSet> read(const char* path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return scalediag::fit::parse_measurements(text.str(), scalediag::fit::kind_of(text.str()), path);
}

// The series of `others` in the order of `series`; empty ones where it has none of the name.
std::vector<Series> in_order_of(const std::vector<Series>& series, const std::vector<Series>& others) {
  std::vector<Series> ordered(series.size());
  for (size_t i = 0; i < series.size(); i++)
    for (const Series& other : others)
      if (other.kernel == series[i].kernel && other.metric == series[i].metric) ordered[i] = other;
  return ordered;
}

}  // namespace

int main(int argc, char** argv) {
  const bool by_ding = argc == 5 && std::string_view(argv[4]) == "ding2018";
  if (argc != 4 && !by_ding) {
    std::cerr << "usage: holdout_predictions FILE PARAMETER LARGEST_TRAINED|FILE_HELD_OUT [ding2018]\n";
    return 2;
  }
  auto set = read(argv[1]);
  if (!set) {
    std::cerr << "error: " << set.error().message << '\n';
    return 2;
  }
  const auto& names = set.value().parameter_names;
  const auto found = std::find(names.begin(), names.end(), argv[2]);
  if (found == names.end()) {
    std::cerr << "error: no parameter '" << argv[2] << "'\n";
    return 2;
  }
  const auto dimension = static_cast<size_t>(found - names.begin());

  std::vector<Series> trained = set.value().series;
  std::vector<Series> held_out = trained;
  if (std::ifstream(argv[3]).good()) {
    auto others = read(argv[3]);
    if (!others || others.value().parameter_names != names) {
      std::cerr << "error: " << argv[3] << " has not the parameters of " << argv[1] << '\n';
      return 2;
    }
    held_out = in_order_of(trained, others.value().series);
  } else {
    const double largest = std::atof(argv[3]);
    for (Series& s : trained)
      std::erase_if(s.observations, [&](const Observation& o) { return o.at[dimension] > largest; });
    for (Series& s : held_out)
      std::erase_if(s.observations, [&](const Observation& o) { return o.at[dimension] <= largest; });
  }
  const auto start = std::chrono::steady_clock::now();
  scalediag::fit::FitOptions options;
  if (by_ding) options.models = scalediag::fit::ModelSet::kDing2018;
  const auto models = scalediag::fit::fit_all(trained, options);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;

  int fitted = 0;
  int impossible = 0;
  for (size_t i = 0; i < models.size(); i++) {
    if (!models[i]) {
      std::cout << nlohmann::json{{"callpath", trained[i].kernel}, {"error", models[i].error().message}}.dump() << '\n';
      continue;
    }
    fitted += 1;
    const Model& model = models[i].value();
    double largest = 0;
    for (const Observation& o : trained[i].observations) largest = std::max(largest, o.at[dimension]);
    for (const Observation& o : trained[i].observations)
      if (o.at[dimension] == largest) impossible += impossible_estimates(model, o.at, dimension);
    for (const Observation& o : held_out[i].observations) {
      if (o.values.empty()) continue;
      const scalediag::fit::Estimate e = model.evaluate(o.at);
      std::cout << nlohmann::json{{"callpath", trained[i].kernel},
                                  {"at", o.at},
                                  {"mean", scalediag::core::mean(o.values)},
                                  {"median", median(o.values)},
                                  {"value", e.value},
                                  {"low", e.low},
                                  {"high", e.high}}
                       .dump()
                << '\n';
    }
  }
  std::cout << nlohmann::json{{"models", fitted}, {"impossible", impossible}, {"fit_s", spent.count()}}.dump() << '\n';
}
