#include "cli/diagnostics.h"

#include <set>

#include "cli/terminal_text.h"
#include "core/exit_status.h"
#include "core/text/printable.h"

namespace scalediag::cli {
namespace {

// Prints a message on one line, so that a text that it quotes cannot begin another one.
void print_labelled(const char* label, const std::string& color, const std::string& text) {
  const std::string line = core::printable(text) + "\n";
  say(use_color_on_stderr() ? "\033[" + color + "m" + label + ":\033[0m " + line : std::string(label) + ": " + line);
}

void print_hint(const std::string& hint) {
  if (!hint.empty()) print_labelled("hint", "36", hint);
}

class PrintedNotices : public launch::Notices {
 public:
  void note(const std::string& message) override { cli::note(message); }
  void warn(const std::string& message, const std::string& hint) override { cli::warn(message, hint); }
};

}  // namespace

int exit_status_of(core::ErrorCode code) {
  return code == core::ErrorCode::kEnvironment ? core::kExitEnvironment : core::kExitUsage;
}

int report(const core::Error& error) {
  // Many messages name their file or option already.
  const bool name_where = !error.where.empty() && error.message.find(error.where) == std::string::npos;
  print_labelled("error", "1;31", name_where ? error.where + ": " + error.message : error.message);
  print_hint(error.hint);
  return exit_status_of(error.code);
}

void warn(const std::string& message, const std::string& hint) {
  static std::set<std::string> printed;
  print_labelled("warning", "1;33", message);
  if (printed.insert(hint).second) print_hint(hint);
}

void note(const std::string& message) { print_labelled("note", "1", message); }

launch::Notices& notices() {
  static PrintedNotices printed;
  return printed;
}

}  // namespace scalediag::cli
