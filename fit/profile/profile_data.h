// A profile as the data of models; application_data.h says what the series hold.
#pragma once

#include "core/profile/profile.h"
#include "core/result.h"
#include "fit/application/application_data.h"

namespace scalediag::fit {

// Only complete runs count. Kernels that the sampler hardly saw are pooled into one. Errors (kInput): no complete run;
// runs of different clocks (hint: how to measure with one).
Result<ApplicationData> application_data(const core::Profile& profile);

}  // namespace scalediag::fit
