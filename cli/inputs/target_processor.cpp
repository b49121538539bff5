#include "cli/inputs/target_processor.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/number_checks.h"
#include "collector/launch/host/host_facts.h"
#include "collector/launch/host/machine_store.h"
#include "collector/launch/notices.h"
#include "core/experiment/machine.h"
#include "core/profile/profile_json.h"
#include "core/text/numbers.h"

namespace scalediag::cli {
namespace {

Result<core::Machine> this_machine(const core::Host& host) {
  if (auto known = launch::cached_machine(host)) return std::move(*known);
  return launch::measure_this_machine(
      host, [](const std::string& what) { notices().note(what); }, notices());
}

// The machine that the folder's runs computed on.
Result<core::Machine> machine_of(const std::string& path) {
  const core::ExperimentFolder folder(path);
  const auto profile = core::read_profile(folder.profile_file());
  const auto emulated_elsewhere = [](const core::Run& run) { return run.emulated && run.emulated->cpu_factor != 1; };
  if (profile && std::ranges::any_of(profile.value().runs, emulated_elsewhere)) {
    return Error{ErrorCode::kInput, "the runs were emulated on another processor than this machine's",
                 "emulate without --cpu-factor and --machine, or give simulate a --cpu-factor", path};
  }
  if (std::filesystem::exists(folder.machine_file())) return core::read_machine(folder.machine_file());
  const auto experiment = folder.load();
  if (!experiment) {
    return Error{ErrorCode::kInput, "the machine of the computations is not known: " + experiment.error().message,
                 "--machine is for experiment folders; give --cpu-factor X instead", path};
  }
  const core::Host here = launch::read_host();
  if (core::same_host(experiment.value().host, here)) return this_machine(here);
  return Error{
      ErrorCode::kInput, "the machine that the runs were made on (" + experiment.value().host.name + ") is not known",
      "run `scalediag machine -o machine.json` there and put the file into the folder, or give --cpu-factor", path};
}

}  // namespace

void add_processor_options(CLI::App& command, ProcessorOptions& options) {
  auto* factor =
      command.add_option("--cpu-factor", options.cpu_factor, "Every computation takes X times as long as measured")
          ->type_name("X")
          ->check(positive_number())
          ->capture_default_str();
  command
      .add_option("--machine", options.machine,
                  "The target's processor, as `scalediag machine` writes it: its CPU factor")
      ->type_name("FILE")
      ->excludes(factor);
}

Result<TargetProcessor> target_processor(const ProcessorOptions& options, const std::string& recorded_in) {
  TargetProcessor target;
  target.factor = options.cpu_factor;
  if (options.machine.empty()) return target;
  const auto there = TRY(core::read_machine(options.machine));
  const auto here = TRY(recorded_in.empty() ? this_machine(launch::read_host()) : machine_of(recorded_in));
  const core::TimeRatios ratios = core::time_ratios(here, there);
  if (!(ratios.instruction > 0)) {
    return Error{
        ErrorCode::kInput,
        options.machine + " or the machine of the computations has no smallest CPI and no frequency under load",
        "give --cpu-factor X instead, or measure again with `scalediag machine`", options.machine};
  }
  target.factor = ratios.instruction;
  const auto text = [](double ratio) { return ratio > 0 ? "x " + core::fixed(ratio, 2) : std::string("not known"); };
  notices().note("computation " + text(ratios.instruction) + " on " + there.host.cpu +
                 ": the time of instructions that wait for nothing. Memory latency is " + text(ratios.memory_access) +
                 ", a core's time for a byte of memory " + text(ratios.memory_byte) +
                 ": programs that wait for memory have a factor in between");
  const auto waits = [&](const std::string& what, double ratio) {
    if (!(ratio > 0)) return;
    Scenario scenario;
    scenario.text = "computation " + text(ratio) + ", as " + what;
    scenario.compute = ratio / ratios.instruction;
    target.waiting_for_memory.push_back(scenario);
  };
  waits("memory latency", ratios.memory_access);
  waits("a byte of memory", ratios.memory_byte);
  return target;
}

}  // namespace scalediag::cli
