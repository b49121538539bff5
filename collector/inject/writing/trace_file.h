// The trace of this rank, where one was asked for: its file beside the raw one, and its recorder. In an emulation the
// file takes what the emulated rank's recorder keeps.
#pragma once

#include <memory>
#include <string>

#include "collector/inject/writing/node_place.h"
#include "collector/inject/writing/raw_writer.h"
#include "pmpi-comm/trace/trace_recorder.h"

namespace scalediag::inject {

class TraceFile : public pmpi::TraceSink {
 public:
  // `series`: with every computation, not only the means. `counter`: of instructions, or null where they are not
  // counted; it outlives this object.
  explicit TraceFile(bool series, pmpi::InstructionCounter* counter = nullptr) : series_(series), counter_(counter) {}

  // Creates the rank's trace, or begins its stream in the node's file of traces. Returns 0 or an errno. May throw
  // std::bad_alloc.
  int create(const WritingPlace& place, uint32_t rank);
  // Called by the thread that is traced. `ns_per_tick` is that of the time-stamp counter. May throw std::bad_alloc.
  void start(const pmpi::TraceIdentity& identity, double ns_per_tick);
  // The recorder of events; nullptr before start().
  pmpi::TraceRecorder* recorder() { return recorder_.get(); }
  // Called once, by the thread that is traced.
  void finish(trace::End end);
  // The same for a file that another recorder has filled, and finished.
  void close(const pmpi::TraceRecorder& recorder);
  bool is_over() const { return over_; }

  bool write(trace::ChunkKind kind, const std::string& payload) override;

 private:
  const bool series_;
  pmpi::InstructionCounter* const counter_;
  RawWriter writer_;
  std::unique_ptr<pmpi::TraceRecorder> recorder_;
  uint64_t start_ns_ = 0;
  bool over_ = false;
};

}  // namespace scalediag::inject
