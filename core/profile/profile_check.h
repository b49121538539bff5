// The check that a profile can have been measured: a file that was edited, or written by a program with an error, must
// not become a prediction.
#pragma once

#include <optional>
#include <string>

#include "core/profile/profile.h"

namespace scalediag::core {

// The first value that no measurement gives, with its path in profile.json: "runs[0].time.total_s.mean: 5 is not sum /
// np = 10 / 4"; empty where there is none. The checks: signs and sizes of numbers, that values over ranks agree with
// each other and with np, that parts add up to their wholes (computation, communication, samples, classes of calls),
// that lists have the lengths and the order that they claim, and that no run, kernel or operation occurs twice.
// Differences by rounding are tolerated.
std::optional<std::string> find_impossible(const Profile& profile);

}  // namespace scalediag::core
