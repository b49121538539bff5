// scalediag: which function of an MPI program stops scaling, at what scale, and why.
#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/installation.h"

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

// The option parser would only say that a command is missing.
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  const auto first = std::find_if(arguments.begin(), arguments.end(),
                                  [](const std::string& argument) { return argument.rfind('-', 0) != 0; });
  if (first == arguments.end()) return "";
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == *first) return "";
  }
  return *first;
}

int explain(const CLI::App& app, const CLI::ParseError& error) {
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
  scalediag::cli::add_profile_command(app, invocation);
  scalediag::cli::add_merge_command(app, invocation);
  scalediag::cli::add_show_command(app, invocation);
  scalediag::cli::add_predict_command(app, invocation);
  scalediag::cli::add_models_command(app, invocation);
  scalediag::cli::add_export_command(app, invocation);
  scalediag::cli::add_machine_command(app, invocation);
  scalediag::cli::add_doctor_command(app, invocation);
  scalediag::cli::add_network_command(app, invocation);
  scalediag::cli::add_trace_command(app, invocation);
  scalediag::cli::add_simulate_command(app, invocation);

  std::vector<std::string> arguments = own_arguments(argc, argv, invocation);
  if (const std::string unknown = unknown_command(app, arguments); !unknown.empty()) {
    return scalediag::cli::report({scalediag::core::ErrorCode::kUsage, "there is no command '" + unknown + "'",
                                   "scalediag --help lists the commands", ""});
  }
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them last first
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  } catch (const std::exception& error) {
    return scalediag::cli::report({scalediag::core::ErrorCode::kEnvironment, error.what(), "", ""});
  }
  return invocation.exit_status;
}
