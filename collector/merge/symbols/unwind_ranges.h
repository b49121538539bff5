// The beginnings and ends of functions, from the unwind tables that even stripped binaries have.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <vector>

namespace scalediag::merge {

struct AddressRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// The ranges of the frame description entries in .eh_frame, by begin. Empty when there are none; entries in an unknown
// encoding are left out.
std::vector<AddressRange> unwind_ranges(Elf* elf);

}  // namespace scalediag::merge
