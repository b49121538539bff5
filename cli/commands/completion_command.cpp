// scalediag completion SHELL and scalediag man: the option table as a shell's completion script and as a manual page
#include <memory>

#include "cli/build_date.h"
#include "cli/command.h"
#include "cli/completion_scripts.h"
#include "cli/manual_page.h"
#include "cli/standard_output.h"
#include "collector/launch/host/installation.h"

namespace scalediag::cli {
namespace {

int print_completion(const CLI::App& app, const std::string& shell) {
  const OptionTable table = option_table(app);
  return print(shell == "bash"  ? bash_completion(table)
               : shell == "zsh" ? zsh_completion(table)
                                : fish_completion(table));
}

constexpr const char* kCompletionFooter =
    R"(An installed scalediag brings the scripts along, where the shells look for them by themselves.

Examples:
  source <(scalediag completion bash)
  scalediag completion zsh >~/.zfunc/_scalediag
  scalediag completion fish >~/.config/fish/completions/scalediag.fish)";

}  // namespace

void add_completion_command(CLI::App& app, Invocation& invocation) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a script that completes scalediag's command line");
  command->footer(kCompletionFooter);
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &app, &invocation] { invocation.exit_status = print_completion(app, *shell); });
}

void add_man_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("man", "Print the manual page");
  command->footer("Examples:\n  scalediag man | man -l -");
  command->callback([&app, &invocation] {
    invocation.exit_status = print(manual_page(option_table(app), launch::version(), build_date()));
  });
}

}  // namespace scalediag::cli
