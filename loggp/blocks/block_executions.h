// The sequential blocks of recorded ranks: the computations between their MPI events, or parts of them that the program
// marked, each a block by its place in the program, with attributes that may explain how long it took (Zheng et al.,
// P2S2 2010).
//
// A computation is named by the last two routines before it that differ, the routine after it and the tag of a message
// after it: "MPI_Isend, MPI_Waitall -> MPI_Send tag 3". So blocks of two runs of one program have the same names,
// whatever their number of ranks and their input; computations with the same name are one block. A marked region that
// begins and ends in one computation is a block of its own name, without the regions in it; of a region that goes on
// over MPI events each computation is a block, "force: MPI_Send, MPI_Recv -> MPI_Recv tag 3".
//
// Attributes of an execution, all of them known in a trace before it is simulated:
//   parameters that the program named in the block, in the order of their names; no number (NaN) where it did not; one
//   that has the name of an attribute below is called program.NAME, as in program.iteration
//   messages_received, bytes_received   of the events since the last execution of a listed block of the rank; what a
//   messages_sent, bytes_sent           receive made room for; collectives are one message of their bytes, sent
//   peers                               different ranks of these messages
//   next_bytes                          of the event after the block
//   iteration                           executions of this block before it, on this rank
//   ranks, rank_x, rank_y, rank_z       of the run; the rank's place in the grid that MPI_Dims_create makes of them
//   instructions                        of this execution, where values are seconds and those of all executions were
//                                       counted
//   recorded_s                          how long it took on the machine of the trace, where values are from elsewhere
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/blocks/tag_ranges.h"
#include "loggp/representatives/computation_vector.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// The kinds of attributes. Parameters that the program named say best what a block depends on; the place of a rank
// and the number of an iteration hold for runs of the same size only.
enum class AttributeKind { kNamed, kMeasured, kPlace };

// The executions of one block, in the order of ranks, and in that of the program on each rank.
struct BlockExecutions {
  struct Place {
    uint32_t rank = 0;
    uint64_t computation = 0;  // in the rank's ComputationVector
    double recorded_s = 0;     // the part of this computation that it is
  };
  std::vector<std::string> attributes;  // no two of one name
  std::vector<AttributeKind> kinds;     // of each attribute
  std::vector<Place> places;
  std::vector<std::vector<double>> rows;  // of each execution: a value for each attribute
  std::vector<double> values;             // of each execution: seconds, or instructions
};

struct ProgramBlocks {
  std::map<std::string, BlockExecutions> blocks;  // the listed ones, by name
  double total = 0;                               // of all computations of these ranks, in the unit of values
};

// Whether an attribute is the number of ranks or the place of one: ranks, rank_x, rank_y, rank_z.
bool is_rank_place(const std::string& attribute);

enum class BlockMetric { kSeconds, kInstructions };

struct BlockSelection {
  std::set<int> ranks;
  BlockMetric metric = BlockMetric::kSeconds;
  // Values are of these vectors, and recorded_s is an attribute; without any, values are those of the traces. Parts of
  // a computation have the share of it that they have in the trace.
  const ReplayedRanks* replayed = nullptr;
  // recorded_s is an attribute in any case: the values are to be predicted.
  bool with_recorded = false;
  TagRanges tags = {};  // of the program
};

// The sum of the values of all executions of each block. `traces` has all ranks of a run. Errors (kInput): a rank has
// no computation of its own for each event (it was recorded without --series), or no counted instructions, or is not
// there; it was not replayed, or has another number of events than its vector.
Result<std::map<std::string, double>> block_totals(const std::vector<RankTrace>& traces,
                                                   const BlockSelection& selection);

// The executions of the blocks `listed`. Errors: the same.
Result<ProgramBlocks> block_executions(const std::vector<RankTrace>& traces, const BlockSelection& selection,
                                       const std::set<std::string>& listed);

}  // namespace scalediag::loggp
