// scalediag improve DIR --at np=LIST: takes the steps that narrow the answer most for their time
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cli/answers/prediction_answer.h"
#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/evidence/evidence_input.h"
#include "cli/inputs/measurement_input.h"
#include "cli/inputs/prediction.h"
#include "cli/number_checks.h"
#include "cli/standard_output.h"
#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/plan/profile_request.h"
#include "collector/launch/process/interruption.h"
#include "collector/launch/program/executable_file.h"
#include "collector/launch/session/profile_session.h"
#include "collector/launch/store/experiment_store.h"
#include "collector/replay/lone_run.h"
#include "core/exit_status.h"
#include "core/statistics.h"
#include "core/steady_time.h"
#include "core/text/bounded.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"
#include "predict/improve/improvement.h"
#include "report/findings/findings.h"

namespace scalediag::cli {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using predict::Step;
using predict::StepKind;

constexpr const char* kImproveFooter =
    R"(Each step is announced with its cost and the interval that is expected after it, and then told what it brought. The
program runs in the folder, and with the arguments, that it was profiled with. A step that does not fit into what is
left of the budget is not begun. What is measured stays in DIR, where the other commands find it.

Examples:
  scalediag improve app.scalediag --at np=64 --budget 10min
  scalediag improve app.scalediag --at np=64,256 --network hdr --budget 1h --dry-run)";

struct ImproveOptions {
  PredictionRequest prediction;
  double budget_s = 600;
  bool dry_run = false;
  bool json = false;
};

// The answer at one target before or after a step.
struct Answer {
  int ranks = 0;
  std::string clock;
  fit::Estimate run_s;
  predict::ImprovementInput input;
  double width() const { return run_s.low > 0 ? run_s.high / run_s.low : std::numeric_limits<double>::infinity(); }
};

struct TakenStep {
  Step step;
  int target = 0;
  double width_before = 0;
  std::optional<double> spent_s, width_after;  // empty: not taken; `width_after` too where the clock became another one
  bool failed = false;
};

// The runs that the experiment has, for the cost of others.
Result<predict::ImprovementInput> known_runs(const core::Experiment& experiment, const std::string& folder) {
  predict::ImprovementInput known;
  std::set<int> scales;
  for (const core::RunEntry& run : experiment.runs) {
    if (run.state == core::RunState::kComplete) scales.insert(run.configuration.np);
  }
  if (scales.empty()) {
    return Error{ErrorCode::kInput, folder + " has no complete run", "`scalediag profile` makes them", folder};
  }
  known.scales.assign(scales.begin(), scales.end());
  std::vector<double> elapsed;
  for (const core::RunEntry& run : experiment.runs) {
    if (run.state != core::RunState::kComplete || run.configuration.np != known.scales.back()) continue;
    elapsed.push_back(run.elapsed_s);
  }
  known.repeats = static_cast<int>(elapsed.size());
  known.run_s = core::median(elapsed);
  known.cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return known;
}

// The answers at all targets, from what the folder holds now.
Result<std::vector<Answer>> answers_of(const ImproveOptions& options, const std::vector<TakenStep>& taken,
                                       double left_s) {
  const auto input = load_measurement_input(options.prediction.input, {}, options.prediction.columns);
  if (!input) return input.error();
  if (!input.value().experiment) {
    return Error{ErrorCode::kUsage,
                 options.prediction.input + " is no folder of an experiment, and no program can be run",
                 "`scalediag profile` makes one", options.prediction.input};
  }
  const core::Experiment& experiment = *input.value().experiment;
  if (!experiment.emulation.empty()) {
    return Error{ErrorCode::kUsage, "the runs were emulated, and improve measures",
                 "emulate more numbers of processes into the folder: scalediag emulate -n P --network NET -o " +
                     core::quote_shell_word(options.prediction.input) + " -- APP",
                 options.prediction.input};
  }
  if (!experiment.parameter_names.empty()) {
    return Error{ErrorCode::kUsage, "improve is for programs whose only parameter is the number of processes",
                 "measure one problem size into a folder of its own", options.prediction.input};
  }
  auto known = known_runs(experiment, options.prediction.input);
  if (!known) return known.error();
  std::vector<const core::Run*> repeats;
  for (const core::Run& run : input.value().profile->runs) {
    if (run.complete && run.np == known.value().scales.back()) repeats.push_back(&run);
  }
  if (repeats.size() > 1) known.value().noise = core::judge_stability(repeats).run_cv;
  for (const TakenStep& step : taken) known.value().taken.push_back(step.step);
  const auto findings = findings_of(input.value(), options.prediction);
  if (!findings) return findings.error();
  known.value().can_replay = predict::replays_tell_computation(input.value().profile->runs);
  std::vector<Answer> answers;
  for (const report::TargetFindings& target : findings.value().targets) {
    if (!target.run_s || !target.computation_s) continue;
    Answer answer;
    answer.ranks = static_cast<int>(report::process_count(target.at));
    answer.clock = findings.value().clock;
    answer.run_s = *target.run_s;
    answer.input = report::with_parts_of(target, known.value());
    answer.input.left_s = left_s;
    answers.push_back(std::move(answer));
  }
  if (answers.empty()) {
    return Error{ErrorCode::kInput, options.prediction.input + " has no times to predict", "",
                 options.prediction.input};
  }
  return answers;
}

std::string text_of(const Answer& answer) {
  const core::TimeFormat time(answer.run_s.value);
  const double units = core::units_a_second(time);
  return "np=" + std::to_string(answer.ranks) + ": " +
         core::bounded_text(units * answer.run_s.value, units * answer.run_s.low, units * answer.run_s.high,
                            time.unit()) +
         " (a factor of " + core::fixed(answer.width(), 2) + ")";
}

core::Status profile(launch::ProfileRequest request) {
  request.passes_output_on = false;
  const auto prepared = launch::prepare_profile(request);
  if (!prepared) return prepared.error();
  auto store = launch::ExperimentStore::open(prepared.value().folder, prepared.value().experiment, false);
  if (!store) return store.error();
  launch::Progress progress(2, false);
  launch::ProfileSession session(request, prepared.value(), store.value(), progress, notices());
  const auto outcome = session.run();
  if (!outcome) return outcome.error();
  if (outcome.value().failures.empty()) return core::Done{};
  return Error{ErrorCode::kEnvironment, "a run failed: " + outcome.value().failures.front(), outcome.value().hint, ""};
}

core::Status measure(const Step& step, const core::Experiment& experiment, const std::string& folder, double left_s) {
  launch::ProfileRequest request = launch::request_of(experiment);
  request.np_list = std::to_string(step.ranks);
  request.output = folder;
  int repeats = 2;
  if (step.kind == StepKind::kRepeats) {
    for (const core::RunEntry& run : experiment.runs) repeats += run.configuration.np == step.ranks ? 1 : 0;
  }
  request.repeat = repeats;
  request.counting_budget_s = std::min(launch::kCountingBudget_s, step.cost_s);
  request.timeout_s = left_s;
  return profile(std::move(request));
}

// Replays tell the computation of the ranks, and this trace their messages and waits.
core::Status trace_target(const Step& step, const core::Experiment& experiment, const std::string& folder,
                          double left_s) {
  launch::ProfileRequest request = launch::request_of(experiment);
  request.np_list = std::to_string(step.ranks);
  request.output = core::ExperimentFolder(folder).traced_of(step.ranks);
  request.repeat = 1;
  request.counters = "none";
  request.events.clear();
  request.trace = true;
  request.no_replays = true;
  request.no_network = true;
  request.timeout_s = left_s;
  return profile(std::move(request));
}

core::Status replay_target(const Step& step, const core::Experiment& experiment, const std::string& folder,
                           double left_s) {
  replay::LoneRunRequest request;
  request.program = launch::request_of(experiment);
  request.np = step.ranks;
  request.folder = core::ExperimentFolder(folder).replays_of(step.ranks);
  request.in_place = true;  // as the recorded run did
  request.repeats = step.repeats;
  request.timeout_s = left_s;
  const auto begin = std::chrono::steady_clock::now();
  if (const core::Status replayed = replay::record_and_replay(request, notices()); !replayed) return replayed.error();
  // Without the trace the replays still tell what the ranks compute.
  const double rest_s = left_s - core::seconds_since(begin);
  if (rest_s <= 0) {
    warn("the run at np=" + std::to_string(step.ranks) + " was not traced: the budget is spent", "");
  } else if (const core::Status traced = trace_target(step, experiment, folder, rest_s); !traced) {
    warn("the run at np=" + std::to_string(step.ranks) + " was not traced: " + traced.error().message,
         traced.error().hint);
  }
  return core::Done{};
}

core::Status take(const Step& step, const core::Experiment& experiment, const std::string& folder, double left_s) {
  return step.kind == StepKind::kReplay ? replay_target(step, experiment, folder, left_s)
                                        : measure(step, experiment, folder, left_s);
}

// Error (kInput): the program was built anew since it was profiled.
core::Status check_same_build(const core::Experiment& experiment) {
  const std::string now = launch::fingerprint_of(experiment.executable);
  if (now.empty() || experiment.executable_fingerprint.empty() || now == experiment.executable_fingerprint) {
    return core::Done{};
  }
  return Error{ErrorCode::kInput,
               experiment.executable + " was built anew since it was profiled, so that its runs cannot be compared",
               "profile it again into another folder, or put back the program that was profiled",
               experiment.executable};
}

struct Choice {
  Step step;
  size_t answer = 0;
};

// The step that brings most for its time of those that the rest of the budget allows.
std::optional<Choice> choose(const std::vector<Choice>& steps, const std::vector<Answer>& answers, double left_s) {
  std::optional<Choice> best;
  double most = 0;
  for (const Choice& choice : steps) {
    const double worth = std::log(answers[choice.answer].width() / choice.step.expected_width) / choice.step.cost_s;
    if (choice.step.cost_s > left_s || worth <= most) continue;
    most = worth;
    best = choice;
  }
  return best;
}

std::vector<Choice> steps_of(const std::vector<Answer>& answers) {
  std::vector<Choice> steps;
  for (size_t i = 0; i < answers.size(); ++i) {
    for (const Step& step : predict::steps_of(answers[i].input)) steps.push_back({step, i});
  }
  return steps;
}

// Says that nothing more is done: no step is left, or none of `steps` fits into the time.
void say_end(const std::vector<Choice>& steps, double left_s) {
  if (steps.empty()) return note("no other step narrows an answer by 5 % or more");
  const auto cheaper = [](const Choice& a, const Choice& b) { return a.step.cost_s < b.step.cost_s; };
  const Step& least = std::min_element(steps.begin(), steps.end(), cheaper)->step;
  note("the " + core::time_text(std::max(0.0, left_s)) + " that are left of the budget are too few for any step: " +
       predict::text_of(least) + " takes about " + core::time_text(least.cost_s));
}

std::string announcement(const Choice& choice, int target) {
  return predict::text_of(choice.step) + ": about " + core::time_text(choice.step.cost_s) +
         "; expected at np=" + std::to_string(target) + ": a factor of " + core::fixed(choice.step.expected_width, 2);
}

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nullptr;
}

nlohmann::ordered_json json_of(const TakenStep& taken) {
  return {{"kind", predict::name_of(taken.step.kind)},
          {"np", taken.step.ranks},
          {"target", taken.target},
          {"cost_s", taken.step.cost_s},
          {"spent_s", number_or_null(taken.spent_s)},
          {"width_before", taken.width_before},
          {"width_expected", taken.step.expected_width},
          {"width_after", number_or_null(taken.width_after)}};
}

Result<std::vector<TakenStep>> improve(ImproveOptions& options) {
  std::error_code failed;
  // The program runs in its own folder, from which relative names would be others.
  options.prediction.input = std::filesystem::absolute(options.prediction.input, failed).string();
  if (std::filesystem::exists(options.prediction.network, failed)) {
    options.prediction.network = std::filesystem::absolute(options.prediction.network, failed).string();
  }
  const auto begin = std::chrono::steady_clock::now();
  std::vector<TakenStep> taken;
  auto answers = answers_of(options, taken, options.budget_s);
  if (!answers) return answers.error();
  for (const Answer& answer : answers.value()) note(text_of(answer));
  for (;;) {
    const std::vector<Choice> steps = steps_of(answers.value());
    // Steps of a dry run are held against the whole budget each.
    const double left_s = options.budget_s - (options.dry_run ? 0 : core::seconds_since(begin));
    const auto choice = choose(steps, answers.value(), left_s);
    if (options.dry_run) {
      for (const Choice& possible : steps) {
        const Answer& answer = answers.value()[possible.answer];
        const bool fits = possible.step.cost_s <= left_s;
        note((fits ? "would " : "would, with a larger --budget, ") + announcement(possible, answer.ranks));
        taken.push_back({possible.step, answer.ranks, answer.width(), {}, {}});
      }
    }
    if (!choice) say_end(steps, left_s);
    if (!choice || options.dry_run) return taken;
    const Answer before = answers.value()[choice->answer];
    note(announcement(*choice, before.ranks));
    const core::Result<core::Experiment> experiment = core::ExperimentFolder(options.prediction.input).load();
    if (!experiment) return experiment.error();
    TRY(check_same_build(experiment.value()));
    std::filesystem::current_path(experiment.value().working_directory, failed);
    if (failed) {
      return Error{ErrorCode::kInput, "the program's folder is gone: " + experiment.value().working_directory,
                   "profile it again where it is now", experiment.value().working_directory};
    }
    const auto step_begin = std::chrono::steady_clock::now();
    const core::Status done = take(choice->step, experiment.value(), options.prediction.input, left_s);
    const double spent_s = core::seconds_since(step_begin);
    taken.push_back({choice->step, before.ranks, before.width(), spent_s, before.width()});
    taken.back().failed = !done;
    if (launch::InterruptionGuard::latest_signal() != 0) return taken;
    if (!done) {
      warn("the step failed: " + done.error().message, done.error().hint);
      for (Answer& answer : answers.value()) answer.input.taken.push_back(choice->step);
      continue;
    }
    answers = answers_of(options, taken, options.budget_s - core::seconds_since(begin));
    if (!answers) return answers.error();
    const auto found = std::find_if(answers.value().begin(), answers.value().end(),
                                    [&](const Answer& answer) { return answer.ranks == before.ranks; });
    if (found == answers.value().end()) continue;
    const Answer& after = *found;
    note("it took " + core::time_text(spent_s) + ": " + text_of(after));
    taken.back().width_after = after.width();
    if (after.clock == before.clock) continue;
    taken.back().width_after.reset();
    note("that is no gain or loss: ranks of np=" + std::to_string(choice->step.ranks) +
         " share cores, so that all runs are now read by CPU time, and the answer before by elapsed time");
  }
}

int improve_and_print(ImproveOptions options) {
  const auto taken = improve(options);
  if (!taken) return report(taken.error());
  if (const int signal = launch::InterruptionGuard::latest_signal(); signal != 0) {
    warn("improve was interrupted; what it measured before is kept", "the same command goes on");
    return 128 + signal;
  }
  const bool has_failed = std::ranges::any_of(taken.value(), &TakenStep::failed);
  const auto with_failures = [&](int status) {
    return status == core::kExitSuccess && has_failed ? core::kExitEnvironment : status;
  };
  if (options.json) {
    nlohmann::ordered_json document = {{"schema", "scalediag-improve/1"}, {"steps", nlohmann::ordered_json::array()}};
    for (const TakenStep& step : taken.value()) document["steps"].push_back(json_of(step));
    return with_failures(print_json(document, 1));
  }
  if (options.dry_run) return core::kExitSuccess;
  PredictOptions answer;
  answer.prediction = options.prediction;
  const auto text = prediction_text(answer);
  return text ? with_failures(print(text.value())) : report(text.error());
}

}  // namespace

void add_improve_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<ImproveOptions>();
  CLI::App* command = app.add_subcommand("improve", "Measure what narrows a prediction most, within a budget of time");
  command->footer(kImproveFooter);
  command->add_option("DIR", options->prediction.input, "Experiment folder of `scalediag profile`")->required();
  add_targets_option(*command, options->prediction.at)->required();
  add_network_option(*command, options->prediction);
  command->add_option("--budget", options->budget_s, "Time that all steps may take together (90s, 10min, 1h)")
      ->type_name("TIME")
      ->default_str("10min")
      ->transform(time_as_seconds())
      ->check(positive_number());
  command->add_flag("--dry-run", options->dry_run, "Say which steps there are and what they cost; take none");
  command->add_flag("--json", options->json, "Print the steps as JSON (scalediag-improve/1) in place of the answer");
  command->callback([options, &invocation] { invocation.exit_status = improve_and_print(*options); });
}

}  // namespace scalediag::cli
