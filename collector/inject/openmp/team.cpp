#include "collector/inject/openmp/team.h"

#include <ctime>

#include "collector/inject/clock_points.h"
#include "pmpi-comm/ticks.h"

namespace scalediag::inject::openmp {
namespace {

// The thread's CPU clock is read, by two system calls, where its last busy time was as long as that; in shorter ones a
// thread is taken to run. Ticks are a fraction of a nanosecond to a few nanoseconds.
constexpr uint64_t kReadFrom_ticks = 50'000;

void add(std::atomic<uint64_t>& sum, uint64_t value) { sum.fetch_add(value, std::memory_order_relaxed); }

void raise(std::atomic<uint64_t>& most, uint64_t value) {
  uint64_t known = most.load(std::memory_order_relaxed);
  while (known < value && !most.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

void Team::reset() {
  for (std::atomic<uint64_t>* sum : {&busy_ticks, &slowest_ticks, &busy_cpu_ns, &unread_ticks}) {
    sum->store(0, std::memory_order_relaxed);
  }
  threads.store(0, std::memory_order_relaxed);
  has_unseen_tasks.store(false, std::memory_order_relaxed);
}

Member& Member::here() {
  static thread_local Member member __attribute__((tls_model("initial-exec")));
  return member;
}

void Member::join(Team& team) {
  team_ = &team;
  inner_ = 0;
  busy_ticks_ = 0;
  team.threads.fetch_add(1, std::memory_order_relaxed);
  resume();
}

void Member::pause() {
  const uint64_t ticks = pmpi::ticks() - since_ticks_;
  waits_ = true;
  busy_ticks_ += ticks;
  add(team_->busy_ticks, ticks);
  raise(team_->slowest_ticks, busy_ticks_);
  reads_cpu_ = ticks >= kReadFrom_ticks;
  if (since_cpu_ns_ != 0) {
    add(team_->busy_cpu_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - since_cpu_ns_);
  } else {
    add(team_->unread_ticks, ticks);
  }
}

void Member::resume() {
  waits_ = false;
  since_cpu_ns_ = reads_cpu_ ? clock_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
  since_ticks_ = pmpi::ticks();
}

bool Member::begin_task(const Team* team) {
  if (team == nullptr || team != team_ || !waits_) return false;
  resume();
  return true;
}

}  // namespace scalediag::inject::openmp
