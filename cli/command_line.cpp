// The options that all commands share, and what becomes of a command line that is wrong
#include "cli/command_line.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <system_error>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/terminal_text.h"
#include "cli/usage_errors.h"
#include "collector/launch/host/installation.h"

namespace scalediag::cli {
namespace {

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
  if (const auto known = check_command(app, arguments); !known) {
    return report(known.error());
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them last first
  } catch (const CLI::ParseError& error) {
    if (invocation.refused) return report(*invocation.refused);
    return explain_usage_error(app, error, arguments);
  } catch (const std::exception& error) {
    std::error_code gone;
    [[maybe_unused]] const std::filesystem::path here = std::filesystem::current_path(gone);
    if (gone) {
      return report({core::ErrorCode::kEnvironment, "the working directory cannot be used: " + gone.message(),
                     "it may have been deleted: change into one that exists", ""});
    }
    return report({core::ErrorCode::kEnvironment, error.what(), "", ""});
  }
  return invocation.exit_status;
}

}  // namespace scalediag::cli
