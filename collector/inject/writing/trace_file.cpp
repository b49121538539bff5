#include "collector/inject/writing/trace_file.h"

#include <cerrno>

#include "collector/inject/clock_points.h"
#include "core/raw/trace_format.h"

namespace scalediag::inject {

int TraceFile::create(const WritingPlace& place, uint32_t rank) {
  const uint32_t version = series_               ? trace::kVersion
                           : counter_ != nullptr ? trace::kVersionWithoutSeries
                                                 : trace::kVersionWithoutInstructions;
  return create_at(place, writer_, rank, ".trace", trace::kMagic, version);
}

void TraceFile::start(const pmpi::TraceIdentity& identity, double ns_per_tick) {
  recorder_ = std::make_unique<pmpi::TraceRecorder>(pmpi::mpi_library(), *this, series_, counter_);
  start_ns_ = clock_ns(CLOCK_MONOTONIC);
  recorder_->start(identity, ns_per_tick);
}

void TraceFile::finish(trace::End end) {
  if (over_ || recorder_ == nullptr) return;
  over_ = true;
  recorder_->finish(end, clock_ns(CLOCK_MONOTONIC) - start_ns_);
  close(*recorder_);
}

void TraceFile::close(const pmpi::TraceRecorder& recorder) {
  over_ = true;
  if (recorder.broken()) {
    writer_.stop(raw::StopReason::kOutOfMemory, ENOMEM);
  } else {
    writer_.append_footer(recorder.events(), 0);
  }
  writer_.publish(true);
}

bool TraceFile::write(trace::ChunkKind kind, const std::string& payload) {
  raw::Encoder encoder;
  encoder.bytes(payload);
  return writer_.append(static_cast<raw::ChunkKind>(kind), encoder);
}

}  // namespace scalediag::inject
