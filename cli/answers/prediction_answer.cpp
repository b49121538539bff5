#include "cli/answers/prediction_answer.h"

#include <algorithm>
#include <vector>

#include "cli/inputs/size_input.h"
#include "cli/inputs/study_input.h"
#include "cli/standard_output.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/shell_words.h"
#include "core/text/table.h"
#include "report/render/json/findings_json.h"
#include "report/render/text/first/predict_screen.h"
#include "report/render/text/predict_text.h"

namespace scalediag::cli {

using core::Result;

std::string command_to_improve(const MeasurementInput& input, const PredictionRequest& request,
                               const report::Findings& findings) {
  constexpr double kKnownWell = 1.5;
  if (!input.experiment || !input.experiment->parameter_names.empty() || !request.region.empty()) return "";
  const auto can_narrow = [](const report::TargetFindings& target) {
    return target.run_s && !target.replayed && target.run_s->high > kKnownWell * target.run_s->low;
  };
  if (std::none_of(findings.targets.begin(), findings.targets.end(), can_narrow)) return "";
  std::string command = "scalediag improve " + core::quote_shell_word(request.input);
  if (request.at.empty()) {
    const auto processes = [](const report::TargetFindings& target) {
      return core::to_text(report::process_count(target.at));
    };
    command += " --at np=" + core::join(findings.targets, ",", processes);
  }
  for (const std::string& at : request.at) command += " --at " + core::quote_shell_word(at);
  if (!request.network.empty()) command += " --network " + core::quote_shell_word(request.network);
  return command;
}

Result<std::string> prediction_text(const PredictOptions& asked) {
  PredictOptions options = asked;
  Result<MeasurementInput> input =
      load_measurement_input(options.prediction.input, options.prediction.more_inputs, options.prediction.columns);
  if (!input) return input.error();
  if (const core::Status region = choose_region(input.value(), options.prediction.region); !region)
    return region.error();
  if (const core::Status size = choose_size(input.value(), options.prediction); !size) return size.error();
  if (options.prediction.by == kByCallSite) {
    if (const core::Status sites = choose_call_sites(input.value()); !sites) return sites.error();
  }
  if (options.prediction.by == kByCallPath) {
    if (const core::Status paths = choose_call_paths(input.value()); !paths) return paths.error();
  }
  const Result<report::Findings> findings = findings_of(input.value(), options.prediction);
  if (!findings) return findings.error();
  if (options.json) {
    const Result<std::vector<report::ScalingTable>> tables =
        scaling_tables_of(input.value(), options.prediction, findings.value());
    if (!tables) return tables.error();
    return report::findings_json(findings.value(), tables.value());
  }
  report::TerminalOptions terminal;
  terminal.top = options.top;
  terminal.width = options.wide ? core::kUnlimited : terminal_width();
  terminal.color = use_color();
  terminal.next = command_to_improve(input.value(), options.prediction, findings.value());
  return options.details ? report::findings_text(findings.value(), terminal)
                         : report::predict_screen(findings.value(), terminal);
}

}  // namespace scalediag::cli
