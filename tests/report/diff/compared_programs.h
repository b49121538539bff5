// Programs of which one is slower, and their comparison.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "report/diff/comparison.h"
#include "report/diff/profile_comparison.h"
#include "tests/fit/application/synthetic_application.h"

namespace scalediag::report {

// Four kernels whose runs vary by `noise`, relative; `factor` gives the factor of a kernel's time.
struct Program {
  double noise = 0.005;
  std::function<double(const std::string& kernel, int np)> factor = [](const std::string&, int) { return 1.0; };
  core::Clock clock = core::Clock::kCpu;

  core::Profile measure(const std::vector<int>& scales, int repeats, unsigned seed) const {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, noise);
    core::Profile all = fit::SyntheticApplication{}.profile({});
    for (int r = 0; r < repeats; ++r) {
      fit::SyntheticApplication app;
      app.clock = clock;
      const std::pair<const char*, double> kernels[] = {{"solve", 40}, {"halo", 20}, {"setup", 8}, {"write", 2}};
      for (const auto& [name, seconds] : kernels) {
        const double chance = 1 + normal(random);
        const std::string kernel = name;
        const double work = seconds;
        app.kernels.push_back(
            {kernel, [this, kernel, work, chance](int np, int) { return chance * factor(kernel, np) * work / np; }});
      }
      app.operations = {{"MPI_Allreduce", [](int np) { return 1200.0 * np; }, [](int np) { return 9600.0 * np; },
                         [](int) { return 1e-6; }}};
      for (core::Run& run : app.profile(scales).runs) {
        run.repeat = r;
        all.runs.push_back(std::move(run));
      }
    }
    return all;
  }
};

inline Program slower(const std::string& name, double by) {
  Program program;
  program.factor = [name, by](const std::string& kernel, int) { return kernel == name ? 1 + by : 1.0; };
  return program;
}

inline Comparison compared(const core::Profile& a, const core::Profile& b, const ComparisonOptions& options = {}) {
  auto comparison = compare_profiles(a, b, options);
  EXPECT_TRUE(comparison.ok()) << (comparison.ok() ? "" : comparison.error().message);
  return comparison.ok() ? std::move(comparison).value() : Comparison{};
}

inline const ComparedKernel& kernel(const ComparedConfiguration& c, const std::string& name) {
  for (const ComparedKernel& k : c.kernels) {
    if (k.name == name) return k;
  }
  ADD_FAILURE() << "no kernel " << name;
  return c.kernels.front();
}

}  // namespace scalediag::report
