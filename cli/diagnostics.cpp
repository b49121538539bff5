#include "cli/diagnostics.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cli/command.h"

namespace scalediag::cli {
namespace {

// NO_COLOR: https://no-color.org
bool use_color() {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && isatty(STDERR_FILENO) != 0;
}

void print_labelled(const char* label, const char* color, const std::string& text) {
  if (use_color()) {
    std::fprintf(stderr, "\033[%sm%s:\033[0m %s\n", color, label, text.c_str());
  } else {
    std::fprintf(stderr, "%s: %s\n", label, text.c_str());
  }
}

void print_hint(const std::string& hint) {
  if (!hint.empty()) print_labelled("hint", "36", hint);
}

}  // namespace

int exit_status_of(core::ErrorCode code) {
  return code == core::ErrorCode::kEnvironment ? kExitEnvironment : kExitUsage;
}

int report(const core::Error& error) {
  // Many messages name their file or option already.
  const bool name_where = !error.where.empty() && error.message.find(error.where) == std::string::npos;
  print_labelled("error", "1;31", name_where ? error.where + ": " + error.message : error.message);
  print_hint(error.hint);
  return exit_status_of(error.code);
}

void warn(const std::string& message, const std::string& hint) {
  print_labelled("warning", "1;33", message);
  print_hint(hint);
}

void note(const std::string& message) { print_labelled("note", "1", message); }

}  // namespace scalediag::cli
