#include "cli/terminal/work_progress.h"

#include <unistd.h>

#include <utility>

namespace scalediag::cli {
namespace {

// Commands that end before need no line.
constexpr double kSoon_s = 2;
constexpr double kRedraw_s = 0.5;

}  // namespace

WorkProgress::WorkProgress(std::string label)
    : label_(std::move(label)), line_(STDERR_FILENO, isatty(STDERR_FILENO) != 0) {}

void WorkProgress::tell(double share) {
  const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (elapsed_s < kSoon_s || elapsed_s - told_s_ < kRedraw_s || !(share > 0)) return;
  told_s_ = elapsed_s;
  line_.begin_run(label_, elapsed_s / share, elapsed_s / share);
  line_.tick(elapsed_s);
}

}  // namespace scalediag::cli
