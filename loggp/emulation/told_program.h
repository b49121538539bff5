// The operations of ranks that still run, as they tell them (core/raw/event_stream.h). 8 bytes an event, and each
// definition once.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "loggp/simulator/program.h"
#include "loggp/traces/rank_parser.h"
#include "loggp/traces/trace_program.h"

namespace scalediag::loggp {

class ToldProgram : public Program {
 public:
  explicit ToldProgram(int ranks) : ranks_(static_cast<size_t>(ranks)) {}

  // Takes what a rank has told since the last call. Error (kInput): it is damaged, or has an operation that cannot be
  // simulated, with the rank and the routine.
  Status take(int rank, std::string_view bytes);
  // No more will come.
  void end();
  // Forgets the operations of a rank before this position.
  void forget_before(int rank, uint64_t position);

  int ranks() const override { return static_cast<int>(ranks_.size()); }
  std::string deadlock_hint(bool a_send_waits) const override {
    if (!a_send_waits) {
      return "no rank waits for a send: look for the message that nobody sends, by rank, tag and communicator, or for "
             "a collective that not all ranks call";
    }
    return "where the program goes on by itself, it relies on sends that do not wait for their receives, and the "
           "network's S_sync is too small for that: raise S_sync in network.json";
  }
  Op next(int rank, uint64_t& position) const override;
  const std::vector<std::string>& labels() const override { return labels_.labels(); }

  // The different operations of a rank, each once.
  std::vector<Op> distinct_operations(int rank) const;
  uint64_t events() const { return n_events_; }
  // That are held now, of all ranks.
  uint64_t held_events() const { return n_held_; }
  // Whether the rank has told that it ended MPI, and how; false: it has not, or not yet.
  bool has_ended(int rank) const { return of(rank).parser->saw_end(); }
  trace::End how_ended(int rank) const { return of(rank).trace->end; }
  // The names of regions, by the numbers in marks (OpKind::kMark).
  const std::vector<std::string>& regions() const { return regions_; }

 private:
  // The definition in the lowest bits; above, the ns of computation before.
  static constexpr int kDefinitionBits = 24;
  static constexpr uint64_t kMostDefinitions = uint64_t{1} << kDefinitionBits;
  static constexpr uint64_t kFirstQuestion = kMostDefinitions / 2;
  static constexpr uint64_t kMostNs = (uint64_t{1} << (64 - kDefinitionBits)) - 1;
  static constexpr int kOperationBits = 24;  // of a position; above, the number of the event

  struct Rank {
    std::string rest;  // of a record that has not come whole
    // A pointer each, because the parser refers to the trace.
    std::unique_ptr<RankTrace> trace = std::make_unique<RankTrace>();
    std::unique_ptr<RankParser> parser = std::make_unique<RankParser>(*trace, true);
    std::deque<uint64_t> events;
    uint64_t forgotten = 0;                          // the number of events before those
    std::vector<std::vector<Op>> operations = {{}};  // by definition + 1; 0: none
    std::vector<Op> questions;                       // the different ones, and marks
    std::vector<uint32_t> regions;                   // by the rank's number: that in regions_
  };
  Rank& of(int rank) { return ranks_[static_cast<size_t>(rank)]; }
  const Rank& of(int rank) const { return ranks_[static_cast<size_t>(rank)]; }
  Status chunk(int rank, uint32_t kind, std::string_view payload);
  Status question(int rank, std::string_view payload);
  Status region_name(int rank, std::string_view payload);
  Status mark(int rank, std::string_view payload);
  Status add_question(int rank, const Op& op, uint64_t ns);
  Status add(int rank, uint64_t definition, uint64_t ns);
  // The operation of a definition or a question; nullptr after the last one.
  static const Op* operation(const Rank& rank, uint64_t definition, uint64_t number);
  Error damaged(int rank, const std::string& what) const;

  std::vector<Rank> ranks_;
  LabelNumbers labels_;
  std::vector<std::string> regions_;
  RunCommunicators numbers_;
  bool ended_ = false;
  uint64_t n_events_ = 0;
  uint64_t n_held_ = 0;
};

}  // namespace scalediag::loggp
