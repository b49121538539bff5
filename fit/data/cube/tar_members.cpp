#include "fit/data/cube/tar_members.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "fit/data/shown_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;

constexpr size_t kBlock = 512;
constexpr size_t kMostMembers = 100000;
constexpr const char* kCopyTarAgain = "copy the file again; `tar tf` lists what it has";

std::string_view field(std::string_view header, size_t at, size_t length) {
  const std::string_view bytes = header.substr(at, length);
  return bytes.substr(0, std::min(bytes.find('\0'), bytes.size()));
}

// Octal digits, or with the first bit set a number to the base of 256.
std::optional<uint64_t> size_of(std::string_view header) {
  const std::string_view bytes = header.substr(124, 12);
  uint64_t size = 0;
  if ((static_cast<unsigned char>(bytes[0]) & 0x80) != 0) {
    for (size_t i = 4; i < 12; ++i) size = size << 8 | static_cast<unsigned char>(bytes[i]);
    return size;
  }
  bool any = false;
  for (const char c : bytes) {
    if (c == ' ' || c == '\0') {
      if (any) break;
      continue;
    }
    if (c < '0' || c > '7') return std::nullopt;
    size = size * 8 + static_cast<uint64_t>(c - '0');
    any = true;
  }
  return any ? std::optional(size) : std::nullopt;
}

std::string name_of_member(std::string_view header) {
  std::string name(field(header, 0, 100));
  // The rest of a long name, in archives of POSIX.
  if (field(header, 257, 5) == "ustar" && header[262] == '\0') {
    if (const std::string_view prefix = field(header, 345, 155); !prefix.empty())
      name = std::string(prefix) + "/" + name;
  }
  return name.starts_with("./") ? name.substr(2) : name;
}

bool is_file(char type) { return type == '0' || type == '\0' || type == '7'; }

}  // namespace

bool begins_like_tar(std::string_view bytes) {
  if (bytes.size() < kBlock) return false;
  const std::string_view name = field(bytes, 0, 100);
  const auto is_control = [](unsigned char c) { return c < ' '; };
  return !name.empty() && std::none_of(name.begin(), name.end(), is_control) && size_of(bytes) &&
         (field(bytes, 257, 5) == "ustar" || is_file(bytes[156]));
}

core::Result<std::map<std::string, std::string_view>> tar_members(std::string_view bytes, const std::string& file) {
  std::map<std::string, std::string_view> members;
  size_t at = 0;
  while (at + kBlock <= bytes.size() && bytes[at] != '\0') {
    const std::string_view header = bytes.substr(at, kBlock);
    const std::optional<uint64_t> size = size_of(header);
    const std::string name = name_of_member(header);
    if (!size) {
      return Error{ErrorCode::kInput, file + ": the size of member '" + shown(name) + "' is no number", kCopyTarAgain,
                   file};
    }
    at += kBlock;
    if (*size > bytes.size() - at) {
      return Error{ErrorCode::kInput,
                   file + ": member '" + shown(name) + "' of " + std::to_string(*size) + " bytes is cut off after " +
                       std::to_string(bytes.size() - at),
                   kCopyTarAgain, file};
    }
    if (is_file(header[156])) members[name] = bytes.substr(at, *size);
    if (members.size() > kMostMembers) {
      return Error{ErrorCode::kInput, file + " has more than " + std::to_string(kMostMembers) + " members", "", file};
    }
    at += std::min<uint64_t>((*size + kBlock - 1) / kBlock * kBlock, bytes.size() - at);
  }
  if (at < bytes.size() && bytes[at] == '\0') return members;
  return Error{ErrorCode::kInput, file + " is cut off: it has no end of an archive behind its members", kCopyTarAgain,
               file};
}

}  // namespace scalediag::fit
