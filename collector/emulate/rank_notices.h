// The notices of ranks about joining an emulation, from their standard error, which is all that reaches this host from
// another one before there is a connection.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::emulate {

class RankNotices {
 public:
  explicit RankNotices(std::string stderr_log) : path_(std::move(stderr_log)) {}
  RankNotices(const RankNotices&) = delete;
  RankNotices& operator=(const RankNotices&) = delete;
  ~RankNotices();

  // Reads what was written since the last call. Returns the error of the first rank that could not join.
  std::optional<Error> look();
  // The addresses of hosts whose ranks have asked to join since the last call, one list a rank.
  std::vector<std::vector<std::string>> take_asking();

 private:
  std::vector<std::vector<std::string>> asking_;
  std::string path_;
  int fd_ = -1;
  std::string line_;  // its beginning
};

}  // namespace scalediag::emulate
