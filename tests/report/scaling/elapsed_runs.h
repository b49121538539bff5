// Runs with elapsed times on nodes, for tests of scaling tables and what is made of them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/profile/off_cpu.h"
#include "fit/profile/profile_data.h"
#include "report/findings/application_findings.h"
#include "tests/fit/application/synthetic_application.h"

namespace scalediag::report {

// Nodes of 4 cores.
inline core::Experiment four_cores_a_node() {
  core::Experiment experiment;
  experiment.host.cores = 4;
  return experiment;
}

// 160/P s that scale and 1 s that does not, elapsed; each run on as many nodes as given.
inline core::Profile on_nodes(std::vector<int> nodes) {
  fit::SyntheticApplication app;
  app.clock = core::Clock::kWall;
  app.kernels = {{"scales", [](int np, int) { return 160.0 / np; }}, {"stays", [](int, int) { return 1.0; }}};
  app.others_s = 0;
  core::Profile profile = app.profile({4, 8, 16, 32});
  for (size_t i = 0; i < profile.runs.size(); ++i) {
    for (int n = 0; n < nodes[i]; ++n) profile.runs[i].hosts.push_back("n" + std::to_string(n));
  }
  return profile;
}

// A tenth of the run's 41 s off the CPU, where a twentieth is told.
inline void be_off_cpu(core::Run& run, double off_s = 4.1) {
  core::Kernel off;
  off.name = core::kOffCpu;
  off.kind = core::KernelKind::kSystem;
  off.metrics["time_s"].mean = off_s;
  run.kernels.push_back(off);
}

struct ModelledRuns {
  fit::ApplicationData data;
  Findings findings;  // of strong scaling, at one target
};

inline ModelledRuns modelled(const core::Profile& profile, double target) {
  const core::Experiment experiment = four_cores_a_node();
  auto data = fit::application_data(profile);
  EXPECT_TRUE(data.ok());
  auto model = fit::fit_application(data.value());
  EXPECT_TRUE(model.ok());
  FindingsOptions how;
  how.scaling = Scaling::kStrong;
  how.detailed = true;
  how.profile = &profile;
  how.experiment = &experiment;
  return {data.value(), application_findings(model.value(), {{target}}, how)};
}

}  // namespace scalediag::report
