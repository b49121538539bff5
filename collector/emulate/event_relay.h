// Takes what ranks on other hosts tell, and writes it where ranks of this host do (core/raw/event_relay.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "collector/emulate/event_channel.h"
#include "core/result.h"

namespace scalediag::emulate {

class EventRelay : private EventChannel::FarRanks {
 public:
  // Takes connections from now on; the channel has to outlive it.
  explicit EventRelay(EventChannel& channel);
  EventRelay(const EventRelay&) = delete;
  EventRelay& operator=(const EventRelay&) = delete;
  ~EventRelay();

  // Ways to this host, to be put behind the channel's address; empty: it can take no connections.
  const std::string& ways() const { return ways_; }
  // The error of a connection that is lost, some seconds later: where its rank has died, how that came about is known
  // from the launcher by then.
  std::optional<core::Error> look() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  // From a rank, or from somebody who has not said yet.
  struct Connection {
    int fd = -1;
    std::optional<uint32_t> rank;
    std::string host;
    Time since;
    std::string bytes;  // that came and were not taken yet, from `at` on
    size_t at = 0;
    std::optional<stream::Told> told;  // whose bytes are being taken
    uint64_t left = 0;                 // of them
    bool has_ended = false;            // the rank has told its end
  };

  void answer(uint32_t rank, const stream::Answer& answer) override;
  void close() override;

  void listen_here();
  void work();
  void accept_one();
  // False: the connection is to be closed.
  bool receive(Connection& from);
  bool take(Connection& from);
  bool welcome(Connection& from);
  void give(uint32_t rank, const stream::Given& given);
  void drop(Connection& connection);
  void note_loss(const std::string& what, const std::string& hint);

  EventChannel& channel_;
  int listener_ = -1, wake_ = -1;
  std::string ways_;
  std::vector<Connection> connections_;  // of the thread
  std::mutex by_rank_lock_;
  std::vector<int> by_rank_;  // the descriptors of ranks that have come; -1: not
  bool is_closed_ = false;    // with by_rank_lock_
  mutable std::mutex loss_lock_;
  std::optional<core::Error> loss_;
  Time lost_at_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace scalediag::emulate
