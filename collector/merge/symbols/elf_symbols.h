// The functions of one ELF file: its symbols, and where these are missing, its unwind tables and PLT sections.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "collector/merge/symbols/unwind_ranges.h"

namespace scalediag::merge {

struct FunctionSymbol {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string_view name;  // lives as long as the module
};

class ElfSymbols {
 public:
  // `module` must be reported at bias 0.
  explicit ElfSymbols(Dwfl_Module* module);

  // The innermost function symbol that covers the address. Of several symbols at one place a global one is taken
  // before a weak before a local one, then the shortest name, then the first in the alphabet.
  std::optional<FunctionSymbol> symbol_at(uint64_t address) const;
  std::optional<AddressRange> unwind_range_at(uint64_t address) const;
  bool is_plt(uint64_t address) const;

 private:
  struct Candidate {
    uint64_t begin = 0;
    uint64_t size = 0;
    int rank = 0;  // smaller is preferred
    std::string_view name;
    size_t section = 0;
  };
  void read_sections(Elf* elf);
  void read_symbols(Dwfl_Module* module, Elf* elf);
  void keep(std::vector<Candidate> candidates);
  uint64_t section_end(uint64_t address) const;

  std::vector<FunctionSymbol> symbols_;  // by begin
  std::vector<uint64_t> furthest_end_;   // of symbols_[0..i]
  std::vector<AddressRange> unwind_;
  std::vector<AddressRange> code_;  // executable sections
  std::vector<AddressRange> plt_;
};

}  // namespace scalediag::merge
