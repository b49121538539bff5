// scalediag predict INPUT --at np=LIST
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/prediction.h"
#include "cli/inputs/study_input.h"
#include "cli/standard_output.h"
#include "core/text/table.h"
#include "report/render/json/findings_json.h"
#include "report/render/text/predict_text.h"

namespace scalediag::cli {
namespace {

using core::Result;

struct PredictOptions {
  PredictionRequest prediction;
  size_t top = 15;
  bool json = false;
  bool wide = false;
};

int predict(const PredictOptions& options) {
  Result<MeasurementInput> input = load_measurement_input(options.prediction.input);
  if (!input) return report(input.error());
  if (const core::Status region = choose_region(input.value(), options.prediction.region); !region)
    return report(region.error());
  if (options.prediction.by == kByCallSite) {
    if (const core::Status sites = choose_call_sites(input.value()); !sites) return report(sites.error());
  }
  if (options.prediction.by == kByCallPath) {
    if (const core::Status paths = choose_call_paths(input.value()); !paths) return report(paths.error());
  }
  const Result<report::Findings> findings = findings_of(input.value(), options.prediction);
  if (!findings) return report(findings.error());
  if (options.json) {
    const Result<std::vector<report::ScalingTable>> tables =
        scaling_tables_of(input.value(), options.prediction, findings.value());
    if (!tables) return report(tables.error());
    const Result<std::string> text = report::findings_json(findings.value(), tables.value());
    return text ? print(text.value()) : report(text.error());
  }
  report::TerminalOptions terminal;
  terminal.top = options.top;
  terminal.width = options.wide ? core::kUnlimited : terminal_width();
  terminal.color = use_color();
  return print(report::findings_text(findings.value(), terminal));
}

}  // namespace

void add_predict_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* command =
      app.add_subcommand("predict", "Predict larger scales: what takes the time, what stops scaling, why");
  command->footer(
      "Examples:\n"
      "  scalediag predict app.scalediag --at np=64,1024\n"
      "  scalediag predict app.scalediag --at np=256..4096 --at grid=512 --size grid\n"
      "  scalediag predict app.scalediag --at np=256 --network network.json\n"
      "  scalediag predict app.scalediag --at np=1024 --by callsite\n"
      "  scalediag predict app.scalediag --at np=1024 --by callpath\n"
      "  scalediag predict app.scalediag --at np=64 --replayed app64.messages\n"
      "  scalediag predict large.scalediag --at np=256 --points small.scalediag\n"
      "  scalediag predict app.scalediag --at np=4096 --node-memory 256GB --ranks-per-node 64\n"
      "  scalediag predict data.jsonl --at p=512 --json");
  add_prediction_options(*command, options->prediction)->required();
  command
      ->add_option("--by", options->prediction.by,
                   "all that is known: costs of calls, and the experiment's traces where there are any and a network, "
                   "scaled to the target and simulated; costs (no traces), callsite (costs of each place that calls "
                   "MPI by itself), or simulation (an error where it cannot be had). callpath: call paths with all "
                   "that they called are predicted in place of functions and operations; needs `profile "
                   "--call-paths`")
      ->capture_default_str()
      ->check(CLI::IsMember({kByAll, kByCosts, kByCallSite, kByCallPath, kBySimulation}));
  command
      ->add_option("--node-memory", options->prediction.node_memory_bytes,
                   "The memory of a node (64GB, 256GiB): from which number of processes it no longer suffices; needs "
                   "--ranks-per-node")
      ->transform(CLI::AsSizeValue(true));
  command->add_option("--ranks-per-node", options->prediction.ranks_per_node, "The ranks on each node")
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--top", options->top, "Kernels to print a target, 0 for all")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  command->add_flag("--wide", options->wide, "Full names, however long the lines become");
  command->add_flag("--json", options->json, "Print JSON (scalediag-predict/1) with every kernel");
  command->callback([options, &invocation] { invocation.exit_status = predict(*options); });
}

}  // namespace scalediag::cli
