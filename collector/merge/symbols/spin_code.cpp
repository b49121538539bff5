#include "collector/merge/symbols/spin_code.h"

#include <gelf.h>

#include <algorithm>
#include <cstring>

namespace scalediag::merge {
namespace {

constexpr std::string_view kPause = "\xf3\x90";
constexpr std::string_view kReadTimeStamp = "\x0f\x31";
constexpr uint32_t kArmHints[] = {0xd503203f, 0xd503205f, 0xd5033fdf};  // yield, wfe, isb
// Functions without an unwind entry are a few instructions of assembly.
constexpr uint64_t kNear = 16;

}  // namespace

SpinCode::SpinCode(Elf* elf) {
  GElf_Ehdr header;
  if (gelf_getehdr(elf, &header) == nullptr) return;
  x86_ = header.e_machine == EM_X86_64;
  if (!x86_ && header.e_machine != EM_AARCH64) return;
  for (Elf_Scn* s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
    GElf_Shdr h;
    if (gelf_getshdr(s, &h) == nullptr || (h.sh_flags & SHF_EXECINSTR) == 0 || h.sh_type == SHT_NOBITS) continue;
    const Elf_Data* data = elf_rawdata(s, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    sections_.push_back({h.sh_addr, {static_cast<const char*>(data->d_buf), data->d_size}});
  }
  any_ = std::ranges::any_of(sections_, [this](const Section& s) { return is_hint_in(s.code); });
}

bool SpinCode::has_hint(AddressRange range) const { return is_hint_in(code_of(range)); }

bool SpinCode::has_hint_near(uint64_t address) const {
  const std::string_view code = code_of({address - std::min(address, kNear), address + kNear});
  return is_hint_in(code) || (x86_ && code.find(kReadTimeStamp) != code.npos);
}

std::string_view SpinCode::code_of(AddressRange range) const {
  for (const Section& s : sections_) {
    const uint64_t begin = std::max(range.begin, s.begin);
    const uint64_t end = std::min<uint64_t>(range.end, s.begin + s.code.size());
    if (begin < end) return s.code.substr(begin - s.begin, end - begin);
  }
  return {};
}

bool SpinCode::is_hint_in(std::string_view code) const {
  if (x86_) return code.find(kPause) != code.npos;
  // Functions and sections begin at a multiple of an instruction's four bytes.
  for (size_t at = 0; at + sizeof(uint32_t) <= code.size(); at += sizeof(uint32_t)) {
    uint32_t word = 0;
    std::memcpy(&word, code.data() + at, sizeof word);
    if (std::find(std::begin(kArmHints), std::end(kArmHints), word) != std::end(kArmHints)) return true;
  }
  return false;
}

}  // namespace scalediag::merge
