#include "pmpi-comm/operations.h"

#include "pmpi-comm/routine.h"

namespace scalediag::pmpi {

uint32_t operation_count() { return kCountedRoutines; }
const char* operation_name(uint32_t id) { return kRoutineTable[id].name; }

}  // namespace scalediag::pmpi
