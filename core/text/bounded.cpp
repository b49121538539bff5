#include "core/text/bounded.h"

#include <algorithm>
#include <cmath>

#include "core/text/numbers.h"

namespace scalediag::core {
namespace {

constexpr int kFewestDigits = 2, kMostDigits = 4;
// Numbers outside of 1e-4 to 1e7 are written with an exponent.
constexpr int kSmallestPlain = -4, kLargestPlain = 6;

// The place of the first digit: 2 of 140.4, -1 of 0.36. Precondition: number != 0.
int place_of(double number) { return static_cast<int>(std::floor(std::log10(std::abs(number)))); }

// A number that was rounded to the digit at `place`.
std::string text_of(double number, int place) {
  if (number == 0) return "0";
  const int first = place_of(number);
  if (first < kSmallestPlain || first > kLargestPlain) return four_digits(number);
  return fixed(number, std::max(0, -place));
}

double rounded(double number, int place, double (*round)(double)) {
  const double unit = std::pow(10.0, place);
  // A multiple of the unit stays one, although its quotient may be next to a whole number.
  const double units = number / unit;
  const double near = std::round(units);
  return (std::abs(units - near) < 1e-9 * std::max(1.0, std::abs(near)) ? near : round(units)) * unit;
}

double down(double x) { return std::floor(x); }
double up(double x) { return std::ceil(x); }
double nearest(double x) { return std::round(x); }

// An end of the interval, which is not rounded to 0.
std::string end_text(double end, double value, int place, double (*outwards)(double)) {
  if (end == value) return text_of(rounded(end, place, nearest), place);
  int at = std::max(place, place_of(end - value) - 1);
  if (end != 0 && rounded(end, at, outwards) == 0) at = place_of(end);
  return text_of(rounded(end, at, outwards), at);
}

}  // namespace

std::string Bounded::interval() const { return low == high ? "-" : low + " - " + high; }

Bounded bounded(double value, double low, double high) {
  if (low == high) {
    const int last = value == 0 ? 0 : place_of(value) - kMostDigits + 1;
    const std::string text = text_of(rounded(value, last, nearest), last);
    return {text, text, text};
  }
  int place = place_of(std::max(value - low, high - value));
  if (value != 0) place = std::clamp(place, place_of(value) - kMostDigits + 1, place_of(value) - kFewestDigits + 1);
  const bool is_none = low > 0 && high > kNoValue * low;
  return {is_none ? "-" : text_of(rounded(value, place, nearest), place), end_text(low, value, place, down),
          end_text(high, value, place, up)};
}

Bounded bounded_percent(double value, double low, double high) {
  Bounded percent = bounded(100 * value, 100 * low, 100 * high);
  if (percent.value != "-") percent.value += "%";
  return percent;
}

double units_a_second(const TimeFormat& time) {
  const std::string unit = time.unit();
  return unit == "us" ? 1e6 : unit == "ms" ? 1e3 : 1;
}

std::string bounded_text(double value, double low, double high, const std::string& unit) {
  const Bounded number = bounded(value, low, high);
  const std::string of_unit = unit.empty() ? "" : " " + unit;
  if (number.value == "-") return "between " + number.low + " and " + number.high + of_unit;
  const std::string text = number.value + of_unit;
  return low == high ? text : text + ", between " + number.low + " and " + number.high;
}

std::string spread_text(double low, double high) {
  if (!(high > 0)) return "";
  if (!(low > 0)) return "possibly next to nothing";
  const double factor = high / low;
  if (!std::isfinite(factor)) return "possibly next to nothing";
  return factor > kKnownFactor ? "not known within a factor of " + factor_text(factor) : "";
}

std::string factor_text(double factor) {
  const int place = place_of(factor) - 1;
  return text_of(rounded(factor, place, down), place);
}

}  // namespace scalediag::core
