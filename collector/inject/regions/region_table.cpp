#include "collector/inject/regions/region_table.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "collector/inject/clock_points.h"
#include "pmpi-comm/own_work.h"
#include "pmpi-comm/thread_state.h"
#include "pmpi-comm/ticks.h"
#include "pmpi-comm/trace/trace_recorder.h"

namespace scalediag::inject {
namespace {

// CPU time is read this often at most, since reading it is a system call; in between a thread is taken to run.
constexpr double kBetweenReadings_ns = 50e3;

uint64_t mpi_ticks_of_this_thread() { return pmpi::this_thread != nullptr ? pmpi::this_thread->mpi_ticks : 0; }

// The rank's trace has the regions of the thread that it records, without those that there was no room for.
void mark_in_trace(trace::Mark kind, const char* name, double value = 0) {
  pmpi::ThreadState* const state = pmpi::this_thread;
  if (state == nullptr || state->trace == nullptr || state->thread_class != raw::kMainThread || state->depth > 0)
    return;
  const pmpi::OwnWork own(*state);
  state->trace->mark(kind, name, value);
}

bool is_main_thread() {
  if (pmpi::this_thread != nullptr) return pmpi::this_thread->thread_class == raw::kMainThread;
  return syscall(SYS_gettid) == getpid();
}

// The length of a tick, by the two clocks over the time since the library was loaded.
double ns_per_tick_since(uint64_t ticks, uint64_t ns) {
  const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), now = pmpi::ticks();
  return now > ticks && now_ns > ns ? static_cast<double>(now_ns - ns) / static_cast<double>(now - ticks) : 1;
}

const uint64_t ticks_at_load = pmpi::ticks();
const uint64_t ns_at_load = clock_ns(CLOCK_MONOTONIC);

// The source of parallel regions, which have no name before the merge.
constexpr char kOpenMp[] = "OpenMP";

// Copies a region's name as records have it: cut to the room, without the character that ends a part of a path.
void copy_name(char* to, size_t bytes, const char* name) {
  size_t n = 0;
  for (; n + 1 < bytes && name[n] != '\0'; ++n) to[n] = name[n] == '/' ? '|' : name[n];
  to[n] = '\0';
}

// Of as much of a name as is kept.
uint64_t hash_of_name(const char* name) {
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t n = 0; n + 1 < RegionTable::kLongestName && name[n] != '\0'; ++n) {
    h = (h ^ static_cast<unsigned char>(name[n])) * 0x100000001b3u;
  }
  return h;
}

bool is_name(const char* stored, size_t bytes, const char* name) {
  for (size_t n = 0; n + 1 < bytes; ++n) {
    const char c = name[n] == '/' ? '|' : name[n];
    if (stored[n] != c) return false;
    if (c == '\0') return true;
  }
  return true;  // both were cut
}

}  // namespace

RegionTable& RegionTable::get() {
  alignas(RegionTable) static char storage[sizeof(RegionTable)];
  static RegionTable* const table = new (storage) RegionTable;
  return *table;
}

RegionTable::Stack* RegionTable::stack_of_this_thread() {
  static __thread Stack* stack __attribute__((tls_model("initial-exec"))) = nullptr;
  if (stack != nullptr) return stack;
  static const struct Key {
    pthread_key_t key = 0;
    bool made = pthread_key_create(&key, [](void* ended) {
                  stack = nullptr;
                  delete static_cast<Stack*>(ended);
                }) == 0;
  } at_end;
  stack = new (std::nothrow) Stack;
  if (stack == nullptr) return nullptr;
  stack->of_main_thread = is_main_thread();
  stack->ns_per_tick = ns_per_tick_since(ticks_at_load, ns_at_load);
  if (at_end.made) pthread_setspecific(at_end.key, stack);
  return stack;
}

uint64_t RegionTable::cpu_ns_at(Stack& stack, uint64_t now) {
  const double passed_ns = static_cast<double>(now - stack.cpu_ticks) * stack.ns_per_tick;
  if (stack.cpu_ticks != 0 && passed_ns < kBetweenReadings_ns) return stack.cpu_ns + static_cast<uint64_t>(passed_ns);
  stack.cpu_ns = clock_ns(stack.of_main_thread ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID);
  stack.cpu_ticks = now;
  return stack.cpu_ns;
}

RegionTable::Region* RegionTable::find_or_add(const Region* parent, uint32_t thread_class, RegionSource source,
                                              const char* name) {
  const std::lock_guard<std::mutex> guard(lock_);
  const uint32_t number_of_parent = parent != nullptr ? parent->number : 0;
  for (Region& r : regions_) {
    if (r.parent == number_of_parent && r.thread_class == thread_class && r.source == source &&
        is_name(r.name.data(), r.name.size(), name)) {
      return &r;
    }
  }
  return add(parent, thread_class, source, name);
}

// Precondition: the lock is held.
RegionTable::Region* RegionTable::add(const Region* parent, uint32_t thread_class, RegionSource source,
                                      const char* name) {
  if (regions_.size() == kMostRegions) return nullptr;
  try {
    Region& r = regions_.emplace_back();
    r.thread_class = thread_class;
    r.number = static_cast<uint32_t>(regions_.size());
    r.parent = parent != nullptr ? parent->number : 0;
    r.source = source;
    copy_name(r.name.data(), r.name.size(), name);
    return &r;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

RegionTable::Region* RegionTable::region_of(Stack& stack, RegionSource source, const char* name) {
  const Region* parent = stack.depth > 0 ? stack.levels[stack.depth - 1].region : nullptr;
  const uint64_t mixed =
      (reinterpret_cast<uintptr_t>(name) ^ (reinterpret_cast<uintptr_t>(parent) >> 4)) * 0x9E3779B97F4A7C15u;
  Found& recent = stack.recent[mixed >> 58];
  static_assert(kRecent == 1 << 6, "6 bits of the hash choose the place");
  // The text at an address may have changed.
  if (recent.name == name && recent.source == source && recent.parent == parent &&
      is_name(recent.region->name.data(), kLongestName, name)) {
    return recent.region;
  }
  const uint32_t thread_class = stack.of_main_thread ? raw::kMainThread : raw::kOtherThread;
  Region* region = find_or_add(parent, thread_class, source, name);
  if (region != nullptr) recent = {name, source, parent, region};
  return region;
}

RegionTable::Region* RegionTable::parallel_region_of(Stack& stack, uint64_t address, bool is_return) {
  const Region* parent = stack.depth > 0 ? stack.levels[stack.depth - 1].region : nullptr;
  const uint64_t mixed = (address ^ (reinterpret_cast<uintptr_t>(parent) >> 4)) * 0x9E3779B97F4A7C15u;
  Found& recent = stack.recent[mixed >> 58];
  const auto* const as_name = reinterpret_cast<const char*>(address);
  if (recent.name == as_name && recent.source == kOpenMp && recent.parent == parent) return recent.region;
  const uint32_t thread_class = stack.of_main_thread ? raw::kMainThread : raw::kOtherThread;
  const uint32_t number_of_parent = parent != nullptr ? parent->number : 0;
  Region* region = nullptr;
  const std::lock_guard<std::mutex> guard(lock_);
  for (Region& r : regions_) {
    if (r.source == kOpenMp && r.address == address && r.parent == number_of_parent && r.thread_class == thread_class) {
      region = &r;
    }
  }
  if (region == nullptr) {
    char name[32];
    std::snprintf(name, sizeof name, "parallel at 0x%llx", static_cast<unsigned long long>(address));
    region = add(parent, thread_class, kOpenMp, name);
    if (region == nullptr) return nullptr;
    region->address = address;
    region->is_return = is_return;
    region->epoch = epoch_.load(std::memory_order_relaxed);
  }
  recent = {as_name, kOpenMp, parent, region};
  return region;
}

void RegionTable::enter(Stack& stack, Region* region, RegionSource source, uint64_t name_hash, uint64_t handle) {
  // A level also where there was no room for the region, so that its end is not taken for another one's.
  if (region == nullptr) {
    const std::lock_guard<std::mutex> guard(lock_);
    ++problems_.dropped;
  }
  Level& level = stack.levels[stack.depth++];
  level.region = region;
  level.source = source;
  level.name_hash = name_hash;
  level.handle = handle;
  level.mpi_ticks = mpi_ticks_of_this_thread();
  level.ticks = pmpi::ticks();
  level.cpu_ns = cpu_ns_at(stack, level.ticks);
}

void RegionTable::leave(Stack& stack, size_t level) {
  std::copy(stack.levels.begin() + static_cast<ptrdiff_t>(level) + 1,
            stack.levels.begin() + static_cast<ptrdiff_t>(stack.depth),
            stack.levels.begin() + static_cast<ptrdiff_t>(level));
  --stack.depth;
}

bool RegionTable::has_room(Stack& stack) {
  if (stack.depth < kMostLevels) return true;
  ++stack.beyond;
  const std::lock_guard<std::mutex> guard(lock_);
  ++problems_.dropped;
  return false;
}

void RegionTable::begin(RegionSource source, const char* name, uint64_t handle) {
  if (!is_open() || name == nullptr) return;
  Stack* stack = stack_of_this_thread();
  if (stack == nullptr || !has_room(*stack)) return;
  Region* region = region_of(*stack, source, name);
  enter(*stack, region, source, hash_of_name(name), handle);
  if (region != nullptr) mark_in_trace(trace::Mark::kBegin, region->name.data());
}

void RegionTable::begin_parallel(uint64_t address, bool is_return) {
  if (!is_open_for_parallel()) return;
  Stack* stack = stack_of_this_thread();
  if (stack == nullptr || !has_room(*stack)) return;
  enter(*stack, parallel_region_of(*stack, address, is_return), kOpenMp, 0, 0);
}

void RegionTable::end_parallel(const openmp::Team& team) {
  const uint64_t now = pmpi::ticks();
  if (!is_open_for_parallel()) return;
  Stack* stack = stack_of_this_thread();
  if (stack == nullptr) return;
  if (stack->beyond > 0) {
    --stack->beyond;
    return;
  }
  for (size_t at = stack->depth; at-- > 0;) {
    const Level& level = stack->levels[at];
    if (level.source != kOpenMp) continue;
    count(*stack, level, now);
    if (level.region != nullptr) count_team(*level.region, now - level.ticks, team);
    leave(*stack, at);
    return;
  }
}

void RegionTable::count_team(Region& region, uint64_t elapsed_ticks, const openmp::Team& team) {
  const auto add = [](std::atomic<uint64_t>& sum, uint64_t value) { sum.fetch_add(value, std::memory_order_relaxed); };
  const auto of = [](const auto& value) { return value.load(std::memory_order_relaxed); };
  const uint32_t threads = of(team.threads);
  add(region.thread_ticks, threads * elapsed_ticks);
  add(region.busy_ticks, of(team.busy_ticks));
  add(region.slowest_ticks, of(team.slowest_ticks));
  add(region.busy_cpu_ns, of(team.busy_cpu_ns));
  add(region.unread_ticks, of(team.unread_ticks));
  uint32_t most = of(region.most_threads);
  while (most < threads && !region.most_threads.compare_exchange_weak(most, threads, std::memory_order_relaxed)) {
  }
  if (of(team.has_unseen_tasks)) region.has_unseen_tasks.store(true, std::memory_order_relaxed);
}

void RegionTable::count(Stack& stack, const Level& level, uint64_t now) {
  if (level.region == nullptr) return;
  Region& region = *level.region;
  region.count.fetch_add(1, std::memory_order_relaxed);
  region.ticks.fetch_add(now - level.ticks, std::memory_order_relaxed);
  region.mpi_ticks.fetch_add(mpi_ticks_of_this_thread() - level.mpi_ticks, std::memory_order_relaxed);
  const uint64_t cpu_ns = cpu_ns_at(stack, now);
  if (cpu_ns > level.cpu_ns) region.cpu_ns.fetch_add(cpu_ns - level.cpu_ns, std::memory_order_relaxed);
}

bool RegionTable::end(RegionSource source, const char* name, uint64_t handle, bool told) {
  if (!is_open()) return false;
  const uint64_t now = pmpi::ticks();
  Stack* stack = stack_of_this_thread();
  if (stack == nullptr) return false;
  if (stack->beyond > 0) {
    --stack->beyond;
    return true;
  }
  const uint64_t name_hash = handle == 0 && name != nullptr ? hash_of_name(name) : 0;
  size_t at = stack->depth;
  for (; at > 0; --at) {
    const Level& level = stack->levels[at - 1];
    if (level.source != source) continue;
    if (handle != 0 ? level.handle == handle : name == nullptr || level.name_hash == name_hash) break;
  }
  if (at == 0) {
    if (!told) return false;
    const std::lock_guard<std::mutex> guard(lock_);
    if (problems_.ends_without_begin++ == 0 && name != nullptr) {
      try {
        problems_.first_without_begin.assign(name, std::min(std::strlen(name), kLongestName));
      } catch (const std::bad_alloc&) {
      }
    }
    return false;
  }
  count(*stack, stack->levels[at - 1], now);
  if (const Region* region = stack->levels[at - 1].region; region != nullptr) {
    mark_in_trace(trace::Mark::kEnd, region->name.data());
  }
  leave(*stack, at - 1);
  return true;
}

void RegionTable::parameter(const char* name, double value) {
  if (!is_open() || name == nullptr) return;
  Stack* stack = stack_of_this_thread();
  if (stack == nullptr) return;
  size_t depth = stack->depth;
  while (depth > 0 && stack->levels[depth - 1].source == kOpenMp) --depth;
  if (depth == 0 || stack->levels[depth - 1].region == nullptr) return;
  Region& region = *stack->levels[depth - 1].region;
  mark_in_trace(trace::Mark::kParameter, name, value);
  const std::lock_guard<std::mutex> guard(lock_);
  Parameter* found = nullptr;
  for (Parameter& p : region.parameters) {
    if (is_name(p.name.data(), p.name.size(), name)) found = &p;
  }
  if (found == nullptr) {
    if (region.parameters.size() == kMostParameters) {
      ++problems_.dropped;
      return;
    }
    try {
      found = &region.parameters.emplace_back();
    } catch (const std::bad_alloc&) {
      return;
    }
    copy_name(found->name.data(), found->name.size(), name);
    found->least = found->most = value;
  }
  ++found->n;
  found->sum += value;
  found->least = std::min(found->least, value);
  found->most = std::max(found->most, value);
}

raw::ParallelRegion RegionTable::parallel_record(const Region& r) {
  const auto of = [](const auto& value) { return value.load(std::memory_order_relaxed); };
  raw::ParallelRegion out;
  out.region = r.number;
  out.epoch = r.epoch;
  out.address = r.address;
  out.is_return = r.is_return ? 1 : 0;
  out.most_threads = of(r.most_threads);
  out.has_unseen_tasks = of(r.has_unseen_tasks) ? 1 : 0;
  out.thread_ticks = of(r.thread_ticks);
  out.busy_ticks = of(r.busy_ticks);
  out.slowest_ticks = of(r.slowest_ticks);
  out.busy_cpu_ns = of(r.busy_cpu_ns);
  out.unread_ticks = of(r.unread_ticks);
  return out;
}

RegionTable::Record RegionTable::record() {
  Record record;
  const std::unique_lock<std::mutex> guard(lock_, std::try_to_lock);
  if (!guard.owns_lock()) return record;
  record.problems = problems_;
  const auto text = [](double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    return std::string(digits);
  };
  for (const Region& r : regions_) {
    raw::Region out;
    out.thread_class = r.thread_class;
    out.number = r.number;
    out.parent = r.parent;
    out.name = r.name.data();
    out.source = r.source;
    out.count = r.count.load(std::memory_order_relaxed);
    out.ticks = r.ticks.load(std::memory_order_relaxed);
    out.mpi_ticks = r.mpi_ticks.load(std::memory_order_relaxed);
    out.cpu_ns = r.cpu_ns.load(std::memory_order_relaxed);
    record.regions.push_back(std::move(out));
    if (r.source == kOpenMp) record.parallel.push_back(parallel_record(r));
    for (const Parameter& p : r.parameters) {
      record.parameters.push_back({r.number, p.name.data(), p.n, text(p.sum), text(p.least), text(p.most)});
    }
  }
  Stack* stack = stack_of_this_thread();
  if (stack == nullptr) return record;
  const uint64_t now = pmpi::ticks();
  const uint64_t cpu_ns = cpu_ns_at(*stack, now);
  for (size_t i = 0; i < stack->depth; ++i) {
    const Level& level = stack->levels[i];
    if (level.region == nullptr) continue;
    raw::Region& out = record.regions[level.region->number - 1];
    ++out.count;
    ++out.open;
    out.ticks += now - level.ticks;
    out.mpi_ticks += mpi_ticks_of_this_thread() - level.mpi_ticks;
    if (cpu_ns > level.cpu_ns) out.cpu_ns += cpu_ns - level.cpu_ns;
  }
  return record;
}

}  // namespace scalediag::inject
