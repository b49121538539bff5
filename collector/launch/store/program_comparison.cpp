#include "collector/launch/store/program_comparison.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "collector/launch/plan/run_inputs.h"
#include "collector/launch/plan/template_expansion.h"
#include "collector/launch/program/executable_file.h"
#include "core/text/numbers.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

// The arguments after the program; nothing in the place of one that is not known.
std::vector<std::optional<std::string>> arguments_of(const ProgramRun& run) {
  std::map<std::string, std::string> values = {{"np", std::to_string(run.configuration.np)}};
  for (const auto& [name, value] : run.configuration.parameters) values[name] = core::to_text(value);
  std::vector<std::optional<std::string>> arguments;
  for (size_t i = 1; i < run.experiment.command.size(); ++i) {
    const std::string& text = run.experiment.command[i];
    const auto names = placeholders_of(text);
    const bool is_known =
        std::all_of(names.begin(), names.end(), [&](const std::string& name) { return values.count(name) > 0; });
    arguments.push_back(is_known ? std::optional(expand_placeholders(text, values)) : std::nullopt);
  }
  return arguments;
}

std::string absolute(const ProgramRun& run, const std::string& path) {
  return (fs::path(run.experiment.working_directory) / path).lexically_normal().string();
}

bool have_same_arguments(const ProgramRun& a, const ProgramRun& b) {
  const auto of_a = arguments_of(a), of_b = arguments_of(b);
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), [&](const auto& one, const auto& other) {
    return !one || !other || *one == *other || absolute(a, *one) == absolute(b, *other);
  });
}

// `stencil 1024 200`
std::string command_of(const ProgramRun& run) {
  std::vector<std::string> words = {fs::path(run.experiment.executable).filename().string()};
  const auto arguments = arguments_of(run);
  for (size_t i = 0; i < arguments.size(); ++i) {
    words.push_back(arguments[i] ? *arguments[i] : run.experiment.command[i + 1]);
  }
  return "`" + core::join_shell_words(words) + "`";
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
  const auto name_of = [](const ProgramRun& run) { return fs::path(run.experiment.executable).filename(); };
  if (name_of(a) != name_of(b)) {
    found.other_program = commands;
    return found;
  }
  if (!have_same_arguments(a, b)) found.other_arguments = commands;
  if (a.experiment.executable_fingerprint != b.experiment.executable_fingerprint) {
    found.doubts.push_back(a.name + " and " + b.name + " are of different builds of " + name_of(a).string());
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

core::Result<ProgramRun> program_to_run(const std::vector<std::string>& command, int np,
                                        const std::string& stdin_file) {
  const auto program = inspect_executable(command[0]);
  if (!program) return program.error();
  ProgramRun run{"what is to be run", {}, {np, {}}};
  run.experiment.command = command;
  run.experiment.executable = program.value().path;
  run.experiment.executable_fingerprint = fingerprint_of(program.value().path);
  run.experiment.working_directory = fs::current_path().string();
  const auto input = choose_stdin(stdin_file);
  if (!input) return input.error();
  run.experiment.stdin_file = input.value().description();
  PlannedConfiguration planned;
  planned.command = command;
  run.experiment.input_files = fingerprint_inputs(paths_in_arguments({planned}), input.value());
  return run;
}

}  // namespace scalediag::launch
