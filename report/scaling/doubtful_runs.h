// Configurations whose times do not show how the program scales: no speed-up, efficiency or cost is made of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/profile/profile.h"
#include "fit/application/application_data.h"

namespace scalediag::report {

// The coefficient of variation above which nothing is concluded from the mean of repeats.
constexpr double kNoisyRepeats = 0.2;

enum class Doubt {
  kSharedCores,    // elapsed time where there were more threads than cores
  kOtherPrograms,  // elapsed time where ranks waited for a core, though there was one for each
  kNoise,          // repeats vary by more than kNoisyRepeats
};
const char* name_of(Doubt doubt);  // "cores shared", "other programs", "noisy"

// By configuration, as in `data`; the first doubt that applies. `experiment` may be null: then it is not known whether
// cores were shared.
std::map<std::vector<double>, Doubt> doubtful_runs(const core::Profile& profile, const core::Experiment* experiment,
                                                   const fit::ApplicationData& data);

}  // namespace scalediag::report
