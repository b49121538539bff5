// The part of a rank in an emulation: it joins it at the end of MPI_Init and tells it how it ended.
#pragma once

#include <sys/types.h>

#include <ctime>
#include <memory>
#include <optional>
#include <string>

#include "collector/inject/clock_points.h"
#include "collector/inject/emulating/rank_relay.h"
#include "collector/inject/settings.h"
#include "pmpi-comm/virtual_clock/emulated_rank.h"

namespace scalediag::inject {

class RankEmulation {
 public:
  // The calling thread, whose number in the system and CPU clock these are, is emulated. `kept` is that of
  // EmulatedRank. A rank that cannot join says so and ends the program: the others would wait, and nothing be
  // predicted.
  void join(const Settings& settings, const pmpi::TraceIdentity& identity, double ns_per_tick, pid_t thread,
            std::optional<clockid_t> clock, pmpi::TraceSink* kept);
  bool has_joined() const { return rank_ != nullptr; }
  pmpi::TraceRecorder* recorder() { return rank_->recorder(); }
  // Called once, by the same thread.
  void finish(trace::End end);
  void forget_after_fork() { relay_.forget_after_fork(); }

 private:
  // Returns an empty text, or why the rank cannot join. May throw std::bad_alloc.
  std::string try_to_join(const Settings& settings, const pmpi::TraceIdentity& identity, double ns_per_tick);

  RankRelay relay_;  // of a rank on another host than the emulation's
  std::unique_ptr<pmpi::EmulatedRank> rank_;
  pid_t thread_ = 0;
  std::optional<clockid_t> clock_;
  ClockPoint from_;
  std::optional<Waits> waits_before_;
};

}  // namespace scalediag::inject
