// The simulation of a program on a network: the time at which each rank ends, and the parts of that time.
//
// Each rank has a clock. It goes on until it needs a message that has not been sent, or an agreement that has not been
// given; the rank that sends or gives it puts the waiting one on a stack of those that can go on. There is no queue of
// events except for large messages that share an adapter (shared_adapter.h), whose senders are in a queue by their next
// event, so that neither many ranks nor a busy receiver make an event more expensive. The order in which ranks are run
// changes neither the times at which messages are sent nor the receives that they match (MPI's matching order is that
// of each pair of ranks), with one exception: the order at a receiver's adapter. Messages that are awaited together
// pass in the order of their arrival, which is exact. Of messages that are awaited one after another, one that is
// awaited later but arrives while an earlier awaited one passes waits for it, and one that would have delayed it before
// does not. The adapter's total time is the same, so such a deviation is at most the passing time of the messages that
// are there at once.
//
// Wildcards have to be replaced in the program by the ranks and tags that were recorded.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/collectives/algorithm_choice.h"
#include "loggp/network/network.h"
#include "loggp/simulator/observer.h"
#include "loggp/simulator/path_trace.h"
#include "loggp/simulator/program.h"

namespace scalediag::loggp {

struct SimulationOptions {
  double compute_factor = 1;     // multiplies every computation
  double noise = 0;              // standard deviation of a computation's relative random change; its mean stays
  uint64_t seed = 1;             // of the noise, which depends only on the seed, the rank and the event
  Observer* observer = nullptr;  // told of everything that has a duration
  bool record_path = false;      // Simulation::path; 24 bytes for every message that a rank waited for
};

// The times of one rank in seconds; computation + transfer + the three waits = end. (Where a rank has several CPUs, as
// in schedules only, the parts are sums over them.)
struct RankTimes {
  double end_s = 0;
  double computation_s = 0;      // and reductions within collectives
  double transfer_s = 0;         // overheads, and waiting for messages that are under way
  double late_sender_s = 0;      // a receive waited for a send that had not begun
  double late_receiver_s = 0;    // a send waited for a receive that had not been posted
  double collective_wait_s = 0;  // either of them inside a collective
  uint32_t cpus = 1;

  double waiting_s() const { return late_sender_s + late_receiver_s + collective_wait_s; }
};

struct Simulation {
  double total_s = 0;  // the last rank's end
  uint64_t n_messages = 0;
  uint64_t n_events = 0;  // a message is three: send, receive, message; a computation and a wait are one each
  // The number of messages larger than the receives that they matched, for which MPI ends a program, and the place of
  // the first one: the input is wrong, or its messages matched in another order. They were simulated with the size that
  // was sent.
  uint64_t n_truncated = 0;
  std::string first_truncated;
  std::vector<RankTimes> ranks;
  // From the start to total_s, if it was asked for; empty where ranks waited for more than 25 million messages.
  std::vector<PathStretch> path;
};

// Errors: an impossible parameter of the network (kInput) or of the options (kUsage), or a topology too small for that
// many ranks (kInput).
core::Status check_simulation(const Network& network, int ranks, const SimulationOptions& options);

// Errors: as check_simulation(); and (kInput) a deadlock, an operation that no rank answers, a message that no rank
// receives, a peer or root that does not exist, all named with rank, event and reason; the event is the operation's
// number in its rank, from 0.
core::Result<Simulation> simulate(const Program& program, const Network& network,
                                  const SimulationOptions& options = {});

// The answer to a question (OpKind::kAsk).
struct SimulatedAnswer {
  double clock_s = 0;  // of the rank that asked
  bool found = false;
  uint32_t rank = 0;  // of MPI_COMM_WORLD, that sends the message
  int32_t tag = 0;
};

// The simulation of a program whose operations become known while it is simulated. It gives the same times as
// simulate(): messages that share an adapter wait until no rank whose next operation is not known yet can send before
// them.
class LiveSimulation {
 public:
  using Answer = std::function<void(uint32_t rank, const SimulatedAnswer& answer)>;

  // `program` and `network` outlive it. Errors: as of check_simulation().
  static core::Result<LiveSimulation> begin(const Program& program, const Network& network,
                                            const SimulationOptions& options, Answer answer);
  LiveSimulation(LiveSimulation&&) noexcept;
  LiveSimulation& operator=(LiveSimulation&&) noexcept;
  ~LiveSimulation();

  // Simulates as far as is possible. `with_more`: ranks of which more operations are known than at the last call.
  void go_on(const std::vector<uint32_t>& with_more);
  // Whether an error was found, which end() returns.
  bool has_failed() const;
  // The position (see Program::next) of a rank's first operation that is not over.
  uint64_t position(uint32_t rank) const;
  // "rank 3, event 17 (MPI_Recv), waits for a message from rank 2, tag 5".
  std::string describe(uint32_t rank) const;
  // After go_on() with all operations. Errors: as of simulate().
  core::Result<Simulation> end();

 private:
  struct Parts;
  explicit LiveSimulation(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace scalediag::loggp
