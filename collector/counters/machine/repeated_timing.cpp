#include "collector/counters/machine/repeated_timing.h"

#include <algorithm>
#include <ctime>

namespace scalediag::counters {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

double monotonic_s() { return seconds_of(CLOCK_MONOTONIC); }

double thread_cpu_s() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

bool was_undisturbed(double elapsed_s, double cpu_s) {
  constexpr double kOffCpu = 0.02;
  return cpu_s >= (1 - kOffCpu) * elapsed_s;
}

bool enough_repeats(size_t done, double elapsed_s) {
  constexpr size_t kFewest = 5;
  constexpr double kLongest_s = 1;
  return done >= kFewest && elapsed_s > kLongest_s;
}

core::MachineValue summarize_repeats(std::vector<double> values, const std::string& source) {
  std::ranges::sort(values);
  core::MachineValue v;
  v.value = quantile(values, 0.5);
  v.spread = v.value == 0 ? 0 : (quantile(values, 0.75) - quantile(values, 0.25)) / v.value;
  v.source = source;
  return v;
}

std::vector<double> time_repeats(int repeats, const std::function<void()>& work) {
  std::vector<double> undisturbed;
  std::vector<double> all;
  for (int i = 0; i < 3 * repeats && undisturbed.size() < static_cast<size_t>(repeats); ++i) {
    const double begin_s = monotonic_s();
    const double cpu_begin_s = thread_cpu_s();
    work();
    const double cpu_s = thread_cpu_s() - cpu_begin_s;
    all.push_back(cpu_s);
    if (was_undisturbed(monotonic_s() - begin_s, cpu_s)) undisturbed.push_back(cpu_s);
  }
  return undisturbed.size() < static_cast<size_t>(repeats) ? all : undisturbed;
}

}  // namespace scalediag::counters
