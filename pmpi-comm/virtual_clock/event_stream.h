// Tells the events of this rank to `scalediag emulate` while the program runs (core/raw/event_stream.h).
#pragma once

#include <cstdint>
#include <string>

#include "core/raw/event_stream.h"
#include "pmpi-comm/trace/trace_recorder.h"

namespace scalediag::pmpi {

class EventStream : public TraceSink {
 public:
  EventStream() = default;
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  ~EventStream() override;

  // Stands for the reader where the memory is not shared with it.
  class Relay {
   public:
    virtual void ring() = 0;
    // Called where the rank computes after a call, or finds what it polled for, after it has told the event.
    virtual void computes_again() = 0;
    // Called when the rank has told its end: waits until the reader has all of it.
    virtual void finish() = 0;

   protected:
    ~Relay() = default;
  };

  // Opens the memory as this rank's. `address` is its path, a colon, the number of the run, and the ways to the reader
  // for other hosts (core/raw/event_relay.h). Returns an empty text, or what is wrong; `is_out_of_reach` is set where
  // the memory is not there.
  std::string open(const std::string& address, uint32_t rank, uint32_t size, bool& is_out_of_reach);
  // Tells through memory of one rank, which `relay` reads. Both have to live as long as this.
  void tell_through(stream::Header& memory, Relay& relay);
  // Called once, after everything else: the rank tells nothing more.
  void end();

  // How many times as long computation takes on the emulated processor. After open() or tell_through().
  double compute_factor() const { return header_->demands.compute_factor; }
  // ns that the rank waited for room for what it tells.
  uint64_t stalled_ns() const { return stalled_ns_; }

  bool write(trace::ChunkKind kind, const std::string& payload) override;
  bool event(uint32_t definition, uint64_t before_ns) override;
  bool orders_messages() const override { return header_->demands.virtual_order; }
  bool gives_time() const override { return header_->demands.virtual_wtime; }
  bool marks_regions() const override { return header_->demands.marks_regions; }
  bool ask(const std::string& question, stream::Answer& answer) override;
  void note_idle(stream::Idle idle) override {
    const auto now = static_cast<uint32_t>(idle);
    if (relay_ == nullptr) return lane_->idle.store(now, std::memory_order_relaxed);
    lane_->idle.store(now);  // before the relay is asked what it has said
    if (idle == stream::Idle::kComputes) relay_->computes_again();
  }
  double note_sleep(uint64_t ns, bool waits) override {
    (waits ? lane_->waited_ns : lane_->slept_ns).fetch_add(ns, std::memory_order_relaxed);
    return waits ? 0 : static_cast<double>(ns) / header_->demands.compute_factor;
  }
  void note_poll(uint32_t routine, double untold_ns) override {
    lane_->polls.fetch_add(1, std::memory_order_relaxed);
    lane_->untold_ns.store(static_cast<uint64_t>(untold_ns), std::memory_order_relaxed);
    lane_->polled_with.store(routine, std::memory_order_relaxed);
  }
  void note_blocked(uint64_t ns) override { lane_->blocked_ns.store(ns, std::memory_order_relaxed); }
  void note_real_order() override { lane_->real_order.fetch_add(1, std::memory_order_relaxed); }
  void note_unknown_time() override { lane_->unknown_times.fetch_add(1, std::memory_order_relaxed); }

 private:
  const char* map(const std::string& path);
  void use(stream::Header& memory, uint32_t rank);
  bool append(const char* bytes, size_t n);
  void look_at_reader();
  bool wait_for_room();
  bool is_read(int waits) const;
  void ring_bell();

  void* memory_ = nullptr;
  size_t bytes_ = 0;
  stream::Header* header_ = nullptr;
  Relay* relay_ = nullptr;  // null: the memory is shared with the reader
  stream::Lane* lane_ = nullptr;
  char* ring_ = nullptr;
  // Bytes: by this rank, by the reader when it was last looked at, and where to look again. The reader's number is on a
  // line of its own, which is not looked at with every event.
  uint64_t written_ = 0, read_ = 0, look_at_ = 0;
  uint64_t stalled_ns_ = 0;
  uint32_t asked_ = 0;
  bool broken_ = false;
};

}  // namespace scalediag::pmpi
