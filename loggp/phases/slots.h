// The structure that the traces of all ranks at all measured scales share.
//
// A slot is an event of the program, or a loop, at one place of its sequence. It holds what every rank of every scale
// did there, and the equations of partners that all of that obeys. Ranks without the event are taken to have had nobody
// there (MPI_PROC_NULL): border ranks have fewer events than others, and the equation has to say nobody for them.
//
// Traces are joined one after another: two sequences are aligned so that the sum of what agrees is largest (operation,
// tag, and at least one equation of partners that both obey), loops with loops, or with a single round of their body.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "loggp/phases/equations/communicator_relation.h"
#include "loggp/phases/equations/relation.h"
#include "loggp/phases/equations/value_hypothesis.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// (number of ranks, rank)
using RankOfScale = std::pair<int, int>;

struct SlotValues {
  double bytes = 0, source_bytes = 0, root = 0;
  double times = 0;                    // occurrences, all rounds counted
  double before_ns = 0;                // mean computation before an occurrence
  std::optional<double> instructions;  // of that; nothing: they were not counted
  int counted_for = 0;                 // ranks that they stand for
  uint64_t event = 0;                  // the number of the first occurrence in the rank, repetitions counted
  int peer = kNobody, source = kNobody;
  std::vector<uint32_t> requests;  // that it begins or waits for
  // By round of the innermost loop; one: those of all rounds.
  std::vector<int> tags;
  std::vector<double> round_bytes;
};

struct Slot {
  int id = 0;
  bool is_loop = false;
  trace::EventKind kind = trace::EventKind::kSend;
  std::string routine;
  mpi::Collective collective = {};
  trace::Reason reason = {};
  int source_tag = 0;
  uint64_t ordinal = 0;          // of the communicator among those with the same members
  RelationSet peer, source;      // equations that all occurrences obey
  CommunicatorSet communicator;  // the same
  bool interrupts = false;       // a loop that was moved behind another one (slot_folding.h)
  // The place among messages to all neighbours in a row, or of the wait for one, from 1 on (messages/neighbourhood.h);
  // 0: it is none.
  int neighbour = 0;
  // kWait: ids of the slots whose requests it may end, and of those whose requests some rank still has after it.
  std::set<int> waits_for, leaves_open;
  // MPI_Wait for the requests of one slot: what these are. Waits for different messages are told apart by them;
  // nothing: they cannot be.
  struct Awaited {
    RelationSet peer;
    bool is_received = false;
    int tag = 0;
    uint64_t bytes = 0;
  };
  std::optional<Awaited> awaited;
  std::map<RankOfScale, SlotValues> seen;
  std::map<RankOfScale, double> rounds;  // loops
  std::vector<Slot> body;                // loops

  bool talks() const;  // to a peer
  // Whether some rank that is known sends there, or receives: a border rank's MPI_Sendrecv may do one of both, and has
  // no tag and no bytes for the other.
  bool sends_somewhere() const;
  bool receives_somewhere() const;
  bool receives_too() const { return kind == trace::EventKind::kSendrecv; }
  uint64_t events_at(int ranks) const;  // of all these ranks, repetitions counted
  // For a copy: what was measured before the slot stays with the original, so that it counts once.
  void forget_computation();
  // Whether it waits for a request on one rank that it leaves open on another: nothing tells which one is meant.
  bool is_ambiguous_wait() const;
};

// The structure of one rank.
std::vector<Slot> slots_of(const RankTrace& trace, int& next_id);

// Waits are for the slots that others have become: {id: id of the slot that it is now}.
void rename_waits(std::vector<Slot>& slots, const std::map<int, int>& renamed);

// Exchanges of which two ranks do different halves (exchange_order.h).
struct ExchangesInTurn {
  bool are_kept = false;   // one after another; else all that the one rank does stands before what the other does
  bool are_found = false;  // whether there were any
};

// `turns`: messages with different tags may be the same message of different ranks, as in multipartitioned programs;
// else they never are. `in_turn`: none are kept where it is null. Error (kInput): the traces are too long to be
// aligned.
core::Result<std::vector<Slot>> join(std::vector<Slot> a, std::vector<Slot> b, bool turns,
                                     ExchangesInTurn* in_turn = nullptr);

// visit(slot) for all events, also those in loops.
template <class Visit> void each_leaf(const std::vector<Slot>& slots, Visit visit) {
  for (const Slot& slot : slots) {
    if (slot.is_loop) {
      each_leaf(slot.body, visit);
    } else {
      visit(slot);
    }
  }
}

}  // namespace scalediag::loggp
