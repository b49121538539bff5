// OpenMP as GCC's compilers call it: the functions of libgomp that begin parallel regions, and those in which threads
// wait for each other. Each is passed on to the program's library. A region's code is run by way of a function of ours,
// which tells when a thread is busy with it (openmp/team.h).
//
// A region is known by the address of its code, which the compiler makes a function of its own.
#include <cstdint>
#include <cstring>

#include "collector/inject/interposing/gomp_library.h"
#include "collector/inject/interposing/next_function.h"
#include "collector/inject/openmp/team.h"
#include "collector/inject/regions/region_table.h"

namespace scalediag::inject::gomp {
namespace {

using openmp::Member;
using openmp::Team;

// What the threads of a region get in place of the region's data.
struct Closure {
  const void* reductions = nullptr;  // where GOMP_parallel_reductions looks for them: at the beginning of the data
  Code code = nullptr;
  void* data = nullptr;
  Team* team = nullptr;
  const Library* library = nullptr;
};

void run_member(void* of) {
  const Closure& closure = *static_cast<const Closure*>(of);
  const Code code = closure.code;
  void* const data = closure.data;
  remember(closure.library);
  Member::here().join(*closure.team);
  code(data);
  Member::here().leave();
}

bool is_recorded(const Library& library) {
  return RegionTable::get().is_open_for_parallel() && !library.tells_itself && library.level != nullptr;
}

void begin_region(Code code) { RegionTable::get().begin_parallel(reinterpret_cast<uint64_t>(code), false); }

void end_region(const Team& team) {
  RegionTable::get().end_parallel(team);
  Member::here().forget();
}

// `call(code, data)` is the call of the library.
template <class Call> auto in_region(const Library& library, Code code, void* data, bool has_reductions, Call call) {
  struct Inner {
    Member* member;
    ~Inner() {
      if (member != nullptr) member->leave_inner();
    }
  };
  struct Outermost {
    Team team;
    ~Outermost() { end_region(team); }
  };
  if (library.level() > 0) {
    Member& me = Member::here();
    const Inner inner{me.is_busy_in_region() ? &me : nullptr};
    if (inner.member != nullptr) me.enter_inner();
    return call(code, data);
  }
  Outermost region;
  Closure closure{has_reductions ? *static_cast<void**>(data) : nullptr, code, data, &region.team, &library};
  begin_region(code);
  return call(run_member, static_cast<void*>(&closure));
}

// Regions as compilers before GCC 4.9 begin and end them: the thread that begins one runs its code by itself.
struct Started {
  bool is_recorded = false;
  unsigned inner = 0;
  Closure closure;
  Team team;
};
Started& started_here() {
  static thread_local Started started __attribute__((tls_model("initial-exec")));
  return started;
}

template <class Call> void start_region(const Library& library, Code code, void* data, Call call) {
  Started& started = started_here();
  if (started.is_recorded || library.level() > 0) {
    if (started.is_recorded) {
      ++started.inner;
      Member::here().enter_inner();
    }
    return call(code, data);
  }
  started.team.reset();
  started.closure = {nullptr, code, data, &started.team, &library};
  started.is_recorded = true;
  begin_region(code);
  call(run_member, static_cast<void*>(&started.closure));
  remember(&library);
  Member::here().join(started.team);
}

void end_started(const Library& library) {
  Started& started = started_here();
  if (started.inner > 0) {
    library.parallel_end();
    --started.inner;
    Member::here().leave_inner();
    return;
  }
  if (!started.is_recorded) return library.parallel_end();
  Member::here().leave();
  library.parallel_end();
  end_region(started.team);
  started.is_recorded = false;
}

// A call that waits for other threads.
template <class Function, class... Argument> auto waiting(Function function, Argument... arguments) {
  struct Wait {
    Member* member;
    ~Wait() {
      if (member != nullptr) member->resume();
    }
  };
  Member& me = Member::here();
  const Wait wait{me.team_at_work() != nullptr ? &me : nullptr};
  if (wait.member != nullptr) me.pause();
  return function(arguments...);
}

// Tasks are run by threads that wait, which are busy meanwhile. What belongs to a task stands behind its data, of which
// the library copies as much as it is told: data come first, because the library writes to their beginning.
struct Task {
  Code code;
  const Team* team;
};
constexpr long kLongestData = 4096;

// Data take up kRoom bytes, with what is left empty.
template <long kRoom> void run_task(void* data) {
  Task task;
  std::memcpy(&task, static_cast<char*>(data) + kRoom, sizeof task);
  Member& me = Member::here();
  const bool is_counted = me.begin_task(task.team);
  task.code(data);
  if (is_counted) me.end_task();
}

template <long kRoom, class Call> void pass_task(const Task& task, void* data, long bytes, Call call) {
  if constexpr (kRoom < kLongestData) {
    if (bytes > kRoom) return pass_task<2 * kRoom>(task, data, bytes, call);
  }
  alignas(64) char with_task[kRoom + sizeof task];
  if (bytes > 0) std::memcpy(with_task, data, static_cast<size_t>(bytes));
  std::memcpy(with_task + kRoom, &task, sizeof task);
  call(run_task<kRoom>, with_task, kRoom + static_cast<long>(sizeof task));
}

// `call(code, data, bytes)` is the call of the library, which with `waits` ends when the tasks have. Tasks whose data
// are made by a function of the program (`copies`) are passed on as they are, as are those with large data.
template <class Call>
void make_task(Code code, void* data, const void* copies, long bytes, long align, bool waits, Call call) {
  Team* const team = Member::here().team_at_work();
  constexpr long kShortest = 32, kStrictest = 64;
  if (team == nullptr) return call(code, data, bytes);
  if (copies != nullptr || bytes > kLongestData || align > kStrictest) {
    team->has_unseen_tasks.store(true, std::memory_order_relaxed);
    return call(code, data, bytes);
  }
  const auto make = [&] { pass_task<kShortest>({code, team}, data, bytes, call); };
  waits ? waiting(make) : make();
}

// Of a loop's tasks: the call does not wait for them.
constexpr unsigned kNoGroup = 1 << 11;

}  // namespace
}  // namespace scalediag::inject::gomp

using namespace scalediag::inject::gomp;

// Where a program has no OpenMP library, no function of it can be called. What is not recorded is passed on by a jump:
// the library takes the place that it returns to for the program's.
#define SCALEDIAG_GOMP_LIBRARY(name, caller, otherwise, ...)            \
  const Library* const library = library_of(caller);                    \
  if (library == nullptr || library->name == nullptr) return otherwise; \
  if (!is_recorded(*library)) return library->name(__VA_ARGS__)

#define SCALEDIAG_CALLER __builtin_return_address(0)

SCALEDIAG_SHOWN void GOMP_parallel(Code code, void* data, unsigned threads, unsigned flags) {
  SCALEDIAG_GOMP_LIBRARY(parallel, reinterpret_cast<const void*>(code), code(data), code, data, threads, flags);
  in_region(*library, code, data, false, [&](Code c, void* d) { library->parallel(c, d, threads, flags); });
}

SCALEDIAG_SHOWN unsigned GOMP_parallel_reductions(Code code, void* data, unsigned threads, unsigned flags) {
  SCALEDIAG_GOMP_LIBRARY(parallel_reductions, reinterpret_cast<const void*>(code), 0, code, data, threads, flags);
  return in_region(*library, code, data, true,
                   [&](Code c, void* d) { return library->parallel_reductions(c, d, threads, flags); });
}

SCALEDIAG_SHOWN void GOMP_parallel_sections(Code code, void* data, unsigned threads, unsigned count, unsigned flags) {
  SCALEDIAG_GOMP_LIBRARY(parallel_sections, reinterpret_cast<const void*>(code), void(), code, data, threads, count,
                         flags);
  in_region(*library, code, data, false,
            [&](Code c, void* d) { library->parallel_sections(c, d, threads, count, flags); });
}

#define SCALEDIAG_GOMP_LOOP(name)                                                                                    \
  SCALEDIAG_SHOWN void GOMP_##name(Code code, void* data, unsigned threads, long begin, long end, long step,         \
                                   long chunk, unsigned flags) {                                                     \
    SCALEDIAG_GOMP_LIBRARY(name, reinterpret_cast<const void*>(code), void(), code, data, threads, begin, end, step, \
                           chunk, flags);                                                                            \
    in_region(*library, code, data, false,                                                                           \
              [&](Code c, void* d) { library->name(c, d, threads, begin, end, step, chunk, flags); });               \
  }
SCALEDIAG_GOMP_LOOP(parallel_loop_static)
SCALEDIAG_GOMP_LOOP(parallel_loop_dynamic)
SCALEDIAG_GOMP_LOOP(parallel_loop_guided)
SCALEDIAG_GOMP_LOOP(parallel_loop_nonmonotonic_dynamic)
SCALEDIAG_GOMP_LOOP(parallel_loop_nonmonotonic_guided)

#define SCALEDIAG_GOMP_RUNTIME_LOOP(name)                                                                            \
  SCALEDIAG_SHOWN void GOMP_##name(Code code, void* data, unsigned threads, long begin, long end, long step,         \
                                   unsigned flags) {                                                                 \
    SCALEDIAG_GOMP_LIBRARY(name, reinterpret_cast<const void*>(code), void(), code, data, threads, begin, end, step, \
                           flags);                                                                                   \
    in_region(*library, code, data, false,                                                                           \
              [&](Code c, void* d) { library->name(c, d, threads, begin, end, step, flags); });                      \
  }
SCALEDIAG_GOMP_RUNTIME_LOOP(parallel_loop_runtime)
SCALEDIAG_GOMP_RUNTIME_LOOP(parallel_loop_nonmonotonic_runtime)
SCALEDIAG_GOMP_RUNTIME_LOOP(parallel_loop_maybe_nonmonotonic_runtime)

SCALEDIAG_SHOWN void GOMP_parallel_start(Code code, void* data, unsigned threads) {
  SCALEDIAG_GOMP_LIBRARY(parallel_start, reinterpret_cast<const void*>(code), void(), code, data, threads);
  start_region(*library, code, data, [&](Code c, void* d) { library->parallel_start(c, d, threads); });
}

SCALEDIAG_SHOWN void GOMP_parallel_sections_start(Code code, void* data, unsigned threads, unsigned count) {
  SCALEDIAG_GOMP_LIBRARY(parallel_sections_start, reinterpret_cast<const void*>(code), void(), code, data, threads,
                         count);
  start_region(*library, code, data, [&](Code c, void* d) { library->parallel_sections_start(c, d, threads, count); });
}

#define SCALEDIAG_GOMP_LOOP_START(name)                                                                              \
  SCALEDIAG_SHOWN void GOMP_##name(Code code, void* data, unsigned threads, long begin, long end, long step,         \
                                   long chunk) {                                                                     \
    SCALEDIAG_GOMP_LIBRARY(name, reinterpret_cast<const void*>(code), void(), code, data, threads, begin, end, step, \
                           chunk);                                                                                   \
    start_region(*library, code, data,                                                                               \
                 [&](Code c, void* d) { library->name(c, d, threads, begin, end, step, chunk); });                   \
  }
SCALEDIAG_GOMP_LOOP_START(parallel_loop_static_start)
SCALEDIAG_GOMP_LOOP_START(parallel_loop_dynamic_start)
SCALEDIAG_GOMP_LOOP_START(parallel_loop_guided_start)

SCALEDIAG_SHOWN void GOMP_parallel_loop_runtime_start(Code code, void* data, unsigned threads, long begin, long end,
                                                      long step) {
  SCALEDIAG_GOMP_LIBRARY(parallel_loop_runtime_start, reinterpret_cast<const void*>(code), void(), code, data, threads,
                         begin, end, step);
  start_region(*library, code, data,
               [&](Code c, void* d) { library->parallel_loop_runtime_start(c, d, threads, begin, end, step); });
}

SCALEDIAG_SHOWN void GOMP_parallel_end() {
  SCALEDIAG_GOMP_LIBRARY(parallel_end, SCALEDIAG_CALLER, void(), );
  end_started(*library);
}

#define SCALEDIAG_GOMP_WAIT(result, name)                       \
  SCALEDIAG_SHOWN result GOMP_##name() {                        \
    SCALEDIAG_GOMP_LIBRARY(name, SCALEDIAG_CALLER, result(), ); \
    return waiting(library->name);                              \
  }
SCALEDIAG_GOMP_WAIT(void, barrier)
SCALEDIAG_GOMP_WAIT(bool, barrier_cancel)
SCALEDIAG_GOMP_WAIT(void, loop_end)
SCALEDIAG_GOMP_WAIT(bool, loop_end_cancel)
SCALEDIAG_GOMP_WAIT(void, sections_end)
SCALEDIAG_GOMP_WAIT(bool, sections_end_cancel)
SCALEDIAG_GOMP_WAIT(void, taskwait)
SCALEDIAG_GOMP_WAIT(void, taskgroup_end)

SCALEDIAG_SHOWN void* GOMP_single_copy_start() {
  SCALEDIAG_GOMP_LIBRARY(single_copy_start, SCALEDIAG_CALLER, nullptr, );
  return waiting(library->single_copy_start);
}

SCALEDIAG_SHOWN void GOMP_single_copy_end(void* data) {
  SCALEDIAG_GOMP_LIBRARY(single_copy_end, SCALEDIAG_CALLER, void(), data);
  waiting(library->single_copy_end, data);
}

SCALEDIAG_SHOWN void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  SCALEDIAG_GOMP_LIBRARY(workshare_task_reduction_unregister, SCALEDIAG_CALLER, void(), cancelled);
  waiting(library->workshare_task_reduction_unregister, cancelled);
}

SCALEDIAG_SHOWN void GOMP_taskwait_depend(void** on) {
  SCALEDIAG_GOMP_LIBRARY(taskwait_depend, SCALEDIAG_CALLER, void(), on);
  waiting(library->taskwait_depend, on);
}

SCALEDIAG_SHOWN void GOMP_task(Code code, void* data, void (*copy)(void*, void*), long bytes, long align, bool deferred,
                               unsigned flags, void** depend, int priority, void* detach) {
  SCALEDIAG_GOMP_LIBRARY(task, reinterpret_cast<const void*>(code), void(), code, data, copy, bytes, align, deferred,
                         flags, depend, priority, detach);
  make_task(code, data, reinterpret_cast<const void*>(copy), bytes, align, false, [&](Code c, void* d, long n) {
    library->task(c, d, copy, n, align, deferred, flags, depend, priority, detach);
  });
}

#define SCALEDIAG_GOMP_TASKLOOP(name, number)                                                                        \
  SCALEDIAG_SHOWN void GOMP_##name(Code code, void* data, void (*copy)(void*, void*), long bytes, long align,        \
                                   unsigned flags, unsigned long tasks, int priority, number begin, number end,      \
                                   number step) {                                                                    \
    SCALEDIAG_GOMP_LIBRARY(name, reinterpret_cast<const void*>(code), void(), code, data, copy, bytes, align, flags, \
                           tasks, priority, begin, end, step);                                                       \
    make_task(code, data, reinterpret_cast<const void*>(copy), bytes, align, (flags & kNoGroup) == 0,                \
              [&](Code c, void* d, long n) {                                                                         \
                library->name(c, d, copy, n, align, flags, tasks, priority, begin, end, step);                       \
              });                                                                                                    \
  }
SCALEDIAG_GOMP_TASKLOOP(taskloop, long)
SCALEDIAG_GOMP_TASKLOOP(taskloop_ull, unsigned long long)
