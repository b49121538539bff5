// Large messages that leave a rank at the same time. Each has an equal part of the adapter's bandwidth as long as it
// passes (processor sharing), because their senders - sockets, queue pairs - take turns piece by piece: three that
// begin together end together, where one after the other the first would be over after a third of the time.
//
// While a rank receives such a message too, all that it sends takes `exchange` times as long. Where adapters are shared
// in this way, answers and acknowledgements wait behind data in the same direction, so that sending and receiving take
// turns.
//
// The end of a message depends on those that begin while it passes. Ends are therefore returned in the order of time,
// over all ranks: an end is final once nothing can begin before it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

#include "loggp/simulator/event_queue.h"

namespace scalediag::loggp {

constexpr double kNever = std::numeric_limits<double>::infinity();

class SharedAdapters {
 public:
  // LinkClass::exchange.
  explicit SharedAdapters(double exchange = 1) : exchange_(exchange) {}

  struct End {
    double begin_s = 0;
    double end_s = 0;
    uint32_t send = 0;
    uint32_t receive = 0;
  };

  // Begins a message from rank `sender` to rank `receiver` at begin_s that would occupy the sender's adapter for work_s
  // if it were alone. Precondition: begin_s is finite and at most a gap before the last end that was returned, because
  // a sender goes on when its last byte has left; the message then begins at that end.
  void begin(uint32_t sender, uint32_t receiver, double begin_s, double work_s, uint32_t send, uint32_t receive);

  // Whether no message is under way.
  bool empty() const { return n_messages_ == 0; }
  // The time of the next step in seconds: nothing begins or ends earlier. Precondition: !empty().
  double next_s();
  // The step at next_s(): a message ends and is removed, or one begins (empty). Precondition: !empty(), and all
  // messages that begin before next_s() are known.
  std::optional<End> step();

 private:
  struct Message {
    double key;  // waiting: the time at which it begins; passing: the service of each message at which it ends
    double begin_s;
    double work_s;
    uint32_t receiver;
    uint32_t send;
    uint32_t receive;
    // The lower number comes first among equal ones, so that the order is the same each time.
    bool operator<(const Message& b) const { return key != b.key ? key > b.key : send > b.send; }
  };
  using Earliest = std::priority_queue<Message>;
  // A rank's adapter, for the messages that share it.
  struct Outlet {
    Earliest waiting;
    Earliest passing;
    double now_s = 0;
    double served_s = 0;     // seconds of service to each message that has been passing since the adapter was last idle
    double slowness = 1;     // 1, or `exchange` while the rank receives
    uint32_t receiving = 0;  // messages
    double next_s() const;
    bool next_is_end() const;
    double next_end_s() const;
    void advance(double to_s);
  };
  void schedule(uint32_t sender);
  // Adds a message (1) or removes one (-1) that the rank receives, from at_s on.
  void receives(uint32_t rank, int more, double at_s);
  Outlet& outlet_of(uint32_t rank);

  double exchange_;
  std::vector<Outlet> outlets_;  // by rank, as far as any has sent or received
  EventQueue events_;            // old ones included, which are no longer their adapter's next
  uint64_t n_messages_ = 0;
};

}  // namespace scalediag::loggp
