#include "collector/inject/interposing/signal_shield.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "collector/inject/interposing/next_function.h"
#include "pmpi-comm/thread_state.h"

namespace scalediag::inject::shield {
namespace {

std::atomic<int> number_taken{0};
__thread bool program_blocks __attribute__((tls_model("initial-exec"))) = false;

// The disposition that the program believes to have installed. Signal handlers may read or write it at any time, so
// that there is no lock.
struct Disposition {
  std::atomic<void (*)(int)> handler{SIG_DFL};
  std::atomic<int> flags{0};
  sigset_t mask{};
};
Disposition asked;

int real_sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  using Function = int (*)(int, const struct sigaction*, struct sigaction*);
  static const auto real = next_function<Function>("sigaction");
  return real(number, action, before);
}

int real_sigmask(int how, const sigset_t* set, sigset_t* before) {
  using Function = int (*)(int, const sigset_t*, sigset_t*);
  static const auto real = next_function<Function>("pthread_sigmask");
  return real(how, set, before);
}

void set_disposition(const struct sigaction& action) {
  asked.mask = action.sa_mask;
  asked.flags = action.sa_flags;
  asked.handler = action.sa_handler;  // shares its memory with sa_sigaction
}

struct sigaction disposition() {
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_mask = asked.mask;
  action.sa_flags = asked.flags;
  action.sa_handler = asked.handler;
  return action;
}

}  // namespace

int taken() { return number_taken.load(std::memory_order_relaxed); }

int take(int number, Handler ours) {
  struct sigaction action;
  struct sigaction before;
  std::memset(&action, 0, sizeof action);
  action.sa_sigaction = ours;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  if (real_sigaction(number, &action, &before) != 0) return errno;
  set_disposition(before);
  number_taken.store(number, std::memory_order_relaxed);
  return 0;
}

void unblock_here() {
  sigset_t ours, before;
  sigemptyset(&ours);
  sigaddset(&ours, taken());
  if (real_sigmask(SIG_UNBLOCK, &ours, &before) == 0 && sigismember(&before, taken()) == 1) program_blocks = true;
}

void forward(siginfo_t* info, void* context) {
  struct sigaction action = disposition();
  if (action.sa_handler == SIG_IGN) return;
  if (action.sa_handler == SIG_DFL) {
    // Ends the program once our handler returns and the signal is unblocked.
    struct sigaction end;
    std::memset(&end, 0, sizeof end);
    real_sigaction(taken(), &end, nullptr);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), taken());
    return;
  }
  if ((action.sa_flags & SA_RESETHAND) != 0) asked.handler = SIG_DFL;
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(taken(), info, context);
  } else {
    action.sa_handler(taken());
  }
}

int program_sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  if (taken() == 0 || number != taken()) return real_sigaction(number, action, before);
  const struct sigaction old = disposition();
  if (action != nullptr) set_disposition(*action);
  if (before != nullptr) *before = old;
  return 0;
}

int program_sigmask(int how, const sigset_t* set, sigset_t* before) {
  if (taken() == 0) return real_sigmask(how, set, before);
  const bool was_blocked = program_blocks;
  sigset_t others;
  if (set != nullptr) others = without_ours(*set);
  const int e = real_sigmask(how, set != nullptr ? &others : nullptr, before);
  if (e != 0) return e;
  if (set != nullptr) {
    const bool named = sigismember(set, taken()) == 1;
    if (how == SIG_SETMASK) program_blocks = named;
    if (how == SIG_BLOCK && named) program_blocks = true;
    if (how == SIG_UNBLOCK && named) program_blocks = false;
  }
  if (before != nullptr) {
    if (was_blocked) {
      sigaddset(before, taken());
    } else {
      sigdelset(before, taken());
    }
  }
  return 0;
}

bool blocked_by_program() { return program_blocks; }
void set_blocked_by_program(bool blocked) { program_blocks = blocked; }

sigset_t without_ours(const sigset_t& set) {
  sigset_t others = set;
  if (taken() != 0) sigdelset(&others, taken());
  return others;
}

sigset_t with_ours(const sigset_t& set) {
  sigset_t both = set;
  if (taken() != 0) sigaddset(&both, taken());
  return both;
}

// Inside MPI nothing is done: MPI libraries cope with signals, and often call such functions without sleeping in them.
bool begin_quiet() {
  if (taken() == 0 || (pmpi::this_thread != nullptr && pmpi::this_thread->depth > 0)) return false;
  sigset_t ours, before;
  sigemptyset(&ours);
  sigaddset(&ours, taken());
  return real_sigmask(SIG_BLOCK, &ours, &before) == 0 && sigismember(&before, taken()) == 0;
}

void end_quiet(bool begun) {
  if (!begun) return;
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, taken());
  real_sigmask(SIG_UNBLOCK, &ours, nullptr);
}

}  // namespace scalediag::inject::shield
