// scalediag check INPUT --rule RULE: checks rules about the scaling of a program
#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/evidence/evidence_input.h"
#include "cli/inputs/measurement_input.h"
#include "cli/inputs/prediction.h"
#include "cli/inputs/run_files.h"
#include "cli/options/written_files.h"
#include "cli/standard_output.h"
#include "core/atomic_file.h"
#include "core/experiment/output_file.h"
#include "core/text/table.h"
#include "report/render/ci/junit.h"
#include "report/render/ci/openmetrics.h"
#include "report/render/ci/rule_comment.h"
#include "report/render/ci/sarif.h"
#include "report/render/text/rule_text.h"
#include "report/rules/history/history_check.h"
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
  std::string history;                              // a folder of earlier experiments; empty: none
  std::string junit, openmetrics, markdown, sarif;  // files to write; empty: none
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
  scalediag check timings.csv --rule 'speedup(np=256)>=200' --junit rules.xml --markdown comment.md
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

// The last experiments in the folder, by their names, without the inputs themselves. An entry that cannot be read is
// left out with a warning.
Result<std::vector<fit::ApplicationData>> read_history(const CheckOptions& options) {
  namespace fs = std::filesystem;
  constexpr size_t kLast = 30;
  std::error_code error;
  std::vector<fs::path> paths;
  const std::vector<std::string> inputs = inputs_of(options.request);
  for (fs::directory_iterator entry(options.history, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code other;
    if (entry->path().filename().string().starts_with('.')) continue;
    const bool is_input = std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
      return !input.empty() && fs::equivalent(entry->path(), input, other);
    });
    if (!is_input) paths.push_back(entry->path());
  }
  if (error) {
    return Error{ErrorCode::kInput, "--history " + options.history + ": " + error.message(),
                 "name a folder with an experiment folder, a profile.json or a table of each earlier measurement",
                 options.history};
  }
  std::sort(paths.begin(), paths.end());
  if (paths.size() > kLast) paths.erase(paths.begin(), paths.end() - kLast);
  std::vector<fit::ApplicationData> earlier;
  for (const fs::path& path : paths) {
    const Result<MeasurementInput> input = load_measurement_input(path.string(), {}, options.request.columns, false);
    Result<fit::ApplicationData> data = input ? data_of(input.value()) : Result<fit::ApplicationData>(input.error());
    if (data) {
      earlier.push_back(std::move(data).value());
    } else {
      warn("left out of the history: " + data.error().message, data.error().hint);
    }
  }
  return earlier;
}

// Puts the verdicts on rules about the history at their places among the others.
core::Status add_history(const CheckOptions& options, const std::vector<report::Rule>& rules,
                         report::HistoryInput history, report::RuleCheck& checked) {
  Result<std::vector<fit::ApplicationData>> earlier = read_history(options);
  if (!earlier) return earlier.error();
  history.earlier = std::move(earlier).value();
  for (size_t i = 0; i < rules.size(); ++i) {
    if (!rules[i].history) continue;
    Result<report::RuleVerdict> verdict = report::check_against_history(rules[i], history);
    if (!verdict) return verdict.error();
    checked.verdicts.insert(checked.verdicts.begin() + static_cast<ptrdiff_t>(i), std::move(verdict).value());
  }
  return core::Done{};
}

core::Status check_history_named(const CheckOptions& options, const std::vector<report::Rule>& rules) {
  const auto is_about = [](const report::Rule& rule) { return rule.history.has_value(); };
  const auto rule = std::find_if(rules.begin(), rules.end(), is_about);
  if (rule != rules.end() && options.history.empty()) {
    return Error{ErrorCode::kUsage, "rule \"" + rule->text + "\" is about a history, and none is given",
                 "--history DIR names a folder with earlier experiments", ""};
  }
  if (rule == rules.end() && !options.history.empty()) {
    return Error{ErrorCode::kUsage, "--history is given, and no rule is about it",
                 "for example 'time(kernel=*)<history'", ""};
  }
  return core::Done{};
}

Result<report::RuleCheck> checked_rules(const CheckOptions& options, const std::vector<report::Rule>& all_rules) {
  if (const core::Status named = check_history_named(options, all_rules); !named) return named.error();
  std::vector<report::Rule> rules = all_rules;
  std::erase_if(rules, [](const report::Rule& rule) { return rule.history.has_value(); });
  Result<MeasurementInput> input =
      load_measurement_input(options.request.input, options.request.more_inputs, options.request.columns);
  if (!input) return input.error();
  if (const core::Status region = choose_region(input.value(), options.request.region); !region) return region.error();
  Result<fit::ApplicationData> data = data_of(input.value());
  if (!data) return data.error();
  const MeasuredParameters measured = measured_parameters(data.value());
  const Result<fit::ApplicationOptions> fitting = fitting_of(options.request, data.value(), measured);
  if (!fitting) return fitting.error();
  std::vector<predict::Target> targets;  // that may have been replayed, which is so of numbers of processes alone
  for (const report::Rule& rule : rules) {
    if (data.value().parameter_names.size() == 1 && rule.at.size() == 1) {
      targets.push_back(predict::Target::of(data.value(), {rule.at.front().value}));
    }
  }
  Result<predict::Evidence> evidence = evidence_of(input.value(), options.request, data.value(), targets);
  if (!evidence) return evidence.error();
  report::HistoryInput history;
  if (rules.size() < all_rules.size()) {
    history.now = data.value();
    if (input.value().table) history.whole_program = input.value().table->whole_program;
  }
  const core::Profile* profile = input.value().profile ? &*input.value().profile : nullptr;
  report::ApplicationRules source(profile, std::move(data).value(), fitting.value(),
                                  with_runs(input.value(), options.request), std::move(evidence).value(),
                                  input.value().table);
  Result<report::RuleCheck> checked = report::check_rules(rules, source, options.strict);
  if (!checked) return checked;
  checked.value().input = options.request.input;
  if (rules.size() < all_rules.size()) {
    if (const core::Status added = add_history(options, all_rules, std::move(history), checked.value()); !added) {
      return added.error();
    }
  }
  const core::Status sizes = check_sizes(options.request, measured, checked.value());
  return sizes ? checked : sizes.error();
}

// The picture of a comment stands beside it: comment.md has comment.svg.
std::string picture_of(const std::string& markdown) {
  return std::filesystem::path(markdown).replace_extension(".svg").string();
}

core::Status write_if_asked(const std::string& file, const Result<std::string>& text) {
  if (file.empty()) return core::Done{};
  return text ? core::write_file_atomically(file, text.value()) : core::Status(text.error());
}

core::Status write_for_ci(const CheckOptions& options, const report::RuleCheck& checked) {
  std::error_code unknown;
  const std::string root = std::filesystem::current_path(unknown).string();
  const std::string picture = options.markdown.empty() ? "" : report::check_svg(checked);
  const std::string name = std::filesystem::path(picture_of(options.markdown)).filename().string();
  for (const core::Status& written :
       {write_if_asked(options.junit, report::check_junit(checked)),
        write_if_asked(options.openmetrics, report::check_openmetrics(checked)),
        write_if_asked(options.sarif, report::check_sarif(checked, root)),
        write_if_asked(picture.empty() ? "" : picture_of(options.markdown), picture),
        write_if_asked(options.markdown, report::check_markdown(checked, picture.empty() ? "" : name))}) {
    if (!written) return written;
  }
  return core::Done{};
}

// The picture is named by no option.
core::Status check_picture(const CheckOptions& options) {
  if (options.markdown.empty()) return core::Done{};
  std::vector<std::string> read = inputs_of(options.request);
  read.insert(read.end(), options.files.begin(), options.files.end());
  read.push_back(options.history);
  return core::check_output_files(
      {picture_of(options.markdown), options.markdown, options.junit, options.openmetrics, options.sarif}, read);
}

int check(const CheckOptions& options) {
  size_t reported = 0;
  if (const core::Status usable = check_picture(options); !usable) return report(usable.error());
  const Result<std::vector<report::Rule>> rules = read_rules(options, reported);
  if (!rules) return report(rules.error());
  if (reported > 0) return core::kExitUsage;
  const Result<report::RuleCheck> checked = checked_rules(options, rules.value());
  if (!checked) return report(checked.error());
  if (const core::Status written = write_for_ci(options, checked.value()); !written) return report(written.error());
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
  command
      ->add_option("--history", options->history,
                   "Folder with earlier experiments, profiles or tables of the program: its names in order are their "
                   "age, and rules '< history' are about the last 30")
      ->type_name("DIR");
  add_model_options(*command, options->request);
  for (const auto& [name, file, description] :
       {std::tuple("--junit", &options->junit, "Also write a JUnit report, a test case a rule"),
        std::tuple("--openmetrics", &options->openmetrics, "Also write values and limits as OpenMetrics"),
        std::tuple("--markdown", &options->markdown,
                   "Also write a comment for a merge request, and its picture beside it (.svg)"),
        std::tuple("--sarif", &options->sarif, "Also write broken rules as SARIF, at the kernels' lines")}) {
    writes_file(command->add_option(name, *file, description)->type_name("FILE"));
  }
  command->add_flag("--strict", options->strict, "A rule fails where the data do not show that it holds");
  command->add_flag("--json", options->json, "Print JSON (scalediag-check/1)");
  command->callback([options, &invocation] { invocation.exit_status = check(*options); });
}

}  // namespace scalediag::cli
