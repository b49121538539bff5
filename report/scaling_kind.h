// Strong and weak scaling told apart by what was measured: with a fixed problem a good part of the time falls as
// processes are added, with a problem that grows with them next to nothing does.
#pragma once

#include <optional>
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
// first scale. Unknown where no kernel's time falls or stays: a problem of either kind would make it.
ScalingKind recognise_scaling(std::span<const std::vector<MeasuredScale>> kernels);

// As stated, where somebody states it, with a note where the measurements say otherwise; else as recognised.
ScalingKind scaling_of(std::span<const std::vector<MeasuredScale>> kernels, const std::optional<Scaling>& stated,
                       std::vector<std::string>& notes);

}  // namespace scalediag::report
