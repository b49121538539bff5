// What is known of MPI's operations by their names.
#pragma once

#include <string_view>

namespace scalediag::core {

// Whether a call of the operation may have to wait for another rank. False for the local procedures of the MPI
// standard: nonblocking starts (MPI_Isend, MPI_Put, MPI_Start, ...), tests and probes that return at once, and what
// only frees or prepares; for what a rank does by itself on files; and for "[MPI other]", whose calls are not known.
// `operation` is the C name, "MPI_Send".
bool can_wait(std::string_view operation);

// Whether each rank sends something else to each other one: a call is then as many messages as there are others.
bool is_all_to_all(std::string_view operation);

}  // namespace scalediag::core
