#include "collector/launch/host/network_probe.h"

#include <utility>

#include "core/text/numbers.h"

namespace scalediag::launch {

Result<NetworkProbe> find_network_probe(const std::string& launcher, const std::string& mpi,
                                        const std::string& program) {
  auto built = TRY(find_built_program({"network_probe", "--probe"}, launcher, mpi, program));
  NetworkProbe probe;
  static_cast<BuiltProgram&>(probe) = std::move(built);
  return probe;
}

Result<std::string> run_network_probe(const NetworkProbe& probe, const ProbeRequest& request) {
  BuiltProgramRun run;
  run.processes = probe.ranks;
  run.arguments = {core::to_text(request.pass_budget_s), std::to_string(request.seed),
                   std::to_string(request.largest_sync), probe.others_wait ? "wait" : "sleep",
                   core::to_text(request.most_s)};
  for (int pass = 0; pass < request.passes; ++pass) {
    for (const uint64_t bytes : request.sizes) run.arguments.push_back(std::to_string(bytes));
  }
  run.tried = {"0.1", "1", "0", "sleep", "60", "8"};
  run.timeout_s = request.timeout_s;
  run.interruption = request.interruption;
  if (request.on_progress) {
    run.on_progress = [&](double elapsed_s, const auto& count) {
      request.on_progress(elapsed_s, [&] { return count("size"); });
    };
  }
  return run_built_program(probe, run);
}

}  // namespace scalediag::launch
