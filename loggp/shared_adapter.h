// Large messages that leave a rank at the same time. Each has an equal part of the adapter's bandwidth as long as it
// passes (processor sharing), because what sends them - sockets, queue pairs - takes turns piece by piece: three that
// begin together end together, where one after the other the first would be over after a third of the time.
//
// When a message ends depends on those that begin while it passes, so ends are handed out in the order of time, over
// all ranks: an end is final once nothing can begin before it.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

namespace scalediag::loggp {

class SharedAdapters {
 public:
  struct End {
    double begin_s = 0;
    double end_s = 0;
    uint32_t send = 0;
    uint32_t receive = 0;
  };

  // Rank `sender` has something to send from begin_s on that would occupy its adapter for work_s if it were alone.
  // Precondition: it is finite, and no more than a gap before the last end that was handed out, because a sender goes
  // on when its last byte has left; it then begins at that end.
  void begin(uint32_t sender, double begin_s, double work_s, uint32_t send, uint32_t receive);

  // Nothing is under way.
  bool empty() const { return n_messages_ == 0; }
  // Nothing begins or ends earlier. Precondition: !empty().
  double next_s();
  // What happens at next_s(): a message ends and is taken out, or one begins (none). Precondition: !empty(), and all
  // that begins before next_s() is known.
  std::optional<End> step();

 private:
  struct Message {
    double key;  // waiting: when it begins; passing: what the adapter has served each message by when it ends
    double begin_s;
    double work_s;
    uint32_t send;
    uint32_t receive;
    // Of equal ones the lower number, so that the order is the same each time.
    bool operator<(const Message& b) const { return key != b.key ? key > b.key : send > b.send; }
  };
  using Earliest = std::priority_queue<Message>;
  // A rank's adapter, as far as it is shared.
  struct Outlet {
    Earliest waiting;
    Earliest passing;
    double now_s = 0;
    double served_s = 0;  // to each message that has been passing since the adapter was last idle
    double next_s() const;
    bool next_is_end() const;
    void advance(double to_s);
  };
  struct Event {
    double at_s;
    uint32_t sender;
    bool operator<(const Event& b) const { return at_s != b.at_s ? at_s > b.at_s : sender > b.sender; }
  };
  void schedule(uint32_t sender);

  std::vector<Outlet> outlets_;        // by sender, as far as any has sent
  std::priority_queue<Event> events_;  // also old ones, which no longer are their adapter's next
  uint64_t n_messages_ = 0;
};

}  // namespace scalediag::loggp
