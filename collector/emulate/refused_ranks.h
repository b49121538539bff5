// Ranks that could not join the emulation say why on standard error, since that is all that reaches this host from
// another one.
#pragma once

#include <optional>
#include <string>

#include "core/result.h"

namespace scalediag::emulate {

class RefusedRanks {
 public:
  explicit RefusedRanks(std::string stderr_log) : path_(std::move(stderr_log)) {}
  RefusedRanks(const RefusedRanks&) = delete;
  RefusedRanks& operator=(const RefusedRanks&) = delete;
  ~RefusedRanks();

  // Reads what was written since the last call. Returns the error of the first rank that could not join.
  std::optional<core::Error> look();

 private:
  std::string path_;
  int fd_ = -1;
  std::string line_;  // its beginning
};

}  // namespace scalediag::emulate
