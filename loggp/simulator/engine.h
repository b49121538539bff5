// The simulator: its state, and what simulate() and LiveSimulation do with it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "loggp/collectives/algorithm_choice.h"
#include "loggp/network/network.h"
#include "loggp/simulator/communicators.h"
#include "loggp/simulator/memory/large_pages.h"
#include "loggp/simulator/memory/ready_ranks.h"
#include "loggp/simulator/memory/transfer_list.h"
#include "loggp/simulator/path_trace.h"
#include "loggp/simulator/program.h"
#include "loggp/simulator/recursive_doubling.h"
#include "loggp/simulator/simulation.h"
#include "loggp/simulator/transport.h"

namespace scalediag::loggp {

// A rank's place in a collective that very many ranks do at once (recursive_doubling.h).
enum class Joint : uint8_t { kNone, kCome, kOver, kByItself };

// Five lines of the cache, of which messages of others need the first one, and the next where nobody awaits them.
struct SimulatedRank : Port {
  double clock_s = 0;
  uint64_t position = 0;  // of its present operation
  uint32_t event = 0;
  uint32_t collective_state = 0;
  uint32_t path = kPathFromStart;
  bool waiting = false;
  bool done = false;
  bool starved = false;   // its next operation is not known yet
  bool asks = false;      // which message it will receive
  bool answered = false;  // the same question
  Joint joint = Joint::kNone;
  TransferList outstanding;
  TimeParts times;
};

// A transfer that a rank has waited for.
struct Settling {
  double over_s = 0;
  double cpu_s = 0;  // that the rank needs to receive it
  uint32_t transfer = 0;
};

class Simulator {
 public:
  Simulator(const Program& program, const Network& network, AlgorithmChoice choice, const SimulationOptions& options)
      : program_(program),
        options_(options),
        choice_(std::move(choice)),
        communicators_(program.communicators(), program.ranks()),
        transport_(network),
        ranks_(static_cast<size_t>(program.ranks())),
        is_large_(ranks_.size() > kLarge && network.progress != Progress::kInCalls),
        joins_(is_large_ && options.observer == nullptr && !options.record_path && network.same_node.connect_s <= 0 &&
               network.other_node.connect_s <= 0),
        ready_(is_large_ ? kReadyAhead : 0),
        calls_(network.progress == Progress::kInCalls ? ranks_.size() : 0) {}

  Result<Simulation> run();

  // The same, piece by piece.
  void answer_with(TakeAnswer answer, double shortest_latency_s) {
    answer_ = std::move(answer);
    joins_ = false;  // go_on() asks what ranks wait for
    shortest_latency_s_ = shortest_latency_s;
  }
  void begin();
  Status go_on(const std::vector<uint32_t>& with_more, const std::vector<bool>& is_idle);
  bool is_asked() const { return !asking_.empty(); }
  uint64_t n_matches() const { return n_matches_; }
  uint64_t n_early_matches() const { return n_early_matches_; }
  uint64_t position(uint32_t rank) const { return ranks_[rank].position; }
  Result<Simulation> end();
  std::string describe(uint32_t r) const;

 private:
  // Ranks whose state does not fit into the caches of a core: most of the time of their simulation is spent waiting for
  // memory. What ranks do next, and what messages do at their receivers, is therefore begun by fetching what it needs,
  // and done a few ranks and messages later. Nothing depends on when it is done, but for the adapters of
  // shared memory, which take handshakes in the order in which they are looked at.
  static constexpr size_t kLarge = 12288;
  static constexpr size_t kReadyAhead = 16;
  static constexpr uint64_t kDeliveriesAhead = 64;  // a power of two
  static constexpr uint64_t kFewDeliveries = 24;
  static constexpr uint64_t kStepsUntold = 1 << 14;

  void advance(uint32_t r);
  void advance_next() {
    advance(ready_.take([this](uint32_t r) { prefetch(r); }));
    if (const uint32_t* half_way = ready_.half_way()) prefetch_transfers(*half_way);
  }
  void run_ready();
  void tell_progress();
  void deliver(const Delivery& delivery);
  Delivery& next_deferred();
  void defer();
  void find_next();
  void deliver_next();
  void prefetch_transfers(uint32_t r) const {
    for (const uint32_t i : ranks_[r].outstanding) transport_.pool().prefetch(i);
    ranks_[r].messages.prefetch_all(transport_.pool());
  }
  void prefetch(uint32_t r) const {
    constexpr size_t kLine = 64;
    const char* rank = reinterpret_cast<const char*>(&ranks_[r]);
    for (size_t i = 0; i < sizeof(SimulatedRank); i += kLine) __builtin_prefetch(rank + i, 1);
  }
  void pass_next();
  // A call in which the rank reads control messages begins or ends; nothing where they are answered at once.
  void enter_reading_call(uint32_t r);
  void leave_reading_call(uint32_t r);
  void read_handshake();
  void forget_calls(ReadingCalls& calls);
  bool ask(uint32_t r, const Op& op);
  struct Candidate {
    double arrives_s = kNever;
    uint32_t sender = 0;
    int32_t tag = 0;
    uint32_t event = 0;  // of the sender
  };
  // The question that can be answered first, and when.
  struct Asked {
    double at_s = kNever;  // kNever: none
    size_t place = 0;      // in asking_
    Candidate message;
  };
  Candidate first_message(uint32_t r);
  Asked first_asked();
  // Nothing that is not known yet happens before.
  double starved_until_s() const;
  bool answer(const Asked& first, const std::vector<bool>& is_idle);
  bool perform(uint32_t r, const Op& op);
  bool perform_collective(uint32_t r, const Op& op);
  // The rank has come to a collective that all of its communicator do at once. False: the others are not there yet.
  bool join(uint32_t r, const Op& op, const CollectiveCall& call);
  // Those that have come to one do it by themselves, since others wait for that, or will not come. False: there are
  // none.
  bool leave_joint();
  void compute(uint32_t r, const Op& op, double seconds);
  void send(uint32_t r, const Op& op, uint32_t to, uint64_t bytes, int32_t tag, uint32_t communicator, uint32_t group);
  void receive(uint32_t r, uint32_t from, uint64_t bytes, int32_t tag, uint32_t communicator, uint32_t group);
  void access(uint32_t r, const Op& op);
  // The rank's CPU goes on where it has handed over what was posted, which is outstanding then.
  void take_posted(uint32_t r, const Op& op, const SendPosted& posted);
  bool await(uint32_t r, const Op& op, uint32_t group);
  void settle(uint32_t r, const Op& op, uint32_t group);
  // Passes a known transfer through the rank's adapter, if it receives it.
  Settling arrived(SimulatedRank& rank, uint32_t transfer);
  void settle_one(uint32_t r, const Op& op, const Settling& settling);
  void became_known(uint32_t transfer);
  Algorithm algorithm(const Op& op, uint32_t ranks);
  void fail(uint32_t r, const Op& op, const std::string& what);
  bool is_rank(uint32_t r, const Op& op);
  std::optional<Error> find_trouble() const;
  Error deadlock() const;
  std::string unfinished(const SimulatedRank& rank, uint32_t group) const;
  void trace_path(Simulation& result) const;

  static bool in_group(uint32_t asked, uint32_t group) { return asked == group || asked == kAllGroups; }

  const Program& program_;
  const SimulationOptions& options_;
  AlgorithmChoice choice_;
  CommunicatorIndex communicators_;
  Transport transport_;
  std::vector<SimulatedRank, LargePages<SimulatedRank>> ranks_;
  bool is_large_;
  bool joins_;  // ranks do collectives at once where they can
  ReadyRanks ready_;
  std::array<Delivery, kDeliveriesAhead> deferred_;  // a ring
  uint64_t n_steps_ = 0;                             // of run_ready(), where progress is told
  uint64_t n_operations_ = 0;                        // of a middle rank; 0: not counted yet
  uint32_t n_begun_ = 0;                             // ranks
  uint64_t n_deferred_ = 0;
  uint64_t n_found_ = 0;  // whose receive has been looked for
  uint64_t n_delivered_ = 0;
  std::vector<ReadingCalls> calls_;  // by rank; empty: handshakes are answered at once
  size_t most_kept_calls_ = 4096;    // of a rank, before those that are over for everybody are forgotten
  struct Gathering {
    uint32_t n_come = 0;
    CollectiveCall call;  // of the first one
  };
  std::map<std::pair<uint32_t, Collective>, Gathering> gatherings_;  // by communicator
  RecursiveDoubling doubling_;
  PathTrace path_;
  std::vector<Settling> settling_;
  uint64_t n_local_events_ = 0;
  std::optional<Error> failure_;
  TakeAnswer answer_;
  std::vector<uint32_t> asking_;  // ranks
  std::vector<Candidate> candidates_;
  double shortest_latency_s_ = 0;
  uint64_t n_matches_ = 0;
  uint64_t n_early_matches_ = 0;
  struct {
    Collective collective = Collective::kBarrier;
    uint32_t ranks = 0;
    uint64_t bytes = 0;
    Algorithm algorithm = Algorithm::kLinear;
  } last_choice_;
};

}  // namespace scalediag::loggp
