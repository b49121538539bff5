// The instructions of a thread under valgrind's callgrind, read while it runs.
//
// callgrind has no request that returns a count, and a dump takes 0.4 ms and a file. But its monitor command "status
// internal", which a program may give by a client request, prints the counts of all threads to valgrind's log in 0.07
// ms (3.19, 1 thread); they are read from there. What is printed again and again is not kept: its place in the log is
// given back to the file system.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/raw/own_descriptor.h"
#include "pmpi-comm/trace/instruction_counter.h"

namespace scalediag::inject {

// The first count, of instructions, of the thread that has given the command, in what it has printed. Nothing: it says
// none. 0 where nothing was counted yet.
std::optional<uint64_t> instructions_in_status(std::string_view text);

class CallgrindInstructions : public pmpi::InstructionCounter {
 public:
  // `log`: the file that valgrind writes. At most `most_calls` calls are counted, since each one takes time.
  CallgrindInstructions(const std::string& log, uint64_t most_calls);
  CallgrindInstructions(const CallgrindInstructions&) = delete;
  CallgrindInstructions& operator=(const CallgrindInstructions&) = delete;
  ~CallgrindInstructions() override = default;

  std::optional<uint64_t> enter_mpi(bool polls_again) override;
  // MPI is left out by switching callgrind's collection off.
  void leave_mpi() override {}

 private:
  std::optional<uint64_t> read_total();
  void forget_text(int log, off_t begin, off_t end);

  // The log, or -1.
  int log();

  const std::string path_;
  raw::OwnDescriptor log_;
  uint64_t left_ = 0;
  uint64_t total_ = 0;
  off_t forgotten_ = 0;  // what the log had before the first command stays
};

}  // namespace scalediag::inject
