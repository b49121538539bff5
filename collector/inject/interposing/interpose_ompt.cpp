// OpenMP as LLVM's, Intel's and other libraries tell of it: OMPT, the interface for tools of OpenMP 5. The library asks
// for ompt_start_tool(), and calls what is registered there for each region, barrier and task.
//
// A region is known by the address to which the call returns that begins it.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "collector/inject/engine.h"
#include "collector/inject/interposing/next_function.h"
#include "collector/inject/openmp/team.h"
#include "collector/inject/regions/region_table.h"

namespace scalediag::inject {
namespace {

using openmp::Member;
using openmp::Team;

// What the library keeps for us with each region and task.
union Data {
  uint64_t value;
  void* pointer;
};
// Of a task's Data: it is in what waits for others.
constexpr uint64_t kWaits = 1;

// Numbers of OpenMP's specification.
enum Event { kParallelBegin = 3, kParallelEnd = 4, kTaskSchedule = 6, kImplicitTask = 7, kSyncRegion = 23 };
enum Endpoint { kBegin = 1, kEnd = 2 };
constexpr int kReduction = 7;              // of what threads wait for each other in
constexpr int kInitialTask = 1;            // of tasks' flags: the thread's own, outside of regions
constexpr unsigned kLeague = 0x40000000u;  // of regions' flags: teams, not threads

struct Thread {
  unsigned implicit_tasks = 0;  // that it runs, one within the other
  bool has_region = false;      // it has entered the region of `team`
  Team team;
};
Thread& thread_here() {
  static thread_local Thread thread __attribute__((tls_model("initial-exec")));
  return thread;
}

void parallel_begin(Data*, const void*, Data* region, unsigned, int flags, const void* return_address) {
  region->pointer = nullptr;
  if ((static_cast<unsigned>(flags) & kLeague) != 0 || !RegionTable::get().is_open_for_parallel()) return;
  Thread& thread = thread_here();
  if (thread.implicit_tasks > 0 || thread.has_region) return;
  thread.team.reset();
  thread.has_region = true;
  region->pointer = &thread.team;
  RegionTable::get().begin_parallel(reinterpret_cast<uint64_t>(return_address), true);
}

void parallel_end(Data* region, Data*, int, const void*) {
  Thread& thread = thread_here();
  if (!thread.has_region || region == nullptr || region->pointer != &thread.team) return;
  RegionTable::get().end_parallel(thread.team);
  Member::here().forget();
  thread.has_region = false;
}

// A thread that another one's region has ended for may be told so when the next region begins: the first one's sums are
// not there any more.
void implicit_task(int endpoint, Data* region, Data* task, unsigned, unsigned, int flags) {
  if ((flags & kInitialTask) != 0) return;
  Thread& thread = thread_here();
  Member& me = Member::here();
  if (endpoint == kBegin) {
    if (task != nullptr) task->value = 0;
    ++thread.implicit_tasks;
    if (thread.implicit_tasks > 1) return me.enter_inner();
    auto* const team = region != nullptr ? static_cast<Team*>(region->pointer) : nullptr;
    if (team != nullptr) me.join(*team);
  } else if (endpoint == kEnd && thread.implicit_tasks > 0) {
    --thread.implicit_tasks;
    if (thread.implicit_tasks > 0) return me.leave_inner();
    if (thread.has_region && me.is_busy_in_region()) me.pause();
    me.forget();
  }
}

// The thread goes on with a task, which waits or not.
void go_on(const Data& task) {
  Member& me = Member::here();
  if (me.is_in_inner()) return;
  const bool waits = (task.value & kWaits) != 0;
  if (waits && me.is_busy_in_region()) me.pause();
  if (!waits && me.waits_in_region()) me.resume();
}

void sync_region(int kind, int endpoint, Data*, Data* task, const void*) {
  if (kind == kReduction || task == nullptr) return;
  if (endpoint == kBegin) task->value |= kWaits;
  if (endpoint == kEnd) task->value &= ~kWaits;
  go_on(*task);
}

void task_schedule(Data*, int, Data* next) {
  if (next != nullptr) go_on(*next);
}

int begin_listening(void (*(*function_of)(const char*))(), int, Data*) {
  const auto listen = reinterpret_cast<int (*)(int, void (*)())>(function_of("ompt_set_callback"));
  if (listen == nullptr) return 0;
  listen(kParallelBegin, reinterpret_cast<void (*)()>(parallel_begin));
  listen(kParallelEnd, reinterpret_cast<void (*)()>(parallel_end));
  listen(kImplicitTask, reinterpret_cast<void (*)()>(implicit_task));
  listen(kSyncRegion, reinterpret_cast<void (*)()>(sync_region));
  listen(kTaskSchedule, reinterpret_cast<void (*)()>(task_schedule));
  return 1;
}

void end_listening(Data*) {}

struct Tool {
  int (*begin)(void (*(*function_of)(const char*))(), int, Data*);
  void (*end)(Data*);
  Data data;
};

// The library may be loaded, and ask, before this one has read its settings.
bool is_asked_for() {
  const char* const directory = std::getenv("SCALEDIAG_DIRECTORY");
  const char* const openmp = std::getenv("SCALEDIAG_OPENMP");
  if (openmp != nullptr && std::strcmp(openmp, "off") == 0) return false;
  return Engine::get().armed() || (directory != nullptr && *directory != '\0');
}

}  // namespace
}  // namespace scalediag::inject

// Whoever names a tool of his own gets that one.
SCALEDIAG_SHOWN void* ompt_start_tool(unsigned version, const char* library) {
  using namespace scalediag::inject;
  static const auto next = next_function<void* (*)(unsigned, const char*)>("ompt_start_tool");
  void* const other = next != nullptr ? next(version, library) : nullptr;
  const char* const named = std::getenv("OMP_TOOL_LIBRARIES");
  if (other != nullptr || (named != nullptr && *named != '\0') || !is_asked_for()) return other;
  static Tool tool = {begin_listening, end_listening, {0}};
  return &tool;
}
