#include "cli/answers/prediction_answer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "cli/inputs/improvement_input.h"
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
namespace {

// "4 s", "2 min", "3 h": no more digits than an estimate has.
std::string about(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  const bool is_short = seconds < 1.5 * kMinute;
  const bool is_long = seconds > 1.5 * kHour;
  const double unit = is_short ? 1 : is_long ? kHour : kMinute;
  return core::fixed(std::max(1.0, std::round(seconds / unit)), 0) + (is_short ? " s" : is_long ? " h" : " min");
}

}  // namespace

report::NextStep step_to_improve(const MeasurementInput& input, const PredictionRequest& request,
                                 const report::Findings& findings) {
  constexpr double kKnownWell = 1.5;
  if (!input.experiment || !input.experiment->parameter_names.empty() || !input.experiment->emulation.empty() ||
      !request.region.empty() || !request.size.empty()) {
    return {};
  }
  const auto can_narrow = [](const report::TargetFindings& target) {
    return target.run_s && !target.replayed && target.run_s->high > kKnownWell * target.run_s->low;
  };
  if (std::ranges::none_of(findings.targets, can_narrow)) return {};
  const std::optional<predict::Step> first = first_step(input, findings);
  if (!first) return {};
  std::string command = "scalediag improve " + core::quote_shell_word(request.input);
  if (request.at.empty()) {
    const auto processes = [](const report::TargetFindings& target) {
      return core::to_text(report::process_count(target.at));
    };
    command += " --at np=" + core::join(findings.targets, ",", processes);
  }
  for (const std::string& at : request.at) command += " --at " + core::quote_shell_word(at);
  if (!request.network.empty()) command += " --network " + core::quote_shell_word(request.network);
  constexpr double kSpare = 1.2;  // of the time of a step, since that is an estimate
  const double budget_s = std::max(kImproveBudget_s, std::ceil(kSpare * first->cost_s));
  if (budget_s > kImproveBudget_s) command += " --budget " + core::fixed(budget_s, 0) + "s";
  return {command,
          predict::text_of(*first) + " first, about " + about(first->cost_s) + "; in all up to " + about(budget_s)};
}

Result<MeasurementInput> load_prediction_input(PredictionRequest& request) {
  MeasurementInput input = TRY(load_measurement_input(request.input, request.more_inputs, request.columns));
  TRY(choose_region(input, request.region));
  TRY(choose_size(input, request));
  if (request.by == kByCallSite) TRY(choose_call_sites(input));
  if (request.by == kByCallPath) TRY(choose_call_paths(input));
  return input;
}

Result<std::string> prediction_text(const PredictOptions& asked) {
  PredictOptions options = asked;
  const MeasurementInput input = TRY(load_prediction_input(options.prediction));
  const report::Findings findings = TRY(findings_of(input, options.prediction));
  if (options.json) {
    const std::vector<report::ScalingTable> tables = TRY(scaling_tables_of(input, options.prediction, findings));
    return report::findings_json(findings, tables);
  }
  report::TerminalOptions terminal;
  terminal.top = options.top;
  terminal.width = options.wide ? core::kUnlimited : terminal_width();
  terminal.color = use_color();
  terminal.next = step_to_improve(input, options.prediction, findings);
  return options.details ? report::findings_text(findings, terminal) : report::predict_screen(findings, terminal);
}

}  // namespace scalediag::cli
