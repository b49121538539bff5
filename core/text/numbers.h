// Numbers as text.
#pragma once

#include <string>

namespace scalediag::core {

// The shortest text that reads back as the same double; whole numbers below 1e15 without an exponent ("1000000", not
// "1e+06"), because they are part of folder names and command lines. Values that are not finite give "nan" and "inf".
std::string to_text(double value);

// Four significant digits, for metrics of any unit: "0.001235", "1.235e+06".
std::string four_digits(double value);

}  // namespace scalediag::core
