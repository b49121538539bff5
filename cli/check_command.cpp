// scalediag check INPUT --rule RULE: does the program still scale as it has to?
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/measurement_input.h"
#include "cli/prediction.h"
#include "cli/standard_output.h"
#include "cli/table.h"
#include "core/atomic_file.h"
#include "report/measurement_findings.h"
#include "report/rule_application.h"
#include "report/rule_check.h"
#include "report/rule_measurements.h"
#include "report/rule_text.h"

namespace scalediag::cli {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

struct CheckOptions {
  std::string input;
  std::vector<std::string> rules;
  std::vector<std::string> files;
  std::string size;
  std::string network;
  std::string measured_network;
  std::string scaling = "auto";
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

The value decides; where its 90 % interval reaches over the limit, the rule is called uncertain, and --strict fails it.

Examples:
  scalediag check app.scalediag --rule 'efficiency(np=256)>=80%' --rule "kernel('halo').rank(np=1024)>3"
  scalediag check app.scalediag --rules scaling.rules --strict
  scalediag check data.jsonl --rule "growth(kernel('main->solve'))<=0.1" --json

Exit status: 0 all rules hold, 1 a rule fails, 2 a rule or the input cannot be used.)";
}

// All that is wrong with the rules is said at once.
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

report::FindingsOptions findings_options(const CheckOptions& options) {
  report::FindingsOptions findings;
  if (options.scaling == "strong") findings.scaling = report::Scaling::kStrong;
  if (options.scaling == "weak") findings.scaling = report::Scaling::kWeak;
  return findings;
}

Result<std::unique_ptr<report::RuleSource>> source_of(MeasurementInput input, const CheckOptions& options) {
  if (input.profile) {
    Result<fit::ApplicationData> data = fit::application_data(*input.profile);
    if (!data) return data.error();
    fit::ApplicationOptions fitting;
    if (const core::Status size = check_size(options.size, data.value().parameter_names); !size) return size.error();
    fitting.fit.size = options.size;
    if (const core::Status priced = set_networks(options.network, options.measured_network, fitting); !priced) {
      return priced.error();
    }
    return std::unique_ptr<report::RuleSource>(std::make_unique<report::ApplicationRules>(
        *input.profile, std::move(data).value(), fitting, findings_options(options)));
  }
  if (input.measurements->series.empty()) {
    return Error{ErrorCode::kInput, options.input + " holds no value that a rule could be about", "", ""};
  }
  if (const core::Status usable = check_no_network(options.network, options.measured_network, options.input); !usable) {
    return usable.error();
  }
  fit::FitOptions fitting;
  const std::vector<std::string>& names = input.measurements->parameter_names;
  if (const core::Status size = check_size(options.size, names); !size) return size.error();
  fitting.processes = names[report::processes_parameter(names)];
  fitting.size = options.size;
  return std::unique_ptr<report::RuleSource>(
      std::make_unique<report::MeasurementRules>(std::move(*input.measurements), fitting, findings_options(options)));
}

int check(const CheckOptions& options) {
  size_t reported = 0;
  const Result<std::vector<report::Rule>> rules = read_rules(options, reported);
  if (!rules) return report(rules.error());
  if (reported > 0) return kExitUsage;
  Result<MeasurementInput> input = load_measurement_input(options.input);
  if (!input) return report(input.error());
  const Result<std::unique_ptr<report::RuleSource>> source = source_of(std::move(input).value(), options);
  if (!source) return report(source.error());
  Result<report::RuleCheck> checked = report::check_rules(rules.value(), *source.value(), options.strict);
  if (!checked) return report(checked.error());
  checked.value().input = options.input;
  const int status = checked.value().passed() ? kExitSuccess : kExitRuleFailed;
  if (options.json) {
    const Result<std::string> text = report::check_json(checked.value());
    if (!text) return report(text.error());
    const int printed = print(text.value());
    return printed == kExitSuccess ? status : printed;
  }
  report::TerminalOptions terminal;
  terminal.width = terminal_width();
  terminal.color = use_color();
  const int printed = print(report::check_text(checked.value(), terminal));
  return printed == kExitSuccess ? status : printed;
}

}  // namespace

void add_check_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Hold rules against what was measured and predicted, for CI");
  command->footer(footer());
  command->add_option("INPUT", options->input, "Experiment folder, profile.json, or file in one of Extra-P's formats")
      ->required();
  // Rules have commas and brackets, which the option parser would take for its own.
  command->add_option("--rule", options->rules, "A rule; repeatable")
      ->type_name("RULE")
      ->allow_extra_args(false)
      ->delimiter('\0');
  command->add_option("--rules", options->files, "A file with a rule a line; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->delimiter('\0');
  command->add_option("--size", options->size,
                      "The parameter that is the problem size; models then know work per process");
  add_network_options(*command, options->network, options->measured_network);
  command
      ->add_option("--scaling", options->scaling, "strong (fixed problem), weak (it grows with the processes), or auto")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "strong", "weak"}));
  command->add_flag("--strict", options->strict, "A rule fails where the data do not show that it holds");
  command->add_flag("--json", options->json, "Print JSON (scalediag-check/1)");
  command->callback([options, &invocation] { invocation.exit_status = check(*options); });
}

}  // namespace scalediag::cli
