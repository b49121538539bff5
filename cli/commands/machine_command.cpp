// scalediag machine [-o FILE]: measures the properties of this machine
#include <unistd.h>

#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/options/written_files.h"
#include "cli/standard_output.h"
#include "cli/terminal_text.h"
#include "collector/launch/host/host_facts.h"
#include "collector/launch/host/machine_store.h"
#include "core/experiment/output_file.h"
#include "report/render/text/machine_text.h"

namespace scalediag::cli {
namespace {

struct MachineCommandOptions {
  std::string output;
  bool json = false;
  bool cached = false;
  bool noisy = false;
};

Result<core::Machine> machine_to_show(const MachineCommandOptions& options) {
  const core::Host host = launch::read_host();
  if (options.cached) {
    if (auto machine = launch::cached_machine(host)) return *std::move(machine);
  }
  // Progress is shown only on a terminal.
  const bool is_watched = isatty(STDERR_FILENO) != 0;
  const auto tell = [is_watched](const std::string& step) {
    if (is_watched) say("measuring: " + step + "\n");
  };
  return launch::measure_this_machine(host, tell, notices(), options.noisy);
}

Result<int> run_machine(const MachineCommandOptions& options) {
  // The check comes before seconds of measuring.
  const std::string kept = options.cached ? launch::machine_cache_file(launch::read_host()) : "";
  TRY(core::check_output_files({options.output}, {kept}));
  const auto machine = TRY(machine_to_show(options));
  if (!options.output.empty()) {
    TRY(core::write_machine(machine, options.output));
  }
  if (!options.json) return print(report::machine_text(machine, {}));
  const auto text = TRY(core::machine_to_text(machine));
  return print(text);
}

}  // namespace

void add_machine_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<MachineCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "machine", "Measure what this machine can do: latencies of caches and memory, bandwidth, frequency, CPI");
  command->footer(
      "Examples:\n"
      "  scalediag machine\n"
      "  scalediag machine --cached --json\n"
      "  scalediag machine -o node.json");
  writes_file(command->add_option("-o,--output", options->output, "Write machine.json (scalediag-machine/1)")
                  ->type_name("FILE"));
  command->add_flag("--json", options->json, "Print it as JSON");
  command->add_flag("--cached", options->cached, "Show the last measurement of this machine if there is one");
  command->add_flag("--noisy", options->noisy,
                    "Keep values that cannot be believed (they disagree, other programs were at work), with warnings");
  command->callback([options, &invocation] { invocation.exit_status = run_machine(*options); });
}

}  // namespace scalediag::cli
