// The C library's functions that a signal ends with EINTR even where its handler asks for system calls to be restarted
// (see signal(7)). Outside MPI our signal is blocked while they wait, so that the sampler does not disturb the program.
//
// Those that only let time pass are told to the emulation of the rank, since CPU time does not pass meanwhile.
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "collector/inject/interposing/next_function.h"
#include "collector/inject/interposing/signal_shield.h"
#include "pmpi-comm/thread_state.h"
#include "pmpi-comm/trace/trace_recorder.h"

using scalediag::inject::next_function;
namespace shield = scalediag::inject::shield;
namespace pmpi = scalediag::pmpi;

namespace {

template <class Function, class... Argument> auto quietly(Function function, Argument... arguments) {
  const bool quiet = shield::begin_quiet();
  const auto result = function(arguments...);
  shield::end_quiet(quiet);
  return result;
}

// Adds our signal to the mask of calls that take one for while they wait.
template <class Call> auto masked(const sigset_t* mask, Call call) {
  if (mask == nullptr) {
    const bool quiet = shield::begin_quiet();
    const auto result = call(mask);
    shield::end_quiet(quiet);
    return result;
  }
  const sigset_t both = shield::with_ours(*mask);
  return call(&both);
}

double seconds_of(const timespec& t) { return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec); }

// 0 for none, which is no length of a sleep.
double seconds_of(const timespec* t) { return t != nullptr ? seconds_of(*t) : 0; }

double now_s(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return seconds_of(t);
}

// A wait that ends after so many seconds if nothing ends it earlier. On a busy machine a thread wakes up late: that is
// no part of the sleep.
template <class Call> auto asleep(double asked_s, Call call) {
  const pmpi::ThreadState* const state = pmpi::this_thread;
  const bool told = state != nullptr && state->trace != nullptr && state->depth == 0 &&
                    state->thread_class == scalediag::raw::kMainThread &&
                    pmpi::recording.load(std::memory_order_relaxed);
  if (!told) return call();
  const double begin_s = now_s(CLOCK_MONOTONIC);
  const auto result = call();
  const double slept_s = std::min(asked_s, now_s(CLOCK_MONOTONIC) - begin_s);
  if (slept_s > 0) state->trace->slept(static_cast<uint64_t>(slept_s * 1e9));
  return result;
}

// A wait for one of `n` files, for `patience_s` at most; 0 and less: without an end. Without files only time passes.
template <class Call> auto waits_for(size_t n, double patience_s, Call call) {
  return n == 0 && patience_s > 0 ? asleep(patience_s, call) : call();
}

bool is_zero(const timespec* t) { return t != nullptr && t->tv_sec == 0 && t->tv_nsec == 0; }

}  // namespace

SCALEDIAG_SHOWN int poll(pollfd* files, nfds_t n, int patience_ms) {
  static const auto real = next_function<int (*)(pollfd*, nfds_t, int)>("poll");
  if (patience_ms == 0) return real(files, n, 0);
  return waits_for(n, 1e-3 * patience_ms, [&] { return quietly(real, files, n, patience_ms); });
}

SCALEDIAG_SHOWN int __poll_chk(pollfd* files, nfds_t n, int patience_ms, size_t bytes) {
  static const auto real = next_function<int (*)(pollfd*, nfds_t, int, size_t)>("__poll_chk");
  return patience_ms == 0 ? real(files, n, 0, bytes) : quietly(real, files, n, patience_ms, bytes);
}

SCALEDIAG_SHOWN int ppoll(pollfd* files, nfds_t n, const timespec* patience, const sigset_t* mask) {
  static const auto real = next_function<int (*)(pollfd*, nfds_t, const timespec*, const sigset_t*)>("ppoll");
  if (is_zero(patience)) return real(files, n, patience, mask);
  return waits_for(n, seconds_of(patience),
                   [&] { return masked(mask, [&](const sigset_t* m) { return real(files, n, patience, m); }); });
}

SCALEDIAG_SHOWN int __ppoll_chk(pollfd* files, nfds_t n, const timespec* patience, const sigset_t* mask, size_t bytes) {
  static const auto real =
      next_function<int (*)(pollfd*, nfds_t, const timespec*, const sigset_t*, size_t)>("__ppoll_chk");
  if (is_zero(patience)) return real(files, n, patience, mask, bytes);
  return masked(mask, [&](const sigset_t* m) { return real(files, n, patience, m, bytes); });
}

SCALEDIAG_SHOWN int select(int n, fd_set* in, fd_set* out, fd_set* other, timeval* patience) {
  static const auto real = next_function<int (*)(int, fd_set*, fd_set*, fd_set*, timeval*)>("select");
  if (patience != nullptr && patience->tv_sec == 0 && patience->tv_usec == 0) return real(n, in, out, other, patience);
  // The call may change it to what is left.
  const double patience_s =
      patience == nullptr ? 0 : static_cast<double>(patience->tv_sec) + 1e-6 * static_cast<double>(patience->tv_usec);
  return waits_for(static_cast<size_t>(std::max(n, 0)), patience_s,
                   [&] { return quietly(real, n, in, out, other, patience); });
}

SCALEDIAG_SHOWN int pselect(int n, fd_set* in, fd_set* out, fd_set* other, const timespec* patience,
                            const sigset_t* mask) {
  static const auto real =
      next_function<int (*)(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*)>("pselect");
  if (is_zero(patience)) return real(n, in, out, other, patience, mask);
  return waits_for(static_cast<size_t>(std::max(n, 0)), seconds_of(patience), [&] {
    return masked(mask, [&](const sigset_t* m) { return real(n, in, out, other, patience, m); });
  });
}

SCALEDIAG_SHOWN int epoll_wait(int file, epoll_event* events, int n, int patience_ms) {
  static const auto real = next_function<int (*)(int, epoll_event*, int, int)>("epoll_wait");
  return patience_ms == 0 ? real(file, events, n, 0) : quietly(real, file, events, n, patience_ms);
}

SCALEDIAG_SHOWN int epoll_pwait(int file, epoll_event* events, int n, int patience_ms, const sigset_t* mask) {
  static const auto real = next_function<int (*)(int, epoll_event*, int, int, const sigset_t*)>("epoll_pwait");
  if (patience_ms == 0) return real(file, events, n, 0, mask);
  return masked(mask, [&](const sigset_t* m) { return real(file, events, n, patience_ms, m); });
}

SCALEDIAG_SHOWN int nanosleep(const timespec* length, timespec* left) {
  static const auto real = next_function<int (*)(const timespec*, timespec*)>("nanosleep");
  return asleep(seconds_of(length), [&] { return quietly(real, length, left); });
}

SCALEDIAG_SHOWN int clock_nanosleep(clockid_t clock, int flags, const timespec* length, timespec* left) {
  static const auto real = next_function<int (*)(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  const double from_s = (flags & TIMER_ABSTIME) != 0 ? now_s(clock) : 0;
  return asleep(seconds_of(length) - from_s, [&] { return quietly(real, clock, flags, length, left); });
}

SCALEDIAG_SHOWN int usleep(useconds_t length) {
  static const auto real = next_function<int (*)(useconds_t)>("usleep");
  return asleep(1e-6 * length, [&] { return quietly(real, length); });
}

SCALEDIAG_SHOWN unsigned sleep(unsigned length) {
  static const auto real = next_function<unsigned (*)(unsigned)>("sleep");
  return asleep(length, [&] { return quietly(real, length); });
}

SCALEDIAG_SHOWN int pause() {
  static const auto real = next_function<int (*)()>("pause");
  return quietly(real);
}

SCALEDIAG_SHOWN int sigsuspend(const sigset_t* mask) {
  static const auto real = next_function<int (*)(const sigset_t*)>("sigsuspend");
  const sigset_t both = shield::with_ours(*mask);
  return real(&both);
}

// A wait for all signals would get ours, which no handler would then see.
SCALEDIAG_SHOWN int sigwait(const sigset_t* set, int* number) {
  static const auto real = next_function<int (*)(const sigset_t*, int*)>("sigwait");
  const sigset_t others = shield::without_ours(*set);
  return quietly(real, &others, number);
}

SCALEDIAG_SHOWN int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  static const auto real = next_function<int (*)(const sigset_t*, siginfo_t*)>("sigwaitinfo");
  const sigset_t others = shield::without_ours(*set);
  return quietly(real, &others, info);
}

SCALEDIAG_SHOWN int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* patience) {
  static const auto real = next_function<int (*)(const sigset_t*, siginfo_t*, const timespec*)>("sigtimedwait");
  const sigset_t others = shield::without_ours(*set);
  return quietly(real, &others, info, patience);
}

SCALEDIAG_SHOWN int sem_timedwait(sem_t* semaphore, const timespec* until) {
  static const auto real = next_function<int (*)(sem_t*, const timespec*)>("sem_timedwait");
  return quietly(real, semaphore, until);
}

SCALEDIAG_SHOWN int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  static const auto real = next_function<int (*)(sem_t*, clockid_t, const timespec*)>("sem_clockwait");
  return quietly(real, semaphore, clock, until);
}

SCALEDIAG_SHOWN ssize_t msgrcv(int queue, void* message, size_t bytes, long type, int flags) {
  static const auto real = next_function<ssize_t (*)(int, void*, size_t, long, int)>("msgrcv");
  return quietly(real, queue, message, bytes, type, flags);
}

SCALEDIAG_SHOWN int msgsnd(int queue, const void* message, size_t bytes, int flags) {
  static const auto real = next_function<int (*)(int, const void*, size_t, int)>("msgsnd");
  return quietly(real, queue, message, bytes, flags);
}

SCALEDIAG_SHOWN int semop(int set, sembuf* operations, size_t n) noexcept {
  static const auto real = next_function<int (*)(int, sembuf*, size_t)>("semop");
  return quietly(real, set, operations, n);
}

SCALEDIAG_SHOWN int semtimedop(int set, sembuf* operations, size_t n, const timespec* patience) noexcept {
  static const auto real = next_function<int (*)(int, sembuf*, size_t, const timespec*)>("semtimedop");
  return quietly(real, set, operations, n, patience);
}

// These calls concern sockets with a time limit (SO_RCVTIMEO).
SCALEDIAG_SHOWN ssize_t recv(int socket, void* data, size_t bytes, int flags) {
  static const auto real = next_function<ssize_t (*)(int, void*, size_t, int)>("recv");
  return quietly(real, socket, data, bytes, flags);
}

SCALEDIAG_SHOWN ssize_t __recv_chk(int socket, void* data, size_t bytes, size_t room, int flags) {
  static const auto real = next_function<ssize_t (*)(int, void*, size_t, size_t, int)>("__recv_chk");
  return quietly(real, socket, data, bytes, room, flags);
}

SCALEDIAG_SHOWN ssize_t recvfrom(int socket, void* data, size_t bytes, int flags, sockaddr* from, socklen_t* length) {
  static const auto real = next_function<ssize_t (*)(int, void*, size_t, int, sockaddr*, socklen_t*)>("recvfrom");
  return quietly(real, socket, data, bytes, flags, from, length);
}

SCALEDIAG_SHOWN ssize_t __recvfrom_chk(int socket, void* data, size_t bytes, size_t room, int flags, sockaddr* from,
                                       socklen_t* length) {
  static const auto real =
      next_function<ssize_t (*)(int, void*, size_t, size_t, int, sockaddr*, socklen_t*)>("__recvfrom_chk");
  return quietly(real, socket, data, bytes, room, flags, from, length);
}

SCALEDIAG_SHOWN ssize_t recvmsg(int socket, msghdr* message, int flags) {
  static const auto real = next_function<ssize_t (*)(int, msghdr*, int)>("recvmsg");
  return quietly(real, socket, message, flags);
}

SCALEDIAG_SHOWN int recvmmsg(int socket, mmsghdr* messages, unsigned n, int flags, timespec* limit) {
  static const auto real = next_function<int (*)(int, mmsghdr*, unsigned, int, timespec*)>("recvmmsg");
  return quietly(real, socket, messages, n, flags, limit);
}

SCALEDIAG_SHOWN ssize_t send(int socket, const void* data, size_t bytes, int flags) {
  static const auto real = next_function<ssize_t (*)(int, const void*, size_t, int)>("send");
  return quietly(real, socket, data, bytes, flags);
}

SCALEDIAG_SHOWN ssize_t sendto(int socket, const void* data, size_t bytes, int flags, const sockaddr* to,
                               socklen_t length) {
  using Function = ssize_t (*)(int, const void*, size_t, int, const sockaddr*, socklen_t);
  static const auto real = next_function<Function>("sendto");
  return quietly(real, socket, data, bytes, flags, to, length);
}

SCALEDIAG_SHOWN ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  static const auto real = next_function<ssize_t (*)(int, const msghdr*, int)>("sendmsg");
  return quietly(real, socket, message, flags);
}

SCALEDIAG_SHOWN int accept(int socket, sockaddr* from, socklen_t* length) {
  static const auto real = next_function<int (*)(int, sockaddr*, socklen_t*)>("accept");
  return quietly(real, socket, from, length);
}

SCALEDIAG_SHOWN int accept4(int socket, sockaddr* from, socklen_t* length, int flags) {
  static const auto real = next_function<int (*)(int, sockaddr*, socklen_t*, int)>("accept4");
  return quietly(real, socket, from, length, flags);
}

SCALEDIAG_SHOWN int connect(int socket, const sockaddr* to, socklen_t length) {
  static const auto real = next_function<int (*)(int, const sockaddr*, socklen_t)>("connect");
  return quietly(real, socket, to, length);
}
