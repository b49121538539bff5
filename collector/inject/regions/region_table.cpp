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
  const pmpi::ThreadState* state = pmpi::this_thread;
  if (state == nullptr || state->trace == nullptr || state->thread_class != raw::kMainThread || state->depth > 0)
    return;
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
  if (regions_.size() < kMostRegions) {
    try {
      Region& r = regions_.emplace_back();
      r.thread_class = thread_class;
      r.number = static_cast<uint32_t>(regions_.size());
      r.parent = number_of_parent;
      r.source = source;
      copy_name(r.name.data(), r.name.size(), name);
      return &r;
    } catch (const std::bad_alloc&) {
    }
  }
  return nullptr;
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

void RegionTable::begin(RegionSource source, const char* name, uint64_t handle) {
  if (!is_open() || name == nullptr) return;
  Stack* stack = stack_of_this_thread();
  if (stack == nullptr) return;
  if (stack->depth == kMostLevels) {
    ++stack->beyond;
    const std::lock_guard<std::mutex> guard(lock_);
    ++problems_.dropped;
    return;
  }
  Region* region = region_of(*stack, source, name);
  // A level also where there was no room for the region, so that its end is not taken for another one's.
  if (region == nullptr) {
    const std::lock_guard<std::mutex> guard(lock_);
    ++problems_.dropped;
  }
  Level& level = stack->levels[stack->depth++];
  level.region = region;
  level.source = source;
  level.name_hash = hash_of_name(name);
  level.handle = handle;
  level.mpi_ticks = mpi_ticks_of_this_thread();
  level.ticks = pmpi::ticks();
  level.cpu_ns = cpu_ns_at(*stack, level.ticks);
  if (region != nullptr) mark_in_trace(trace::Mark::kBegin, region->name.data());
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
  std::copy(stack->levels.begin() + static_cast<ptrdiff_t>(at),
            stack->levels.begin() + static_cast<ptrdiff_t>(stack->depth),
            stack->levels.begin() + static_cast<ptrdiff_t>(at) - 1);
  --stack->depth;
  return true;
}

void RegionTable::parameter(const char* name, double value) {
  if (!is_open() || name == nullptr) return;
  Stack* stack = stack_of_this_thread();
  if (stack == nullptr || stack->depth == 0 || stack->levels[stack->depth - 1].region == nullptr) return;
  Region& region = *stack->levels[stack->depth - 1].region;
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
