// MPI-IO: what the calls of its routines are about. The routines' names say what they do.
#pragma once

#include <cstdint>
#include <vector>

#include "pmpi-comm/replay/blocks.h"

namespace scalediag::pmpi {

struct LoggedFile {
  int64_t number = 0;  // in the order in which the rank opened them
  KeptBlocks blocks;   // that a collective which was begun reads
};

// Whether the routine is called with the handle of a file.
bool uses_file(const Routine& routine);
// Whether it begins or ends a collective that is called in two parts.
bool begins_in_two_parts(const Routine& routine);
bool ends_in_two_parts(const Routine& routine);
// Where the call says at which place of the file it reads or writes.
bool has_place(const Routine& routine);

// What a call reads, or begins to.
std::vector<Block> blocks_to_read(const Routine& routine, const Arguments& a, const uintptr_t* values,
                                  const RealMpi& mpi);

}  // namespace scalediag::pmpi
