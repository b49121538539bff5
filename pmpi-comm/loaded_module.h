// The loaded program or library that an address lies in, without a look at its symbols, which is what makes dladdr slow
// in large libraries.
#pragma once

#include <cstdint>

namespace scalediag::pmpi {

struct LoadedModule {
  uint64_t begin = 0, end = 0;  // of all that is mapped of it
  uint64_t load_bias = 0;       // from a place in its file to the one in memory
  const char* path = "";        // the loader's; empty for the program itself
  bool holds(uint64_t address) const { return address >= begin && address < end; }
};

// Empty (holds nothing) where the address lies in no module. Takes the loader's lock: not for signal handlers.
LoadedModule loaded_module_of(uint64_t address);

}  // namespace scalediag::pmpi
