#include "collector/merge/symbols/debug_files.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "core/raw/raw_format.h"

namespace scalediag::merge {
namespace {

std::string hexadecimal(const unsigned char* bytes, size_t n) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string s;
  for (size_t i = 0; i < n; ++i) {
    s += kDigits[bytes[i] >> 4];
    s += kDigits[bytes[i] & 15];
  }
  return s;
}

bool has_checksum(int fd, GElf_Word wanted) {
  std::vector<char> buffer(1 << 16);
  uint32_t crc = 0;
  off_t at = 0;
  ssize_t n = 0;
  while ((n = pread(fd, buffer.data(), buffer.size(), at)) > 0) {
    crc = raw::crc32(buffer.data(), static_cast<size_t>(n), crc);
    at += n;
  }
  return n == 0 && crc == wanted;
}

// A file is taken when its build id is the module's, or, without build ids, when its checksum is the link's.
int open_matching(const std::string& path, const std::string& build_id, GElf_Word crc, char** name) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const bool matches = build_id.empty() ? has_checksum(fd, crc) : build_id_of_file(fd) == build_id;
  if (!matches) {
    ::close(fd);
    return -1;
  }
  *name = strdup(path.c_str());  // elfutils frees it
  return fd;
}

}  // namespace

std::string build_id_of(::Elf* elf) {
  const void* bits = nullptr;
  const ssize_t n = dwelf_elf_gnu_build_id(elf, &bits);
  return n > 0 ? hexadecimal(static_cast<const unsigned char*>(bits), static_cast<size_t>(n)) : std::string();
}

std::string build_id_of_file(int fd) {
  elf_version(EV_CURRENT);
  ::Elf* elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr);
  if (elf == nullptr) return {};
  std::string id = build_id_of(elf);
  elf_end(elf);
  return id;
}

int find_debug_file(Dwfl_Module* module, void** userdata, const char*, Dwarf_Addr, const char* file_name,
                    const char* debuglink_file, GElf_Word debuglink_crc, char** debuginfo_file_name) {
  const std::string& root = *static_cast<const std::string*>(*userdata);
  const unsigned char* bits = nullptr;
  GElf_Addr address = 0;
  const int n = dwfl_module_build_id(module, &bits, &address);
  const std::string id = n > 0 ? hexadecimal(bits, static_cast<size_t>(n)) : std::string();

  std::vector<std::string> candidates;
  if (id.size() > 2) candidates.push_back(root + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug");
  if (debuglink_file != nullptr && debuglink_file[0] == '/') {
    candidates.emplace_back(debuglink_file);
  } else if (debuglink_file != nullptr && file_name != nullptr) {
    const std::string file = file_name;
    const std::string folder = file.substr(0, file.rfind('/') + 1);
    candidates.push_back(folder + debuglink_file);
    candidates.push_back(folder + ".debug/" + debuglink_file);
    candidates.push_back(root + folder + debuglink_file);
  }
  for (const std::string& c : candidates) {
    if (file_name != nullptr && c == file_name) continue;
    const int fd = open_matching(c, id, debuglink_crc, debuginfo_file_name);
    if (fd >= 0) return fd;
  }
  return -1;
}

}  // namespace scalediag::merge
