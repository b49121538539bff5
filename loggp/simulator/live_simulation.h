// The simulation of a program whose operations become known while it is simulated.
//
// It gives the same times as simulate(): messages that share an adapter wait until no rank whose next operation is not
// known yet can send before them. Ranks may ask (OpKind::kAsk) for their time, and for the message that a receive from
// any rank matches: the one that arrives first. That is decided when no message can arrive earlier any more, because
// every rank whose next operation is not known is at most the network's shortest latency before it. Where such ranks
// are idle (they poll, or are in a call that is only told when it is over) they are not waited for, which is counted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/network/network.h"
#include "loggp/simulator/program.h"
#include "loggp/simulator/simulation.h"

namespace scalediag::loggp {

class LiveSimulation {
 public:
  using Answer = TakeAnswer;

  // `program` and `network` outlive it. Errors: as of check_simulation().
  static Result<LiveSimulation> begin(const Program& program, const Network& network, const SimulationOptions& options,
                                      Answer answer);
  LiveSimulation(LiveSimulation&&) noexcept;
  LiveSimulation& operator=(LiveSimulation&&) noexcept;
  ~LiveSimulation();

  // Simulates as far as is possible. `with_more`: ranks of which more operations are known than at the last call.
  // `is_idle`: ranks that questions do not wait for; empty: none. Error (kInput): as of simulate(), also a deadlock.
  Status go_on(const std::vector<uint32_t>& with_more, const std::vector<bool>& is_idle = {});
  // Whether a question waits for an answer.
  bool is_asked() const;
  // Questions for messages that were answered, and those of them without waiting for idle ranks.
  uint64_t n_matches() const;
  uint64_t n_early_matches() const;
  // The position (see Program::next) of a rank's first operation that is not over.
  uint64_t position(uint32_t rank) const;
  // "rank 3, event 17 (MPI_Recv), waits for a message from rank 2, tag 5".
  std::string describe(uint32_t rank) const;
  // After go_on() with all operations. Errors: as of simulate().
  Result<Simulation> end();

 private:
  struct Parts;
  explicit LiveSimulation(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace scalediag::loggp
