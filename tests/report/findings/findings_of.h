// An application with a kernel of each kind, and the findings of applications.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "fit/profile/profile_data.h"
#include "report/findings/application_findings.h"
#include "tests/fit/application/synthetic_application.h"

namespace scalediag::report {

using fit::SyntheticApplication;

// One kernel of each kind, with counts like those of the samples. Instructions are counted where the time alone is not
// enough.
inline SyntheticApplication one_of_each() {
  SyntheticApplication app;
  const auto falls = [](double seconds) { return [seconds](int np, int) { return seconds / np; }; };
  app.kernels = {
      {"scales", falls(60), [](int np) { return 6e10 / np; }},
      {"replicated", [](int, int) { return 1.0; }, [](int) { return 1e9; }},
      // Instructions fall as the work does; the time of an instruction grows as sqrt(P).
      {"stalls", [](int np, int) { return 8 / std::sqrt(np); }, [](int np) { return 8e9 / np; }},
      {"serial", [](int, int rank) { return rank == 0 ? 2.0 : 0.0; }, [](int np) { return 2e9 / np; }},
      {"uneven", [](int np, int rank) { return rank == 0 ? 10 / std::sqrt(np) : (10 - 10 / std::sqrt(np)) / (np - 1); },
       [](int np) { return 1e10 / np; }},
  };
  app.operations = {
      // The halo of cg with a large matrix: the bytes of a rank stay.
      {"MPI_Sendrecv", [](int np) { return 1000.0 * (np - 1); }, [](int np) { return 61440.0 * 1000 * (np - 1); },
       [](int) { return 300e-6; }},
      {"MPI_Allreduce", [](int np) { return 1200.0 * np; }, [](int np) { return 8 * 1200.0 * np; },
       [](int np) { return 100e-6 * std::log2(np); }},
  };
  return app;
}

inline Findings findings_of(const core::Profile& profile, const std::vector<std::vector<double>>& targets) {
  auto data = fit::application_data(profile);
  EXPECT_TRUE(data.ok());
  auto model = fit::fit_application(std::move(data).value());
  EXPECT_TRUE(model.ok());
  return application_findings(model.value(), targets);
}

inline Findings findings_of(const SyntheticApplication& app, const std::vector<std::vector<double>>& targets) {
  return findings_of(app.profile({2, 4, 8, 16}), targets);
}

inline const KernelFinding& finding(const TargetFindings& target, const std::string& name) {
  for (const KernelFinding& k : target.kernels) {
    if (k.name == name) return k;
  }
  ADD_FAILURE() << "no kernel " << name;
  return target.kernels.front();
}

}  // namespace scalediag::report
