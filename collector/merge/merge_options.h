// The options of a merge.
#pragma once

#include <string>

#include "core/profile/profile.h"

namespace scalediag::merge {

struct MergeOptions {
  core::Clock clock = core::Clock::kCpu;
  std::string clock_reason;
  bool resolve_inlined = false;  // charge samples to the innermost inlined function instead of the one that is called
};

}  // namespace scalediag::merge
