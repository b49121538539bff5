// Ends the program after some rounds of its main loop, at the same round on all ranks (profile --iterations).
//
// Rounds are counted at a call site (pmpi-comm/repeated_calls.h). When the round after the last one that is wanted
// begins, a rank has received all that it waited for and sent all that others wait for. It writes its files and meets
// the other ranks, so that what it has sent is delivered. When all have come, they leave by MPI_Finalize, so that MPI
// removes what it has on the node; where that waits for messages that nobody will receive, they leave without.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/raw/rounds_request.h"
#include "pmpi-comm/repeated_calls.h"

namespace scalediag::inject {

class EndedRounds {
 public:
  // Called by all ranks after MPI_Init, since it makes a communicator. An empty text: nothing is asked for. Returns an
  // empty text, or the reason why the run will not be ended.
  std::string prepare(const std::string& request);
  bool is_wanted() const { return request_.has_value(); }

  const raw::RoundsRequest& request() const { return *request_; }
  // Nothing: its module is not loaded, or the routine not known.
  std::optional<pmpi::RoundSite> site() const;

  // Waits until all ranks have called it, at most for `limit_s` seconds. False: some have not.
  bool meet(double limit_s) const;

  // Ends MPI, as far as it lets itself be ended within some seconds, and the process.
  [[noreturn]] static void leave();

 private:
  std::optional<raw::RoundsRequest> request_;
  uintptr_t communicator_ = 0;
};

}  // namespace scalediag::inject
