// A recorded trace as a program to simulate. Loops stay loops: memory grows with the number of different events, not of
// all.
//
//   an event              becomes
//   Send, Recv            the same; a Ssend waits like a Send of its size, a buffered send for nothing
//   Sendrecv              a receive and a send that begin together, and waiting for both
//   Wait, Test that found its requests complete: waiting for those requests
//   Put, Get, atomics, locks of windows: accesses (simulator/windows/remote_accesses.h)
//   nonblocking collective the blocking one, where it was seen to be complete; it overlaps with nothing
//   Gatherv, Scatterv, Alltoallv, Alltoallw: their messages (exchange.h)
//   waiting for a GPU     a computation as long as that took, which no factor of CPUs multiplies
//   making a communicator Allreduces of 8 bytes: three with Open MPI, each a reduction and a broadcast along binomial
//                         trees (4.1, 4 ranks: 11 to 12 messages' time, 12 by this), else one
//
// Before each event there is a computation: each its own where the trace has them (`profile --trace --series`), else
// the mean of those recorded before its occurrences.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/result.h"
#include "loggp/simulator/folded_operations.h"
#include "loggp/simulator/program.h"
#include "loggp/traces/exchange.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// One rank's trace as operations.
struct TraceOperations {
  FoldedOperations operations;
  double varying_s = 0;  // seconds that its computations deviate from their means, in sum; TraceProgram::varying_s()
};

// The labels of operations, each once; [0] is empty.
class LabelNumbers {
 public:
  uint16_t number(const std::string& label);
  const std::vector<std::string>& labels() const { return labels_; }

 private:
  std::vector<std::string> labels_ = {""};
  std::map<std::string, uint16_t> numbers_;
};

// The communicators of all ranks of a run, with one number for those that are the same.
class RunCommunicators {
 public:
  // `for_exchanges`: for the messages of exchanges, which must not match the application's. `members`: by number, as
  // Program::communicators() has them; those of a new communicator are appended. It is the same one in each call.
  uint32_t number(const TraceCommunicator& communicator, bool for_exchanges, std::vector<std::vector<int>>& members);

 private:
  // By members, ordinal, and for_exchanges.
  std::map<std::tuple<std::vector<int>, uint64_t, bool>, uint32_t> numbers_ = {{{{}, 0, false}, 0}};
};

// Appends the operations of an event of `trace`, without the computation before it. `label` and `communicator` are the
// program's numbers. Precondition: it can be simulated (not kNotReplayed).
void append_operations(const RankTrace& trace, const TraceEvent& event, ExchangePeers peers, uint16_t label,
                       uint32_t communicator, std::vector<Op>& to);

// `communicator` gives the program's number of a communicator of the trace (its number, and whether it is for the
// messages of collectives, which must not match the application's). Error (kInput): as of TraceProgram::of().
Result<TraceOperations> rank_operations(const RankTrace& trace, ExchangePeers peers, LabelNumbers& labels,
                                        const std::function<uint32_t(uint32_t, bool)>& communicator);

class TraceProgram : public Program {
 public:
  // `traces` are those of all ranks in order. Error (kInput): a trace is not complete, or has an event that cannot be
  // replayed; named with rank, event and routine.
  static Result<TraceProgram> of(const std::vector<RankTrace>& traces);
  // The program `copies` times side by side: messages stay within a copy, so that each has its partner, and collectives
  // of all ranks are of those of all copies. `bytes`: multiplies those of messages between two ranks.
  TraceProgram side_by_side(int copies, double bytes) const;

  int ranks() const override { return static_cast<int>(ranks_.size()) * copies_; }
  // Since the program ended, the network is the reason.
  std::string deadlock_hint(bool a_send_waits) const override;
  Op next(int rank, uint64_t& position) const override {
    double own_s = -1;
    const Op* op = ranks_[static_cast<size_t>(rank) % ranks_.size()].next(position, &own_s);
    if (op == nullptr) return Op{};
    if (own_s >= 0) {
      Op own = *op;
      own.group = 0;
      own.seconds = own_s;
      return own;
    }
    return copies_ == 1 ? *op : of_copy(*op, static_cast<size_t>(rank) / ranks_.size());
  }
  const std::vector<std::string>& labels() const override { return labels_.labels(); }
  // The different operations of a rank, each once however often it is executed; of copies those of the first one.
  const std::vector<Op>& distinct_operations(int rank) const {
    return ranks_[static_cast<size_t>(rank) % ranks_.size()].distinct();
  }
  // Seconds from the end of MPI_Init to the beginning of MPI_Finalize, of the rank that took longest.
  double recorded_s() const { return recorded_s_; }
  // Seconds that computations of which only the mean is known deviate from it, in sum (none by more than the mean
  // itself), of the rank with the largest sum: the part of the ranks' timing that the simulation does not know.
  double varying_s() const { return varying_s_; }

 private:
  Op of_copy(Op op, size_t copy) const;

  std::vector<FoldedOperations> ranks_;
  int copies_ = 1;
  double bytes_ = 1;
  std::vector<std::vector<uint32_t>> communicators_of_copies_;  // by copy: the numbers of the first one's
  LabelNumbers labels_;
  double recorded_s_ = 0;
  double varying_s_ = 0;
};

// The number of the simulation's operations for an event with these times before it: the event numbers in errors of the
// simulation count them.
uint64_t operations_of(const RankTrace& trace, const TraceEvent& event, const TraceTimes& before);

}  // namespace scalediag::loggp
