// The reader's side of core/raw/event_stream.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/emulated_times.h"
#include "core/raw/event_relay.h"
#include "core/result.h"

namespace scalediag::emulate {

// Tests and probes that found nothing.
struct Polls {
  uint64_t n = 0;
  double untold_s = 0;   // of computation since the last event
  uint32_t routine = 0;  // of the last one
};

class EventChannel {
 public:
  // Error (kEnvironment): there is not enough memory.
  static Result<EventChannel> open(int ranks, const stream::Demands& demands);
  EventChannel(EventChannel&& other) noexcept;
  EventChannel& operator=(EventChannel&&) = delete;
  ~EventChannel();

  // The path of the memory, which processes on this host open.
  const std::string& path() const { return path_; }
  // For the ranks, which open the memory by it: the path, a colon, and the number of the run.
  std::string address() const { return path_ + ":" + std::to_string(header().run); }

  // Gives what each rank has told since the last call to `take`, and returns those ranks.
  const std::vector<uint32_t>& read(const std::function<void(uint32_t rank, std::string_view bytes)>& take);
  // Waits until a rank rings, or for this long.
  void wait(double seconds);
  // Wakes the thread that waits.
  void ring();
  void answer(uint32_t rank, const stream::Answer& answer);
  // Ranks wait for the reader no more.
  void close();

  // Ranks of other hosts have what they tell written here by somebody who gets what is meant for them; it has to live
  // as long as it is set. Null: there are none.
  class FarRanks {
   public:
    virtual void answer(uint32_t rank, const stream::Answer& answer) = 0;
    virtual void close() = 0;

   protected:
    ~FarRanks() = default;
  };
  void set_far_ranks(FarRanks* far) { far_ = far; }
  const stream::Header& header() const { return *static_cast<stream::Header*>(memory_); }
  // False: there is a process of this rank.
  bool attach(uint32_t rank) { return stream::attach(lane(rank)); }
  // Writes as much as there is room for. Returns the number of bytes.
  size_t append(uint32_t rank, std::string_view bytes);
  void set_state(uint32_t rank, const stream::LaneState& state) { stream::set_state(lane(rank), state); }

  bool has_attached(uint32_t rank) const;
  // The state of a rank that has told nothing for a while.
  stream::Idle idle(uint32_t rank) const;
  // Results that depended on this machine's order of messages, of all ranks.
  uint64_t real_order() const;
  // Times that ranks asked for while an event was held back, and did not get.
  uint64_t unknown_times() const;
  core::EmulatedSleep sleep(uint32_t rank) const;
  Polls polls(uint32_t rank) const;
  // Whether the rank has told its last event.
  bool has_ended(uint32_t rank) const;
  uint32_t ranks() const { return header().ranks; }
  size_t bytes() const { return bytes_; }

 private:
  EventChannel() = default;
  stream::Header& memory() const { return *static_cast<stream::Header*>(memory_); }
  stream::Lane& lane(uint32_t rank) const { return *stream::lane_of(memory(), rank); }

  int fd_ = -1;
  void* memory_ = nullptr;
  size_t bytes_ = 0;
  std::string path_;
  FarRanks* far_ = nullptr;
  uint32_t bell_ = 0;  // its last value that was seen
  std::vector<uint32_t> told_;
};

}  // namespace scalediag::emulate
