// The simulator: its state, and what simulate() and LiveSimulation do with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "loggp/collectives/algorithm_choice.h"
#include "loggp/network/network.h"
#include "loggp/simulator/communicators.h"
#include "loggp/simulator/path_trace.h"
#include "loggp/simulator/program.h"
#include "loggp/simulator/simulation.h"
#include "loggp/simulator/transport.h"

namespace scalediag::loggp {

// Three lines of the cache, of which the last one is not needed for messages of others.
struct alignas(64) SimulatedRank : Port {
  double clock_s = 0;
  uint64_t position = 0;  // of its present operation
  uint32_t event = 0;
  uint32_t collective_state = 0;
  uint32_t first_outstanding = kNoTransfer;
  uint32_t last_outstanding = kNoTransfer;
  uint32_t missing = 0;  // the number of transfers it waits for that are not known yet
  uint32_t waiting_group = 0;
  uint32_t path = kPathFromStart;
  bool waiting = false;
  bool done = false;
  bool starved = false;   // its next operation is not known yet
  bool asks = false;      // which message it will receive
  bool answered = false;  // the same question
  RankTimes times;        // end_s is set at the end
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
        ranks_(static_cast<size_t>(program.ranks())) {}

  core::Result<Simulation> run();

  // The same, piece by piece.
  void answer_with(TakeAnswer answer, double shortest_latency_s) {
    answer_ = std::move(answer);
    shortest_latency_s_ = shortest_latency_s;
  }
  void begin();
  core::Status go_on(const std::vector<uint32_t>& with_more, const std::vector<bool>& is_idle);
  bool is_asked() const { return !asking_.empty(); }
  uint64_t n_matches() const { return n_matches_; }
  uint64_t n_early_matches() const { return n_early_matches_; }
  uint64_t position(uint32_t rank) const { return ranks_[rank].position; }
  core::Result<Simulation> end();
  std::string describe(uint32_t r) const;

 private:
  void advance(uint32_t r);
  void run_ready();
  void pass_next();
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
  void compute(uint32_t r, const Op& op, double seconds);
  void send(uint32_t r, const Op& op, uint32_t to, uint64_t bytes, int32_t tag, uint32_t communicator, uint32_t group);
  void receive(uint32_t r, uint32_t from, uint64_t bytes, int32_t tag, uint32_t communicator, uint32_t group);
  bool await(uint32_t r, const Op& op, uint32_t group);
  void settle(uint32_t r, const Op& op, uint32_t group);
  // Passes a known transfer through the rank's adapter, if it receives it.
  Settling arrived(SimulatedRank& rank, uint32_t transfer);
  void settle_one(uint32_t r, const Op& op, const Settling& settling);
  void add_outstanding(SimulatedRank& rank, uint32_t transfer);
  void became_known(uint32_t transfer);
  Algorithm algorithm(const Op& op, uint32_t ranks);
  void fail(uint32_t r, const Op& op, const std::string& what);
  bool is_rank(uint32_t r, const Op& op);
  std::optional<core::Error> find_trouble() const;
  core::Error deadlock() const;
  void trace_path(Simulation& result) const;

  static bool in_group(uint32_t asked, uint32_t group) { return asked == group || asked == kAllGroups; }

  const Program& program_;
  const SimulationOptions& options_;
  AlgorithmChoice choice_;
  CommunicatorIndex communicators_;
  Transport transport_;
  std::vector<SimulatedRank> ranks_;
  std::vector<uint32_t> ready_;  // a stack
  PathTrace path_;
  std::vector<Settling> settling_;
  uint64_t n_local_events_ = 0;
  std::optional<core::Error> failure_;
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
