// The DWARF information about the function at an address: its names, its definition, the functions inlined into it.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace scalediag::merge {

struct SourceFunction {
  std::string source_name;   // DW_AT_name
  std::string linkage_name;  // empty where there is none (C)
  std::string host;          // readable name of the procedure that contains it
  std::string scope;         // of modules, namespaces and procedures around it, joined by "::"
  std::string file;
  int line = 0;  // of the definition, 0 when unknown
  bool fortran = false;
  bool is_program = false;
};

// The name to show, for code without a symbol.
std::string readable_name(const SourceFunction& function);

class DebugInfo {
 public:
  // `dwarf` may be nullptr; then nothing is known.
  explicit DebugInfo(Dwarf* dwarf);

  // The out-of-line function that covers the address.
  std::optional<SourceFunction> function_at(uint64_t address);

  struct Inlined {
    SourceFunction function;
    uint64_t out_of_line = 0;  // the start of a copy that is called, 0 when its unit has none
  };
  // All functions that were inlined at the address, the innermost first. `file` and `line` of each are those of the
  // code at the address in it; after the last one those of the out-of-line function follow with an empty name.
  std::vector<SourceFunction> inlined_calls_at(uint64_t address);
  // The address after the jump by which the function at the address leaves for an MPI routine (to == kToMpi), for any
  // other function (kToAny), or for the function that begins at `to`. 0 where that is not known or there are several.
  static constexpr uint64_t kToMpi = 0, kToAny = ~uint64_t{0};
  uint64_t tail_call_of(uint64_t address, uint64_t to);
  // The innermost function that was inlined at the address; empty where there is none.
  std::optional<Inlined> inlined_at(uint64_t address);

 private:
  struct DieRange {
    uint64_t begin = 0;
    uint64_t end = 0;
    int depth = 0;
    Dwarf_Die die{};
  };
  using Ranges = std::vector<DieRange>;
  struct Unit {
    Dwarf_Die die{};
    bool fortran = false;
    std::optional<Ranges> functions;  // collected at the first use
    std::optional<std::map<Dwarf_Off, uint64_t>> begin_by_origin;
  };

  Unit* unit_at(uint64_t address);
  const DieRange* function_range_at(uint64_t address);
  static void collect(Dwarf_Die* parent, int wanted_tag, int depth, Ranges& found);
  static const DieRange* innermost(const Ranges& ranges, uint64_t address);
  SourceFunction describe(Dwarf_Die die, bool fortran);
  void describe_surroundings(Dwarf_Die die, SourceFunction& f);
  static uint64_t out_of_line(Unit& unit, Dwarf_Die origin);

  std::vector<Unit> units_;
  std::vector<std::pair<uint64_t, std::pair<uint64_t, size_t>>> unit_ranges_;  // begin, end, index into units_
  std::map<Dwarf_Off, Ranges> inlined_;                                        // by the function's DIE
};

}  // namespace scalediag::merge
