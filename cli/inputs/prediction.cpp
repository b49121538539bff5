#include "cli/inputs/prediction.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "cli/inputs/evidence/evidence_input.h"
#include "cli/inputs/run_files.h"
#include "cli/network/host_network.h"
#include "cli/options/network_option.h"
#include "core/most_ranks.h"
#include "core/statistics.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/value_list.h"
#include "fit/application/application.h"
#include "fit/data/measurement_set.h"
#include "fit/profile/profile_data.h"
#include "loggp/network/network_words.h"
#include "predict/evidence/traces.h"
#include "predict/sources/network_cost.h"
#include "report/findings/places/call_site_findings.h"
#include "report/scaling/scaling_kind.h"

namespace scalediag::cli {
namespace {

// A sentence on what is assumed of messages at problem sizes that were not measured, where one was. Empty: nothing is.
std::string assumed_of_messages(const PredictionRequest& request, const MeasuredParameters& measured,
                                const std::vector<predict::Target>& targets, const fit::ApplicationData& data) {
  const auto size = std::find(measured.names.begin(), measured.names.end(), request.size);
  if (request.size.empty() || size == measured.names.end()) return "";
  const auto p = static_cast<size_t>(size - measured.names.begin());
  const double only = measured.values[p].front();
  const auto elsewhere = [&](const predict::Target& at) { return at.values()[p] != only; };
  const auto is_mpi = [](const fit::KernelData& kernel) { return kernel.kind == fit::KernelKind::kMpi; };
  if (measured.values[p].size() > 1 || std::ranges::none_of(targets, elsewhere)) return "";
  if (std::ranges::none_of(data.kernels, is_mpi)) return "";
  return "what ranks send at another " + request.size + " than " + core::to_text(only) +
         " was not measured: calls that follow an exact formula are taken to stay, bytes to follow the work per rank" +
         (request.volume_ratios.empty() ? "; measure a second " + request.size + ", or state --volume-ratio"
                                        : ", but for those of --volume-ratio");
}

// A sentence on what the forms of Ding et al. do not predict although they were asked for. Empty: there is nothing.
std::string forms_not_followed(const fit::ApplicationModel& model) {
  constexpr const char* kFormNotPositive = "(Ding et al.) is not positive at ";  // of the notes that `models` prints
  const size_t scales = model.data().scales().size();
  if (scales < fit::kScalesForCheck) {
    return "--models ding2018 is not followed: it needs " + std::to_string(fit::kScalesForCheck) +
           " process counts; with " + std::to_string(scales) + " the ensemble predicts";
  }
  size_t all = 0, others = 0;
  for (const fit::KernelModel& kernel : model.kernels()) {
    const fit::Model* of_time = kernel.model(kernel.data().metric);
    if (of_time == nullptr) continue;
    ++all;
    for (const std::string& note : of_time->notes()) others += note.find(kFormNotPositive) != std::string::npos;
  }
  if (others == 0) return "";
  return "--models ding2018 is not followed for " + std::to_string(others) + " of " + std::to_string(all) +
         " kernels beyond some scale: their best form is not positive there; `scalediag models --models ding2018` says "
         "from where on the next best one, or the ensemble, predicts";
}

// A sentence on targets of strong scaling whose ranks compute at most half of the least that was measured, where no
// run tells what then fits into caches. Empty: there is none.
std::string unmeasured_blocks(const report::Findings& findings, const fit::ApplicationData& data) {
  constexpr double kMuchLess = 0.5;
  const auto totals = data.totals.find("computation_s");
  if (findings.scaling != report::Scaling::kStrong || totals == data.totals.end()) return "";
  double least_s = 0;
  for (const fit::Observation& o : totals->second.observations) {
    const double mean_s = core::mean(o.values);
    if (least_s == 0 || mean_s < least_s) least_s = mean_s;
  }
  double least = 1;
  for (const report::TargetFindings& target : findings.targets) {
    if (target.replayed || target.points || !(least_s > 0)) continue;
    least = std::min(least, target.computation_s->value / least_s);
  }
  if (least > kMuchLess) return "";
  return "at a target ranks compute " + core::spaced_percent(least, 0) +
         " of the least that was measured: blocks are smaller there, and where they come to fit into a cache, they are "
         "computed faster than any model of larger ones says, also beyond its interval; a run of a smaller input tells "
         "(--points)";
}

// A sentence on measured scales without traces: they were too large, or recording took too long. Empty: there are none,
// or no trace is looked at.
std::string missing_traces(const MeasurementInput& input, const PredictionRequest& request,
                           const fit::ApplicationData& data) {
  if (!input.experiment || !input.region.empty() || request.by != kByAll) return "";
  if (data.clock != core::Clock::kCpu || data.parameter_names.size() > 1) return "";
  const std::set<int> traced = predict::traced_scales(input.path, *input.experiment);
  std::set<int> without;
  for (const double scale : data.scales()) {
    if (traced.count(static_cast<int>(scale)) == 0) without.insert(static_cast<int>(scale));
  }
  const auto refused = input.experiment->refused.find("traces");
  const bool is_refused = refused != input.experiment->refused.end();
  if (without.empty() || (traced.empty() && !is_refused)) return "";
  return "no trace was kept at np=" + core::list_of(without) + (is_refused ? ", since " + refused->second : "") +
         ": messages and waiting there are calculated from averages; `scalediag profile --trace` into another folder "
         "records them";
}

void add_note(report::Findings& findings, const std::string& note) {
  if (!note.empty()) findings.notes.push_back(note);
}

// Errors: a file cannot be read or is no network; a measured network without the other (kUsage).
Status set_networks(const PredictionRequest& request, fit::ApplicationOptions& fitting) {
  if (request.network.empty() && !request.measured_network.empty()) {
    return Error{ErrorCode::kUsage, "--measured-network says nothing without --network",
                 "--network NET names the network at the target"};
  }
  for (const auto& [file, cost] : {std::pair(&request.network, &fitting.network),
                                   std::pair(&request.measured_network, &fitting.measured_network)}) {
    if (file->empty()) continue;
    loggp::Network network = TRY(loggp::network_of(*file));
    *cost = TRY(predict::network_cost(std::move(network), *file));
  }
  return Done{};
}

// Call paths have no messages that a network or a ratio could be about.
Status check_no_messages_needed(const PredictionRequest& request) {
  const auto refused = [&request](const char* option, const char* hint) {
    return Error{ErrorCode::kUsage,
                 std::string(option) + " needs messages and bytes, which " + request.input + " does not have", hint};
  };
  if (!request.network.empty() || !request.measured_network.empty()) {
    return refused("--network", "leave --network out, or give a profile");
  }
  if (!request.volume_ratios.empty()) return refused("--volume-ratio", "leave it out, or give a profile");
  return Done{};
}

// Error (kInput): none of the kernels has a model.
Status check_modelled(const fit::ApplicationModel& model, const std::string& input) {
  const std::vector<fit::KernelModel>& kernels = model.kernels();
  const auto has_failed = [](const fit::KernelModel& kernel) { return !kernel.failure().empty(); };
  if (kernels.empty() || !std::ranges::all_of(kernels, has_failed)) return Done{};
  return Error{ErrorCode::kInput, "no series of " + input + " can be modelled; the first: " + kernels.front().failure(),
               "a trend needs at least " + std::to_string(fit::kScalesForTrend) + " values of " +
                   model.data().parameter_names[model.data().processes] + ", checking it " +
                   std::to_string(fit::kScalesForCheck) + ": measure further ones"};
}

// Formulas reach further than the ranks that are made one by one for a scaled trace. Error (kUsage): a target has more.
Status check_made_ranks(const PredictionRequest& request, const MeasuredParameters& measured,
                        const std::vector<predict::Target>& targets) {
  if (request.points.empty() && request.by != kBySimulation) return Done{};
  for (const predict::Target& at : targets) {
    if (at.processes() <= core::kMostRanks) continue;
    return Error{ErrorCode::kUsage,
                 "--at " + measured.names[measured.processes] + "=" + core::to_text(at.processes()) +
                     ": traces are scaled to at most " + std::to_string(core::kMostRanks) + " ranks",
                 "leave out --points and --by simulation, or name fewer processes"};
  }
  return Done{};
}

// The targets of --at, or those where it is not given.
Result<std::vector<predict::Target>> checked_targets(const PredictionRequest& request,
                                                     const MeasuredParameters& measured) {
  auto targets =
      TRY(request.at.empty() ? predict::default_targets(measured) : predict::parse_targets(request.at, measured));
  TRY(check_other_sizes(request, measured, targets));
  TRY(check_made_ranks(request, measured, targets));
  return targets;
}

}  // namespace

Status set_volume_ratios(const PredictionRequest& request, const fit::ApplicationData& data,
                         const MeasuredParameters& measured, fit::ApplicationOptions& fitting) {
  std::vector<std::string> with_bytes;
  for (const fit::KernelData& kernel : data.kernels) {
    const fit::Series* bytes = kernel.kind == fit::KernelKind::kMpi ? kernel.find("bytes") : nullptr;
    const auto carries = [](const fit::Observation& o) { return core::mean(o.values) > 0; };
    if (bytes == nullptr || std::ranges::none_of(bytes->observations, carries)) continue;
    with_bytes.push_back(kernel.name);
  }
  for (const std::string& text : request.volume_ratios) {
    const auto usage = [&text](const std::string& what, const std::string& hint) {
      return Error{ErrorCode::kUsage, "--volume-ratio " + text + ": " + what, hint};
    };
    const size_t equals = text.find('=');
    const auto ratio =
        core::parse_value_list(equals == std::string::npos ? "" : text.substr(equals + 1), "--volume-ratio");
    if (!ratio || ratio.value().size() != 1 || !(ratio.value().front().value > 0) ||
        !std::isfinite(ratio.value().front().value)) {
      return usage("expected OPERATION=RATIO, the ratio above 0", "for example --volume-ratio MPI_Send=4");
    }
    const std::string operation = text.substr(0, equals);
    if (std::find(with_bytes.begin(), with_bytes.end(), operation) == with_bytes.end()) {
      return usage("no such MPI operation carries bytes",
                   with_bytes.empty() ? "" : "the data have: " + core::join(with_bytes));
    }
    fitting.volume_ratios[operation] = ratio.value().front().value;
  }
  if (request.volume_ratios.empty()) return Done{};
  if (request.size.empty()) {
    return Error{ErrorCode::kUsage, "--volume-ratio needs --size",
                 "--size NAME says which parameter is the problem size, to another value of which the ratio belongs"};
  }
  for (size_t p = 0; p < measured.names.size(); ++p) {
    if (p == measured.processes || measured.values[p].size() < 2) continue;
    return Error{ErrorCode::kUsage,
                 "--volume-ratio is of no use where " + measured.names[p] + " was measured at several values",
                 "volumes are modelled from these: leave it out"};
  }
  return Done{};
}

Status check_other_sizes(const PredictionRequest& request, const MeasuredParameters& measured,
                         const std::vector<predict::Target>& targets) {
  std::set<double> sizes;
  for (const predict::Target& target : targets) {
    const std::vector<double>& at = target.values();
    for (size_t p = 0; p < at.size(); ++p) {
      const std::string& name = measured.names[p];
      if (p == measured.processes || measured.values[p].size() > 1 || at[p] == measured.values[p].front()) continue;
      if (name == request.size) {
        sizes.insert(at[p]);
        continue;
      }
      return Error{ErrorCode::kUsage,
                   name + "=" + core::to_text(at[p]) + ": " + name + " was measured at " +
                       core::to_text(measured.values[p].front()) + " only, which does not tell what it changes",
                   "measure a second value, or, if it is the problem size, say --size " + name +
                       ": others are predicted by work per process"};
    }
  }
  if (request.volume_ratios.empty() || sizes.size() < 2) return Done{};
  return Error{ErrorCode::kUsage,
               "--volume-ratio is that of one problem size, and there are targets with " +
                   std::to_string(sizes.size()) + " that were not measured",
               "predict one " + request.size + " at a time"};
}

Result<fit::ApplicationOptions> fitting_of(const PredictionRequest& request, const fit::ApplicationData& data,
                                           const MeasuredParameters& measured) {
  if (!data.has_totals()) TRY(check_no_messages_needed(request));
  TRY(check_size(request.size, measured.names));
  fit::ApplicationOptions fitting;
  fitting.fit.size = request.size;
  fitting.fit.models = model_set_of(request);
  TRY(set_networks(request, fitting));
  TRY(set_volume_ratios(request, data, measured, fitting));
  return fitting;
}

Status check_request(const PredictionRequest& request, const MeasuredParameters& measured) {
  TRY(checked_targets(request, measured));
  TRY(check_size(request.size, measured.names));
  fit::ApplicationOptions unused;
  return set_networks(request, unused);
}

report::FindingsOptions with_runs(const MeasurementInput& input, const PredictionRequest& request,
                                  report::FindingsOptions options) {
  const std::optional<core::Profile>& profile = input.program ? input.program : input.profile;
  options.profile = profile ? &*profile : nullptr;
  options.experiment = input.experiment ? &*input.experiment : nullptr;
  if (request.scaling == "strong") options.scaling = report::Scaling::kStrong;
  if (request.scaling == "weak") options.scaling = report::Scaling::kWeak;
  // Times of a table hold more than computation, so that they do not tell the kind.
  if (input.table && !options.scaling) options.program_scaling = report::ScalingKind{};
  return options;
}

core::Status check_size(const std::string& size, const std::vector<std::string>& names) {
  if (size.empty()) return core::Done{};
  if (size.find('=') != std::string::npos) {
    return Error{ErrorCode::kUsage, "--size " + size + ": an expression is for `predict` and `report`",
                 "--size NAME names a parameter here", ""};
  }
  const size_t processes = fit::processes_parameter(names);
  std::vector<std::string> others;
  for (size_t p = 0; p < names.size(); ++p) {
    if (p == processes) continue;
    if (names[p] == size) return Done{};
    others.push_back(names[p]);
  }
  return Error{ErrorCode::kUsage,
               "--size " + size + ": the data have no such parameter besides the number of processes",
               others.empty() ? "measure with `scalediag profile --param " + size + "=LIST`"
                              : "the data have: " + core::join(others)};
}

std::vector<std::string> inputs_of(const PredictionRequest& request) {
  std::vector<std::string> inputs = {request.input, request.network, request.measured_network, request.replayed};
  inputs.insert(inputs.end(), request.points.begin(), request.points.end());
  inputs.insert(inputs.end(), request.more_inputs.begin(), request.more_inputs.end());
  return inputs;
}

CLI::Option* add_targets_option(CLI::App& command, std::vector<std::string>& at) {
  return command
      .add_option("--at", at,
                  "NAME=LIST: where to predict, for example np=256,1024; once a parameter, all combinations")
      ->take_all()
      ->allow_extra_args(false)
      ->delimiter('\0');
}

CLI::Option* add_size_option(CLI::App& command, PredictionRequest& request) {
  CLI::Option* size = command.add_option(
      "--size", request.size,
      "The parameter that is the problem size, which is proportional to the work: where it was measured "
      "at one value, others are predicted by work per process. Of predict and report also "
      "cells=n^2, where parameters lead to it");
  command
      .add_option("--size-values", request.size_values,
                  "With --size cells=PARAMETER: the cells of each of its values, where it names an input")
      ->type_name("PARAMETER=VALUE:CELLS,...")
      ->needs(size);
  return size;
}

CLI::Option* add_network_option(CLI::App& command, PredictionRequest& request) {
  return add_network_option(command, "--network", request.network,
                            "The network at the target, which costs communication instead of what was measured here");
}

CLI::Option* add_prediction_options(CLI::App& command, PredictionRequest& request) {
  add_inputs(command, request.input, request.more_inputs);
  CLI::Option* at = add_targets_option(command, request.at);
  command
      .add_option("--replayed", request.replayed,
                  "Where `scalediag replay` ran ranks: at the target with as many processes as were recorded there, "
                  "computation is theirs instead of what is predicted")
      ->type_name("DIR");
  command
      .add_option("--points", request.points,
                  "Experiment folder of another input (repeatable): targets compute as measured there in phases in "
                  "which its ranks execute as many instructions, as `scalediag points` finds them")
      ->type_name("DIR")
      ->take_all()
      ->allow_extra_args(false);
  add_model_options(command, request);
  return at;
}

void add_model_set_option(CLI::App& command, PredictionRequest& request) {
  command
      .add_option(
          "--models", request.models,
          "ensemble (the median of all hypotheses), or ding2018: of a power, a logarithm and an exponential the "
          "one that predicts the largest scale best, as in Ding et al. 2018")
      ->capture_default_str()
      ->check(CLI::IsMember({kEnsembleModels, kDingModels}));
}

fit::ModelSet model_set_of(const PredictionRequest& request) {
  return request.models == kDingModels ? fit::ModelSet::kDing2018 : fit::ModelSet::kEnsemble;
}

void add_columns_option(CLI::App& command, std::vector<std::string>& columns) {
  command
      .add_option(
          "--columns", columns,
          "What the columns of a table are, where their names do not say it: np=procs,time=wall[ms],kernel=name; "
          "skip=COLUMN; COLUMN==VALUE for those rows only; time=1/COLUMN of a speed-up or a rate; "
          "decimal=comma. Repeatable")
      ->type_name("NAME=COLUMN,...")
      ->take_all()
      ->allow_extra_args(false)
      ->delimiter('\0');
}

void add_model_options(CLI::App& command, PredictionRequest& request) {
  command.add_option("--region", request.region,
                     "Model this region instead of the whole program: main-loop, or what the program named (`show` "
                     "lists them)");
  add_size_option(command, request);
  add_model_set_option(command, request);
  add_columns_option(command, request.columns);
  command
      .add_option(
          "--volume-ratio", request.volume_ratios,
          "OPERATION=RATIO: how many times the measured bytes an MPI operation carries at another problem size, "
          "where --size was measured at one value; repeatable")
      ->type_name("OPERATION=RATIO")
      ->take_all()
      ->allow_extra_args(false)
      ->delimiter('\0');
  add_network_option(command, request);
  add_network_option(command, "--measured-network", request.measured_network,
                     "The network that was measured on, where it is not that of --network");
  command
      .add_option("--scaling", request.scaling,
                  "strong (fixed problem), weak (it grows with the processes), or auto: what `profile --scaling` said, "
                  "else what was measured")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "strong", "weak"}));
}

void add_ranks_per_node_option(CLI::App& command, PredictionRequest& request) {
  command
      .add_option("--ranks-per-node", request.ranks_per_node,
                  "The ranks on each node, for nodes and node-hours of the scaling table (of predict: with --json)")
      ->check(CLI::Range(1, 1'000'000));
}

Result<report::Findings> findings_of(const MeasurementInput& input, const PredictionRequest& request,
                                     report::FindingsOptions options) {
  fit::ApplicationData data = TRY(data_of(input));
  const MeasuredParameters measured = measured_parameters(data);
  const fit::ApplicationOptions fitting = TRY(fitting_of(request, data, measured));
  std::vector<predict::Target> targets = TRY(checked_targets(request, measured));
  fit::ApplicationModel model = TRY(fit::fit_application(data, fitting));
  TRY(check_modelled(model, request.input));
  if (request.node_memory_bytes && !request.ranks_per_node) {
    return Error{ErrorCode::kUsage, "--node-memory needs --ranks-per-node",
                 "for example --node-memory 64GB --ranks-per-node 32"};
  }
  if (request.node_memory_bytes) {
    options.node = {static_cast<double>(*request.node_memory_bytes), *request.ranks_per_node};
    if (model.total_model("memory_peak_bytes") == nullptr) {
      return Error{ErrorCode::kInput, request.input + " does not say how much memory the ranks had",
                   "measure it: `scalediag profile` of this version records it"};
    }
  }
  predict::Evidence evidence = TRY(evidence_of(input, request, data, targets));
  const std::optional<loggp::Network> host_network = request.network.empty() ? evidence.network : std::nullopt;
  const predict::Predictor predictor = TRY(predict::Predictor::of(std::move(model), std::move(evidence), targets));
  options = with_runs(input, request, options);
  if (input.program) {
    const fit::ApplicationData program = TRY(fit::application_data(*input.program));
    options.region = input.region;
    options.program_scaling = report::scaling_kind_of_program(program, options.scaling);
  }
  report::Findings findings = report::application_findings(predictor, targets, options);
  findings.input = request.input;
  findings.network = request.network;
  const auto emulated = [](const core::Run& run) { return run.emulated.has_value(); };
  findings.emulated = input.profile && std::ranges::any_of(input.profile->runs, emulated);
  if (input.profile) {
    findings.application = input.profile->application;
    findings.command = input.profile->command;
    for (const core::Run& run : input.profile->runs)
      if (run.complete) findings.clock_reason = run.clock_reason;
    if (findings.emulated) {
      add_note(findings, "the runs were emulated, not measured: errors of the emulation are in no interval");
    }
    report::add_call_sites(*input.profile, findings);
  }
  const auto simulated = [](const report::TargetFindings& target) { return target.simulated.has_value(); };
  findings.on_own_network = host_network && std::ranges::any_of(findings.targets, simulated);
  if (findings.on_own_network) add_note(findings, host_network_remark(*host_network, host_network_file(request.input)));
  if (input.table && !options.scaling) {
    add_note(findings,
             "a table of timings does not say whether the problem grew with the processes, so that nothing is "
             "said to scale or not: --scaling strong or weak says it");
  }
  if (request.models == kDingModels) {
    add_note(findings, forms_not_followed(predictor.model()));
    add_note(findings,
             "values are by the selection of Ding et al. 2018 (--models ding2018), which is less reliable than the "
             "ensemble: docs/ding2018.md");
  }
  add_note(findings, missing_traces(input, request, data));
  add_note(findings, unmeasured_blocks(findings, data));
  add_note(findings, predict::size_without_effect(request.size, measured, targets));
  add_note(findings, assumed_of_messages(request, measured, targets, data));
  return findings;
}

}  // namespace scalediag::cli
