#include "cli/answers/prediction_answer.h"

#include <vector>

#include "cli/inputs/measurement_input.h"
#include "cli/inputs/study_input.h"
#include "cli/standard_output.h"
#include "core/text/table.h"
#include "report/render/json/findings_json.h"
#include "report/render/text/first/predict_screen.h"
#include "report/render/text/predict_text.h"

namespace scalediag::cli {

using core::Result;

Result<std::string> prediction_text(const PredictOptions& options) {
  Result<MeasurementInput> input = load_measurement_input(options.prediction.input);
  if (!input) return input.error();
  if (const core::Status region = choose_region(input.value(), options.prediction.region); !region)
    return region.error();
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
  return options.details ? report::findings_text(findings.value(), terminal)
                         : report::predict_screen(findings.value(), terminal);
}

}  // namespace scalediag::cli
