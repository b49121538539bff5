// scalediag export INPUT --format extrap-jsonl|csv
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/measurement_input.h"
#include "cli/standard_output.h"
#include "core/atomic_file.h"
#include "core/experiment/output_file.h"
#include "report/render/export.h"

namespace scalediag::cli {
namespace {

struct ExportOptions {
  std::string input;
  std::string format;
  std::string output;
};

int export_measurements(const ExportOptions& options) {
  const bool to_file = !options.output.empty() && options.output != "-";
  if (to_file) {
    const core::Status usable = core::check_output_files({options.output}, {options.input});
    if (!usable) return report(usable.error());
  }
  const core::Result<MeasurementInput> input = load_measurement_input(options.input);
  if (!input) return report(input.error());
  const fit::MeasurementSet set = series_of(input.value());
  if (set.series.empty()) {
    return report({core::ErrorCode::kInput, options.input + " holds no measurement",
                   "`scalediag show` tells the state of an experiment's runs", ""});
  }
  const std::string text = options.format == "csv" ? report::csv(set) : report::extrap_jsonl(set);
  if (!to_file) return print(text);
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
      "  scalediag export app.scalediag --format extrap-jsonl -o app.jsonl");
  command->add_option("INPUT", options->input, "Experiment folder, profile.json, or file in one of Extra-P's formats")
      ->required();
  command->add_option("--format", options->format, "extrap-jsonl (Extra-P's JSON lines) or csv")
      ->required()
      ->check(CLI::IsMember({"extrap-jsonl", "csv"}));
  command->add_option("-o,--output", options->output, "File to write; without it, or with -, stdout")
      ->type_name("FILE");
  command->callback([options, &invocation] { invocation.exit_status = export_measurements(*options); });
}

}  // namespace scalediag::cli
