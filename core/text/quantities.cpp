#include "core/text/quantities.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "core/text/numbers.h"

namespace scalediag::core {
namespace {

// Three significant digits with the prefix, for a power of 1000, that leaves a number below 1000.
std::string with_prefix(double value, const char* const* prefixes, int n_prefixes) {
  int p = 0;
  // 999.5 would be printed as "1000" of the smaller unit.
  while (std::abs(value) >= 999.5 && p + 1 < n_prefixes) {
    value /= 1000;
    ++p;
  }
  const int decimals = std::abs(value) >= 99.95 ? 0 : std::abs(value) >= 9.995 ? 1 : 2;
  return fixed(value, decimals) + " " + prefixes[p];
}

}  // namespace

std::string fixed(double value, int decimals) {
  std::array<char, 64> text{};
  const int n = std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  // More than 64 characters mean a value beyond 1e55, for which no column has room.
  if (n < 0 || static_cast<size_t>(n) >= text.size()) {
    std::snprintf(text.data(), text.size(), "%.3g", value);
    return text.data();
  }
  const std::string result(text.data());
  return result.find_first_not_of("-0.") == std::string::npos && result[0] == '-' ? result.substr(1) : result;
}

TimeFormat::TimeFormat(double largest_s) : unit_("s"), per_second_(1), decimals_(4) {
  const double largest = std::abs(largest_s);
  if (largest > 0 && largest < 1e-3) {
    unit_ = "us";
    per_second_ = 1e6;
  } else if (largest > 0 && largest < 1) {
    unit_ = "ms";
    per_second_ = 1e3;
  }
  for (double limit = 10; largest * per_second_ >= limit && decimals_ > 1; limit *= 10) --decimals_;
}

std::string TimeFormat::operator()(double seconds) const { return fixed(seconds * per_second_, decimals_); }

std::string time_text(double seconds) {
  const TimeFormat time(seconds);
  return time(seconds) + " " + time.unit();
}

std::string percent_digits(double fraction) { return fixed(100 * fraction, 1); }

std::string percent(double fraction) { return percent_digits(fraction) + "%"; }

std::string spaced_percent(double fraction, int decimals) { return fixed(100 * fraction, decimals) + " %"; }

std::string signed_percent(double fraction) { return (fraction >= 0 ? "+" : "") + percent(fraction); }

std::string times_text(double factor) {
  // Two decimals below ten, where they matter: 1.33 times is not once.
  return (factor < 10 ? to_text(std::round(100 * factor) / 100) : fixed(factor, 0)) + " times";
}

std::string count_text(double count) {
  if (std::abs(count) < 1e7) return fixed(count, count == std::floor(count) ? 0 : 1);
  static constexpr const char* kPrefixes[] = {"M", "G", "T", "P", "E"};
  return with_prefix(count / 1e6, kPrefixes, 5);
}

std::string counting_text(const core::Run& run) {
  const std::string method = run.counter_method == "events" ? "each event charged by its own overflows" : "";
  const std::string both = run.counters_reason + (run.counters_reason.empty() || method.empty() ? "" : "; ") + method;
  return counters_text(run.counters) + (both.empty() ? "" : " (" + both + ")");
}

std::string counters_text(const std::string& source) { return source == "clock" ? source + ", time only" : source; }

std::string bytes_text(double bytes) {
  if (std::abs(bytes) < 999.5) return fixed(bytes, bytes == std::floor(bytes) ? 0 : 1) + " B";
  static constexpr const char* kPrefixes[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  return with_prefix(bytes, kPrefixes, 7);
}

}  // namespace scalediag::core
