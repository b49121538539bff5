#include "collector/inject/counting/callgrind_instructions.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <utility>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

namespace scalediag::inject {
namespace {

constexpr off_t kKeptText = 1 << 20;

void print_status() {
#ifdef VALGRIND_MONITOR_COMMAND
  VALGRIND_MONITOR_COMMAND("status internal");
#endif
}

// What follows `name` at the beginning of a line.
std::optional<std::string_view> line_of(std::string_view text, const std::string& name) {
  const size_t at = text.find("\n" + name);
  if (at == text.npos) return std::nullopt;
  const std::string_view rest = text.substr(at + 1 + name.size());
  const size_t end = rest.find('\n');
  if (end == rest.npos) return std::nullopt;
  return rest.substr(0, end);
}

std::optional<off_t> size_of(int file) {
  struct stat found {};
  if (fstat(file, &found) != 0) return std::nullopt;
  return found.st_size;
}

}  // namespace

std::optional<uint64_t> instructions_in_status(std::string_view text) {
  const auto thread = line_of(text, "current-tid: ");
  const auto names = line_of(text, "events: ");
  if (!thread || !names || names->substr(0, 2) != "Ir") return std::nullopt;
  const auto counts = line_of(text, "events-" + std::string(*thread) + ":");
  if (!counts) return std::nullopt;
  std::string_view number = *counts;
  while (!number.empty() && number.front() == ' ') number.remove_prefix(1);
  uint64_t count = 0;
  if (number.empty()) return count;
  const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), count);
  if (failed != std::errc{}) return std::nullopt;
  return count;
}

CallgrindInstructions::CallgrindInstructions(const std::string& log, uint64_t most_calls)
    : path_(log), log_(open(log.c_str(), O_RDWR | O_CLOEXEC)), left_(log_.is_kept() ? most_calls : 0) {
  forgotten_ = size_of(log_.get()).value_or(0);
}

int CallgrindInstructions::log() {
  if (const int fd = log_.get(); fd >= 0 || !log_.is_kept()) return fd;
  // The application has closed it.
  const bool is_back = log_.replace_by(raw::OwnDescriptor(open(path_.c_str(), O_RDWR | O_CLOEXEC)));
  return is_back ? log_.get() : -1;
}

std::optional<uint64_t> CallgrindInstructions::enter_mpi(bool polls_again) {
  if (left_ == 0) return std::nullopt;
  if (polls_again) return 0;
  --left_;
  const std::optional<uint64_t> total = read_total();
  if (!total || *total < total_) {
    left_ = 0;  // it would not be known either what later counts are of
    return std::nullopt;
  }
  return *total - std::exchange(total_, *total);
}

std::optional<uint64_t> CallgrindInstructions::read_total() {
  const int log = this->log();
  const auto begin = size_of(log);
  print_status();
  if (!begin) return std::nullopt;
  // The counts of the thread stand among the first lines; its functions follow.
  char text[4096];
  const ssize_t n = pread(log, text, sizeof text, *begin);
  if (n <= 0) return std::nullopt;
  const std::string_view printed(text, static_cast<size_t>(n));
  if (*begin - forgotten_ > kKeptText) forget_text(log, forgotten_, *begin);
  return instructions_in_status(printed);
}

// A failure is ignored: the log is only larger then.
void CallgrindInstructions::forget_text(int log, off_t begin, off_t end) {
  [[maybe_unused]] const int failed = fallocate(log, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, end - begin);
  forgotten_ = end;
}

}  // namespace scalediag::inject
