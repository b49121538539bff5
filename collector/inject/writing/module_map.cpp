#include "collector/inject/writing/module_map.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "collector/inject/writing/process_identity.h"
#include "core/raw/raw_format.h"

namespace scalediag::inject {
namespace {

// Absolute paths of files without links. Links in a folder's path are followed once a folder, since realpath() makes a
// system call for each part of a path, and most modules lie in a few folders.
class PathResolver {
 public:
  std::string absolute(const std::string& name) {
    const size_t slash = name.rfind('/');
    if (slash == std::string::npos) return name;
    std::string path = folder(name.substr(0, slash + 1)) + name.substr(slash + 1);
    // Libraries are most often links to their full version in the same folder.
    char target[PATH_MAX];
    for (int links = 0; links < 4; ++links) {
      const ssize_t n = readlink(path.c_str(), target, sizeof target);
      if (n < 0 && errno == EINVAL) return path;  // it is no link
      const std::string_view to(target, static_cast<size_t>(std::max<ssize_t>(n, 0)));
      if (n <= 0 || to.find('/') != to.npos) break;
      path.replace(path.rfind('/') + 1, path.npos, to);
    }
    return real(name);
  }

 private:
  static std::string real(const std::string& name) {
    char path[PATH_MAX];
    return realpath(name.c_str(), path) != nullptr ? path : name;
  }

  const std::string& folder(const std::string& name) {
    for (const auto& [known, resolved] : folders_) {
      if (known == name) return resolved;
    }
    std::string resolved = real(name);
    if (resolved.back() != '/') resolved += '/';
    return folders_.emplace_back(name, std::move(resolved)).second;
  }

  std::vector<std::pair<std::string, std::string>> folders_;
};

struct Taking {
  ModuleSnapshot snapshot;
  PathResolver paths;
};

std::string hexadecimal(const unsigned char* bytes, size_t n) {
  static const char digits[] = "0123456789abcdef";
  std::string s;
  for (size_t i = 0; i < n; ++i) {
    s += digits[bytes[i] >> 4];
    s += digits[bytes[i] & 15];
  }
  return s;
}

std::string build_id_in(const char* notes, size_t bytes) {
  constexpr size_t kAlign = 4;
  const auto up = [](size_t n) { return (n + kAlign - 1) & ~(kAlign - 1); };
  size_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= bytes) {
    ElfW(Nhdr) n;
    std::memcpy(&n, notes + at, sizeof n);
    const size_t name = at + sizeof n;
    const size_t description = name + up(n.n_namesz);
    const size_t next = description + up(n.n_descsz);
    if (next > bytes) break;
    if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0) {
      return hexadecimal(reinterpret_cast<const unsigned char*>(notes + description), n.n_descsz);
    }
    at = next;
  }
  return {};
}

int add_module(dl_phdr_info* info, size_t, void* data) {
  auto& [snapshot, paths] = *static_cast<Taking*>(data);
  Module m;
  m.load_bias = info->dlpi_addr;
  m.begin = UINT64_MAX;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    if (p.p_type == PT_LOAD) {
      m.begin = std::min<uint64_t>(m.begin, info->dlpi_addr + p.p_vaddr);
      m.end = std::max<uint64_t>(m.end, info->dlpi_addr + p.p_vaddr + p.p_memsz);
    } else if (p.p_type == PT_NOTE && m.build_id.empty()) {
      m.build_id = build_id_in(reinterpret_cast<const char*>(info->dlpi_addr + p.p_vaddr), p.p_memsz);
    }
  }
  const bool is_executable = snapshot.modules.empty();  // the loader lists it first, with an empty name
  m.path = is_executable ? executable_path() : paths.absolute(info->dlpi_name);
  struct stat status {};
  if (m.build_id.empty() && m.path.rfind('/', 0) == 0 && stat(m.path.c_str(), &status) == 0) {
    m.build_id = raw::file_stamp(status);
  }
  if (m.begin < m.end) snapshot.modules.push_back(std::move(m));
  snapshot.loaded = info->dlpi_adds;
  snapshot.unloaded = info->dlpi_subs;
  return 0;
}

}  // namespace

ModuleSnapshot take_module_snapshot() {
  Taking taking;
  dl_iterate_phdr(add_module, &taking);
  return std::move(taking.snapshot);
}

ModuleChanges module_changes() {
  ModuleChanges c;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        *static_cast<ModuleChanges*>(data) = {info->dlpi_adds, info->dlpi_subs};
        return 1;
      },
      &c);
  return c;
}

}  // namespace scalediag::inject
