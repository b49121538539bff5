// What a call receives, as blocks of memory: where they stand follows from the routine's row in core/mpi_routines.def
// and the call's arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "pmpi-comm/arguments.h"
#include "pmpi-comm/replay/call_log.h"
#include "pmpi-comm/replay/real_mpi.h"

namespace scalediag::pmpi {

// What is known of a communicator of the recorded run.
struct LoggedComm {
  int64_t number = 0;  // in the order in which the rank got to know them
  int rank = 0, size = 0;
  int remote_size = 0;  // of the group that messages go to: the same one, but in an intercommunicator
  bool inter = false;
  int neighbors = 0;  // that a neighbourhood collective receives from
};

struct Block {
  char* at = nullptr;
  int64_t count = 0;
  uintptr_t type = 0;
  bool is_message = false;  // the status tells how much of it came
};

// Bytes of `count` elements; 0 for no elements, whose type is not looked at.
int64_t bytes_of(const RealMpi& mpi, int64_t count, uintptr_t type);

// The blocks that a call receives, once it is complete. `comm` is nullptr for routines without a communicator.
std::vector<Block> received_blocks(const Routine& routine, const Arguments& a, const uintptr_t* values,
                                   const LoggedComm* comm, const RealMpi& mpi);

// Passes the first `count` elements of a block through the log, in the order of their type and without its gaps.
void pass_elements(CallLog& log, const RealMpi& mpi, const Block& block, int64_t count);

// The same block as bytes, where its type has no gaps; false where it has.
bool make_bytes(Block& block, const RealMpi& mpi);

}  // namespace scalediag::pmpi
