// The operations of the wrappers, by the id in the raw file.
#pragma once

#include <cstdint>

namespace scalediag::pmpi {

uint32_t operation_count();
// The C name, "MPI_Allreduce". Precondition: id < operation_count().
const char* operation_name(uint32_t id);

}  // namespace scalediag::pmpi
