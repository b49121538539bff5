// A rank that runs under valgrind's callgrind: the requests by which it chooses the code that is counted.
//
// `scalediag-rank` starts such a rank with collection on and instrumentation off, so that everything before the end of
// MPI_Init runs as fast as valgrind can. Then instrumentation begins; wrappers around MPI switch collection off on
// their thread (pmpi-comm/callgrind_counting.h), MPI's own threads have it off from their start; and at the start of
// MPI_Finalize, or when the process exits without it, the counts are written with the trigger kDumpTrigger. Processes
// that the application forks write files without that trigger.
//
// Where the rank has a plan (core/raw/counted_loop.h) the counts are written at the beginning of each of the first
// rounds of the main loop instead, then instrumentation ends and the plan's mark is left for who started the rank.
//
// The engine is not armed and no sampler runs. Where events were asked for, those of the thread that called MPI_Init
// are recorded with their instructions, in a trace file beside the counts: its times are valgrind's and mean nothing.
#pragma once

namespace scalediag::inject::callgrind {

// The trigger that marks a file as a rank's counts; collector/counters looks for it.
constexpr const char* kDumpTrigger = "scalediag";

// Whether this process is such a rank. Set when the library is loaded.
bool active();

// Whether a thread that the calling thread is about to make belongs to MPI.
bool makes_mpi_thread();

// To be called first on a thread of MPI's.
void leave_out_this_thread();

}  // namespace scalediag::inject::callgrind
