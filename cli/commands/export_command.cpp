// scalediag export INPUT --format extrap-jsonl|extrap-text|extra-p|cali-json|csv|goal
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/measurement_input.h"
#include "cli/inputs/prediction.h"
#include "cli/inputs/run_files.h"
#include "cli/inputs/simulate_input.h"
#include "cli/network/host_network.h"
#include "cli/number_checks.h"
#include "cli/options/network_option.h"
#include "cli/options/written_files.h"
#include "cli/standard_output.h"
#include "core/atomic_file.h"
#include "fit/data/saved/extrap_saved.h"
#include "loggp/traces/goal_writer.h"
#include "report/render/cali_json.h"
#include "report/render/export.h"

namespace scalediag::cli {
namespace {

struct ExportOptions {
  std::string input;
  std::vector<std::string> more_inputs;
  std::vector<std::string> columns;
  std::string format;
  std::string output;
  std::string network;
  int np = 0;
  std::string run;
};

bool to_file(const ExportOptions& options) { return !options.output.empty() && options.output != "-"; }

// Written piece by piece, since schedules are long.
int export_goal(const ExportOptions& options) {
  const auto network = asked_or_host_network(options.network, options.input);
  if (!network) return report(network.error());
  const auto input = read_or_scale_simulation_input({options.input, 1e9, options.np, options.run, ""});
  if (!input) return report(input.error());
  const loggp::Program* program = loggp::program_of(input.value());
  if (program == nullptr) {
    return report({core::ErrorCode::kUsage, options.input + " is a GOAL schedule already", "", options.input});
  }
  if (options.np != 0 && options.np != program->ranks()) {
    return report(
        {core::ErrorCode::kUsage,
         options.input + " has " + std::to_string(program->ranks()) + " ranks, not " + std::to_string(options.np),
         "leave out --np", options.input});
  }
  if (!to_file(options)) {
    int status = core::kExitSuccess;
    const auto written = loggp::write_goal(*program, network.value(), [&](std::string_view text) {
      if (status == core::kExitSuccess) status = print(std::string(text));
    });
    return written ? status : report(written.error());
  }
  auto file = core::AtomicFile::create(options.output);
  if (!file) return report(file.error());
  core::Status into_file = core::Done{};
  const auto written = loggp::write_goal(*program, network.value(), [&](std::string_view text) {
    if (into_file) into_file = file.value().write(text);
  });
  if (!written) return report(written.error());
  if (into_file) into_file = file.value().put_in_place();
  return into_file ? core::kExitSuccess : report(into_file.error());
}

std::string text_of(const std::string& format, const fit::MeasurementSet& set) {
  if (format == "csv") return report::csv(set);
  if (format == "extrap-text") return report::extrap_text(set);
  return format == "extra-p" ? fit::extrap_saved(set) : report::extrap_jsonl(set);
}

// A file for each run in a folder; a single one also on stdout.
int export_cali_json(const ExportOptions& options, const fit::MeasurementSet& set) {
  const std::vector<report::NamedText> files = report::cali_json(set);
  if (!to_file(options)) {
    if (files.size() == 1) return print(files.front().text);
    return report({core::ErrorCode::kUsage,
                   "cali-json has a file for each of the " + std::to_string(files.size()) + " runs of " + options.input,
                   "name a folder for them with -o", ""});
  }
  std::error_code error;
  std::filesystem::create_directories(options.output, error);
  if (error) {
    return report({core::ErrorCode::kInput, options.output + ": " + error.message(), "name a folder with -o", ""});
  }
  for (const report::NamedText& file : files) {
    const core::Status written = core::write_file_atomically(options.output + "/" + file.name, file.text);
    if (!written) return report(written.error());
  }
  return core::kExitSuccess;
}

int export_measurements(const ExportOptions& options) {
  const core::Result<MeasurementInput> input =
      load_measurement_input(options.input, options.more_inputs, options.columns);
  if (!input) return report(input.error());
  const fit::MeasurementSet set = series_of(input.value());
  if (set.series.empty()) {
    return report({core::ErrorCode::kInput, options.input + " holds no measurement",
                   "`scalediag show` tells the state of an experiment's runs", ""});
  }
  if (options.format == "cali-json") return export_cali_json(options, set);
  const size_t incomplete = report::incomplete_series(set);
  if (incomplete > 0 && options.format.starts_with("extrap-")) {
    warn(std::to_string(incomplete) + (incomplete == 1 ? " series has" : " series have") +
             " no value at some configuration, and Extra-P refuses the file",
         "--format extra-p writes one that it opens");
  }
  const std::string text = text_of(options.format, set);
  if (!to_file(options)) return print(text);
  const core::Status written = core::write_file_atomically(options.output, text);
  return written ? core::kExitSuccess : report(written.error());
}

}  // namespace

void add_export_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "Write what was measured in a format that other programs read");
  command->footer(
      "Examples:\n"
      "  scalediag export app.scalediag --format csv >app.csv\n"
      "  scalediag export app.scalediag --format extrap-jsonl -o app.jsonl\n"
      "  scalediag export app.scalediag --format cali-json -o app.cali\n"
      "  scalediag export app.scalediag --format goal --network network.json --np 256 -o app.goal");
  add_inputs(*command, options->input, options->more_inputs);
  add_columns_option(*command, options->columns);
  command
      ->add_option("--format", options->format,
                   "extrap-jsonl, extrap-text or extra-p (of Extra-P: JSON lines, text, a saved experiment), cali-json "
                   "(Caliper's JSON for Hatchet and Thicket: -o is a folder), csv, or goal (LogGOPSim's schedules: "
                   "what was traced)")
      ->required()
      ->check(CLI::IsMember({"extrap-jsonl", "extrap-text", "extra-p", "cali-json", "csv", "goal"}));
  writes_file_or_stdout(
      command->add_option("-o,--output", options->output, "File to write; without it, or with -, stdout")
          ->type_name("FILE"));
  add_network_option(*command, "--network", options->network,
                     "goal: the network whose library chooses the algorithms of collectives (default: as of simulate)");
  command->add_option("--np", options->np, "goal: number of ranks, as of `simulate`")
      ->type_name("P")
      ->check(number_of_ranks());
  command->add_option("--run", options->run, "goal: which of INPUT's runs, as np0004.r0")->type_name("ID");
  command->callback([options, &invocation] {
    invocation.exit_status = options->format == "goal" ? export_goal(*options) : export_measurements(*options);
  });
}

}  // namespace scalediag::cli
