// scalediag show INPUT
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/inputs/measurement_input.h"
#include "cli/inputs/run_files.h"
#include "cli/inputs/show_input.h"
#include "cli/standard_output.h"
#include "core/profile/call_paths.h"
#include "core/text/table.h"
#include "report/render/json/show_json.h"
#include "report/render/text/first/show_screen.h"
#include "report/render/text/show/show_measurements.h"
#include "report/render/text/show/show_text.h"

namespace scalediag::cli {
namespace {

constexpr size_t kDefaultTop = 15;

struct ShowOptions {
  std::string input;
  std::vector<std::string> more_inputs;
  std::string run;
  std::optional<size_t> top;  // 0: all
  bool json = false;
  bool all_repeats = false;
  bool wide = false;
  bool call_paths = false;
  bool details = false;
};

// Measurements of other tools. Options that need a profile's runs are refused.
Result<int> show_measurements(const ShowOptions& options) {
  const MeasurementInput input = TRY(load_shown_measurements(options.input, options.more_inputs));
  for (const auto& [given, option] : {std::pair(options.json, "--json"), std::pair(!options.run.empty(), "--run"),
                                      std::pair(options.call_paths, "--call-paths")}) {
    if (!given) continue;
    return Error{ErrorCode::kUsage, std::string(option) + " needs a profile of scalediag",
                 "`scalediag export --format extrap-jsonl` writes all values for other programs"};
  }
  return print(report::measurements_text(
      input.path, *input.measurements,
      {options.top.value_or(kDefaultTop), options.wide ? core::kUnlimited : terminal_width(), use_color()}));
}

Result<int> show(const ShowOptions& options) {
  if (!options.more_inputs.empty() || holds_measurements(options.input)) return show_measurements(options);
  report::ShownProfile input = TRY(load_show_input(options.input));
  if (!options.run.empty()) {
    TRY(select_run(input, options.run));
  }
  if (options.call_paths && !core::has_call_paths(input.profile)) {
    return Error{ErrorCode::kInput, "--call-paths: " + options.input + " has no call paths",
                 "`scalediag profile --call-paths` records them", options.input};
  }
  if (options.json) {
    const std::string text = TRY(report::show_json(input, options.top.value_or(0)));
    return print(text);
  }
  report::ShowTextOptions text;
  text.top = options.top.value_or(kDefaultTop);
  text.call_paths = options.call_paths;
  text.paths = options.top;
  text.all_repeats = options.all_repeats;
  text.with_incomplete = !options.run.empty();
  text.width = options.wide ? core::kUnlimited : terminal_width();
  text.color = use_color();
  const bool details =
      options.details || options.top || options.call_paths || options.all_repeats || !options.run.empty();
  return print(details ? report::show_text(input, text)
                       : report::show_screen(input, {.width = text.width, .color = text.color}));
}

}  // namespace

void add_show_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand("show", "Print what was measured");
  command->footer(
      "Examples:\n"
      "  scalediag show app.scalediag\n"
      "  scalediag show app.scalediag --details\n"
      "  scalediag show app.scalediag --run np0004.r0 --top 0\n"
      "  scalediag show app.scalediag --call-paths\n"
      "  scalediag show app.scalediag/profile.json --json | jq '.runs[].total_s'");
  add_inputs(*command, options->input, options->more_inputs);
  command->add_flag("--details", options->details,
                    "A table a configuration of kernels, counts, MPI operations with their places, files and regions; "
                    "--top, --run, --call-paths and --all-repeats imply it");
  command
      ->add_option("--top", options->top,
                   "Kernels and MPI operations to print per configuration, 0 for all (default: " +
                       std::to_string(kDefaultTop) + ", with --json all)")
      ->check(CLI::Range(0, 1000000));
  command->add_option("--run", options->run, "Only this run, for example np0004.grid64.r0");
  command->add_flag(
      "--call-paths", options->call_paths,
      "The call tree, which `profile --call-paths` recorded: paths of at least 1 %, or the --top largest");
  command->add_flag("--all-repeats", options->all_repeats, "Every run by itself instead of averages over repeats");
  command->add_flag("--wide", options->wide, "Full names, however long the lines become");
  command->add_flag("--json", options->json, "Print JSON (scalediag-show/1) with every run");
  command->callback([options, &invocation] { invocation.exit_status = show(*options); });
}

}  // namespace scalediag::cli
