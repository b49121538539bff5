#include "collector/inject/openmp/team.h"

#include <algorithm>
#include <ctime>

#include "collector/inject/clock_points.h"
#include "pmpi-comm/ticks.h"

namespace scalediag::inject::openmp {
namespace {

// The thread's CPU clock is read, by system calls, at the end of busy times that were as long as that, and at the
// beginning of the next one; in shorter ones a thread is taken to run.
constexpr double kReadFrom_ns = 20'000;

const uint64_t ticks_at_load = pmpi::ticks();
const uint64_t ns_at_load = clock_ns(CLOCK_MONOTONIC);

// By what has passed since the library was loaded, when the first thread of a team pauses.
double ns_of(uint64_t ticks) {
  static const double ns_per_tick = [] {
    const uint64_t passed_ns = clock_ns(CLOCK_MONOTONIC) - ns_at_load, passed = pmpi::ticks() - ticks_at_load;
    return passed == 0 ? 1 : static_cast<double>(passed_ns) / static_cast<double>(passed);
  }();
  return static_cast<double>(ticks) * ns_per_tick;
}

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
  const double ns = ns_of(ticks);
  reads_cpu_ = ns >= kReadFrom_ns;
  if (since_cpu_ns_ == 0 && !reads_cpu_) return add(team_->unread_ticks, ticks);
  const uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const uint64_t since_read_ns = cpu_ns - read_cpu_ns_;
  // Where it was not read at the beginning, the thread may have used some of it while it waited before.
  add(team_->busy_cpu_ns, since_cpu_ns_ != 0 ? since_read_ns : std::min(since_read_ns, static_cast<uint64_t>(ns)));
  read_cpu_ns_ = cpu_ns;
}

void Member::resume() {
  waits_ = false;
  since_cpu_ns_ = reads_cpu_ ? clock_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
  if (reads_cpu_) read_cpu_ns_ = since_cpu_ns_;
  since_ticks_ = pmpi::ticks();
}

bool Member::begin_task(const Team* team) {
  if (team == nullptr || team != team_ || !waits_) return false;
  resume();
  return true;
}

}  // namespace scalediag::inject::openmp
