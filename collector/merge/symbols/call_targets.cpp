#include "collector/merge/symbols/call_targets.h"

#include <gelf.h>

#include <cstring>

namespace scalediag::merge {

CallTargets::CallTargets(Elf* elf) {
  GElf_Ehdr header;
  if (gelf_getehdr(elf, &header) == nullptr) return;
  x86_ = header.e_machine == EM_X86_64;
  arm_ = header.e_machine == EM_AARCH64;
  if (!x86_ && !arm_) return;
  for (Elf_Scn* s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
    GElf_Shdr h;
    if (gelf_getshdr(s, &h) == nullptr || h.sh_type == SHT_NOBITS) continue;
    if (h.sh_type == SHT_RELA) read_imports(elf, s);
    if ((h.sh_flags & SHF_EXECINSTR) == 0) continue;
    const Elf_Data* data = elf_rawdata(s, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    sections_.push_back({h.sh_addr, {static_cast<const char*>(data->d_buf), data->d_size}});
  }
}

void CallTargets::read_imports(Elf* elf, Elf_Scn* section) {
  GElf_Shdr h;
  if (gelf_getshdr(section, &h) == nullptr || h.sh_entsize == 0) return;
  Elf_Scn* const symbols = elf_getscn(elf, h.sh_link);
  GElf_Shdr of_symbols;
  if (symbols == nullptr || gelf_getshdr(symbols, &of_symbols) == nullptr) return;
  Elf_Data* const data = elf_getdata(section, nullptr);
  Elf_Data* const symbol_data = elf_getdata(symbols, nullptr);
  if (data == nullptr || symbol_data == nullptr) return;
  for (size_t i = 0; i < h.sh_size / h.sh_entsize; ++i) {
    GElf_Rela r;
    GElf_Sym symbol;
    if (gelf_getrela(data, static_cast<int>(i), &r) == nullptr) return;
    const auto type = GELF_R_TYPE(r.r_info);
    const bool is_function = x86_ ? type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT
                                  : type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
    if (!is_function || gelf_getsym(symbol_data, static_cast<int>(GELF_R_SYM(r.r_info)), &symbol) == nullptr) continue;
    const char* const name = elf_strptr(elf, of_symbols.sh_link, symbol.st_name);
    if (name != nullptr && name[0] != '\0') imports_.try_emplace(r.r_offset, name);
  }
}

std::string_view CallTargets::code_at(uint64_t address, size_t size) const {
  for (const Section& s : sections_) {
    if (address >= s.begin && address - s.begin <= s.code.size() && size <= s.code.size() - (address - s.begin)) {
      return s.code.substr(address - s.begin, size);
    }
  }
  return {};
}

std::optional<CallTarget> CallTargets::before(uint64_t return_address) const {
  if (arm_) {
    const std::string_view code = code_at(return_address - 4, 4);
    uint32_t word = 0;
    if (code.size() != 4) return std::nullopt;
    std::memcpy(&word, code.data(), 4);
    if (word >> 26 != 0x25) return std::nullopt;  // bl
    const auto offset = static_cast<int32_t>(word << 6) >> 4;
    const uint64_t target = return_address - 4 + static_cast<uint64_t>(static_cast<int64_t>(offset));
    return CallTarget{target, imported_at(target)};
  }
  const std::string_view code = code_at(return_address - 6, 6);
  if (code.size() != 6) return std::nullopt;
  int32_t offset = 0;
  std::memcpy(&offset, code.data() + 2, 4);
  const uint64_t target = return_address + static_cast<uint64_t>(static_cast<int64_t>(offset));
  if (code[1] == '\xe8' && !code_at(target, 1).empty()) return CallTarget{target, imported_at(target)};
  // Without stubs (-fno-plt) the call itself reads the global offset table.
  const auto import = code[0] == '\xff' && code[1] == '\x15' ? imports_.find(target) : imports_.end();
  if (import != imports_.end()) return CallTarget{0, import->second};
  return std::nullopt;
}

// A stub jumps to where the global offset table says.
std::string CallTargets::imported_at(uint64_t address) const {
  if (arm_) {
    // adrp x16, page; ldr x17, [x16, offset]; both relative to this code.
    for (const uint64_t at : {address, address + 4}) {  // after a bti
      const std::string_view code = code_at(at, 8);
      if (code.size() != 8) return {};
      uint32_t adrp = 0, ldr = 0;
      std::memcpy(&adrp, code.data(), 4);
      std::memcpy(&ldr, code.data() + 4, 4);
      if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211) continue;
      const uint64_t immediate = (adrp >> 29 & 3) | (adrp >> 5 & 0x7ffff) << 2;
      const auto pages = static_cast<int64_t>(immediate << 43) >> 43;
      const uint64_t slot = (at & ~uint64_t{0xfff}) + static_cast<uint64_t>(pages * 0x1000) + (ldr >> 10 & 0xfff) * 8;
      const auto import = imports_.find(slot);
      if (import != imports_.end()) return import->second;
    }
    return {};
  }
  constexpr std::string_view kEndBranch = "\xf3\x0f\x1e\xfa";
  uint64_t at = address;
  if (code_at(at, 4) == kEndBranch) at += 4;
  if (code_at(at, 1) == "\xf2") ++at;
  const std::string_view jump = code_at(at, 6);
  if (jump.size() != 6 || jump[0] != '\xff' || jump[1] != '\x25') return {};
  int32_t offset = 0;
  std::memcpy(&offset, jump.data() + 2, 4);
  const auto import = imports_.find(at + 6 + static_cast<uint64_t>(static_cast<int64_t>(offset)));
  return import != imports_.end() ? import->second : std::string();
}

}  // namespace scalediag::merge
