// scalediag check INPUT --rule RULE: checks rules about the scaling of a program
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/evidence/evidence_input.h"
#include "cli/inputs/measurement_input.h"
#include "cli/inputs/prediction.h"
#include "cli/inputs/run_files.h"
#include "cli/standard_output.h"
#include "core/atomic_file.h"
#include "core/text/table.h"
#include "report/render/text/rule_text.h"
#include "report/rules/rule_application.h"
#include "report/rules/rule_check.h"
#include "report/rules/rule_parser.h"

namespace scalediag::cli {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

struct CheckOptions {
  PredictionRequest request;  // without its targets, which the rules give
  std::vector<std::string> rules;
  std::vector<std::string> files;
  bool strict = false;
  bool json = false;
};

std::string footer() {
  std::string text = "Rules, each in quotes of the shell:\n";
  for (const auto& [rule, meaning] : report::rule_examples()) {
    text += "  " + std::string(rule) + std::string(std::max<size_t>(2, 50 - std::string(rule).size()), ' ') + meaning +
            "\n";
  }
  return text +
         R"(Comparisons are < <= > >=. Times need a unit: us, ms, s, min, h; ratios may have %. A kernel is named as `show` prints
it, or by the end of that: 'solve' for ns::Grid::solve(int). Measured configurations are judged by what was measured,
others by what is predicted. With the CPU clock time in MPI, and what it is part of, is modelled at measured ones: the
answer says so. What stays as it is grows by about 0, not by exactly 0: allow for that.

In a file, a rule a line; # begins a comment.

The value decides; where its 90 % interval reaches over the limit, or nothing is known about its error, the rule is
called uncertain, and --strict fails it.

Examples:
  scalediag check app.scalediag --rule 'efficiency(np=256)>=80%' --rule "kernel('halo').rank(np=1024)>3"
  scalediag check app.scalediag --rules scaling.rules --strict
  scalediag check data.jsonl --rule "growth(kernel('main->solve'))<=0.1" --json

Exit status: 0 all rules hold, 1 a rule fails, 2 a rule or the input cannot be used.)";
}

// Reads the rules; all of their errors are reported at once.
Result<std::vector<report::Rule>> read_rules(const CheckOptions& options, size_t& reported) {
  std::vector<Result<report::Rule>> parsed;
  for (const std::string& text : options.rules) parsed.push_back(report::parse_rule(text));
  for (const std::string& file : options.files) {
    const Result<std::string> text = core::read_file(file);
    if (!text) return text.error();
    std::vector<Result<report::Rule>> lines = report::parse_rules(text.value(), file);
    parsed.insert(parsed.end(), lines.begin(), lines.end());
  }
  std::vector<report::Rule> rules;
  for (Result<report::Rule>& rule : parsed) {
    if (rule) {
      rules.push_back(std::move(rule).value());
    } else {
      report(rule.error());
      ++reported;
    }
  }
  if (rules.empty() && reported == 0) {
    return Error{ErrorCode::kUsage, "there is no rule", "for example --rule 'efficiency(np=256)>=80%'", ""};
  }
  return rules;
}

// Holds the points at which rules were judged against what was measured, and tells where --size changes no answer.
core::Status check_sizes(const PredictionRequest& request, const MeasuredParameters& measured,
                         report::RuleCheck& checked) {
  std::vector<predict::Target> targets;
  for (const report::RuleVerdict& verdict : checked.verdicts) {
    std::vector<double> values;
    for (const auto& [name, value] : verdict.at) values.push_back(value);
    targets.emplace_back(measured.names, std::move(values), measured.processes);
  }
  if (core::Status sizes = check_other_sizes(request, measured, targets); !sizes) return sizes;
  if (std::string note = predict::size_without_effect(request.size, measured, targets); !note.empty()) {
    checked.notes.push_back(std::move(note));
  }
  return core::Done{};
}

Result<report::RuleCheck> checked_rules(const CheckOptions& options, const std::vector<report::Rule>& rules) {
  Result<MeasurementInput> input = load_measurement_input(options.request.input, options.request.more_inputs);
  if (!input) return input.error();
  if (const core::Status region = choose_region(input.value(), options.request.region); !region) return region.error();
  Result<fit::ApplicationData> data = data_of(input.value());
  if (!data) return data.error();
  const MeasuredParameters measured = measured_parameters(data.value());
  const Result<fit::ApplicationOptions> fitting = fitting_of(options.request, data.value(), measured);
  if (!fitting) return fitting.error();
  Result<predict::Evidence> evidence = evidence_of(input.value(), options.request, data.value(), {});
  if (!evidence) return evidence.error();
  const core::Profile* profile = input.value().profile ? &*input.value().profile : nullptr;
  report::ApplicationRules source(profile, std::move(data).value(), fitting.value(),
                                  with_runs(input.value(), options.request), std::move(evidence).value());
  Result<report::RuleCheck> checked = report::check_rules(rules, source, options.strict);
  if (!checked) return checked;
  checked.value().input = options.request.input;
  const core::Status sizes = check_sizes(options.request, measured, checked.value());
  return sizes ? checked : sizes.error();
}

int check(const CheckOptions& options) {
  size_t reported = 0;
  const Result<std::vector<report::Rule>> rules = read_rules(options, reported);
  if (!rules) return report(rules.error());
  if (reported > 0) return core::kExitUsage;
  const Result<report::RuleCheck> checked = checked_rules(options, rules.value());
  if (!checked) return report(checked.error());
  const int status = checked.value().passed() ? core::kExitSuccess : core::kExitRuleFailed;
  if (options.json) {
    const Result<std::string> text = report::check_json(checked.value());
    if (!text) return report(text.error());
    const int printed = print(text.value());
    return printed == core::kExitSuccess ? status : printed;
  }
  report::TerminalOptions terminal;
  terminal.width = terminal_width();
  terminal.color = use_color();
  const int printed = print(report::check_text(checked.value(), terminal));
  return printed == core::kExitSuccess ? status : printed;
}

}  // namespace

void add_check_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Hold rules against what was measured and predicted, for CI");
  command->footer(footer());
  add_inputs(*command, options->request.input, options->request.more_inputs);
  // The option is not split: rules have commas and brackets, which the option parser would interpret.
  command->add_option("--rule", options->rules, "A rule; repeatable")
      ->type_name("RULE")
      ->allow_extra_args(false)
      ->delimiter('\0');
  command->add_option("--rules", options->files, "A file with a rule a line; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->delimiter('\0');
  add_model_options(*command, options->request);
  command->add_flag("--strict", options->strict, "A rule fails where the data do not show that it holds");
  command->add_flag("--json", options->json, "Print JSON (scalediag-check/1)");
  command->callback([options, &invocation] { invocation.exit_status = check(*options); });
}

}  // namespace scalediag::cli
