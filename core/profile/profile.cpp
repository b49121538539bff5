#include "core/profile/profile.h"

namespace scalediag::core {

const char* name_of(Clock clock) { return clock == Clock::kWall ? "wall" : "cpu"; }

const char* name_of(CallPathKind kind) {
  switch (kind) {
    case CallPathKind::kMpi: return "mpi";
    case CallPathKind::kOther: return "other";
    default: return "function";
  }
}

const char* name_of(KernelKind kind) {
  switch (kind) {
    case KernelKind::kSystem: return "system";
    case KernelKind::kGpu: return "gpu";
    case KernelKind::kWaiting: return "waiting";
    case KernelKind::kFunction: break;
  }
  return "function";
}

}  // namespace scalediag::core
