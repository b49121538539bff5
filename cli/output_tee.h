// One stream of the application: from its pipe to ours and to a log.
#pragma once

#include <cstddef>
#include <string>

#include "core/result.h"

namespace scalediag::cli {

class OutputTee {
 public:
  // `target_fd` is our stdout or stderr. Opens the log; error (kEnvironment) if that fails.
  static core::Result<OutputTee> open(const std::string& log_path, int target_fd);
  OutputTee(OutputTee&& other) noexcept;
  OutputTee& operator=(OutputTee&&) = delete;
  ~OutputTee();

  // Gives the write end to the child and forgets it here.
  int write_end() const { return write_end_; }
  void close_write_end();

  int read_end() const { return read_end_; }
  bool at_end() const { return read_end_ < 0; }
  // Whether what was passed on last ended a line.
  bool line_ended() const { return line_ended_; }
  const std::string& log_error() const { return log_error_; }
  // The errno of what kept it from being passed on; 0 for nothing, also where its reader went away.
  int target_error() const { return target_error_; }

  // Moves what is there: the number of bytes, 0 where there was nothing or the stream has ended (see at_end).
  size_t transfer();

 private:
  OutputTee() = default;
  std::string log_path_;
  std::string log_error_;
  int target_error_ = 0;
  int log_fd_ = -1;
  int target_fd_ = -1;
  int read_end_ = -1;
  int write_end_ = -1;
  bool line_ended_ = true;
};

}  // namespace scalediag::cli
