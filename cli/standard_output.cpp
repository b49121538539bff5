#include "cli/standard_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/diagnostics.h"
#include "cli/terminal_text.h"
#include "core/atomic_file.h"
#include "core/exit_status.h"
#include "core/json/json_writer.h"

namespace scalediag::cli {
namespace {

// Whether the output was kept: some file systems report only when a file is closed that there was no room for it.
bool is_kept() {
  const int copy = ::dup(STDOUT_FILENO);
  return copy < 0 || ::close(copy) == 0 || errno == EINTR;
}

}  // namespace

size_t terminal_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  size_t columns = 0;
  if (const char* text = std::getenv("COLUMNS")) std::from_chars(text, text + std::strlen(text), columns);
  return columns > 0 ? columns : 100;
}

bool use_color() {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && ::isatty(STDOUT_FILENO) != 0;
}

int print(const std::string& raw) {
  const std::string text = fit_for_terminal(raw, use_color());
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written && is_kept()) return core::kExitSuccess;
  const int error = errno;
  if (error == EPIPE) return core::kExitSuccess;
  return report(core::write_error("standard output", error));
}

int print_json(const nlohmann::ordered_json& document, int compact_depth) {
  const auto text = core::to_json_text(document, compact_depth);
  return text ? print(text.value()) : report(text.error());
}

}  // namespace scalediag::cli
