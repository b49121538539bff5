// The ELF files that are mapped, and their addresses, in epochs: within one epoch no address range changes its owner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scalediag::inject {

struct Module {
  uint64_t load_bias = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string path;      // absolute where the loader knows it; "linux-vdso.so.1" has none
  std::string build_id;  // hexadecimal; for a file without one raw::file_stamp(), empty if it cannot be read
};

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
