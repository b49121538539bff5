// scalediag: which function of an MPI program stops scaling, at what scale, and why.
#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/installation.h"
#include "report/suggestion.h"

namespace {

using scalediag::cli::Invocation;

// A file that we open would otherwise get the number of a standard stream that we were started without, and what is
// meant for the stream would go into it.
void open_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) < 0) return;
  }
}

// What follows the first "--" is the application's and is never looked at by the option parser, which would take
// options, brackets and commas in it for its own.
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

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// The option parser would only say that a command is missing.
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  const auto first = std::find_if(arguments.begin(), arguments.end(),
                                  [](const std::string& argument) { return argument.rfind('-', 0) != 0; });
  if (first == arguments.end()) return "";
  const std::vector<std::string> names = names_of_commands(app);
  return std::find(names.begin(), names.end(), *first) == names.end() ? *first : "";
}

// What somebody who mistyped an option, of the command or of all, may have meant; empty where nothing is near.
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
    return scalediag::report::did_you_mean(argument, known);
  }
  return "";
}

int explain(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  if (error.get_exit_code() == 0) {  // --help, --version
    app.exit(error);
    return scalediag::cli::kExitSuccess;
  }
  std::string name = "scalediag";
  for (const CLI::App* command : app.get_subcommands()) name += " " + command->get_name();
  std::string message = error.what();
  std::string hint = name + " --help";
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && name == "scalediag profile") {
    hint = "the application and its arguments go after --: scalediag profile -n 2,4 -- ./app ARGS";
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    if (const std::string meant = option_meant(app, arguments); !meant.empty()) hint = meant;
  }
  if (const size_t line_end = message.find('\n'); line_end != message.npos) message.resize(line_end);
  return scalediag::cli::report({scalediag::core::ErrorCode::kUsage, message, hint, ""});
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  Invocation invocation;
  CLI::App app("Which function of my MPI program will stop scaling, at what scale, and why?", "scalediag");
  app.set_version_flag("--version", std::string("scalediag ") + scalediag::cli::version());
  bool verbose = false;
  app.add_flag("--verbose", verbose, "Say on stderr what is being done");
  app.require_subcommand(1);
  app.fallthrough();
  app.footer("Examples:\n  scalediag profile -n 2,4,8 -- ./app input.nml\n  scalediag show app.scalediag");
  app.parse_complete_callback([&verbose] {
    spdlog::set_default_logger(spdlog::stderr_logger_st("scalediag"));
    spdlog::set_pattern("%n: %v");
    spdlog::set_level(verbose ? spdlog::level::debug : spdlog::level::off);
  });
  scalediag::cli::add_commands(app, invocation);

  std::vector<std::string> arguments = own_arguments(argc, argv, invocation);
  if (const std::string unknown = unknown_command(app, arguments); !unknown.empty()) {
    const std::string meant = scalediag::report::did_you_mean(unknown, names_of_commands(app));
    return scalediag::cli::report({scalediag::core::ErrorCode::kUsage, "there is no command '" + unknown + "'",
                                   (meant.empty() ? "" : meant + " ") + "scalediag --help lists the commands", ""});
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them last first
  } catch (const CLI::ParseError& error) {
    return explain(app, error, arguments);
  } catch (const std::exception& error) {
    return scalediag::cli::report({scalediag::core::ErrorCode::kEnvironment, error.what(), "", ""});
  }
  return invocation.exit_status;
}
