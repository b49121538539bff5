#include "collector/launch/store/program_comparison.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "collector/launch/plan/profile_plan.h"
#include "collector/launch/plan/run_inputs.h"
#include "collector/launch/plan/template_expansion.h"
#include "collector/launch/program/executable_file.h"
#include "core/experiment/started_program.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

struct Argument {
  std::string text;  // with placeholders where it is not known
  bool is_known = true;
};

// The arguments after the program.
std::vector<Argument> arguments_of(const ProgramRun& run) {
  const auto tables = parse_word_tables({}, run.experiment.words);
  const PlaceholderValues values = placeholder_values(run.configuration, tables ? tables.value() : WordTables());
  std::vector<Argument> arguments;
  for (size_t i = 1; i < run.experiment.command.size(); ++i) {
    const std::string& text = run.experiment.command[i];
    const auto names = placeholders_of(text);
    const bool is_known = std::ranges::all_of(names, [&](const std::string& name) { return values.count(name) > 0; });
    if (!is_known) {
      arguments.push_back({text, false});
      continue;
    }
    for (std::string& argument : expand_placeholders(text, values)) arguments.push_back({std::move(argument)});
  }
  return arguments;
}

std::string absolute(const ProgramRun& run, const std::string& path) {
  return (fs::path(run.experiment.working_directory) / path).lexically_normal().string();
}

// Arguments that are not known are not compared, nor what stands behind one that may be several.
bool have_same_arguments(const ProgramRun& a, const ProgramRun& b) {
  const auto of_a = arguments_of(a), of_b = arguments_of(b);
  const auto is_unknown = [](const Argument& argument) { return !argument.is_known; };
  const size_t shorter = std::min(of_a.size(), of_b.size());
  for (size_t i = 0; i < shorter; ++i) {
    if (is_unknown(of_a[i]) || is_unknown(of_b[i])) {
      if (of_a.size() != of_b.size()) return true;
      continue;
    }
    if (of_a[i].text != of_b[i].text && absolute(a, of_a[i].text) != absolute(b, of_b[i].text)) return false;
  }
  return of_a.size() == of_b.size() || std::ranges::any_of(of_a, is_unknown) || std::ranges::any_of(of_b, is_unknown);
}

std::string started_name(const ProgramRun& run) { return core::program_name(run.experiment.executable, ""); }

// `stencil 1024 200`; of a wrapper what it was started with, and the program.
std::string command_of(const ProgramRun& run) {
  std::vector<std::string> words = {started_name(run)};
  for (Argument& argument : arguments_of(run)) words.push_back(std::move(argument.text));
  const std::string started = "`" + core::join_shell_words(words) + "`";
  return run.experiment.program.empty() ? started
                                        : core::program_name(run.experiment) + " (started by " + started + ")";
}

// A program that another one starts is known after its first run only: until then what starts it has to be the same.
bool are_same_program(const ProgramRun& a, const ProgramRun& b) {
  if (core::program_name(a.experiment) == core::program_name(b.experiment)) return true;
  const bool are_known = !a.experiment.program.empty() && !b.experiment.program.empty();
  return !are_known && started_name(a) == started_name(b);
}

const std::string& build_of(const ProgramRun& run) {
  return run.experiment.program.empty() ? run.experiment.executable_fingerprint : run.experiment.program_fingerprint;
}

// Fingerprints by the path below the working directory, or the whole one of files elsewhere.
std::map<std::string, std::string> files_of(const core::Experiment& experiment) {
  std::map<std::string, std::string> files;
  const std::string below = experiment.working_directory + "/";
  for (const auto& [path, fingerprint] : experiment.input_files.value_or(std::map<std::string, std::string>())) {
    if (fingerprint == core::kWrittenByApplication) continue;
    files[path.starts_with(below) ? path.substr(below.size()) : path] = fingerprint;
  }
  return files;
}

}  // namespace

ProgramComparison compare_programs(const ProgramRun& a, const ProgramRun& b) {
  ProgramComparison found;
  const std::string commands = a.name + " is of " + command_of(a) + ", and " + b.name + " of " + command_of(b);
  if (!are_same_program(a, b)) {
    found.other_program = commands;
    return found;
  }
  if (started_name(a) != started_name(b)) {
    found.doubts.push_back(commands + ": whether it had the same arguments is not known");
  } else if (!have_same_arguments(a, b)) {
    found.other_arguments = commands;
  }
  const bool is_known_of_one = a.experiment.program.empty() != b.experiment.program.empty();
  const bool is_same_file = core::program_name(a.experiment) == core::program_name(b.experiment);
  if (build_of(a) != build_of(b) && (is_same_file || !is_known_of_one)) {
    found.doubts.push_back(a.name + " and " + b.name + " are of different builds of " +
                           core::program_name(a.experiment));
  }
  if (a.experiment.stdin_file.empty() != b.experiment.stdin_file.empty()) {
    const bool is_a = !a.experiment.stdin_file.empty();
    found.doubts.push_back((is_a ? a : b).name + " was given a standard input, and " + (is_a ? b : a).name + " none");
  }
  const auto others = files_of(b.experiment);
  for (const auto& [path, fingerprint] : files_of(a.experiment)) {
    const auto other = others.find(path);
    if (other == others.end() || other->second == fingerprint) continue;
    found.doubts.push_back(path + " had another content for " + a.name + " than for " + b.name);
  }
  return found;
}

Result<ProgramRun> program_to_run(const ProgramRequest& request, int np) {
  const auto program = TRY(inspect_executable(request.command[0]));
  const auto plan = TRY(plan_of(request, std::to_string(np)));
  const PlannedConfiguration& planned = plan.configurations.front();
  ProgramRun run{"what is to be run", {}, planned.configuration};
  run.experiment.command = request.command;
  run.experiment.words = texts_of(plan.tables);
  run.experiment.executable = program.path;
  run.experiment.executable_fingerprint = fingerprint_of(program.path);
  run.experiment.working_directory = fs::current_path().string();
  const auto input = TRY(choose_stdin(request.stdin_file));
  run.experiment.stdin_file = input.description();
  run.experiment.input_files = fingerprint_inputs(paths_in_arguments({planned}), input);
  return run;
}

}  // namespace scalediag::launch
