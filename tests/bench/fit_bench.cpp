// The cost of modelling: models a second, and a large code's measurements from the text of a file to estimates.
//
//   <build>/tests/bench/fit_bench [--benchmark_filter=...]
//
// `items_per_second` is models a second on one core.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "fit/curves/fit.h"
#include "fit/curves/model.h"
#include "fit/data/measurement_file.h"

namespace {

using scalediag::fit::Series;

// Kernels of a program at `points` doublings, with 2 % of noise in each of `repeats` runs.
std::vector<Series> program(int kernels, int points, int repeats) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.02);
  std::uniform_real_distribution<double> part(0, 1);
  std::vector<Series> series;
  for (int k = 0; k < kernels; k++) {
    const double work = std::pow(10, 4 * part(random));
    const double serial = work * std::pow(10, -4 * part(random));
    const double growth = part(random) < 0.3 ? serial * part(random) : 0;
    Series s{{"p"}, "time", "main->solver->kernel_" + std::to_string(k), {}};
    for (int i = 0; i < points; i++) {
      const double p = 16 * std::pow(2, i);
      auto& o = s.observations.emplace_back();
      o.at = {p};
      for (int r = 0; r < repeats; r++)
        o.values.push_back((work / p + serial + growth * std::log2(p)) * std::exp(noise(random)));
    }
    series.push_back(std::move(s));
  }
  return series;
}

scalediag::fit::FitOptions on_one_core() {
  scalediag::fit::FitOptions options;
  options.threads = 1;
  return options;
}

// Kernels x points, fitted together as those of one program are.
void fit_program(benchmark::State& state) {
  const auto kernels = static_cast<int>(state.range(0));
  const std::vector<Series> series = program(kernels, static_cast<int>(state.range(1)), 3);
  for (auto _ : state) benchmark::DoNotOptimize(scalediag::fit::fit_all(series, on_one_core()));
  state.SetItemsProcessed(state.iterations() * kernels);
}
BENCHMARK(fit_program)
    ->Args({2800, 4})
    ->Args({2800, 5})
    ->Args({2800, 7})
    ->Args({2800, 12})
    ->Unit(benchmark::kMillisecond);

// One model after the other, without siblings.
void fit_alone(benchmark::State& state) {
  const std::vector<Series> series = program(100, 5, 3);
  for (auto _ : state)
    for (const Series& s : series) benchmark::DoNotOptimize(scalediag::fit::fit(s));
  state.SetItemsProcessed(state.iterations() * 100);
}
BENCHMARK(fit_alone)->Unit(benchmark::kMillisecond);

void evaluate(benchmark::State& state) {
  const auto model = scalediag::fit::fit(program(1, 5, 3).front());
  double p = 1024;
  for (auto _ : state) {
    benchmark::DoNotOptimize(model.value().evaluate(std::array{p}));
    p = p < 1e6 ? p + 1 : 1024;
  }
}
BENCHMARK(evaluate);

std::string json_lines(const std::vector<Series>& series) {
  std::string text;
  std::array<char, 64> number{};
  for (const Series& s : series)
    for (const auto& o : s.observations) {
      text += R"({"params":{"p":)" + std::to_string(static_cast<int>(o.at[0])) + R"(},"callpath":")" + s.kernel +
              R"(","metric":"time","value":[)";
      for (size_t r = 0; r < o.values.size(); r++) {
        std::snprintf(number.data(), number.size(), "%s%.9g", r > 0 ? "," : "", o.values[r]);
        text += number.data();
      }
      text += "]}\n";
    }
  return text;
}

// 2,800 kernels with five points: read, fitted, and evaluated at one target.
void json_lines_to_estimates(benchmark::State& state) {
  const std::string text = json_lines(program(2800, 5, 3));
  for (auto _ : state) {
    const auto kind = scalediag::fit::kind_of(text);
    const auto set = scalediag::fit::parse_measurements(text, kind, "bench");
    double total = 0;
    for (const auto& model : scalediag::fit::fit_all(set.value().series, on_one_core()))
      total += model.value().evaluate(std::array{4096.0}).high;
    benchmark::DoNotOptimize(total);
  }
  state.SetItemsProcessed(state.iterations() * 2800);
}
BENCHMARK(json_lines_to_estimates)->Unit(benchmark::kMillisecond);

}  // namespace
