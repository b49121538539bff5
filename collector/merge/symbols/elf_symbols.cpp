#include "collector/merge/symbols/elf_symbols.h"

#include <gelf.h>

#include <algorithm>
#include <tuple>

namespace scalediag::merge {
namespace {

int binding_rank(unsigned char info) {
  switch (GELF_ST_BIND(info)) {
    case STB_GLOBAL:
    case STB_GNU_UNIQUE: return 0;
    case STB_WEAK: return 1;
    default: return 2;
  }
}

const AddressRange* range_at(const std::vector<AddressRange>& ranges, uint64_t address) {
  auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                [](uint64_t a, const AddressRange& r) { return a < r.begin; });
  if (after == ranges.begin()) return nullptr;
  const AddressRange& r = *std::prev(after);
  return address < r.end ? &r : nullptr;
}

}  // namespace

ElfSymbols::ElfSymbols(Dwfl_Module* module) {
  GElf_Addr bias = 0;
  Elf* elf = dwfl_module_getelf(module, &bias);
  if (elf == nullptr) return;
  read_sections(elf);
  unwind_ = unwind_ranges(elf);
  read_symbols(module, elf);
}

void ElfSymbols::read_sections(Elf* elf) {
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return;
  for (Elf_Scn* s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
    GElf_Shdr h;
    if (gelf_getshdr(s, &h) == nullptr || (h.sh_flags & SHF_EXECINSTR) == 0) continue;
    const AddressRange range{h.sh_addr, h.sh_addr + h.sh_size};
    code_.push_back(range);
    const char* name = elf_strptr(elf, names, h.sh_name);
    if (name != nullptr && (std::string_view(name).substr(0, 4) == ".plt" || std::string_view(name) == ".iplt")) {
      plt_.push_back(range);
    }
  }
  const auto by_begin = [](const AddressRange& a, const AddressRange& b) { return a.begin < b.begin; };
  std::ranges::sort(code_, by_begin);
  std::ranges::sort(plt_, by_begin);
}

void ElfSymbols::read_symbols(Dwfl_Module* module, Elf*) {
  std::vector<Candidate> candidates;
  const int n = dwfl_module_getsymtab(module);
  for (int i = 1; i < n; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    GElf_Word section = 0;
    const char* name = dwfl_module_getsym_info(module, i, &symbol, &address, &section, nullptr, nullptr);
    if (name == nullptr || name[0] == '\0' || name[0] == '$' || section == SHN_UNDEF || section == SHN_ABS) continue;
    const int type = GELF_ST_TYPE(symbol.st_info);
    const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (!is_function && type != STT_NOTYPE) continue;  // hand-written assembly often has no type
    if (range_at(code_, address) == nullptr) continue;
    // A symbol with the type of a function and a size is preferred over a mere label.
    const int rank = binding_rank(symbol.st_info) + (is_function ? 0 : 4) + (symbol.st_size > 0 ? 0 : 8);
    candidates.push_back({address, symbol.st_size, rank, name, section});
  }
  keep(std::move(candidates));
}

void ElfSymbols::keep(std::vector<Candidate> candidates) {
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    return std::make_tuple(a.begin, a.rank, a.name.size(), a.name) <
           std::make_tuple(b.begin, b.rank, b.name.size(), b.name);
  });
  candidates.erase(std::unique(candidates.begin(), candidates.end(),
                               [](const Candidate& a, const Candidate& b) { return a.begin == b.begin; }),
                   candidates.end());
  uint64_t furthest = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    uint64_t end = c.begin + c.size;
    if (c.size == 0) {
      if (c.begin < furthest) continue;  // a label inside a function
      // A function without a size ends at the end of its unwind entry, else at the next symbol or its section's end.
      const AddressRange* unwind = range_at(unwind_, c.begin);
      end = unwind != nullptr ? unwind->end : section_end(c.begin);
      if (i + 1 < candidates.size()) end = std::min(end, candidates[i + 1].begin);
    }
    if (end <= c.begin) continue;
    furthest = std::max(furthest, end);
    symbols_.push_back({c.begin, end, c.name});
    furthest_end_.push_back(furthest);
  }
}

uint64_t ElfSymbols::section_end(uint64_t address) const {
  const AddressRange* section = range_at(code_, address);
  return section != nullptr ? section->end : address;
}

std::optional<FunctionSymbol> ElfSymbols::symbol_at(uint64_t address) const {
  auto after = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                                [](uint64_t a, const FunctionSymbol& s) { return a < s.begin; });
  for (auto i = static_cast<size_t>(after - symbols_.begin()); i > 0 && furthest_end_[i - 1] > address; --i) {
    if (address < symbols_[i - 1].end) return symbols_[i - 1];
  }
  return std::nullopt;
}

std::optional<AddressRange> ElfSymbols::unwind_range_at(uint64_t address) const {
  const AddressRange* r = range_at(unwind_, address);
  return r == nullptr ? std::nullopt : std::optional(*r);
}

bool ElfSymbols::is_plt(uint64_t address) const { return range_at(plt_, address) != nullptr; }

}  // namespace scalediag::merge
