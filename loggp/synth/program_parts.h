// A program's sequence of events as the parts that the synthetic signature executes: phases and the loops that repeat
// them.
//
// Panadero et al. (IEEE TPDS 29(3), 2018, section 4) execute each phase for a round and multiply its time by its
// weight. A part is either straight, which the program executes once each time it comes by, or a loop, of which a round
// stands for all. A loop's round is a phase itself, or is made of parts in turn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/phases/scaling_model.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

struct ProgramPart {
  uint64_t rounds = 1;                // 1: straight
  std::vector<uint64_t> events;       // of a round, by rank
  std::vector<std::string> routines;  // the different ones of a round, in order
  std::vector<ProgramPart> body;      // what a round is made of, if that has loops that could be phases
  bool is_divided = false;            // the phases are those of the body, not a round as a whole
  bool is_whole = false;              // the phase is all rounds together, once

  // "MPI_Irecv, MPI_Send, MPI_Wait": the first few.
  std::string routines_text() const;
};

// The parts of a run, none of them divided or whole. Loops that do not go round equally often on all ranks that have
// them, and those of few rounds without loops inside, are left in the straight part around them. Error (kInput): as of
// structure_of().
core::Result<std::vector<ProgramPart>> parts_of(const std::vector<RankTrace>& run);

}  // namespace scalediag::loggp
