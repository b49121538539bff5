#include "collector/launch/session/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/text/printable.h"

namespace scalediag::launch {
namespace {

constexpr double kRedraw_s = 0.15;

void write_text(int fd, const std::string& text) {
  [[maybe_unused]] const ssize_t ignored = write(fd, text.data(), text.size());
}

size_t columns_of(int fd) {
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string format_duration(double seconds) {
  char text[64];
  if (seconds < 59.95) {
    std::snprintf(text, sizeof text, "%.1f s", std::max(0.0, seconds));
    return text;
  }
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 3600) {
    std::snprintf(text, sizeof text, "%ld min %02ld s", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld h %02ld min", whole / 3600, whole % 3600 / 60);
  }
  return text;
}

void Progress::begin_run(const std::string& label, double expected_s, double left_s) {
  label_ = label;
  expected_s_ = expected_s;
  left_s_ = left_s;
  drawn_at_s_ = -1;
}

void Progress::tick(double elapsed_s) {
  // The line is drawn at most every kRedraw_s, however much the application prints.
  const bool due = drawn_at_s_ < 0 || elapsed_s - drawn_at_s_ >= kRedraw_s;
  if (is_terminal_ && cursor_at_line_start_ && due) draw(elapsed_s);
}

void Progress::draw(double elapsed_s) {
  std::string line = label_ + ": " + format_duration(elapsed_s);
  if (expected_s_ >= 0) {
    // The time left is at least 0, also for a run that takes longer than expected.
    const double left = std::max(0.0, left_s_ - std::min(elapsed_s, expected_s_));
    line += ", about " + format_duration(left) + " left in all";
  }
  // A line that wraps cannot be rewritten in place.
  if (const size_t columns = columns_of(fd_); line.size() >= columns) line.resize(columns - 1);
  write_text(fd_, "\r\033[K" + core::printable(line));
  drawn_ = true;
  drawn_at_s_ = elapsed_s;
}

void Progress::make_way() {
  if (drawn_) write_text(fd_, "\r\033[K");
  drawn_ = false;
}

void Progress::resume(bool line_ended) { cursor_at_line_start_ = line_ended; }

void Progress::complete_run(double elapsed_s, bool is_told) {
  make_way();
  if (!is_terminal_ && is_told) write_line(format_duration(elapsed_s));
}

void Progress::fail_run(double elapsed_s, const std::string& problem) {
  make_way();
  write_line(format_duration(elapsed_s) + ", " + problem);
}

void Progress::write_line(const std::string& text) {
  std::string line = core::printable(label_ + ": " + text) + "\n";
  // The application's last output did not end its line.
  if (is_terminal_ && !cursor_at_line_start_) line.insert(0, "\n");
  cursor_at_line_start_ = true;
  write_text(fd_, line);
}

}  // namespace scalediag::launch
