// Physical quantities as text for people.
#pragma once

#include <string>

#include "core/profile/profile.h"

namespace scalediag::core {

// One unit and one number of decimals for all times of a report, so that columns can be compared by eye.
class TimeFormat {
 public:
  // The format for times up to `largest_s`: s, ms or us, and five significant digits of the largest.
  explicit TimeFormat(double largest_s);
  const char* unit() const { return unit_; }
  std::string operator()(double seconds) const;

 private:
  const char* unit_;
  double per_second_;
  int decimals_;
};

std::string time_text(double seconds);                          // "1.2345 ms"; of several times TimeFormat
std::string percent(double fraction);                           // 0.4567 -> "45.7%"
std::string spaced_percent(double fraction, int decimals = 1);  // 0.4567 -> "45.7 %", for sentences
std::string signed_percent(double fraction);                    // "+45.7%"; of 0 "+0.0%"
// "1 rank", "3 ranks".
std::string counted(auto n, const std::string& what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }
// "64 times", "1.33 times".
std::string times_text(double factor);
std::string percent_digits(double fraction);  // 0.4567 -> "45.7", for columns whose title has the sign
std::string fixed(double value, int decimals);
std::string count_text(double count);  // exact below ten million, then "12.3 M", "12.3 G"
// The source of a run's counts with the reason for it, and whether each event overflowed by itself.
std::string counting_text(const core::Run& run);
std::string counters_text(const std::string& source);  // Run::counters, and its meaning: "clock, time only"
std::string bytes_text(double bytes);                  // "512 B", "1.23 kB", "45.6 MB"; powers of 1000

}  // namespace scalediag::core
