// A rank that runs under valgrind's callgrind: the requests by which it chooses the code that is counted.
//
// `scalediag-rank` starts such a rank with collection on and instrumentation off, so that everything before the end of
// MPI_Init runs as fast as valgrind can. Then instrumentation begins; wrappers around MPI switch collection off on
// their thread (pmpi-comm/callgrind_counting.h), MPI's own threads have it off from their start; and at the start of
// MPI_Finalize, or when the process exits without it, the counts are written with the trigger kDumpTrigger. Processes
// that the application forks write files without that trigger.
//
// The engine is not armed and no sampler runs. Where events were asked for, those of the thread that called MPI_Init
// are recorded with their instructions, in a trace file beside the counts: its times are valgrind's and mean nothing.
#pragma once

namespace scalediag::inject::callgrind {

// Whether this process is such a rank. Set when the library is loaded.
bool active();

// Whether a thread that the calling thread is about to make belongs to MPI.
bool makes_mpi_thread();

// To be called first on a thread of MPI's.
void leave_out_this_thread();

}  // namespace scalediag::inject::callgrind
