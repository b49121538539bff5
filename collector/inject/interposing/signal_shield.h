// Protection of the sampler's signal from the program, and of the program from it.
//
// Programs reset or block all signals at once: for number 32 to 64 signal(number, SIG_DFL), sigfillset and sigprocmask.
// The first would make our next signal end the program, the second would leave it without samples. The library
// therefore interposes the C library's functions for signals (interpose_signals.cpp) and simulates here what a program
// does to our number: the program sees the disposition and the mask that it set, while the kernel keeps ours.
//
// A program that makes system calls of its own, as Go's run time does, bypasses these functions; the sampler then
// notices that it gets no samples.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace scalediag::inject::shield {

using Handler = void (*)(int, siginfo_t*, void*);

// Takes the signal, which `ours` then handles with all signals blocked. The program's own handler is kept for
// forward(). Returns 0 or an errno.
int take(int number, Handler ours);
// The signal taken; 0 when there is none.
int taken();

// Lets the calling thread receive our signal. The program's own setting is remembered as its mask.
void unblock_here();

// Called in the handler: a signal of our number from another sender has the effect that the program asked for.
void forward(siginfo_t* info, void* context);

// sigaction and pthread_sigmask for a program that does not see our signal. The first returns 0 or sets errno, the
// second returns an errno.
int program_sigaction(int number, const struct sigaction* action, struct sigaction* before);
int program_sigmask(int how, const sigset_t* set, sigset_t* before);

// Whether the program's mask of the calling thread has our signal. A new thread inherits it.
bool blocked_by_program();
void set_blocked_by_program(bool blocked);

// A copy of `set` without our signal, and with it.
sigset_t without_ours(const sigset_t& set);
sigset_t with_ours(const sigset_t& set);

// To be called around a system call outside MPI that a signal would end: blocks our signal in the calling thread. The
// result of the first is the argument of the second. There is no guard object, because a thread may be cancelled in
// between.
bool begin_quiet();
void end_quiet(bool begun);

}  // namespace scalediag::inject::shield
