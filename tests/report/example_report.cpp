#include "tests/report/example_report.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "core/experiment/experiment.h"
#include "fit/application/application.h"
#include "fit/profile/profile_data.h"
#include "report/findings/application_findings.h"
#include "tests/fit/application/synthetic_application.h"

namespace scalediag::report {

const char* const kHostileName = "</script><img src=x onerror=alert(1)>";

namespace {

fit::SyntheticApplication one_of_each() {
  fit::SyntheticApplication app;
  const auto falls = [](double seconds) { return [seconds](int np, int) { return seconds / np; }; };
  app.kernels = {
      {"solver::relax(double*, int)", falls(60), [](int np) { return 6e10 / np; }},
      {"mesh::refine", falls(20), [](int np) { return 2e10 / np; }},
      {"setup::read_input", [](int, int) { return 0.4; }, [](int) { return 4e8; }},
      {"grid::stencil", [](int np, int) { return 8 / std::sqrt(np); }, [](int np) { return 8e9 / np; }},
      {"output::gather", [](int np, int rank) { return rank == 0 ? 2.0 : 0.0 * np; }, [](int np) { return 2e9 / np; }},
      {"partition::balance",
       [](int np, int rank) { return rank == 0 ? 10 / std::sqrt(np) : (10 - 10 / std::sqrt(np)) / (np - 1); },
       [](int np) { return 1e10 / np; }},
  };
  app.operations = {
      {"MPI_Sendrecv", [](int np) { return 1000.0 * (np - 1); }, [](int np) { return 6144.0 * 1000 * (np - 1); },
       [](int) { return 300e-6; }},
      {"MPI_Allreduce", [](int np) { return 1200.0 * np; }, [](int np) { return 8 * 1200.0 * np; },
       [](int np) { return 100e-6 * std::log2(np); }},
  };
  return app;
}

// Adds the data that a measured run has beyond a synthetic one.
void complete(core::Run& run, int repeat) {
  run.repeat = repeat;
  run.id = core::run_id({run.np, {}}, repeat);
  run.clock_reason = "ranks share cores";
  run.counters_reason = "simulated: as asked for";
  run.counter_events = {{"Ir", "instructions", false, "callgrind"}};
  run.sampler = "perf";
  run.sampling_rate_hz = 250;
  run.mpi_library = "Open MPI v4.1.4";
  run.hosts = {"node1"};
  run.samples = 10000;
  run.lost_samples = repeat == 0 ? 0 : 3;
  for (int rank = 0; rank < run.np; ++rank) {
    run.peers.push_back({rank, (rank + 1) % run.np, 1000, 6.1e6});
    run.peers.push_back({rank, (rank + run.np - 1) % run.np, 1000, 6.1e6});
    run.rank_computation_s.push_back(rank == 0 ? run.times.computation_s.max : run.times.computation_s.mean);
    run.rank_communication_s.push_back(run.times.communication_s.mean);
    run.rank_total_s.push_back(run.times.total_s.mean);
  }
  for (core::Kernel& kernel : run.kernels) {
    const core::OverRanks& time = kernel.metrics["time_s"];
    kernel.resources = {{"cpi", 0.9},
                        {"t_comp_s", 0.7 * time.mean},
                        {"t_stall_s", 0.3 * time.mean},
                        {"t_mem_s", 0.6 * time.mean},
                        {"bf_mem", 0.5}};
    // A second repeat that differs by 1 %.
    if (repeat == 0) continue;
    core::OverRanks& longer = kernel.metrics["time_s"];
    for (double* value : {&longer.sum, &longer.mean, &longer.min, &longer.max}) *value *= 1.01;
  }
  for (core::MpiOperation& operation : run.operations) {
    for (core::MpiClass& c : operation.classes) {
      c.bytes_from = operation.operation == "MPI_Allreduce" ? 8 : 4096;
      c.bytes_to = 2 * c.bytes_from - 1;
    }
  }
}

}  // namespace

core::Profile example_profile() {
  const fit::SyntheticApplication app = one_of_each();
  core::Profile profile = app.profile({2, 4, 8, 16});
  std::vector<core::Run> runs;
  for (const core::Run& run : profile.runs) {
    for (int repeat = 0; repeat < 2; ++repeat) {
      runs.push_back(run);
      complete(runs.back(), repeat);
    }
  }
  profile.runs = std::move(runs);
  return profile;
}

core::Profile hostile_profile() {
  core::Profile profile = example_profile();
  profile.application = kHostileName;
  profile.command = {kHostileName, "--name='\"&"};
  for (core::Run& run : profile.runs) {
    run.mpi_library = run.clock_reason = run.counters_reason = kHostileName;
    run.hosts = {kHostileName};
    run.warnings = {kHostileName};
    run.counter_events = {{kHostileName, "instructions", false, kHostileName}};
    for (core::Kernel& kernel : run.kernels) {
      kernel.name = kHostileName + kernel.name + "\xE2\x80\xA8\x01'\"&amp;";
      kernel.module = kernel.file = kHostileName;
      kernel.line = 7;
    }
  }
  return profile;
}

core::Profile large_profile(int kernels, int scales) {
  fit::SyntheticApplication app;
  for (int i = 0; i < kernels; ++i) {
    char name[120];
    std::snprintf(name, sizeof name, "physics::module_%02d::Operator<double, %d>::apply(Field const&, Field&)", i % 40,
                  i);
    const double seconds = 400.0 / (1 + i);
    const double exponent = i % 7 == 0 ? -0.3 : -1;
    const double count = seconds * 1e9;
    app.kernels.push_back({name, [=](int np, int) { return seconds * std::pow(np, exponent); },
                           [=](int np) { return count * std::pow(np, exponent); }, 1e6});
  }
  app.operations = one_of_each().operations;
  std::vector<int> processes;
  for (int i = 0; i < scales; ++i) processes.push_back(2 << i);
  // Thousands of ranks with a value each would take long and show nothing more.
  core::Profile profile = app.profile({2});
  core::Run base = profile.runs.front();
  profile.runs.clear();
  for (const int np : processes) {
    core::Run run = base;
    run.np = np;
    run.id = core::run_id({np, {}}, 0);
    const double share = 2.0 / np;
    double computation = 0;
    for (size_t k = 0; k < run.kernels.size(); ++k) {
      const double time = app.kernels[k].time_s(np, 0), count = app.kernels[k].instructions(np);
      run.kernels[k].metrics["time_s"] = {time * np, time, time, time, 0, 0};
      run.kernels[k].metrics["instructions"] = {count * np, count, count, count, 0, 0};
      run.kernels[k].samples = 1000000;
      run.kernels[k].resources = {
          {"cpi", 0.9}, {"t_comp_s", 0.7 * time}, {"t_stall_s", 0.3 * time}, {"t_mem_s", 0.6 * time}, {"bf_mem", 0.5}};
      computation += time;
    }
    for (core::OverRanks* times : {&run.times.computation_s, &run.times.total_s}) {
      *times = {computation * np, computation, computation, computation, 0, 0};
    }
    for (core::MpiOperation& operation : run.operations) operation.calls.mean /= share;
    profile.runs.push_back(std::move(run));
  }
  return profile;
}

PhaseFindings example_phases(const std::string& name) {
  PhaseFindings phases;
  phases.ranks = {2, 4, 8, 16};
  phases.target = 64;
  phases.regular_share = 1;
  phases.certain_share = 0.75;
  phases.main_loop = {{2, 100}, {4, 100}, {8, 100}, {16, 100}};
  phases.phases = {{1, {{2, 1}, {16, 1}}, 0.02, false, true, true, {"MPI_Bcast of all ranks: 8 B"}},
                   {2, {{2, 1000}, {16, 4000}}, 0.9, true, true, false, {"MPI_Sendrecv of " + name}},
                   {3, {{2, 100}, {16, 100}}, 0.08, true, true, true, {"MPI_Allreduce of all ranks: 8 B"}}};
  phases.loops = {{2, 3, 0, {{2, 100}, {16, 100}}}, {2, 2, 1, {{2, 10}, {16, 40}}}};
  return phases;
}

std::vector<RegionFinding> example_regions(const std::string& name) {
  const auto times = [](int np, double seconds) {
    return RegionTimes{{{"np", np}},   100,           seconds,       0.8, seconds, 0.75 * seconds,
                       0.25 * seconds, 0.9 * seconds, 1.25 * seconds};
  };
  return {{"main-loop", "", "MPI calls", false, {"an estimate"}, {times(2, 8), times(4, 4), times(16, 1)}},
          {name, "", "scalediag", false, {}, {times(2, 4), times(16, 2)}},
          {"inner", name, "Kokkos", true, {}, {times(16, 0)}}};
}

// A tree of three functions and an operation over two scales.
CallTree example_call_tree(const std::string& name) {
  const auto node = [](int parent, int depth, core::CallPathKind kind, const std::string& function, double first_s,
                       double last_s, double own) {
    const auto times = [own](double seconds) { return CallTreeTimes{seconds, own * seconds, 1.2 * seconds, 500}; };
    return CallTreeNode{
        parent, depth, kind, function, "app", "/src/app.cpp", 7, "main->" + function, {times(first_s), times(last_s)}};
  };
  CallTree tree;
  tree.scales = {{{"np", 2}}, {{"np", 16}}};
  tree.total_s = {8, 2};
  tree.left_out_from = {0.0005, 0.0005};
  tree.nodes = {node(-1, 0, core::CallPathKind::kFunction, "main", 8, 2, 0),
                node(0, 1, core::CallPathKind::kFunction, name + "::solve(int)", 7, 1, 0.5),
                node(1, 2, core::CallPathKind::kMpi, "MPI_Allreduce", 0.5, 0.5, 1),
                node(0, 1, core::CallPathKind::kFunction, "read<&>", 1, 0.9, 1),
                node(0, 1, core::CallPathKind::kOther, "[other]", 0, 0.1, 1)};
  return tree;
}

Findings report_findings(const core::Profile& profile, const std::vector<std::vector<double>>& targets) {
  auto data = fit::application_data(profile);
  if (!data) std::abort();
  const auto model = fit::fit_application(std::move(data).value());
  if (!model) std::abort();
  FindingsOptions options;
  options.detailed = true;
  Findings findings = application_findings(model.value(), targets, options);
  findings.input = "example.scalediag";
  findings.application = profile.application;
  findings.command = profile.command;
  findings.clock_reason = profile.runs.back().clock_reason;
  findings.traffic = traffic_findings(profile);
  findings.provenance = provenance_of(profile, nullptr);
  findings.regions = example_regions(profile.application);
  findings.call_tree = example_call_tree(profile.application);
  findings.phases = example_phases(profile.application);
  return findings;
}

const Findings& example_findings() {
  static const Findings findings = report_findings(example_profile(), {{64}, {1024}});
  return findings;
}

const KernelFinding& kernel_of(const Findings& findings, const std::string& name) {
  for (const KernelFinding& kernel : findings.targets.front().kernels) {
    if (kernel.name == name) return kernel;
  }
  throw std::runtime_error("no kernel " + name);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace scalediag::report
