#include "collector/merge/symbols/debug_info.h"

#include <dwarf.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "collector/merge/symbols/symbol_names.h"

namespace scalediag::merge {
namespace {

constexpr int kDeepestNesting = 256;  // a damaged file must not exhaust the stack

bool is_fortran(Dwarf_Die* unit) {
  switch (dwarf_srclang(unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08: return true;
    default: return false;
  }
}

void for_each_range(Dwarf_Die* die, auto take) {
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  ptrdiff_t next = 0;
  while ((next = dwarf_ranges(die, next, &base, &begin, &end)) > 0) {
    // Functions the linker removed stay behind at address 0.
    if (begin != 0 && begin < end) take(begin, end);
  }
}

std::string text(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute a;
  const char* s = dwarf_formstring(dwarf_attr_integrate(die, name, &a));
  return s != nullptr ? s : "";
}

// Follows the attribute to the DIE from which an instance was made.
Dwarf_Die followed(Dwarf_Die die, unsigned attribute) {
  for (int hops = 0; hops < kDeepestNesting; ++hops) {
    Dwarf_Attribute a;
    Dwarf_Die to;
    if (dwarf_attr(&die, attribute, &a) == nullptr || dwarf_formref_die(&a, &to) == nullptr) break;
    die = to;
  }
  return die;
}

Dwarf_Die origin_of(Dwarf_Die die) { return followed(die, DW_AT_abstract_origin); }

// The DIE whose parents are those of the source.
Dwarf_Die declaration_of(Dwarf_Die die) { return followed(origin_of(die), DW_AT_specification); }

// The file of the definition; nullptr when unknown. clang numbers the unit's own file 0, which is right in DWARF 5 and
// meant "none" before; elfutils up to 0.188 still takes it so.
const char* declaration_file(Dwarf_Die* die) {
  if (const char* file = dwarf_decl_file(die)) return file;
  Dwarf_Attribute a;
  Dwarf_Word index = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &a), &index) != 0 || index != 0) return nullptr;
  Dwarf_Die unit;
  Dwarf_Half version = 0;
  Dwarf_Files* files = nullptr;
  size_t n = 0;
  if (dwarf_cu_die(a.cu, &unit, &version, nullptr, nullptr, nullptr, nullptr, nullptr) == nullptr || version < 5 ||
      dwarf_getsrcfiles(&unit, &files, &n) != 0 || n == 0) {
    return nullptr;
  }
  return dwarf_filesrc(files, 0, nullptr, nullptr);
}

bool has_function_inside(int tag) {
  switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type: return true;
    default: return false;
  }
}

}  // namespace

DebugInfo::DebugInfo(Dwarf* dwarf) {
  if (dwarf == nullptr) return;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  Dwarf_Die split;
  uint8_t type = 0;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, &type, &die, &split) == 0) {
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    // A skeleton has the addresses, and its split unit has the names.
    Dwarf_Die* content = type == DW_UT_skeleton && split.addr != nullptr ? &split : &die;
    for_each_range(&die, [&](uint64_t begin, uint64_t end) { unit_ranges_.push_back({begin, {end, units_.size()}}); });
    units_.push_back({*content, is_fortran(content), {}, {}});
  }
  std::ranges::sort(unit_ranges_);
}

DebugInfo::Unit* DebugInfo::unit_at(uint64_t address) {
  auto after = std::upper_bound(unit_ranges_.begin(), unit_ranges_.end(), address,
                                [](uint64_t a, const auto& r) { return a < r.first; });
  // Ranges of units do not overlap in a sound file.
  if (after == unit_ranges_.begin()) return nullptr;
  const auto& [begin, end_and_unit] = *std::prev(after);
  return address < end_and_unit.first ? &units_[end_and_unit.second] : nullptr;
}

void DebugInfo::collect(Dwarf_Die* parent, int wanted_tag, int depth, Ranges& found) {
  Dwarf_Die child;
  if (depth > kDeepestNesting || dwarf_child(parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == wanted_tag) {
      for_each_range(&child, [&](uint64_t b, uint64_t e) { found.push_back({b, e, depth, child}); });
    }
    // Inlined calls nest in each other and in blocks; functions inside this function are not part of it.
    const bool descend = wanted_tag == DW_TAG_subprogram
                             ? has_function_inside(tag)
                             : tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block;
    if (descend) collect(&child, wanted_tag, depth + 1, found);
  } while (dwarf_siblingof(&child, &child) == 0);
}

const DebugInfo::DieRange* DebugInfo::innermost(const Ranges& ranges, uint64_t address) {
  const DieRange* best = nullptr;
  for (const DieRange& r : ranges) {
    if (r.begin <= address && address < r.end && (best == nullptr || r.depth > best->depth)) best = &r;
  }
  return best;
}

const DebugInfo::DieRange* DebugInfo::function_range_at(uint64_t address) {
  Unit* unit = unit_at(address);
  if (unit == nullptr) return nullptr;
  if (!unit->functions) collect(&unit->die, DW_TAG_subprogram, 0, unit->functions.emplace());
  return innermost(*unit->functions, address);
}

std::optional<SourceFunction> DebugInfo::function_at(uint64_t address) {
  const DieRange* range = function_range_at(address);
  if (range == nullptr) return std::nullopt;
  const Unit& unit = *unit_at(address);
  SourceFunction f = describe(range->die, unit.fortran);
  if (f.line == 0) {
    // Code that the compiler made from a block (an OpenMP region) has no declaration, only its first line.
    Dwarf_Die cu = unit.die;
    Dwarf_Line* line = dwarf_getsrc_die(&cu, range->begin);
    int number = 0;
    const char* file = line != nullptr ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
    if (file != nullptr && dwarf_lineno(line, &number) == 0) {
      f.file = file;
      f.line = number;
    }
  }
  return f;
}

std::optional<DebugInfo::Inlined> DebugInfo::inlined_at(uint64_t address) {
  const DieRange* function = function_range_at(address);
  if (function == nullptr) return std::nullopt;
  Dwarf_Die die = function->die;
  const auto [known, is_new] = inlined_.try_emplace(dwarf_dieoffset(&die));
  if (is_new) collect(&die, DW_TAG_inlined_subroutine, 0, known->second);
  const DieRange* call = innermost(known->second, address);
  if (call == nullptr) return std::nullopt;
  const Dwarf_Die origin = origin_of(call->die);
  Unit& unit = *unit_at(address);
  return Inlined{describe(origin, unit.fortran), out_of_line(unit, origin)};
}

std::vector<SourceFunction> DebugInfo::inlined_calls_at(uint64_t address) {
  std::vector<SourceFunction> calls;
  const DieRange* function = function_range_at(address);
  if (function == nullptr) return calls;
  Unit& unit = *unit_at(address);
  Dwarf_Die die = function->die;
  const auto [known, is_new] = inlined_.try_emplace(dwarf_dieoffset(&die));
  if (is_new) collect(&die, DW_TAG_inlined_subroutine, 0, known->second);
  std::vector<const DieRange*> around;
  for (const DieRange& r : known->second) {
    if (r.begin <= address && address < r.end) around.push_back(&r);
  }
  std::ranges::stable_sort(around, [](const DieRange* a, const DieRange* b) { return a->depth > b->depth; });
  std::string file;
  int number = 0;
  if (Dwarf_Line* line = dwarf_getsrc_die(&unit.die, address)) {
    const char* name = dwarf_linesrc(line, nullptr, nullptr);
    if (name != nullptr && dwarf_lineno(line, &number) == 0) file = name;
  }
  Dwarf_Files* files = nullptr;
  size_t n_files = 0;
  if (dwarf_getsrcfiles(&unit.die, &files, &n_files) != 0) files = nullptr;
  for (const DieRange* call : around) {
    SourceFunction f = describe(origin_of(call->die), unit.fortran);
    f.file = file;
    f.line = file.empty() ? 0 : number;
    calls.push_back(std::move(f));
    // The place of the inlined call is the line of the function around it.
    Dwarf_Die inlined = call->die;
    Dwarf_Attribute a;
    Dwarf_Word index = 0;
    Dwarf_Word line = 0;
    const bool known_place = files != nullptr &&
                             dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_file, &a), &index) == 0 &&
                             dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_line, &a), &line) == 0;
    const char* name = known_place ? dwarf_filesrc(files, index, nullptr, nullptr) : nullptr;
    file = name != nullptr ? name : "";
    number = name != nullptr ? static_cast<int>(line) : 0;
  }
  SourceFunction& outer = calls.emplace_back();
  outer.file = file;
  outer.line = file.empty() ? 0 : number;
  return calls;
}

namespace {

// The return address that a call site of the debug information would have; 0 where it is no jump.
uint64_t after_jump(Dwarf_Die* site) {
  Dwarf_Attribute a;
  bool jumps = false;
  for (const unsigned name : {DW_AT_call_tail_call, DW_AT_GNU_tail_call}) {
    bool flag = false;
    jumps = jumps || (dwarf_attr(site, name, &a) != nullptr && dwarf_formflag(&a, &flag) == 0 && flag);
  }
  if (!jumps) return 0;
  for (const unsigned name : {DW_AT_call_return_pc, DW_AT_low_pc}) {
    Dwarf_Addr address = 0;
    if (dwarf_attr(site, name, &a) != nullptr && dwarf_formaddr(&a, &address) == 0) return address;
  }
  return 0;
}

std::optional<Dwarf_Die> callee_of(Dwarf_Die* site) {
  for (const unsigned name : {DW_AT_call_origin, DW_AT_abstract_origin}) {
    Dwarf_Attribute a;
    Dwarf_Die callee;
    if (dwarf_attr(site, name, &a) != nullptr && dwarf_formref_die(&a, &callee) != nullptr) return callee;
  }
  return std::nullopt;
}

bool is_mpi_routine(Dwarf_Die callee) {
  const char* const name = dwarf_diename(&callee);
  return name != nullptr && (std::string_view(name).starts_with("MPI_") ||
                             std::string_view(name).starts_with("PMPI_") || std::string_view(name).starts_with("mpi_"));
}

void for_each_jump(Dwarf_Die* parent, int depth, const auto& take) {
  Dwarf_Die child;
  if (depth > kDeepestNesting || dwarf_child(parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) {
      const uint64_t address = after_jump(&child);
      const auto callee = address != 0 ? callee_of(&child) : std::nullopt;
      if (callee) take(address, *callee);
    } else if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) {
      for_each_jump(&child, depth + 1, take);
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace

uint64_t DebugInfo::tail_call_of(uint64_t address, uint64_t to) {
  const DieRange* function = function_range_at(address);
  if (function == nullptr) return 0;
  Dwarf_Die die = function->die;
  uint64_t found = 0;
  bool several = false;
  for_each_jump(&die, 0, [&](uint64_t after, Dwarf_Die callee) {
    bool is_it = to == kToAny || (to == kToMpi && is_mpi_routine(callee));
    if (!is_it && to != kToMpi)
      for_each_range(&callee, [&](uint64_t begin, uint64_t) { is_it = is_it || begin == to; });
    if (!is_it) return;
    several = several || found != 0;
    found = after;
  });
  return several ? 0 : found;
}

uint64_t DebugInfo::out_of_line(Unit& unit, Dwarf_Die origin) {
  if (!unit.begin_by_origin) {
    auto& begins = unit.begin_by_origin.emplace();
    for (const DieRange& r : *unit.functions) {
      Dwarf_Die made_of = origin_of(r.die);
      begins.try_emplace(dwarf_dieoffset(&made_of), r.begin);
    }
  }
  const auto found = unit.begin_by_origin->find(dwarf_dieoffset(&origin));
  return found != unit.begin_by_origin->end() ? found->second : 0;
}

SourceFunction DebugInfo::describe(Dwarf_Die die, bool fortran) {
  SourceFunction f;
  f.fortran = fortran;
  f.source_name = text(&die, DW_AT_name);
  f.linkage_name = text(&die, DW_AT_linkage_name);
  if (f.linkage_name.empty()) f.linkage_name = text(&die, DW_AT_MIPS_linkage_name);
  Dwarf_Attribute a;
  f.is_program = dwarf_attr_integrate(&die, DW_AT_main_subprogram, &a) != nullptr;
  const char* file = declaration_file(&die);
  int line = 0;
  if (file != nullptr && dwarf_decl_line(&die, &line) == 0) {
    f.file = file;
    f.line = line;
  }
  const std::string& symbol = f.linkage_name.empty() ? f.source_name : f.linkage_name;
  // gfortran gives no linkage name to contained procedures, nor to private ones that it inlined.
  if (f.linkage_name.empty() || fortran || name_needs_host(symbol)) describe_surroundings(die, f);
  return f;
}

void DebugInfo::describe_surroundings(Dwarf_Die die, SourceFunction& f) {
  Dwarf_Die declaration = declaration_of(die);
  Dwarf_Die* scopes = nullptr;
  const int n = dwarf_getscopes_die(&declaration, &scopes);
  for (int i = 1; i < n; ++i) {
    std::string name;
    switch (dwarf_tag(&scopes[i])) {
      case DW_TAG_subprogram:
        f.host = readable_name(describe(scopes[i], f.fortran));
        name = f.host;
        break;
      case DW_TAG_namespace:
        name = text(&scopes[i], DW_AT_name);
        if (name.empty()) name = "(anonymous namespace)";
        break;
      case DW_TAG_module:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type: name = text(&scopes[i], DW_AT_name); break;
      default: break;
    }
    if (!name.empty()) f.scope = f.scope.empty() ? name : name + "::" + f.scope;
    if (!f.host.empty()) break;  // its name includes the surroundings
  }
  std::free(scopes);
}

std::string readable_name(const SourceFunction& f) {
  const NameHints hints{f.fortran, f.is_program, f.source_name, f.host};
  if (!f.linkage_name.empty()) return readable_name(f.linkage_name, hints);
  const std::string name = readable_name(f.source_name, hints);
  // A name that the compiler made up, as for OpenMP regions, already includes its scope.
  return f.scope.empty() || f.is_program || name != f.source_name ? name : f.scope + "::" + name;
}

}  // namespace scalediag::merge
