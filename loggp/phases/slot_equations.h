// The equations of every slot: partners, communicator, bytes, tags, repetitions; what none of them explains, and what
// the measured scales leave open.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loggp/phases/absences.h"
#include "loggp/phases/computation/computation_hypothesis.h"
#include "loggp/phases/equations/tag_hypothesis.h"
#include "loggp/phases/equations/value_hypothesis.h"
#include "loggp/phases/slots.h"

namespace scalediag::loggp {

struct SlotEquations {
  std::optional<size_t> peer, source;  // of vocabulary()
  std::optional<size_t> communicator;  // of the communicator relations
  ValueHypothesis bytes, source_bytes, root;
  TagHypothesis tag;
  ValueHypothesis rounds;           // of loops
  ComputationHypothesis before_ns;  // an estimate, never exact; settle_computations() sets it
  // A sentence for each thing that no equation explains, with the first event that breaks it and its replacement.
  // Empty: the slot is regular.
  std::vector<std::string> why_not;
  size_t unknown_bytes = 0;  // of why_not, those that are about nothing but bytes
  // A sentence for each thing that several equations explain that differ at the target, with the one that is taken.
  std::vector<std::string> open;
};

struct ProgramEquations {
  std::map<int, SlotEquations> slots;           // by Slot::id
  core::GridKind grid = core::GridKind::kLine;  // that most partners can be told in
  bool has_coarse_levels = false;               // of which fewer ranks than a side has take part
};

// `scales`: a number of ranks each, rising, as they were settled.
ProgramEquations equations_of(const std::vector<Slot>& slots, const std::vector<Absences>& scales, int target);

std::string text_of(const Slot& slot, const SlotEquations& equations);

}  // namespace scalediag::loggp
