#include "cli/usage_errors.h"

#include <algorithm>
#include <sstream>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/standard_output.h"
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

}  // namespace

core::Status check_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  const auto first = std::find_if(arguments.begin(), arguments.end(),
                                  [](const std::string& argument) { return argument.rfind('-', 0) != 0; });
  if (first == arguments.end()) return core::Done{};
  const std::vector<std::string> names = names_of_commands(app);
  if (std::find(names.begin(), names.end(), *first) != names.end()) return core::Done{};
  const std::string meant = core::did_you_mean(*first, names);
  return core::Error{core::ErrorCode::kUsage, "there is no command '" + *first + "'",
                     (meant.empty() ? "" : meant + " ") + "scalediag --help lists the commands", ""};
}

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
  return report({core::ErrorCode::kUsage, message, hint, ""});
}

}  // namespace scalediag::cli
