// The ELF files that are mapped, and their addresses, in epochs: within one epoch no address range changes its owner.
#pragma once

#include <cstdint>
#include <vector>

#include "core/raw/raw_records.h"

namespace scalediag::inject {

using raw::Module;

struct ModuleSnapshot {
  std::vector<Module> modules;
  uint64_t loaded = 0;    // the number of modules ever mapped, by which changes are noticed
  uint64_t unloaded = 0;  // the number of modules ever unmapped
};

// Reads the modules from the loader. Not for signal handlers. May throw std::bad_alloc.
ModuleSnapshot take_module_snapshot();

struct ModuleChanges {
  uint64_t loaded = 0;
  uint64_t unloaded = 0;
};
// The two counts alone, which is cheaper.
ModuleChanges module_changes();

}  // namespace scalediag::inject
