#include "loggp/phases/exchange_order.h"

#include <optional>
#include <set>

namespace scalediag::loggp {
namespace {

constexpr size_t kMostInExchanges = 64;  // events of either

// A part of a sequence that is not in an exchange yet.
struct Rest {
  const std::vector<ExchangeEvent>& events;
  size_t begin = 0;

  void skip_waits() {
    while (begin < events.size() && !events[begin].is_message()) ++begin;
  }
  std::set<int> tags() const {
    std::set<int> all;
    for (size_t k = begin; k < events.size(); ++k) {
      if (events[k].is_message()) all.insert(events[k].tag);
    }
    return all;
  }
  // Begins behind the last message with one of the tags, and the waits behind it. `taken` gets those of the messages
  // before it, too. Whether there was any.
  bool take(std::set<int>& taken) {
    size_t last = begin;
    for (size_t k = begin; k < events.size(); ++k) {
      if (events[k].is_message() && taken.count(events[k].tag) > 0) last = k + 1;
    }
    if (last == begin) return false;
    for (; begin < last; ++begin) {
      if (events[begin].is_message()) taken.insert(events[begin].tag);
    }
    skip_waits();
    return true;
  }
};

// From behind the last event that is neither a message nor a wait, and behind messages whose tags come again after
// others: these are exchanges of something else.
Rest last_exchanges(const std::vector<ExchangeEvent>& events) {
  Rest rest{events, events.size()};
  std::set<int> behind;
  std::optional<int> next;
  for (; rest.begin > 0 && events[rest.begin - 1].kind != ExchangeEvent::Kind::kOther; --rest.begin) {
    const ExchangeEvent& event = events[rest.begin - 1];
    if (!event.is_message()) continue;
    if (next != event.tag && behind.count(event.tag) > 0) break;
    behind.insert(event.tag);
    next = event.tag;
  }
  return rest;
}

}  // namespace

std::vector<std::pair<size_t, size_t>> ends_of_exchanges(const std::vector<ExchangeEvent>& a,
                                                         const std::vector<ExchangeEvent>& b) {
  if (a.empty() || b.empty()) return {};
  Rest rest_a = last_exchanges(a), rest_b = last_exchanges(b);
  if (a.size() - rest_a.begin > kMostInExchanges || b.size() - rest_b.begin > kMostInExchanges) return {};
  rest_a.skip_waits();
  rest_b.skip_waits();
  std::vector<std::pair<size_t, size_t>> ends = {{rest_a.begin, rest_b.begin}};
  bool are_several = false;
  while (rest_a.begin < a.size() && rest_b.begin < b.size()) {
    const int of_a = a[rest_a.begin].tag, of_b = b[rest_b.begin].tag;
    // What only one of them has stands before what both have, where it does there.
    const bool is_of_both = rest_b.tags().count(of_a) > 0;
    std::set<int> tags = {is_of_both && rest_a.tags().count(of_b) == 0 ? of_b : of_a};
    for (bool is_more = true; is_more;) {
      is_more = rest_a.take(tags);
      is_more = rest_b.take(tags) || is_more;
    }
    ends.emplace_back(rest_a.begin, rest_b.begin);
    are_several = are_several || (is_of_both && (rest_a.begin < a.size() || rest_b.begin < b.size()));
  }
  return are_several ? ends : std::vector<std::pair<size_t, size_t>>{};
}

}  // namespace scalediag::loggp
