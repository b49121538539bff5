// Properties of MPI's operations that follow from their names.
#pragma once

#include <string_view>

namespace scalediag::core {

// Whether a call of the operation may have to wait for another rank. False for the local procedures of the MPI
// standard: nonblocking starts (MPI_Isend, MPI_Put, MPI_Start, ...), tests and probes that return at once, and
// procedures that only free or prepare; for operations of a single rank on files; and for "[MPI other]", whose calls
// are not known. `operation` is the C name, "MPI_Send".
bool can_wait(std::string_view operation);

// Whether each rank sends different data to each other one: a call is then as many messages as there are other ranks.
bool is_all_to_all(std::string_view operation);

// Whether each rank receives the data of all others.
bool is_allgather(std::string_view operation);

}  // namespace scalediag::core
