// Checks of options that are numbers, with messages that a person can read: those of the option parser spell the bounds
// of a double out in full.
#pragma once

#include <CLI/CLI.hpp>

namespace scalediag::cli {

CLI::Validator positive_number();
CLI::Validator number_not_negative();
// Both ends are allowed.
CLI::Validator number_between(double low, double high);
// For transform(): "50%" becomes 0.5; all other texts stay as they are, for the check that follows.
CLI::Validator percent_as_share();
// For transform(): "90s", "10min" and "1h" become seconds; a time that is negative or has no unit is an error.
CLI::Validator time_as_seconds();
// A whole number of ranks from 1 to core::kMostRanks.
CLI::Validator number_of_ranks();

}  // namespace scalediag::cli
