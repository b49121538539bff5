// The byte rules: the bytes that a call moves, from its arguments. README.md has the table for users.
#pragma once

#include <cstdint>

#include "pmpi-comm/arguments.h"
#include "pmpi-comm/call_table.h"
#include "pmpi-comm/handles.h"

namespace scalediag::pmpi {

struct Traffic {
  uint64_t bytes = 0;
  uint32_t communicator_size = 0;  // 0: the routine has no communicator
};

// Called before the routine where looks_before_call(routine.rule): forgets a handle that is about to become invalid.
// The result is for measure().
uint32_t look_before(const Routine& routine, const Arguments& arguments, Handles& handles, HandleCache& cache);

// Called after a call that succeeded, before measure(). A new handle may be one that was freed without a call that we
// see; its properties are asked for now, because only known ones are available when it is freed.
void note_made(const Routine& routine, const Arguments& arguments, Handles& handles, HandleCache& cache);

// Called after a call that succeeded. Counts the messages to each peer in `table` and remembers data for later calls,
// such as the size of a persistent request.
Traffic measure(const Routine& routine, const Arguments& arguments, uint32_t seen_before, Handles& handles,
                HandleCache& cache, CallTable& table);

}  // namespace scalediag::pmpi
