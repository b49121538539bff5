// The identity of a kernel, as in merge: two kernels are the same where it is equal.
#pragma once

#include <compare>
#include <string>

#include "core/profile.h"

namespace scalediag::counters {

struct KernelIdentity {
  std::string name;
  std::string module;
  std::string file;
  int line = 0;
  auto operator<=>(const KernelIdentity&) const = default;
};

inline KernelIdentity identity_of(const core::Kernel& k) { return {k.name, k.module, k.file, k.line}; }

}  // namespace scalediag::counters
