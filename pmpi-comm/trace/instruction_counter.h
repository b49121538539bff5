// Counts the instructions of a traced thread between its MPI calls, by whatever can count them.
#pragma once

#include <cstdint>
#include <optional>

namespace scalediag::pmpi {

class InstructionCounter {
 public:
  virtual ~InstructionCounter() = default;
  // Called by the traced thread at the beginning of an outermost call: the instructions since leave_mpi(). Nothing:
  // they were not counted. `polls_again`: the call is a poll like the one before it, which found nothing; where
  // counting is slow its instructions may be left to the next call.
  virtual std::optional<uint64_t> enter_mpi(bool polls_again) = 0;
  // Called at its end.
  virtual void leave_mpi() = 0;
};

}  // namespace scalediag::pmpi
