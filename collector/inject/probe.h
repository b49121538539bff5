// The question which MPI a program uses that does not show it before it runs: a script, an interpreter, a program that
// loads MPI itself. `scalediag profile` starts it once without a launcher, with SCALEDIAG_PROBE naming a file: the
// first process that calls MPI_Init writes there which MPI library it has, and goes no further.
//
// The other question is whether a launcher makes one MPI_COMM_WORLD of the processes that it starts. With
// SCALEDIAG_PROBE_WORLD each rank prints "scalediag-world RANK SIZE HOST" after MPI_Init, finalizes MPI and ends.
#pragma once

namespace scalediag::inject {

bool is_a_probe();
// From now on MPI_Init does the one or the other. For the first it writes the file and ends the process instead of
// passing the call on. The file's lines are the path of the MPI library, its family (openmpi, mpich, abi, unknown), and
// its version's first line.
void report_mpi_at_init();

}  // namespace scalediag::inject
