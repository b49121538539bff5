#include "cli/terminal_text.h"

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "core/debug_log.h"
#include "core/text/printable.h"

namespace scalediag::cli {
namespace {

constexpr std::string_view kKept = "\n\t";
constexpr std::array<std::string_view, 7> kColors = {"\033[0m",    "\033[1m",    "\033[36m",  "\033[1;31m",
                                                     "\033[1;32m", "\033[1;33m", "\033[1;36m"};

class LogToSay : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    say("scalediag: " + core::printable({message.payload.data(), message.payload.size()}) + "\n");
  }
  void flush_() override {}
};

void log_line(const std::string& line) { spdlog::debug("{}", line); }

}  // namespace

std::string fit_for_terminal(std::string_view text, bool colored) {
  std::string out;
  while (colored && !text.empty()) {
    const size_t escape = text.find('\033');
    if (escape == std::string_view::npos) break;
    out += core::printable(text.substr(0, escape), "?", kKept);
    text.remove_prefix(escape);
    const auto* ours =
        std::ranges::find_if(kColors, [text](std::string_view color) { return text.starts_with(color); });
    out += ours == kColors.end() ? "?" : *ours;
    text.remove_prefix(ours == kColors.end() ? 1 : ours->size());
  }
  return out + core::printable(text, "?", kKept);
}

bool use_color_on_stderr() {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && ::isatty(STDERR_FILENO) != 0;
}

void say(const std::string& text) {
  const std::string fit = fit_for_terminal(text, use_color_on_stderr());
  std::fwrite(fit.data(), 1, fit.size(), stderr);
}

void log_what_is_done(bool verbose) {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("scalediag", std::make_shared<LogToSay>()));
  spdlog::set_level(verbose ? spdlog::level::debug : spdlog::level::off);
  core::send_debug_log_to(verbose ? log_line : nullptr);
}

}  // namespace scalediag::cli
