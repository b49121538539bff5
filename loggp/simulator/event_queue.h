// The next of very many events that lie near one another in time, in the order of their times and then of their
// senders.
//
// A heap of millions is spread over the memory, and each step of it waits for that. Here only the next part of all
// events is in order, and the rest lies as it came. What is added before the end of that part goes into a small heap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace scalediag::loggp {

class EventQueue {
 public:
  struct Event {
    double at_s;
    uint32_t sender;
    // Later; of those at the same time the one with the larger sender.
    bool operator>(const Event& b) const { return at_s != b.at_s ? at_s > b.at_s : sender > b.sender; }
  };

  bool empty() const { return ordered_.empty() && added_.empty() && rest_.empty(); }
  void push(const Event& event) {
    if (event > end_) {
      rest_.push_back(event);
    } else {
      added_.push(event);
    }
  }
  // Precondition: !empty().
  const Event& top() {
    if (ordered_.empty() && added_.empty()) order_next();
    return is_added() ? added_.top() : ordered_.back();
  }
  // Removes top(), which has been called since the last change.
  void pop() {
    if (is_added()) {
      added_.pop();
    } else {
      ordered_.pop_back();
    }
  }

 private:
  static constexpr size_t kFewest = 1024, kPart = 8;  // events to order at once: an eighth of all

  bool is_added() const { return ordered_.empty() || (!added_.empty() && ordered_.back() > added_.top()); }
  void order_next() {
    const size_t n = std::min(rest_.size(), std::max(kFewest, rest_.size() / kPart));
    const auto first = rest_.end() - static_cast<std::ptrdiff_t>(n);
    if (n < rest_.size()) std::nth_element(rest_.begin(), first, rest_.end(), std::greater<>());
    ordered_.assign(first, rest_.end());
    rest_.erase(first, rest_.end());
    std::ranges::sort(ordered_, std::greater<>());
    end_ = ordered_.front();
  }

  std::vector<Event> ordered_;                                            // the next ones, the first at the back
  Event end_ = {-1, 0};                                                   // the last that was ordered
  std::priority_queue<Event, std::vector<Event>, std::greater<>> added_;  // since then, not behind it
  std::vector<Event> rest_;                                               // behind it
};

}  // namespace scalediag::loggp
