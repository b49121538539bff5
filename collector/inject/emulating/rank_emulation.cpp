#include "collector/inject/emulating/rank_emulation.h"

#include <new>

#include "collector/inject/last_words.h"
#include "pmpi-comm/mpi_library.h"
#include "pmpi-comm/thread_state.h"

namespace scalediag::inject {

void RankEmulation::join(const Settings& settings, const pmpi::TraceIdentity& identity, double ns_per_tick,
                         pid_t thread, std::optional<clockid_t> clock, pmpi::TraceSink* kept) {
  std::string wrong = "memory ran out";
  thread_ = thread;
  clock_ = clock;
  try {
    rank_ = std::make_unique<pmpi::EmulatedRank>(pmpi::mpi_library(), kept);
    from_ = read_clocks(raw::Phase::kInitEnd, clock_);
    waits_before_ = read_waits(thread_);
    wrong = try_to_join(settings, identity, ns_per_tick);
  } catch (const std::bad_alloc&) {
  }
  if (wrong.empty()) return;
  rank_.reset();
  say("rank %u on host %s%s%s", identity.rank, identity.host.c_str(), stream::kNotEmulated, wrong.c_str());
  end_program();
}

std::string RankEmulation::try_to_join(const Settings& settings, const pmpi::TraceIdentity& identity,
                                       double ns_per_tick) {
  bool is_out_of_reach = false;
  const std::string here = rank_->start(settings.emulation, identity, ns_per_tick, is_out_of_reach);
  if (!is_out_of_reach) return here;
  const std::string there =
      relay_.start(settings.emulation, settings.emulation_key, identity.rank, identity.size, identity.host,
                   [rank = identity.rank, host = identity.host](const std::string& text) {
                     say("rank %u on host %s%s", rank, host.c_str(), text.c_str());
                   });
  if (there.empty()) {
    rank_->start_through(relay_.memory(), relay_, identity, ns_per_tick);
    return "";
  }
  return "it reaches `scalediag emulate` neither by its memory (" + here + ") nor over the network (" + there + ")" +
         stream::kHint +
         "a rank on another host, or of another user or container on this one, has to be able to connect "
         "to the host of `scalediag emulate`: look for a firewall between them";
}

void RankEmulation::finish(trace::End end) {
  const ClockPoint now = read_clocks(raw::Phase::kFinalizeBegin, clock_);
  const auto waits = read_waits(thread_);
  const uint64_t elapsed_ns = now.monotonic_ns - from_.monotonic_ns;
  double idle_ns = 0;  // where the system does not tell, nothing is said
  if (waits && waits_before_) {
    idle_ns = static_cast<double>(elapsed_ns) - static_cast<double>(now.main_thread_cpu_ns - from_.main_thread_cpu_ns) -
              static_cast<double>(waits->for_core_ns - waits_before_->for_core_ns);
  }
  rank_->finish(end, elapsed_ns, idle_ns, pmpi::this_thread->slept_in_waits_ns);
}

}  // namespace scalediag::inject
