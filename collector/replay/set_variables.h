// Variables of this process, which the processes that it starts inherit.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace scalediag::replay {

// Sets variables for as long as this lives; then they are as they were before.
class SetVariables {
 public:
  explicit SetVariables(const std::map<std::string, std::string>& variables);
  ~SetVariables();
  SetVariables(const SetVariables&) = delete;
  SetVariables& operator=(const SetVariables&) = delete;

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

}  // namespace scalediag::replay
