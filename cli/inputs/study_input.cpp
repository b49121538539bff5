#include "cli/inputs/study_input.h"

#include <algorithm>
#include <set>

#include "cli/number_checks.h"
#include "cli/options/network_option.h"
#include "core/most_ranks.h"
#include "core/text/numbers.h"
#include "core/text/value_list.h"
#include "loggp/network/network_words.h"
#include "report/scaling/measured_series.h"

namespace scalediag::cli {
namespace {

using core::Error;
using core::ErrorCode;

constexpr const char* kWholeRun = "run";  // of --region
constexpr int kMostTimes = 64;            // the largest measured number of processes, where points may reach further

// The other parameters change with every configuration, so that no combination of theirs with a further number of
// processes is known.
bool changes_everywhere(const fit::ApplicationData& data) {
  std::set<std::vector<double>> others;
  for (const fit::ConfigurationPoint& point : data.configurations) {
    std::vector<double> rest = point.at;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(data.processes));
    others.insert(rest);
  }
  return others.size() > 1 && others.size() == data.configurations.size();
}

// The ranks of a node, as they were said or a network with several of them on a node has them.
std::optional<int> ranks_per_node(const std::optional<int>& said, const std::string& network) {
  if (said || network.empty()) return said;
  const core::Result<loggp::Network> known = loggp::network_of(network);
  if (!known || known.value().placement.kind != loggp::Placement::Kind::kBlock) return said;
  const int ranks = known.value().placement.ranks_per_node;
  return ranks > 1 ? std::optional(ranks) : said;
}

// Where to predict: at each problem that was measured.
std::vector<std::string> targets_of(const fit::ApplicationData& data, const std::string& processes) {
  std::vector<std::string> at;
  const MeasuredParameters measured = measured_parameters(data);
  const bool last_only = changes_everywhere(data);
  for (size_t p = 0; p < measured.names.size(); ++p) {
    const std::string values = p == measured.processes ? processes
                               : last_only             ? core::to_text(data.configurations.back().at[p])
                                                       : core::list_of(measured.values[p]);
    at.push_back(measured.names[p] + "=" + values);
  }
  return at;
}

// Error (kUsage): a target is of a problem that no table is about, since it was not measured.
core::Status check_problems(const std::vector<report::TargetFindings>& targets, const fit::ApplicationData& data) {
  if (changes_everywhere(data)) return core::Done{};
  for (const report::TargetFindings& target : targets) {
    std::vector<double> at;
    for (const auto& parameter : target.at) at.push_back(parameter.second);
    const auto is_its = [&](const fit::ConfigurationPoint& c) {
      return report::same_problem(c.at, at, data.processes);
    };
    if (std::ranges::any_of(data.configurations, is_its)) continue;
    return Error{ErrorCode::kUsage,
                 report::text_of(target.at) +
                     " is of another problem than those that were measured, and these are "
                     "what jobs are proposed for",
                 "`scalediag predict` takes it, or measure that problem", "--at"};
  }
  return core::Done{};
}

struct ChosenRegion {
  std::optional<MeasurementInput> input;  // with the region's times in place; empty: the run
  std::string why_run;                    // where nobody asked for the run: why it is not the main loop
};

// Errors (kInput): a region that was asked for is not there, or not with this clock.
core::Result<ChosenRegion> choose(const MeasurementInput& loaded, const std::string& region, core::Clock clock) {
  ChosenRegion chosen;
  if (region == kWholeRun) return chosen;
  if (clock != core::Clock::kWall) {
    if (region.empty()) return chosen;
    return Error{ErrorCode::kInput,
                 "the times of " + loaded.path + " are CPU times, and that of the region " + region +
                     " holds what ranks burn while they wait: it shows no scaling",
                 "measure with a core for each rank, or say --region run", loaded.path};
  }
  MeasurementInput input = loaded;
  const core::Status there = choose_region(input, region.empty() ? core::kMainLoop : region);
  if (there) {
    chosen.input = std::move(input);
  } else if (region.empty()) {
    chosen.why_run = there.error().message;
  } else {
    return there.error();
  }
  return chosen;
}

}  // namespace

void add_study_options(CLI::App& command, StudyRequest& study) {
  CLI::Option* const at = add_targets_option(command, study.at);
  command
      .add_option("--np", study.np,
                  "LIST of numbers of processes to predict at each measured value of other parameters (default: twice "
                  "and four times the largest measured one, where four or more were measured; up to 64 times, as far "
                  "as --points reach)")
      ->type_name("LIST")
      ->excludes(at);
  command.add_flag("--measured-only", study.table.measured_only, "No predictions");
  command
      .add_option("--cores-per-node", study.table.cores_per_node,
                  "Cores of a node of the machine applied for (default: those of "
                  "the machine that was measured on)")
      ->check(CLI::Range(1, 1 << 20));
  command
      .add_option("--efficiency", study.efficiency_bound, "The efficiency that a job has to keep, such as 0.6 or 60%")
      ->capture_default_str()
      ->transform(percent_as_share())
      ->check(number_between(0.01, 1));
  command
      .add_option("--region", study.region,
                  "What the times are of: main-loop, a region that the program named (`show` lists them), or run, from "
                  "MPI_Init to MPI_Finalize (default: the main loop where each run has the same one and a core for "
                  "each rank, else the run)")
      ->type_name("NAME");
  add_network_option(command, "--network", study.network, "The network at the target, as of `predict`");
  command.add_option("--replayed", study.replayed, "Where ranks were replayed, as of `predict`")->type_name("DIR");
  command.add_option("--points", study.points, "Experiment folder of another input (repeatable), as of `predict`")
      ->type_name("DIR")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--scaling", study.scaling, "strong (fixed problem), weak (it grows with the processes), or auto")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "strong", "weak"}));
}

core::Result<report::Study> load_study(const std::string& input, const StudyRequest& request) {
  const bool asks = !request.np.empty() || !request.at.empty();
  if (request.table.measured_only && asks) {
    return Error{
        ErrorCode::kUsage,
        std::string(request.np.empty() ? "--at" : "--np") + " asks for predictions, which --measured-only leaves out",
        "leave out one", ""};
  }
  const core::Result<MeasurementInput> loaded = load_measurement_input(input);
  if (!loaded) return loaded.error();
  if (!loaded.value().profile) {
    return Error{
        ErrorCode::kInput, input + " holds measurements without the runs that they are of",
        "`scalediag predict` takes them; whole jobs, nodes and memory, which a proposal needs, are in an experiment "
        "folder that `scalediag profile` wrote, or a profile.json",
        input};
  }
  const core::Result<fit::ApplicationData> data = data_of(loaded.value());
  if (!data) return data.error();
  if (const core::Status scales = report::check_scales(input, data.value()); !scales) return scales.error();
  core::Result<ChosenRegion> chosen = choose(loaded.value(), request.region, *data.value().clock);
  if (!chosen) return chosen.error();
  const MeasurementInput* const region = chosen.value().input ? &*chosen.value().input : nullptr;
  const core::Result<fit::ApplicationData> region_data = region != nullptr ? data_of(*region) : data;
  if (!region_data) return region_data.error();

  report::ScalingTableOptions table = request.table;
  const std::vector<double> scales = data.value().scales();
  const double largest = scales.back();
  const core::Experiment* experiment = loaded.value().experiment ? &*loaded.value().experiment : nullptr;
  const bool measured_only = table.measured_only ||
                             (!asks && request.points.empty() && scales.size() < report::kScalesForSection) ||
                             (request.at.empty() && changes_everywhere(data.value()));
  table.measured_only = measured_only;
  if (!table.cores_per_node) table.ranks_per_node = ranks_per_node(std::nullopt, request.network);
  std::string further = core::to_text(2 * largest) + "," + core::to_text(4 * largest);
  // Those that points do not reach are left out.
  for (int times = 8; !request.points.empty() && times <= kMostTimes && times * largest <= core::kMostRanks;
       times *= 2) {
    further += "," + core::to_text(times * largest);
  }
  PredictionRequest prediction;
  prediction.input = input;
  prediction.scaling = request.scaling;
  prediction.network = request.network;
  prediction.at = !request.at.empty() ? request.at
                                      : targets_of(data.value(), measured_only        ? core::to_text(largest)
                                                                 : request.np.empty() ? further
                                                                                      : request.np);
  report::FindingsOptions options;
  options.detailed = true;
  options.efficiency_bound = request.efficiency_bound;
  PredictionRequest of_run = prediction;
  if (!measured_only) {
    of_run.replayed = request.replayed;
    of_run.points = request.points;
  }
  core::Result<report::Findings> findings = findings_of(loaded.value(), of_run, options);
  if (!findings) return findings.error();
  TRY(check_problems(findings.value().targets, data.value()));
  report::StudyParts parts{input,        *loaded.value().profile, experiment, data.value(),
                           std::nullopt, chosen.value().why_run};
  std::optional<report::Findings> of_region;
  if (region != nullptr) {
    core::Result<report::Findings> found = findings_of(*region, prediction, options);
    if (!found) return found.error();
    of_region.emplace(std::move(found).value());
    parts.region.emplace(report::TableRegion{region->region, region_data.value(), *of_region});
  }
  core::Result<report::Study> study = report::study_of(parts, std::move(findings).value(), table);
  if (study && !request.np.empty() && changes_everywhere(data.value())) {
    study.value().remarks.push_back(
        "Nothing is predicted at --np " + request.np +
        ": other parameters change in every measured configuration, so that those of another number of processes are "
        "not known. --at takes them by name.");
  }
  return study;
}

core::Result<std::vector<report::ScalingTable>> scaling_tables_of(const MeasurementInput& input,
                                                                  const PredictionRequest& request,
                                                                  const report::Findings& findings) {
  if (!input.profile) return std::vector<report::ScalingTable>{};
  const core::Result<fit::ApplicationData> data = data_of(input);
  if (!data) return data.error();
  if (!data.value().has_totals()) return std::vector<report::ScalingTable>{};
  const core::Experiment* experiment = input.experiment ? &*input.experiment : nullptr;
  const report::ScalingTableOptions options{.ranks_per_node = ranks_per_node(request.ranks_per_node, request.network)};
  if (!input.program || data.value().clock != core::Clock::kWall) {
    return report::scaling_tables(*input.profile, experiment, data.value(), findings, options);
  }
  const MeasurementInput program{input.path, input.program, std::nullopt, input.experiment};
  const core::Result<fit::ApplicationData> of_program = data_of(program);
  if (!of_program) return of_program.error();
  const core::Result<report::Findings> jobs = findings_of(program, request);
  if (!jobs) return jobs.error();
  const report::TableRegion region{input.region, data.value(), findings};
  return report::scaling_tables(*program.profile, experiment, of_program.value(), jobs.value(), options, &region);
}

}  // namespace scalediag::cli
