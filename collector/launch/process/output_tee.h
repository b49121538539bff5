// One stream of the application, copied from its pipe to our own stream and to a log.
#pragma once

#include <cstddef>
#include <string>

#include "core/result.h"

namespace scalediag::launch {

class OutputTee {
 public:
  // `target_fd` is our stdout or stderr. Opens the log; error (kEnvironment) if that fails.
  static Result<OutputTee> open(const std::string& log_path, int target_fd);
  OutputTee(OutputTee&& other) noexcept;
  OutputTee& operator=(OutputTee&&) = delete;
  ~OutputTee();

  // Gives the write end to the child and forgets it here.
  int write_end() const { return write_end_; }
  void close_write_end();

  int read_end() const { return read_end_; }
  bool at_end() const { return read_end_ < 0; }
  // Whether the last output that was passed on ended a line.
  bool line_ended() const { return line_ended_; }
  const std::string& log_error() const { return log_error_; }
  // The errno of a failure to pass the output on; 0 for none, also where its reader ended.
  int target_error() const { return target_error_; }

  // Moves the available bytes and returns their number: 0 where there were none or the stream has ended (see at_end).
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

}  // namespace scalediag::launch
