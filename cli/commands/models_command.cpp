// scalediag models INPUT
#include <algorithm>
#include <memory>
#include <utility>

#include "cli/command.h"
#include "cli/inputs/measurement_input.h"
#include "cli/inputs/prediction.h"
#include "cli/inputs/run_files.h"
#include "cli/standard_output.h"
#include "core/profile/metric_names.h"
#include "core/statistics.h"
#include "fit/application/application_data.h"
#include "fit/counts/count_model.h"
#include "fit/curves/fit.h"
#include "report/render/model_listing.h"
#include "report/scaling/measured_series.h"

namespace scalediag::cli {
namespace {

struct ModelsOptions {
  std::string input;
  std::vector<std::string> more_inputs;
  std::string kernel;
  std::string metric;
  std::string size;
  PredictionRequest totals;  // of the whole program, where `totals.at` names targets
  bool json = false;
  bool latex = false;
};

// '*' stands for any characters; a pattern without one matches anywhere in the text.
bool matches(const std::string& text, const std::string& pattern) {
  if (pattern.empty()) return true;
  if (pattern.find('*') == std::string::npos) return text.find(pattern) != std::string::npos;
  size_t t = 0, p = 0, star = std::string::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool uses_cpu_clock(const core::Profile& profile) {
  return std::ranges::any_of(profile.runs, [](const core::Run& run) { return run.clock == core::Clock::kCpu; });
}

// Sums over ranks do not follow the work per process, which `size` would make them.
void take_sums_at_measured_sizes(const fit::MeasurementSet& set, fit::FitOptions fitting,
                                 std::vector<Result<fit::Model>>& fitted) {
  fitting.size.clear();
  std::vector<size_t> which;
  std::vector<const fit::Series*> sums;
  for (size_t i = 0; i < set.series.size(); ++i) {
    if (!fit::is_count_of_all_ranks(set.series[i])) continue;
    which.push_back(i);
    sums.push_back(&set.series[i]);
  }
  std::vector<Result<fit::Model>> of_sums = fit::fit_all(sums, fitting);
  for (size_t i = 0; i < which.size(); ++i) fitted[which[i]] = std::move(of_sums[i]);
}

Status add_totals(const MeasurementInput& input, const ModelsOptions& options, report::ModelListing& listing) {
  if (options.totals.at.empty()) {
    if (options.totals.network.empty()) return Done{};
    return Error{ErrorCode::kUsage, "--network is for the whole program's total, which --at asks for",
                 "--at np=LIST, or leave out --network"};
  }
  PredictionRequest request = options.totals;
  request.input = options.input;
  request.size = options.size;
  const auto findings = TRY(findings_of(input, request));
  for (const report::TargetFindings& target : findings.targets) {
    if (target.run_s && target.total_s) listing.totals.push_back({target.at, *target.run_s, *target.total_s});
  }
  if (!listing.totals.empty()) return Done{};
  return Error{ErrorCode::kUsage, options.input + " has call paths that do not add up to a whole program",
               "leave out --at", options.input};
}

// The forms of operations that the patterns match, of a profile.
Status add_communication(const MeasurementInput& input, const ModelsOptions& options, report::ModelListing& listing) {
  if (!input.profile || !matches(metric::kTime, options.metric)) return Done{};
  const fit::ApplicationData data = TRY(data_of(input));
  listing.communication = fit::paper_forms(fit::measured_costs(data));
  std::erase_if(listing.communication, [&](const auto& form) { return !matches(form.first, options.kernel); });
  return Done{};
}

// Errors (kInput): one point alone was measured.
core::Status check_varies(const fit::MeasurementSet& set, const std::string& input) {
  const std::vector<double>* only = nullptr;
  for (const fit::Series& series : set.series) {
    for (const fit::Observation& o : series.observations) {
      if (only != nullptr && o.at != *only) return core::Done{};
      only = &o.at;
    }
  }
  if (only == nullptr) return core::Done{};
  const std::string& processes = set.parameter_names[fit::processes_parameter(set.parameter_names)];
  return core::Error{core::ErrorCode::kInput,
                     input + " was measured at " + report::text_of(report::point_of(set.parameter_names, *only)) +
                         " only, which shows no trend",
                     "a trend needs at least " + std::to_string(fit::kScalesForTrend) + " values of " + processes,
                     input};
}

// Whether it is the rest of the runs that is in no function, at most 1 % of each.
bool is_chance(const fit::Series& series, const fit::MeasurementSet& set) {
  constexpr double kLittle = 0.01;
  if (series.kernel != fit::kWholeProgram || series.metric != "unattributed_s") return false;
  const auto run = std::find_if(set.series.begin(), set.series.end(), [](const fit::Series& s) {
    return s.kernel == fit::kWholeProgram && s.metric == metric::kRun;
  });
  return run != set.series.end() &&
         std::all_of(series.observations.begin(), series.observations.end(), [&](const fit::Observation& o) {
           return core::mean(o.values) <= kLittle * report::measured_at(*run, o.at).value_or(0);
         });
}

Result<int> models(const ModelsOptions& options) {
  const MeasurementInput input =
      TRY(load_measurement_input(options.input, options.more_inputs, options.totals.columns));
  const fit::MeasurementSet set = series_of(input);
  TRY(check_size(options.size, set.parameter_names));
  TRY(check_varies(set, options.input));
  fit::FitOptions fitting;
  fitting.processes = set.parameter_names[fit::processes_parameter(set.parameter_names)];
  fitting.size = options.size;
  fitting.models = model_set_of(options.totals);
  // All series are fitted, whatever is printed, since series of one metric learn from one another.
  std::vector<Result<fit::Model>> fitted = fit::fit_all(set.series, fitting);
  if (input.profile && !options.size.empty()) take_sums_at_measured_sizes(set, fitting, fitted);

  report::ModelListing listing{options.input, {}, {}, {}, {}};
  TRY(add_totals(input, options, listing));
  TRY(add_communication(input, options, listing));
  bool any_match = false;
  for (size_t i = 0; i < fitted.size(); ++i) {
    const fit::Series& series = set.series[i];
    if (!matches(series.kernel, options.kernel) || !matches(series.metric, options.metric)) continue;
    any_match = true;
    if (fitted[i]) {
      listing.models.push_back({series.kernel, series.metric, fitted[i].value(), {}, is_chance(series, set)});
      if (input.profile) listing.models.back().counts = fit::met_hypotheses(series, fitting);
    } else {
      listing.notes.push_back(series.kernel + ", " + series.metric + " has no model: " + fitted[i].error().message);
    }
  }
  if (!any_match) {
    return Error{ErrorCode::kUsage, "no kernel and metric of " + options.input + " matches",
                 "a pattern is a part of the name, or the whole of it with * for any characters"};
  }
  if (input.profile && !options.size.empty()) {
    listing.notes.push_back("calls and bytes are summed over ranks and modelled at the measured " + options.size +
                            "; what ranks have at others `predict --size " + options.size + "` says");
  }
  if (listing.models.empty()) {
    return Error{ErrorCode::kInput, "nothing that was asked for can be modelled; the first: " + listing.notes.front(),
                 "a trend needs at least " + std::to_string(fit::kScalesForTrend) + " values of " + fitting.processes};
  }
  listing.notes.insert(listing.notes.end(), set.notes.begin(), set.notes.end());
  if (std::string assumed = fit::assumed_processes(set.parameter_names); !assumed.empty()) {
    listing.notes.push_back(std::move(assumed));
  }
  if (input.profile && uses_cpu_clock(*input.profile)) {
    listing.notes.push_back(
        "times of MPI operations and totals are modelled as they were measured; with the CPU clock `predict` and "
        "`report` put what the calls cost at their shortest in their place, and have other formulas for these; the "
        "forms of Ding et al. are fitted to that, too");
  }
  if (options.json) {
    const std::string text = TRY(report::models_json(listing));
    return print(text);
  }
  return print(options.latex ? report::models_latex(listing) : report::models_text(listing));
}

}  // namespace

void add_models_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<ModelsOptions>();
  CLI::App* command = app.add_subcommand("models", "Print the models: formulas, alternatives, what speaks for them");
  command->footer(
      "Examples:\n"
      "  scalediag models app.scalediag --kernel solve\n"
      "  scalediag models app.scalediag --kernel 'MPI_*' --metric time_s\n"
      "  scalediag models app.scalediag --kernel solve --at np=64 --network network.json\n"
      "  scalediag models data.jsonl --latex >models.tex");
  add_inputs(*command, options->input, options->more_inputs);
  command->add_option("--kernel", options->kernel, "Only kernels whose name matches PATTERN")->type_name("PATTERN");
  command->add_option("--metric", options->metric, "Only metrics whose name matches PATTERN")->type_name("PATTERN");
  command->add_option("--size", options->size, "The parameter that is the problem size");
  add_model_set_option(*command, options->totals);
  add_columns_option(*command, options->totals.columns);
  add_targets_option(*command, options->totals.at)
      ->description("NAME=LIST: also the whole program's total there, as `predict` has it");
  add_network_option(*command, options->totals);
  CLI::Option* json = command->add_flag("--json", options->json, "Print JSON (scalediag-models/1)");
  command->add_flag("--latex", options->latex, "Print a LaTeX table (packages: booktabs, longtable)")->excludes(json);
  command->callback([options, &invocation] { invocation.exit_status = models(*options); });
}

}  // namespace scalediag::cli
