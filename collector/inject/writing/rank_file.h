// The raw file of this rank: puts what the rank measured into records, each time what changed since the last.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collector/inject/clock_points.h"
#include "collector/inject/threads.h"
#include "collector/inject/writing/module_map.h"
#include "collector/inject/writing/node_place.h"
#include "collector/inject/writing/raw_writer.h"
#include "pmpi-comm/repeated_calls.h"

namespace scalediag::inject {

// All but create_nowhere(), usable() and stop() may throw std::bad_alloc.
class RankFile {
 public:
  // Creates the file, which must not exist, or begins the rank's stream in the file of the node. Returns 0 or an errno.
  int create(const WritingPlace& place, uint32_t rank) {
    return create_at(place, writer_, rank, ".raw", raw::kMagic, raw::kVersion);
  }
  // Nothing is kept of it.
  int create_nowhere(uint32_t rank) { return writer_.create_nowhere(rank); }
  bool usable() const { return writer_.usable(); }
  void stop(raw::StopReason reason, int error_number) { writer_.stop(reason, error_number); }
  void publish(bool is_last) { writer_.publish(is_last); }

  // Written once, at the beginning.
  void write_identity(const raw::Identity& identity, const std::string& stamp);
  // The modules where they have changed; the epoch of `threads` changes with them.
  void write_modules(Threads& threads);
  void write_totals(Threads& threads);
  // The peak of memory, where it has risen.
  void write_memory();
  // At the end of recording, by the main thread.
  void write_repeated_calls(const pmpi::RepeatedCalls& repeated);
  void write_regions();
  // Of a run that ends after some rounds: the state of all that is written in between, and where its rounds stand.
  void write_structure_so_far(const pmpi::RepeatedCalls& repeated);
  void write_rounds(const raw::Rounds& rounds) { writer_.append(raw::ChunkKind::kRounds, rounds); }
  // The waits of the main thread, which has that number in the system; before the clock point of the phase.
  void write_waits(raw::Phase phase, pid_t main_thread);
  // `collector_cpu_ns` is the CPU time of the collector so far.
  void write_clock(ClockPoint point, uint64_t collector_cpu_ns);
  void write_footer() { writer_.append_footer(samples_, lost_); }

 private:
  void write_record_of_regions();
  void write_samples(SampleTable& samples);
  void write_counting(const ThreadTotals& totals);
  void write_files(uint32_t epoch);
  void write_gpu(uint32_t epoch);

  RawWriter writer_;
  uint64_t samples_ = 0, lost_ = 0;  // as written
  uint64_t spawned_ = 0;
  uint64_t peak_resident_bytes_ = 0;
  std::vector<raw::FileTotals> file_totals_;
  std::map<uint32_t, raw::FilePlaceTotals> file_places_;  // as written
  std::map<uint32_t, raw::GpuPlaceTotals> gpu_places_;    // as written
  raw::GpuUse gpu_use_;
  bool has_modules_ = false;
  ModuleChanges modules_;
};

}  // namespace scalediag::inject
