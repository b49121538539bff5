#include "collector/launch/program/executable_file.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "core/raw/raw_format.h"
#include "core/text/formatted.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

Error unusable(const std::string& path, const std::string& what, const std::string& hint) {
  return {ErrorCode::kInput, "the application " + path + " " + what, hint, path};
}

// The path without its "." folders. ".." stays: behind a symbolic link it does not lead back.
std::string started_path(const std::string& path) {
  fs::path clean;
  for (const fs::path& part : fs::absolute(path)) {
    if (part != ".") clean /= part;
  }
  return clean.string();
}

// The path of `application`, before its usability is checked.
Result<std::string> locate(const std::string& application) {
  if (application.empty()) return Error{ErrorCode::kUsage, "the application's name is empty", "", "--"};
  if (application.find('/') == application.npos) {
    const std::string found = find_in_path(application);
    if (!found.empty()) return found;
    const bool beside = access(application.c_str(), F_OK) == 0;
    return Error{ErrorCode::kInput, "the application " + application + " is not in PATH",
                 beside ? "to run the file in this folder write ./" + application
                        : "give its path, as in -- ./build/" + application,
                 application};
  }
  return started_path(application);
}

Result<fs::path> check_startable(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return unusable(path, "does not exist", "check the path after --");
    return unusable(path, std::string("cannot be used: ") + std::strerror(errno),
                    "check the permissions of its folder");
  }
  if (S_ISDIR(info.st_mode)) return unusable(path, "is a directory", "give the program inside it");
  if (!S_ISREG(info.st_mode)) return unusable(path, "is not a regular file", "give a program");
  if (access(path.c_str(), X_OK) != 0) return unusable(path, "is not executable", "chmod +x " + path);
  const bool other_user = (info.st_mode & S_ISUID) != 0 && info.st_uid != geteuid();
  const bool other_group = (info.st_mode & S_ISGID) != 0 && info.st_gid != getegid();
  if (other_user || other_group) {
    return unusable(path, "runs as another user or group, so the loader ignores preloaded libraries",
                    "profile a copy without the set-user-ID and set-group-ID bits: cp " + path + " copy");
  }
  return fs::path(path);
}

struct ElfHeader {
  Elf64_Ehdr header{};
  std::vector<Elf64_Phdr> segments;
};

std::optional<ElfHeader> read_elf(std::ifstream& file) {
  ElfHeader elf;
  file.clear();
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(&elf.header), sizeof elf.header)) return std::nullopt;
  if (elf.header.e_phnum == 0) return elf;
  if (elf.header.e_phentsize != sizeof(Elf64_Phdr)) return std::nullopt;
  file.seekg(static_cast<std::streamoff>(elf.header.e_phoff));
  elf.segments.resize(elf.header.e_phnum);
  file.read(reinterpret_cast<char*>(elf.segments.data()),
            static_cast<std::streamsize>(elf.segments.size() * sizeof(Elf64_Phdr)));
  if (!file) return std::nullopt;
  return elf;
}

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386: return "x86 (32 bit)";
    case EM_X86_64: return "x86-64";
    case EM_ARM: return "ARM (32 bit)";
    case EM_AARCH64: return "AArch64";
    case EM_PPC64: return "POWER";
    case EM_RISCV: return "RISC-V";
    default: return "machine number " + std::to_string(machine);
  }
}

// The header of this program, which shows the machine's architecture.
std::optional<ElfHeader> own_elf() {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  return read_elf(self);
}

Result<ExecutableFile> inspect_elf(const std::string& path, std::ifstream& file) {
  const auto own = own_elf();
  unsigned char ident[EI_NIDENT + 4] = {};
  file.clear();
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(ident), sizeof ident)) {
    return unusable(path, "is a truncated ELF file", "build or copy it again");
  }
  const bool same_layout =
      own && ident[EI_CLASS] == own->header.e_ident[EI_CLASS] && ident[EI_DATA] == own->header.e_ident[EI_DATA];
  // e_type and e_machine are at the same place in 32- and 64-bit files.
  const bool little = ident[EI_DATA] == ELFDATA2LSB;
  const unsigned machine =
      little ? static_cast<unsigned>(ident[18] | ident[19] << 8) : static_cast<unsigned>(ident[19] | ident[18] << 8);
  if (!same_layout || machine != own->header.e_machine) {
    return unusable(path,
                    "is built for " + machine_name(machine) + ", this machine runs " +
                        (own ? machine_name(own->header.e_machine) : "something else"),
                    "build it for this machine");
  }
  const auto elf = read_elf(file);
  if (!elf) return unusable(path, "is a damaged ELF file", "build or copy it again");
  if (elf->header.e_type != ET_EXEC && elf->header.e_type != ET_DYN) {
    return unusable(path, "is an object file, not a program", "link it first");
  }
  ExecutableFile result{path, false, ""};
  for (const Elf64_Phdr& segment : elf->segments) {
    if (segment.p_type != PT_INTERP || segment.p_filesz == 0 || segment.p_filesz > 4096) continue;
    result.interpreter.resize(segment.p_filesz);
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(result.interpreter.data(), static_cast<std::streamsize>(segment.p_filesz));
    result.interpreter.resize(std::strlen(result.interpreter.c_str()));
  }
  if (!result.interpreter.empty()) return result;
  if (path.find(".so") != path.npos && elf->header.e_type == ET_DYN && elf->header.e_entry == 0) {
    return unusable(path, "is a shared library, not a program", "give the program that uses it");
  }
  return unusable(path, "is statically linked, so no library can be preloaded into it",
                  "link it dynamically: leave out -static (and -static-pie)");
}

}  // namespace

bool is_executable_file(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string find_in_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  const std::string path = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = end > begin ? path.substr(begin, end - begin) : ".";
    const std::string candidate = folder + "/" + name;
    if (is_executable_file(candidate)) return started_path(candidate);
    begin = end + 1;
  }
  return "";
}

Result<ExecutableFile> inspect_executable(const std::string& application) {
  const auto path = TRY(locate(application));
  TRY(check_startable(path));

  std::ifstream file(path, std::ios::binary);
  std::string start(4, '\0');
  if (!file) return unusable(path, "cannot be read", "chmod +r " + path);
  file.read(start.data(), 4);
  if (start.compare(0, 4, "\177ELF") == 0) return inspect_elf(path, file);
  if (start.compare(0, 2, "#!") == 0) {
    ExecutableFile script{path, true, ""};
    file.clear();
    file.seekg(2);
    std::getline(file, script.interpreter);
    const size_t begin = script.interpreter.find_first_not_of(" \t");
    script.interpreter.erase(0, std::min(begin, script.interpreter.size()));
    return script;
  }
  return unusable(path, "is neither an ELF program nor a script that begins with #!",
                  "give a program that this machine can start");
}

std::string fingerprint_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "";
  std::vector<char> buffer(1 << 20);
  uint32_t crc = 0;
  uint64_t size = 0;
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0) {
    const auto n = static_cast<size_t>(file.gcount());
    crc = raw::crc32(buffer.data(), n, crc);
    size += n;
  }
  return core::formatted("%llu-%08x", static_cast<unsigned long long>(size), crc);
}

}  // namespace scalediag::launch
