// Strong and weak scaling told apart by what was measured: with a fixed problem a good part of the time falls as
// processes are added, with a problem that grows with them next to nothing does.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/findings.h"
#include "report/scaling_verdict.h"

namespace scalediag::report {

struct ScalingKind {
  Scaling scaling = Scaling::kUnknown;
  std::string reason;  // one sentence
};

// Each element: one kernel's time per rank over the measured scales, which rise. Time is weighted by its value at the
// first scale.
ScalingKind recognise_scaling(std::span<const std::vector<MeasuredScale>> kernels);

}  // namespace scalediag::report
