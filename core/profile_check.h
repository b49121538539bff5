// Whether a profile can have been measured: a file that was edited, or written by something that went wrong, must not
// become a prediction.
#pragma once

#include <optional>
#include <string>

#include "core/profile.h"

namespace scalediag::core {

// The first thing that no measurement gives, with its path in profile.json: "runs[0].time.total_s.mean: 5 is not sum /
// np = 10 / 4"; nothing where there is none. Checked are signs and sizes of numbers, that values over ranks fit
// together and to np, that parts add up to their wholes (computation, communication, samples, classes of calls), that
// lists have the lengths and the order that they claim, and that no run, kernel or operation stands there twice. What
// rounding alone makes different is tolerated.
std::optional<std::string> find_impossible(const Profile& profile);

}  // namespace scalediag::core
