// Takes what ranks on other hosts tell, and writes it where ranks of this host do (core/raw/event_relay.h).
//
// A port is kept free on each address of this host, and nobody can connect before a rank has asked for it: then the
// relay listens on the address that leads to that rank's host.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "collector/emulate/event_channel.h"
#include "core/raw/siphash.h"
#include "core/result.h"

namespace scalediag::emulate {

class EventRelay : private EventChannel::FarRanks {
 public:
  // The channel has to outlive it.
  explicit EventRelay(EventChannel& channel);
  EventRelay(const EventRelay&) = delete;
  EventRelay& operator=(const EventRelay&) = delete;
  ~EventRelay();

  // Ways to this host, to be put behind the channel's address; empty: it can take no connections.
  const std::string& ways() const { return ways_; }
  // The value of stream::kKeyVariable for the ranks.
  std::string key() const { return stream::key_text(key_); }
  // Takes connections from now on by the ways that lead to the host with these addresses; none: to this host. Called by
  // the thread that gives the channel's answers.
  void expect(const std::vector<std::string>& addresses);
  // The error of a connection that is lost, some seconds later: where its rank has died, how that came about is known
  // from the launcher by then.
  std::optional<Error> look() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Way {
    std::string address;
    int socket = -1;
    std::atomic<bool> listens{false};
  };
  // From a rank, or from somebody who has not proved to be one yet.
  struct Connection {
    int fd = -1;
    std::optional<uint32_t> rank;
    std::string host;
    Time since;
    stream::Challenge challenge;
    std::string bytes;  // that came and were not taken yet, from `at` on
    size_t at = 0;
    std::optional<stream::Told> told;  // whose bytes are being taken
    uint64_t left = 0;                 // of them
    bool has_ended = false;            // the rank has told its end
  };

  void answer(uint32_t rank, const stream::Answer& answer) override;
  void close() override;

  void open_ways();
  void wake();
  void work();
  void accept_one(Way& way);
  bool drop_unproved();
  // False: the connection is to be closed.
  bool receive(Connection& from);
  bool take(Connection& from);
  bool welcome(Connection& from);
  void give(uint32_t rank, const stream::Given& given);
  void drop(size_t connection);
  void note_loss(const std::string& what, const std::string& hint);

  EventChannel& channel_;
  raw::SipKey key_;
  int wake_ = -1;
  std::vector<std::unique_ptr<Way>> listeners_;
  std::string ways_;
  std::vector<Connection> connections_;  // of the thread
  std::mutex by_rank_lock_;
  std::vector<int> by_rank_;  // the descriptors of ranks that have come; -1: not
  mutable std::mutex loss_lock_;
  std::optional<Error> loss_;
  Time lost_at_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace scalediag::emulate
