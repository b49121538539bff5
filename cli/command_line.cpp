// The options that all commands share, and what becomes of a command line that is wrong
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/standard_output.h"
#include "cli/terminal_text.h"
#include "collector/launch/host/installation.h"
#include "core/result.h"
#include "core/text/suggestion.h"

namespace scalediag::cli {
namespace {

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// The option, of the command or of all, that a mistyped one may mean; empty where none is similar.
std::string option_meant(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<const CLI::App*> taken = {&app};
  for (const CLI::App* command : app.get_subcommands()) taken.push_back(command);
  std::vector<std::string> known;
  for (const CLI::App* command : taken) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  for (std::string argument : arguments) {
    argument = argument.substr(0, argument.find('='));
    if (argument.rfind("--", 0) != 0 || std::find(known.begin(), known.end(), argument) != known.end()) continue;
    return core::did_you_mean(argument, known);
  }
  return "";
}

// Error (kUsage): the first argument that is no option is not one of the app's commands; with similar ones. (The option
// parser would only say that a command is missing.)
Status check_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  const auto first =
      std::ranges::find_if(arguments, [](const std::string& argument) { return argument.rfind('-', 0) != 0; });
  if (first == arguments.end()) return Done{};
  const std::vector<std::string> names = names_of_commands(app);
  if (std::find(names.begin(), names.end(), *first) != names.end()) return Done{};
  const std::string meant = core::did_you_mean(*first, names);
  return Error{ErrorCode::kUsage, "there is no command '" + *first + "'",
               (meant.empty() ? "" : meant + " ") + "scalediag --help lists the commands"};
}

// Prints the exception of the option parser, also help and version, with a hint; returns the exit status.
int explain_usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  if (error.get_exit_code() == 0) {  // --help, --version
    std::ostringstream text;
    app.exit(error, text, text);
    return print(text.str());
  }
  std::string name = "scalediag";
  for (const CLI::App* command : app.get_subcommands()) name += " " + command->get_name();
  std::string message = error.what();
  std::string hint = name + " --help";
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    if (const std::string meant = option_meant(app, arguments); !meant.empty()) {
      hint = meant;
    } else if (name == "scalediag profile") {
      hint = "the application and its arguments go after --: scalediag profile -n 2,4,8,16 -- ./app ARGS";
    }
  }
  if (const size_t line_end = message.find('\n'); line_end != message.npos) message.resize(line_end);
  return report({ErrorCode::kUsage, message, hint});
}

// The words after the first "--" are the application's and are never seen by the option parser, which would interpret
// options, brackets and commas in them.
std::vector<std::string> own_arguments(int argc, char** argv, Invocation& invocation) {
  std::vector<std::string> own;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") == 0) {
      invocation.application.assign(argv + i + 1, argv + argc);
      break;
    }
    own.emplace_back(argv[i]);
  }
  return own;
}

}  // namespace

int run(int argc, char** argv) {
  Invocation invocation;
  invocation.words.assign(argv + std::min(argc, 1), argv + argc);
  CLI::App app("Which function of my MPI program will stop scaling, at what scale, and why?", "scalediag");
  app.set_version_flag("--version", std::string("scalediag ") + launch::version());
  bool verbose = false;
  app.add_flag("--verbose", verbose, "Say on stderr what is being done");
  app.require_subcommand(1);
  app.fallthrough();
  app.footer("Examples:\n  scalediag profile -n 2,4,8,16 -- ./app input.nml\n  scalediag show app.scalediag");
  app.parse_complete_callback([&verbose] { log_what_is_done(verbose); });
  add_commands(app, invocation);

  const std::vector<std::string> arguments = own_arguments(argc, argv, invocation);
  if (const auto known = check_command(app, arguments); !known) return report(known.error());
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them last first
  } catch (const CLI::ParseError& error) {
    if (!invocation.exit_status) return report(invocation.exit_status.error());
    return explain_usage_error(app, error, arguments);
  } catch (const std::exception& error) {
    std::error_code gone;
    [[maybe_unused]] const std::filesystem::path here = std::filesystem::current_path(gone);
    if (gone) {
      return report({ErrorCode::kEnvironment, "the working directory cannot be used: " + gone.message(),
                     "it may have been deleted: change into one that exists"});
    }
    return report({ErrorCode::kEnvironment, error.what()});
  }
  return invocation.exit_status ? invocation.exit_status.value() : report(invocation.exit_status.error());
}

}  // namespace scalediag::cli
