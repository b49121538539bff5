#include "core/experiment/started_program.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace scalediag::core {
namespace {

namespace fs = std::filesystem;

// Whether the file's first line, "#!/usr/bin/env python3", names the program: python3.11 is called python3 there.
bool is_interpreter(const std::string& script, const std::string& program) {
  std::ifstream file(script);
  std::string line;
  if (!std::getline(file, line) || !line.starts_with("#!")) return false;
  std::istringstream words(line.substr(2));
  for (std::string word; words >> word;) {
    const std::string name = fs::path(word).filename().string();
    const bool begins = !name.empty() && program.starts_with(name);
    if (begins && program.find_first_not_of("0123456789.", name.size()) == std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string program_behind(const std::string& executable, const std::string& ran) {
  if (ran.empty()) return "";
  std::error_code failed;
  if (fs::weakly_canonical(executable, failed) == fs::weakly_canonical(ran, failed)) return "";
  const std::string name = fs::path(ran).filename().string();
  return name.starts_with("python") || is_interpreter(executable, name) ? "" : ran;
}

std::string program_name(const std::string& executable, const std::string& program) {
  return fs::path(program.empty() ? executable : program).filename().string();
}

}  // namespace scalediag::core
