// What the traces of a program at several numbers of ranks say about its communication at any number: its slots, and an
// equation for each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/phases/slots.h"
#include "loggp/phases/tag_hypothesis.h"

namespace scalediag::loggp {

struct SlotEquations {
  std::optional<size_t> peer, source;  // of vocabulary()
  std::optional<size_t> communicator;  // of the communicator relations
  ValueHypothesis bytes, source_bytes, root;
  TagHypothesis tag;
  ValueHypothesis rounds;     // of loops
  ValueHypothesis before_ns;  // a power of P: an estimate, never exact
  // What no equation explains, with the first event that breaks it, a sentence each. Empty: the slot is regular.
  std::vector<std::string> why_not;
};

struct ScalingModel {
  std::vector<int> scales;  // numbers of ranks, rising
  std::vector<Slot> slots;
  std::map<int, SlotEquations> equations;  // by Slot::id
  std::string executable, mpi_version;
  ValueHypothesis tail_ns;
  uint64_t events = 0, regular_events = 0;  // of the largest scale, all ranks

  double regular_share() const {
    return events > 0 ? static_cast<double>(regular_events) / static_cast<double>(events) : 1;
  }
};

// `scales`: the traces of all ranks of a run each. Error (kInput): fewer than two different numbers of ranks, traces
// that are not complete, or of different programs. `target`: the number of ranks that is asked for (0: none); exchanges
// of bits are no equation where a number of ranks is no power of two.
core::Result<ScalingModel> model_of(const std::vector<std::vector<RankTrace>>& scales, int target = 0);

// A part of the program between two loops, or of a loop's body: what it communicates, and how often.
struct ProgramPhase {
  std::vector<const Slot*> slots;
  std::map<int, double> weight;  // repetitions by number of ranks, of the rank that has most
  double share = 0;              // of the computation of all ranks at the largest scale
  bool relevant = false;         // among the longest that make up 95 % of that time
  std::vector<std::string> why_not;
};

// In the order of the program.
std::vector<ProgramPhase> phases_of(const ScalingModel& model);

struct MainLoop {
  std::map<int, double> iterations;   // by number of ranks
  std::map<int, double> iteration_s;  // mean computation of a rank in an iteration
};

// The outermost loop that all ranks share with the most computation. Nothing: there is none.
std::optional<MainLoop> main_loop_of(const ScalingModel& model);

std::string text_of(const Slot& slot, const SlotEquations& equations);

}  // namespace scalediag::loggp
