// Numbers with the interval that they lie in, with the digits that this interval allows.
//
// The last digit of a value stands for no less than the farther end's distance (its power of ten), and it has two to
// four significant digits: of 17.141 between 8.335 and 1463.25 "17". The ends are rounded outwards, to the same digit
// or to two digits of their distance from the value: "8" and "1500". A value without an interval, both ends being the
// value, has four significant digits.
#pragma once

#include <string>

#include "core/text/quantities.h"

namespace scalediag::core {

struct Bounded {
  std::string value, low, high;
  // "8 - 1500", for a column; "-" where the value has no interval.
  std::string interval() const;
};

// The factor between the ends of an interval beyond which its value is none, and is not shown.
constexpr double kNoValue = 100;

// The value is "-" where the ends, of which the lower one is above 0, are more than kNoValue apart. Precondition: low
// <= value <= high, all of them finite.
Bounded bounded(double value, double low, double high);

// The percentage of a fraction, "13%"; its ends without the sign.
Bounded bounded_percent(double value, double low, double high);

// 1000 for milliseconds: what to multiply seconds by, and their ends, before they go to bounded().
double units_a_second(const TimeFormat& time);

// "17 ms, between 8 and 700"; "17 ms" where there is no interval; "between 8 and 1500 ms" where the value is "-".
std::string bounded_text(double value, double low, double high, const std::string& unit);

// The factor between the ends from which an interval is said in words, too.
constexpr double kKnownFactor = 10;

// "not known within a factor of 170": high / low in two digits, rounded down. "possibly next to nothing" where `low` is
// 0. Empty for a factor of at most kKnownFactor.
std::string spread_text(double low, double high);
std::string factor_text(double factor);  // its two digits there. Precondition: factor > 0

}  // namespace scalediag::core
