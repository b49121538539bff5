// Ends the program after some rounds of its main loop, at the same round on all ranks (profile --iterations).
//
// Rounds are counted at a call site (pmpi-comm/repeated_calls.h). Ranks meet when the measured rounds begin, since
// those that have written their totals would wait in their first calls for others that still write. When the round
// after the last one that is wanted begins, a rank has received all that it waited for and sent all that others wait
// for. It writes its files and meets the other ranks, so that what it has sent is delivered. When all have come, they
// leave by MPI_Finalize, so that MPI removes what it has on the node; where that waits for messages that nobody will
// receive, they leave without.
//
// Where ranks do not meet in time, the run is ended: waiting would be a part of it, and a barrier left open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/raw/rounds_request.h"
#include "pmpi-comm/repeated_calls.h"

namespace scalediag::inject {

class EndedRounds {
 public:
  // Called by all ranks after MPI_Init, since it makes a communicator. An empty request: nothing is asked for. Where
  // the run cannot be ended, it says why and goes on. May throw std::bad_alloc.
  void prepare(const std::string& request);
  // Lets rounds be counted, where they are asked for. As prepare().
  void watch(pmpi::RepeatedCalls& calls) const;

  const raw::RoundsRequest& request() const { return *request_; }

  // Waits until all ranks have called it, or ends the program.
  void meet() const;

  // Ends MPI, as far as it lets itself be ended within some seconds, and the process.
  [[noreturn]] static void leave();

 private:
  std::optional<raw::RoundsRequest> request_;
  uintptr_t communicator_ = 0;
  uint64_t begin_ns_ = 0;
};

}  // namespace scalediag::inject
