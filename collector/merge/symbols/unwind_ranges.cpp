#include "collector/merge/symbols/unwind_ranges.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>

namespace scalediag::merge {
namespace {

constexpr int kUnknownEncoding = -1;
constexpr int kFormatBits = 0x0f;
constexpr int kApplicationBits = 0x70;

struct Section {
  Elf_Data* data = nullptr;
  uint64_t address = 0;
};

Section find_section(Elf* elf, std::string_view name) {
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return {};
  for (Elf_Scn* s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    const char* this_name = elf_strptr(elf, names, header.sh_name);
    if (this_name != nullptr && this_name == name) return {elf_rawdata(s, nullptr), header.sh_addr};
  }
  return {};
}

// The encoding of addresses in the entries of this CIE: the operand of 'R' in its augmentation.
int address_encoding(const Dwarf_CIE& cie) {
  if (cie.augmentation == nullptr || cie.augmentation[0] == '\0') return DW_EH_PE_absptr;
  if (cie.augmentation[0] != 'z' || cie.augmentation_data == nullptr) return kUnknownEncoding;
  const uint8_t* p = cie.augmentation_data;
  const uint8_t* end = p + cie.augmentation_data_size;
  for (const char* a = cie.augmentation + 1; *a != '\0'; ++a) {
    if (p >= end && *a != 'S' && *a != 'B') return kUnknownEncoding;
    switch (*a) {
      case 'R': return *p;
      case 'L': ++p; break;
      case 'P': {
        const int format = *p & kFormatBits;
        const ptrdiff_t bytes = format == DW_EH_PE_udata2 || format == DW_EH_PE_sdata2   ? 2
                                : format == DW_EH_PE_udata4 || format == DW_EH_PE_sdata4 ? 4
                                                                                         : 8;
        if (end - p < 1 + bytes) return kUnknownEncoding;
        p += 1 + bytes;
        break;
      }
      case 'S':
      case 'B': break;
      default: return kUnknownEncoding;
    }
  }
  return DW_EH_PE_absptr;
}

template <class T> bool take(const uint8_t*& p, const uint8_t* end, uint64_t& value) {
  T v;
  if (static_cast<size_t>(end - p) < sizeof v) return false;
  std::memcpy(&v, p, sizeof v);
  p += sizeof v;
  value = static_cast<uint64_t>(static_cast<int64_t>(v));
  return true;
}

bool take_value(int format, const uint8_t*& p, const uint8_t* end, uint64_t& value) {
  switch (format) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8: return take<uint64_t>(p, end, value);
    case DW_EH_PE_udata4: return take<uint32_t>(p, end, value);
    case DW_EH_PE_sdata4: return take<int32_t>(p, end, value);
    case DW_EH_PE_udata2: return take<uint16_t>(p, end, value);
    case DW_EH_PE_sdata2: return take<int16_t>(p, end, value);
    default: return false;
  }
}

bool decode(const Section& section, const Dwarf_FDE& fde, int encoding, AddressRange& range) {
  if (encoding == kUnknownEncoding || encoding == DW_EH_PE_omit) return false;
  const int application = encoding & kApplicationBits;
  if (application != 0 && application != DW_EH_PE_pcrel) return false;
  const uint8_t* p = fde.start;
  const auto* base = static_cast<const uint8_t*>(section.data->d_buf);
  const uint64_t here = section.address + static_cast<uint64_t>(p - base);
  uint64_t begin = 0;
  uint64_t length = 0;
  if (!take_value(encoding & kFormatBits, p, fde.end, begin)) return false;
  if (!take_value(encoding & kFormatBits, p, fde.end, length)) return false;
  if (application == DW_EH_PE_pcrel) begin += here;
  range = {begin, begin + length};
  return length > 0 && range.end > begin;
}

}  // namespace

std::vector<AddressRange> unwind_ranges(Elf* elf) {
  std::vector<AddressRange> ranges;
  const Section section = find_section(elf, ".eh_frame");
  const char* ident = elf_getident(elf, nullptr);
  // 32-bit and foreign files are not expected: the profile was taken on this architecture.
  if (section.data == nullptr || section.data->d_buf == nullptr || ident == nullptr || ident[EI_CLASS] != ELFCLASS64) {
    return ranges;
  }
  std::unordered_map<Dwarf_Off, int> encodings;
  Dwarf_Off offset = 0;
  for (;;) {
    Dwarf_Off next = 0;
    Dwarf_CFI_Entry entry;
    const int status =
        dwarf_next_cfi(reinterpret_cast<const unsigned char*>(ident), section.data, true, offset, &next, &entry);
    if (status > 0 || next == static_cast<Dwarf_Off>(-1) || next <= offset) break;
    AddressRange range;
    if (status == 0 && dwarf_cfi_cie_p(&entry)) {
      encodings[offset] = address_encoding(entry.cie);
    } else if (status == 0) {
      const auto cie = encodings.find(entry.fde.CIE_pointer);
      if (cie != encodings.end() && decode(section, entry.fde, cie->second, range)) ranges.push_back(range);
    }
    offset = next;
  }
  std::ranges::sort(ranges, [](const AddressRange& a, const AddressRange& b) { return a.begin < b.begin; });
  return ranges;
}

}  // namespace scalediag::merge
