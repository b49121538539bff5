#include "fit/data/saved/zip_member.h"

#include <zlib.h>

#include <cstdint>

#include "fit/data/inflated.h"

namespace scalediag::fit {
namespace {

// Little-endian numbers of APPNOTE.TXT, PKWARE's description of the format.
uint32_t number_at(std::string_view bytes, size_t at, size_t length) {
  uint32_t value = 0;
  for (size_t i = 0; i < length; ++i) value |= uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

std::string number_bytes(uint32_t value, size_t length) {
  std::string bytes;
  for (size_t i = 0; i < length; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

uint32_t checksum_of(const std::string& content) {
  const uLong none = crc32(0, nullptr, 0);
  return static_cast<uint32_t>(crc32_z(none, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

constexpr size_t kLocalHead = 30, kEntryHead = 46, kEnd = 22;

struct Entry {
  uint32_t method, checksum, packed, plain, offset;
};

std::optional<Entry> find_entry(std::string_view bytes, std::string_view name) {
  const size_t end = bytes.rfind("PK\x05\x06");
  if (end == bytes.npos || bytes.size() - end < kEnd) return std::nullopt;
  const uint32_t entries = number_at(bytes, end + 10, 2);
  size_t at = number_at(bytes, end + 16, 4);
  for (uint32_t i = 0; i < entries; ++i) {
    if (at > bytes.size() || bytes.size() - at < kEntryHead || bytes.substr(at, 4) != "PK\x01\x02") return std::nullopt;
    const size_t name_length = number_at(bytes, at + 28, 2);
    if (bytes.substr(at + kEntryHead, name_length) == name) {
      return Entry{number_at(bytes, at + 10, 2), number_at(bytes, at + 16, 4), number_at(bytes, at + 20, 4),
                   number_at(bytes, at + 24, 4), number_at(bytes, at + 42, 4)};
    }
    at += kEntryHead + name_length + number_at(bytes, at + 30, 2) + number_at(bytes, at + 32, 2);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> zip_member(std::string_view bytes, std::string_view name, size_t most) {
  const std::optional<Entry> entry = find_entry(bytes, name);
  if (!entry || entry->offset > bytes.size() || bytes.size() - entry->offset < kLocalHead) return std::nullopt;
  const size_t begin =
      entry->offset + kLocalHead + number_at(bytes, entry->offset + 26, 2) + number_at(bytes, entry->offset + 28, 2);
  if (begin > bytes.size() || entry->packed > bytes.size() - begin || entry->plain > most) return std::nullopt;
  const std::string_view packed = bytes.substr(begin, entry->packed);
  std::optional<std::string> plain;
  if (entry->method == 0) plain = std::string(packed);
  if (entry->method == 8) plain = inflated(packed, Packing::kRaw, most);
  if (!plain || plain->size() != entry->plain || checksum_of(*plain) != entry->checksum) return std::nullopt;
  return plain;
}

std::string zip_with(const std::string& name, const std::string& content) {
  const auto size = static_cast<uint32_t>(content.size());
  // Version 2.0, no flags, not packed, 1 January 1980; the checksum and both sizes; the name's length, nothing extra.
  const std::string common = number_bytes(20, 2) + number_bytes(0, 2) + number_bytes(0, 2) + number_bytes(0, 2) +
                             number_bytes(0x21, 2) + number_bytes(checksum_of(content), 4) + number_bytes(size, 4) +
                             number_bytes(size, 4) + number_bytes(static_cast<uint32_t>(name.size()), 2) +
                             number_bytes(0, 2);
  const std::string local = "PK\x03\x04" + common + name + content;
  const std::string entry = "PK\x01\x02" + number_bytes(20, 2) + common + number_bytes(0, 2) + number_bytes(0, 2) +
                            number_bytes(0, 2) + number_bytes(0, 4) + number_bytes(0, 4) + name;
  return local + entry + "PK\x05\x06" + number_bytes(0, 2) + number_bytes(0, 2) + number_bytes(1, 2) +
         number_bytes(1, 2) + number_bytes(static_cast<uint32_t>(entry.size()), 4) +
         number_bytes(static_cast<uint32_t>(local.size()), 4) + number_bytes(0, 2);
}

}  // namespace scalediag::fit
