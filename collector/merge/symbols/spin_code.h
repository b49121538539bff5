// The code of an ELF file that waits in a loop, recognised by its instructions, which also works for stripped
// libraries.
//
// A loop that waits for another thread gives the processor the hint to do so: `pause` on x86, `yield`, `isb` or `wfe`
// on Arm. Code that works does not use it.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "collector/merge/symbols/unwind_ranges.h"

namespace scalediag::merge {

class SpinCode {
 public:
  // `elf` has to outlive this object.
  explicit SpinCode(Elf* elf);

  // Whether there is such a hint in the range.
  bool has_hint(AddressRange range) const;
  // Whether there is such a hint at the address or next to it, or a reading of the time-stamp counter, by which such
  // loops measure how long they have waited. For code whose beginning and end are not known.
  bool has_hint_near(uint64_t address) const;
  // Whether there is a hint anywhere in the file.
  bool has_any() const { return any_; }

 private:
  struct Section {
    uint64_t begin = 0;
    std::string_view code;
  };
  std::string_view code_of(AddressRange range) const;
  bool is_hint_in(std::string_view code) const;

  std::vector<Section> sections_;
  bool x86_ = false;
  bool any_ = false;
};

}  // namespace scalediag::merge
