#include "collector/merge/symbols/debug_package.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>

namespace scalediag::merge {
namespace {

constexpr std::string_view kUsr = "/usr";

bool lists_any_of(const std::filesystem::path& list, const std::set<std::string>& paths) {
  std::ifstream in(list);
  for (std::string line; std::getline(in, line);) {
    if (paths.contains(line)) return true;
  }
  return false;
}

}  // namespace

std::string debug_package_of(const std::string& path, const std::string& lists) {
  // Since /lib became a link to /usr/lib, lists may have either.
  const bool in_usr = path.starts_with(std::string(kUsr) + "/");
  const std::set<std::string> paths = {path, in_usr ? path.substr(kUsr.size()) : std::string(kUsr) + path};
  std::error_code failed;
  std::string first;
  for (const auto& entry : std::filesystem::directory_iterator(lists, failed)) {
    if (entry.path().extension() != ".list" || !lists_any_of(entry.path(), paths)) continue;
    const std::string file = entry.path().stem().string();  // "libc6:amd64"
    const std::string package = file.substr(0, file.find(':'));
    if (first.empty() || package < first) first = package;
  }
  if (first.empty()) return "";
  return first == "libc6" ? "libc6-dbg" : first + "-dbgsym";
}

}  // namespace scalediag::merge
