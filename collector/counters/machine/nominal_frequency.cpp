#include "collector/counters/machine/nominal_frequency.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <cstdlib>
#include <fstream>

#include "collector/counters/machine/repeated_timing.h"

namespace scalediag::counters {
namespace {

double from_kilohertz_file(const char* path) {
  std::ifstream file(path);
  double khz = 0;
  return file >> khz && khz > 0 ? khz * 1e3 : 0;
}

#if defined(__x86_64__)
bool counter_is_constant() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags")) return line.find(" constant_tsc") != line.npos;
  }
  return false;
}

double counter_rate_hz() {
  if (!counter_is_constant()) return 0;
  const double begin_s = monotonic_s();
  const auto begin = __rdtsc();
  double end_s = begin_s;
  while (end_s < begin_s + 0.02) end_s = monotonic_s();
  return static_cast<double>(__rdtsc() - begin) / (end_s - begin_s);
}
#else
double counter_rate_hz() { return 0; }
#endif

}  // namespace

double frequency_in_name(const std::string& cpu_model) {
  const size_t at = cpu_model.rfind("@ ");
  if (at == cpu_model.npos) return 0;
  char* unit = nullptr;
  const double number = std::strtod(cpu_model.c_str() + at + 2, &unit);
  const std::string name = unit;
  if (name.starts_with("GHz")) return number * 1e9;
  return name.starts_with("MHz") ? number * 1e6 : 0;
}

core::MachineValue nominal_frequency(const std::string& cpu_model) {
  constexpr char kFolder[] = "/sys/devices/system/cpu/cpu0/cpufreq/";
  const auto file = [&](const char* name) { return from_kilohertz_file((std::string(kFolder) + name).c_str()); };
  if (const double hz = file("base_frequency"); hz > 0) return {hz, 0, "cpufreq/base_frequency"};
  if (const double hz = frequency_in_name(cpu_model); hz > 0) return {hz, 0, "name of the CPU model"};
  if (const double hz = counter_rate_hz(); hz > 0) return {hz, 0, "rate of the time-stamp counter"};
  if (const double hz = file("cpuinfo_max_freq"); hz > 0) return {hz, 0, "cpufreq/cpuinfo_max_freq, may be a turbo"};
  return {0, 0, "unknown"};
}

}  // namespace scalediag::counters
