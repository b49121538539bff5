// Models of synthetic applications.
#pragma once

#include <gtest/gtest.h>

#include "fit/application/application.h"
#include "fit/profile/profile_data.h"
#include "tests/fit/application/synthetic_application.h"

namespace scalediag::fit {

inline const std::vector<int> kScales = {2, 4, 8, 16};

inline SyntheticApplication stencil() {
  SyntheticApplication app;
  app.kernels = {{"sweep", [](int np, int) { return 40.0 / np; }}, {"setup", [](int, int) { return 0.5; }}};
  app.operations = {{"MPI_Send", [](int np) { return 1000.0 * (np - 1); }, [](int np) { return 8e6 * (np - 1); },
                     [](int) { return 10e-6; }}};
  return app;
}

inline ApplicationModel model_of(const SyntheticApplication& app, const std::vector<int>& scales = kScales) {
  auto data = application_data(app.profile(scales));
  EXPECT_TRUE(data.ok());
  auto model = fit_application(std::move(data).value());
  EXPECT_TRUE(model.ok());
  return std::move(model).value();
}

inline const KernelModel& kernel(const ApplicationModel& model, const std::string& name) {
  for (const KernelModel& k : model.kernels()) {
    if (k.data().name == name) return k;
  }
  ADD_FAILURE() << "no kernel " << name;
  return model.kernels().front();
}

}  // namespace scalediag::fit
