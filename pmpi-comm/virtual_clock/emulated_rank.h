// A rank of an emulated run: its events are recorded and told at once.
#pragma once

#include <string>

#include "pmpi-comm/trace/trace_recorder.h"
#include "pmpi-comm/virtual_clock/event_stream.h"

namespace scalediag::pmpi {

class EmulatedRank {
 public:
  explicit EmulatedRank(const MpiLibrary& mpi) : recorder_(mpi, stream_) { recorder_.tell_events_at_once(); }

  // Called by the thread whose events are told. Returns an empty text, or why they cannot be. May throw std::bad_alloc.
  std::string start(const std::string& path, const TraceIdentity& identity, double ns_per_tick) {
    std::string wrong = stream_.open(path, identity.rank, identity.size);
    if (wrong.empty()) recorder_.start(identity, ns_per_tick);
    return wrong;
  }
  TraceRecorder* recorder() { return &recorder_; }
  // Called once, by the same thread. `elapsed_ns` is wall time since start().
  void finish(trace::End end, uint64_t elapsed_ns) { recorder_.finish(end, elapsed_ns); }

 private:
  EventStream stream_;
  TraceRecorder recorder_;
};

}  // namespace scalediag::pmpi
