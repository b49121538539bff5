// The paths of a profile's call tree as the data of models.
#pragma once

#include "core/profile/profile.h"
#include "core/result.h"
#include "fit/application/application_data.h"

namespace scalediag::fit {

// Each path of at least 1 % of all CPU time at some configuration is a kernel of kind kCallPath, with its inclusive CPU
// time of the mean rank. Error (kInput): no complete run has call paths, or none of them was met at two configurations.
Result<ApplicationData> call_path_data(const core::Profile& profile);

}  // namespace scalediag::fit
