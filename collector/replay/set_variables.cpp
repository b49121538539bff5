#include "collector/replay/set_variables.h"

#include <cstdlib>

namespace scalediag::replay {

SetVariables::SetVariables(const std::map<std::string, std::string>& variables) {
  for (const auto& [name, value] : variables) {
    std::optional<std::string>& before = before_[name];
    if (const char* const text = std::getenv(name.c_str()); text != nullptr) before = text;
    setenv(name.c_str(), value.c_str(), 1);
  }
}

SetVariables::~SetVariables() {
  for (const auto& [name, before] : before_) {
    if (before) {
      setenv(name.c_str(), before->c_str(), 1);
    } else {
      unsetenv(name.c_str());
    }
  }
}

}  // namespace scalediag::replay
