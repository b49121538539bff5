// Keeps PAPI's signal handler out of threads that PAPI does not know.
//
// For software-defined events PAPI arms a timer that signals the process, so the kernel may pick any thread, such as
// one of the MPI library's. PAPI's handler looks up what it keeps of the thread, finds nothing there, and crashes.
#pragma once

#include <cstdint>

namespace scalediag::inject {

// Installs a handler in front of every handler of a real-time signal that lies in [begin, end). From then on the
// original runs where `counts()` says that the calling thread counts; in other threads the signal is dropped, as the
// next tick comes in a tenth of a millisecond. System calls that are interrupted go on. To be called after PAPI has
// installed the handler; a repeated call is harmless. `counts` is called in signal handlers.
void guard_signals(uint64_t begin, uint64_t end, bool (*counts)());

}  // namespace scalediag::inject
