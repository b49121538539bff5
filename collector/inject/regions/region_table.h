// The regions that the program names while it runs, whatever interface it names them by: how often they were entered,
// elapsed time, the part of it inside MPI, and CPU time, by the regions that they lie in.
//
// Each thread has a stack of the regions that it is in. A region may end before those that were entered after it: these
// then go on by themselves. Memory is bounded: what finds no room is counted, and told by the profile.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "collector/inject/openmp/team.h"
#include "core/raw/raw_records.h"

namespace scalediag::inject {

// The interface by which a region was named, as profiles have it. Compared by address.
using RegionSource = const char*;

class RegionTable {
 public:
  static constexpr size_t kMostRegions = 1024;
  static constexpr size_t kMostLevels = 128;
  static constexpr size_t kLongestName = 160;    // bytes; the rest of a name is cut off
  static constexpr size_t kMostParameters = 16;  // of a region

  // The only instance. It is never destroyed.
  static RegionTable& get();

  // From here on regions are recorded, until close().
  void open() { is_open_.store(true, std::memory_order_relaxed); }
  // And from here on parallel regions.
  void open_for_parallel() { has_parallel_.store(is_open(), std::memory_order_relaxed); }
  void close() {
    is_open_.store(false, std::memory_order_relaxed);
    has_parallel_.store(false, std::memory_order_relaxed);
  }
  bool is_open() const { return is_open_.load(std::memory_order_relaxed); }
  bool is_open_for_parallel() const { return has_parallel_.load(std::memory_order_relaxed); }
  // The modules that addresses belong to from here on.
  void set_epoch(uint32_t epoch) { epoch_.store(epoch, std::memory_order_relaxed); }

  // The calling thread enters a region. `handle` is what the end names it by where that is not its name; 0: none.
  void begin(RegionSource source, const char* name, uint64_t handle = 0);
  // It leaves the innermost region of the source with the handle or, if that is 0, with the name or, if that is null,
  // any. False: there is none. It counts as an end without a beginning only with `told`.
  bool end(RegionSource source, const char* name, uint64_t handle = 0, bool told = true);
  // The calling thread enters and leaves a parallel region of OpenMP, which is known by an address: that of the code
  // that its threads run or, if `is_return`, that to which the call returns which begins it. It is no mark in traces.
  void begin_parallel(uint64_t address, bool is_return);
  void end_parallel(const openmp::Team& team);
  // A number for the innermost region, not a parallel one, that the calling thread is in.
  void parameter(const char* name, double value);

  struct Record {
    std::vector<raw::Region> regions;
    std::vector<raw::RegionParameter> parameters;
    std::vector<raw::ParallelRegion> parallel;
    raw::RegionProblems problems;
  };
  // All regions so far. Those that the calling thread is in count until now. May throw std::bad_alloc. Empty
  // where another thread holds the table, which a signal handler may have interrupted.
  Record record();

 private:
  struct Parameter {
    std::array<char, 48> name = {};
    uint64_t n = 0;
    double sum = 0, least = 0, most = 0;
  };
  struct Region {
    uint32_t thread_class = 0, number = 0, parent = 0;
    RegionSource source = nullptr;
    std::array<char, kLongestName> name = {};
    std::atomic<uint64_t> count{0}, ticks{0}, mpi_ticks{0}, cpu_ns{0};
    std::vector<Parameter> parameters;
    // Of parallel regions.
    uint64_t address = 0;
    bool is_return = false;
    uint32_t epoch = 0;
    std::atomic<uint64_t> thread_ticks{0}, busy_ticks{0}, slowest_ticks{0}, busy_cpu_ns{0}, unread_ticks{0};
    std::atomic<uint32_t> most_threads{0};
    std::atomic<bool> has_unseen_tasks{false};
  };
  struct Level {
    Region* region = nullptr;  // null: there was no room for it
    RegionSource source = nullptr;
    uint64_t name_hash = 0;
    uint64_t handle = 0;
    uint64_t ticks = 0, mpi_ticks = 0, cpu_ns = 0;
  };
  struct Found {  // a recent look-up
    const char* name = nullptr;
    RegionSource source = nullptr;
    const Region* parent = nullptr;
    Region* region = nullptr;
  };
  static constexpr size_t kRecent = 64;
  struct Stack {
    std::array<Level, kMostLevels> levels = {};
    size_t depth = 0;
    size_t beyond = 0;  // levels for which there was no room
    std::array<Found, kRecent> recent = {};
    bool of_main_thread = false;
    uint64_t cpu_ticks = 0, cpu_ns = 0;  // when CPU time was read, and what it was
    double ns_per_tick = 0;
  };

  static Stack* stack_of_this_thread();
  static uint64_t cpu_ns_at(Stack& stack, uint64_t now);
  static void count(Stack& stack, const Level& level, uint64_t now);
  static raw::ParallelRegion parallel_record(const Region& region);
  static void count_team(Region& region, uint64_t elapsed_ticks, const openmp::Team& team);
  bool has_room(Stack& stack);
  void enter(Stack& stack, Region* region, RegionSource source, uint64_t name_hash, uint64_t handle);
  static void leave(Stack& stack, size_t level);
  Region* region_of(Stack& stack, RegionSource source, const char* name);
  Region* parallel_region_of(Stack& stack, uint64_t address, bool is_return);
  Region* add(const Region* parent, uint32_t thread_class, RegionSource source, const char* name);
  Region* find_or_add(const Region* parent, uint32_t thread_class, RegionSource source, const char* name);

  std::atomic<bool> is_open_{false}, has_parallel_{false};
  std::atomic<uint32_t> epoch_{0};
  std::mutex lock_;
  std::deque<Region> regions_;
  raw::RegionProblems problems_;
};

}  // namespace scalediag::inject
