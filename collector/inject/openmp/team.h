// The threads of OpenMP's parallel regions: how long each of them was at work, and how long it waited for the others.
//
// A region's time on each thread is
//   busy    in the region's code and in its tasks, without what follows
//   idle    in barriers, also those at the ends of constructs, in taskwait and taskgroup unless a task was run
//           meanwhile, and before and after the thread's part of the region
// so that idle = threads x elapsed - busy, elapsed being that of the thread which entered the region. Only the
// outermost region of a thread is looked at: those within it are work of the threads that enter them.
//
// A thread writes to its own memory; the region's sums are added to, without a lock, where it begins to wait.
#pragma once

#include <atomic>
#include <cstdint>

namespace scalediag::inject::openmp {

// One entry of a parallel region, in the memory of the thread that entered it. It lives until all threads have come to
// the region's end, so that those still at work may add to it.
struct Team {
  std::atomic<uint64_t> busy_ticks{0};     // of all threads
  std::atomic<uint64_t> slowest_ticks{0};  // the most of a thread
  // CPU time while busy, of all threads, and busy time for which it was not read, in which threads are taken to run.
  std::atomic<uint64_t> busy_cpu_ns{0}, unread_ticks{0};
  std::atomic<uint32_t> threads{0};
  std::atomic<bool> has_unseen_tasks{false};  // run while a thread waits they count as idle

  void reset();
};

// The calling thread in a region: since when it is busy, or waits for others.
class Member {
 public:
  // Of the calling thread; without a destructor, since threads may run until the process ends.
  static Member& here();

  // The thread begins its part of the region.
  void join(Team& team);
  // Its part ends: it waits for the others. It may still run tasks.
  void leave() { pause(); }

  bool is_busy_in_region() const { return team_ != nullptr && !waits_; }
  bool waits_in_region() const { return team_ != nullptr && waits_; }
  // Around what waits for other threads, where is_busy_in_region(); pause() also adds to the region's sums.
  void pause();
  void resume();
  // Around a task of the region `team`, which the thread may run while it waits. begin_task() says whether it does.
  bool begin_task(const Team* team);
  void end_task() { pause(); }
  // The region whose code the thread runs, null outside of regions, in waits, and in inner regions.
  Team* team_at_work() const { return is_busy_in_region() && inner_ == 0 ? team_ : nullptr; }
  // Forgets the region, which has ended.
  void forget() { team_ = nullptr; }

  // Inner regions that the thread has entered as their first thread, and not left. Nothing there is looked at.
  void enter_inner() { ++inner_; }
  void leave_inner() {
    if (inner_ > 0) --inner_;
  }
  bool is_in_inner() const { return inner_ > 0; }

 private:
  Team* team_ = nullptr;  // of the last region that the thread was in; it may have ended if waits_
  bool waits_ = true;
  uint32_t inner_ = 0;
  uint64_t since_ticks_ = 0;   // when the thread last began to be busy
  uint64_t busy_ticks_ = 0;    // in this entry of the region
  uint64_t since_cpu_ns_ = 0;  // of the CPU clock then; 0: it was not read
  uint64_t read_cpu_ns_ = 0;   // of the CPU clock when it was last read
  bool reads_cpu_ = true;      // the busy times of this thread are long enough for that
};

}  // namespace scalediag::inject::openmp
