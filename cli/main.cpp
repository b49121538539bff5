// scalediag finds the functions of an MPI program that stop scaling, at what scale, and why.
#include <fcntl.h>
#include <signal.h>

#include <cstring>
#include <exception>
#include <filesystem>
#include <system_error>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/terminal_text.h"
#include "cli/usage_errors.h"
#include "collector/launch/host/installation.h"

namespace {

using scalediag::cli::Invocation;

// Occupies the numbers of standard streams that are missing at the start: a file that we open would otherwise get such
// a number, and output for the stream would go into it. Writing to a missing stream has to fail, so that the
// replacement cannot be written to.
void occupy_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDONLY) < 0) return;
  }
}

// A file that becomes larger than RLIMIT_FSIZE allows is an error of write(), like a full disk. The signal gets a
// handler that does nothing, so that the programs that we start have the default again; an ignored one stays ignored.
void survive_file_size_limits() {
  struct sigaction before {};
  if (sigaction(SIGXFSZ, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigemptyset(&action.sa_mask);
  sigaction(SIGXFSZ, &action, nullptr);
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

int main(int argc, char** argv) {
  occupy_standard_streams();
  survive_file_size_limits();
  Invocation invocation;
  CLI::App app("Which function of my MPI program will stop scaling, at what scale, and why?", "scalediag");
  app.set_version_flag("--version", std::string("scalediag ") + scalediag::launch::version());
  bool verbose = false;
  app.add_flag("--verbose", verbose, "Say on stderr what is being done");
  app.require_subcommand(1);
  app.fallthrough();
  app.footer("Examples:\n  scalediag profile -n 2,4,8,16 -- ./app input.nml\n  scalediag show app.scalediag");
  app.parse_complete_callback([&verbose] { scalediag::cli::log_what_is_done(verbose); });
  scalediag::cli::add_commands(app, invocation);

  const std::vector<std::string> arguments = own_arguments(argc, argv, invocation);
  if (const auto known = scalediag::cli::check_command(app, arguments); !known) {
    return scalediag::cli::report(known.error());
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them last first
  } catch (const CLI::ParseError& error) {
    return scalediag::cli::explain_usage_error(app, error, arguments);
  } catch (const std::exception& error) {
    std::error_code gone;
    [[maybe_unused]] const std::filesystem::path here = std::filesystem::current_path(gone);
    if (gone) {
      return scalediag::cli::report({scalediag::core::ErrorCode::kEnvironment,
                                     "the working directory cannot be used: " + gone.message(),
                                     "it may have been deleted: change into one that exists", ""});
    }
    return scalediag::cli::report({scalediag::core::ErrorCode::kEnvironment, error.what(), "", ""});
  }
  return invocation.exit_status;
}
