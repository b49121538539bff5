#include "tests/fit/application/synthetic_application.h"

#include <cmath>

#include "core/experiment/experiment.h"

namespace scalediag::fit {
namespace {

core::OverRanks same(int np, double value) { return {value * np, value, value, value, 0, 0}; }

core::OverRanks over(int np, const std::function<double(int)>& value) {
  core::OverRanksBuilder builder;
  for (int rank = 0; rank < np; ++rank) builder.add(rank, value(rank));
  return builder.finish(np);
}

}  // namespace

core::Profile SyntheticApplication::profile(const std::vector<int>& scales) const {
  core::Profile profile;
  profile.application = "synthetic";
  profile.command = {"./synthetic"};
  for (const int np : scales) {
    core::Run run;
    run.np = np;
    run.id = core::run_id({np, {}}, 0);
    run.complete = true;
    run.clock = clock;
    run.counters = "clock";
    for (const SyntheticKernel& k : kernels) {
      core::Kernel kernel;
      kernel.name = k.name;
      kernel.module = "synthetic";
      kernel.kind = k.kind;
      kernel.metrics["time_s"] = kernel.metrics["cpu_s"] = over(np, [&](int rank) { return k.time_s(np, rank); });
      kernel.samples = static_cast<uint64_t>(std::llround(kernel.metrics["time_s"].sum * k.samples_a_second));
      if (k.instructions) {
        kernel.metrics["instructions"] = same(np, k.instructions(np));
        run.counters = "simulated";
      }
      run.kernels.push_back(std::move(kernel));
    }
    std::vector<double> communication(static_cast<size_t>(np), 0.0);
    for (const SyntheticOperation& o : operations) {
      core::MpiOperation operation;
      operation.operation = o.name;
      const auto share = [&](int rank) { return o.share ? o.share(np, rank) : 1.0 / np; };
      const auto time_s = [&](int rank) { return o.calls(np) * share(rank) * o.call_s(np) + o.blocked_s(np); };
      operation.calls = over(np, [&](int rank) { return o.calls(np) * share(rank); });
      operation.bytes = over(np, [&](int rank) { return o.bytes(np) * share(rank); });
      operation.wall_s = operation.time_s = operation.cpu_s = over(np, time_s);
      operation.blocked_s = same(np, o.blocked_s(np));
      core::MpiClass c;
      c.communicator_size = o.communicator ? o.communicator(np) : np;
      c.calls = operation.calls;
      c.bytes = operation.bytes;
      c.wall_s = operation.wall_s;
      c.blocked_s = operation.blocked_s;
      c.shortest_call_s = o.call_s(np);
      const double size = o.bytes(np) / o.calls(np);
      if (size >= 1) c.bytes_from = std::exp2(std::floor(std::log2(size)));
      operation.classes.push_back(c);
      for (int rank = 0; rank < np; ++rank) communication[static_cast<size_t>(rank)] += time_s(rank);
      run.operations.push_back(std::move(operation));
    }
    const auto sum_of = [&](core::KernelKind kind) {
      return over(np, [this, np, kind](int rank) {
        double sum = 0;
        for (const SyntheticKernel& k : kernels) {
          const bool computes = k.kind != core::KernelKind::kWaiting && k.kind != core::KernelKind::kGpu;
          if (computes ? kind == core::KernelKind::kFunction : kind == k.kind) sum += k.time_s(np, rank);
        }
        return sum;
      });
    };
    run.times.computation_s = sum_of(core::KernelKind::kFunction);
    run.times.openmp_waiting_s = sum_of(core::KernelKind::kWaiting);
    run.times.gpu_s = sum_of(core::KernelKind::kGpu);
    const auto communication_of = [&](int rank) { return communication[static_cast<size_t>(rank)]; };
    run.times.communication_s = over(np, communication_of);
    run.times.others_s = same(np, others_s);
    run.times.unattributed_s = same(np, 0);
    run.times.total_s = over(np, [&](int rank) {
      double sum = communication_of(rank) + others_s;
      for (const SyntheticKernel& k : kernels) sum += k.time_s(np, rank);
      return sum;
    });
    profile.runs.push_back(std::move(run));
  }
  return profile;
}

core::Profile profile_with_resources(const std::vector<int>& scales) {
  SyntheticApplication app;
  app.kernels = {{"sweep", [](int np, int) { return 2.5 / np + 0.25; }, [](int np) { return 8e9 / np; }}};
  core::Profile profile = app.profile(scales);
  for (core::Run& run : profile.runs) {
    const double np = run.np;
    run.counters = "simulated";
    core::Kernel& sweep = run.kernels.front();
    for (const auto& [name, count] : {std::pair("l1_hits", 2e9 / np), std::pair("llc_hits", 1e8 / np),
                                      std::pair("memory_accesses", 1e7), std::pair("flops", 4e9 / np)}) {
      sweep.metrics[name] = {count * np, count, count, count, 0, 0};
    }
    const double t_mem_s = 3.6 / np + 1, accesses = 2.1e9 / np + 1e7;
    sweep.resources = {{"cpi", 0.6},
                       {"hz", 3e9},
                       {"t_comp_s", 1.6 / np},
                       {"t_stall_s", 0.25 * t_mem_s},
                       {"t_stall_high_s", 0.5 * t_mem_s},
                       {"t_mem_s", t_mem_s},
                       {"t_mem_l1_s", 2 / np},
                       {"t_mem_llc_s", 1.6 / np},
                       {"t_mem_memory_s", 1},
                       {"bf_mem", 0.25},
                       {"bf_mem_high", 0.5},
                       {"l1_hit_ratio", 2e9 / np / accesses},
                       {"llc_hit_ratio", 1e8 / np / (1e8 / np + 1e7)},
                       {"memory_bytes", 64e7},
                       {"llc_miss_ratio", 1e7 / accesses},
                       {"flops_per_byte", 4e9 / np / 64e7}};
    sweep.resource_notes = {"stalls_derived"};
  }
  return profile;
}

}  // namespace scalediag::fit
