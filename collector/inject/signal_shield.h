// Keeps the sampler's signal out of the program's hands.
//
// Programs reset or block all signals at once: for number 32 to 64 signal(number, SIG_DFL), sigfillset and sigprocmask.
// The first would end the program with our next signal, the second would leave it without samples. The library stands
// in front of the C library's functions for signals (interpose_signals.cpp) and plays what a program does to our number
// in here: it sees the disposition and the mask that it set, and the kernel keeps ours.
//
// A program that makes system calls of its own, as Go's run time does, goes past these functions and is not kept off;
// the sampler then notices that it gets no samples.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace scalediag::inject::shield {

using Handler = void (*)(int, siginfo_t*, void*);

// From now on the signal is ours, and `ours` handles it with all signals blocked. What the program had installed is
// kept for forward(). Returns 0 or an errno.
int take(int number, Handler ours);
// The signal taken; 0 when there is none.
int taken();

// Lets the calling thread receive our signal. What the program had set is remembered as its mask.
void unblock_here();

// In the handler: a signal of our number that somebody else sent does what the program asked for.
void forward(siginfo_t* info, void* context);

// sigaction and pthread_sigmask for a program that is not to see us. The first returns 0 or sets errno, the second
// returns an errno.
int program_sigaction(int number, const struct sigaction* action, struct sigaction* before);
int program_sigmask(int how, const sigset_t* set, sigset_t* before);

// The program's mask of the calling thread has our signal. A new thread inherits it.
bool blocked_by_program();
void set_blocked_by_program(bool blocked);

// A copy of `set` without our signal, and with it.
sigset_t without_ours(const sigset_t& set);
sigset_t with_ours(const sigset_t& set);

// Around a system call that a signal would end, outside MPI: keeps ours from the calling thread. What the first returns
// is to be given to the second. No object does it, because a thread may be cancelled in between.
bool begin_quiet();
void end_quiet(bool begun);

}  // namespace scalediag::inject::shield
