// A rank of an emulated run: its events are recorded and told at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "pmpi-comm/trace/trace_recorder.h"
#include "pmpi-comm/virtual_clock/event_stream.h"

namespace scalediag::pmpi {

class EmulatedRank {
 public:
  // `kept`: takes the trace as well, as it is on the emulated processor; null: it is not kept. It outlives this.
  explicit EmulatedRank(const MpiLibrary& mpi, TraceSink* kept = nullptr)
      : recorder_(mpi, stream_, kept != nullptr), kept_(kept) {}

  // Called by the thread whose events are told. Returns an empty text, or why they cannot be; `is_out_of_reach`: since
  // this host does not have the memory of the emulation. May throw std::bad_alloc.
  std::string start(const std::string& address, const TraceIdentity& identity, double ns_per_tick,
                    bool& is_out_of_reach) {
    std::string wrong = stream_.open(address, identity.rank, identity.size, is_out_of_reach);
    if (wrong.empty()) start(identity, ns_per_tick);
    return wrong;
  }
  // The same through a relay.
  void start_through(stream::Header& memory, EventStream::Relay& relay, const TraceIdentity& identity,
                     double ns_per_tick) {
    stream_.tell_through(memory, relay);
    start(identity, ns_per_tick);
  }
  TraceRecorder* recorder() { return &recorder_; }
  // Called once, by the same thread. `elapsed_ns` is wall time since start(), `idle_ns` the part of it in which the
  // thread was neither on a core nor waited for one, `slept_in_waits_ns` that in which it slept inside MPI by itself.
  void finish(trace::End end, uint64_t elapsed_ns, double idle_ns, uint64_t slept_in_waits_ns) {
    recorder_.finish(end, elapsed_ns);
    // Inside calls the program waits for others, which the network says how long.
    const double own_ns = recorder_.asked_ns() + static_cast<double>(stream_.stalled_ns() + slept_in_waits_ns);
    const double blocked_ns = std::min(idle_ns - own_ns, recorder_.off_core_outside_ns()) - recorder_.slept_ns();
    if (blocked_ns > 0) stream_.note_blocked(static_cast<uint64_t>(blocked_ns));
    stream_.end();
  }

 private:
  void start(const TraceIdentity& identity, double ns_per_tick) {
    recorder_.tell_events_at_once(kept_, stream_.compute_factor());
    recorder_.start(identity, ns_per_tick);
  }

  EventStream stream_;
  TraceRecorder recorder_;
  TraceSink* const kept_;
};

}  // namespace scalediag::pmpi
