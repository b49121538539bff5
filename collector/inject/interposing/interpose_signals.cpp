// The C library's functions for signals, interposed so that our signal and the program do not affect each other
// (signal_shield.h). Calls that do not concern our signal are passed on unchanged.
#include <signal.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <cstring>

#include "collector/inject/interposing/next_function.h"
#include "collector/inject/interposing/signal_shield.h"

using scalediag::inject::next_function;
namespace shield = scalediag::inject::shield;

namespace {

using SignalHandler = void (*)(int);

// Calls of signal() and its relatives for our number.
SignalHandler set_handler(SignalHandler handler, int flags) {
  struct sigaction action;
  struct sigaction before;
  std::memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  return shield::program_sigaction(shield::taken(), &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

bool is_ours(int number) { return number != 0 && number == shield::taken(); }

// Sets the calling thread's mask as the program sees it, with our signal or without.
void set_ours_blocked(bool blocked) {
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, shield::taken());
  shield::program_sigmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &ours, nullptr);
}

constexpr int kUntilFirst = static_cast<int>(SA_RESETHAND) | SA_NODEFER;

}  // namespace

// The C library has each of these under several names.
#define SCALEDIAG_HANDLER_SETTER(NAME, FLAGS)                                             \
  SCALEDIAG_SHOWN SignalHandler NAME(int number, SignalHandler handler) {                 \
    static const auto real = next_function<SignalHandler (*)(int, SignalHandler)>(#NAME); \
    return is_ours(number) ? set_handler(handler, FLAGS) : real(number, handler);         \
  }

SCALEDIAG_HANDLER_SETTER(signal, SA_RESTART)
SCALEDIAG_HANDLER_SETTER(bsd_signal, SA_RESTART)
SCALEDIAG_HANDLER_SETTER(ssignal, SA_RESTART)
SCALEDIAG_HANDLER_SETTER(sysv_signal, kUntilFirst)
SCALEDIAG_HANDLER_SETTER(__sysv_signal, kUntilFirst)
SCALEDIAG_HANDLER_SETTER(sigset, 0)

SCALEDIAG_SHOWN int sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  return shield::program_sigaction(number, action, before);
}

SCALEDIAG_SHOWN int __sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  return shield::program_sigaction(number, action, before);
}

SCALEDIAG_SHOWN int sigignore(int number) {
  static const auto real = next_function<int (*)(int)>("sigignore");
  return is_ours(number) ? (set_handler(SIG_IGN, 0) == SIG_ERR ? -1 : 0) : real(number);
}

SCALEDIAG_SHOWN int siginterrupt(int number, int interrupt) {
  static const auto real = next_function<int (*)(int, int)>("siginterrupt");
  return is_ours(number) ? 0 : real(number, interrupt);
}

SCALEDIAG_SHOWN int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) {
  return shield::program_sigmask(how, set, before);
}

SCALEDIAG_SHOWN int sigprocmask(int how, const sigset_t* set, sigset_t* before) {
  const int e = shield::program_sigmask(how, set, before);
  if (e == 0) return 0;
  errno = e;
  return -1;
}

SCALEDIAG_SHOWN int sighold(int number) {
  static const auto real = next_function<int (*)(int)>("sighold");
  if (!is_ours(number)) return real(number);
  set_ours_blocked(true);
  return 0;
}

SCALEDIAG_SHOWN int sigrelse(int number) {
  static const auto real = next_function<int (*)(int)>("sigrelse");
  if (!is_ours(number)) return real(number);
  set_ours_blocked(false);
  return 0;
}

// No handler sees signals that are read from such a descriptor.
SCALEDIAG_SHOWN int signalfd(int fd, const sigset_t* set, int flags) noexcept {
  static const auto real = next_function<int (*)(int, const sigset_t*, int)>("signalfd");
  const sigset_t others = shield::without_ours(*set);
  return real(fd, &others, flags);
}
