#include "loggp/phases/exchange_order.h"

#include <optional>
#include <set>

namespace scalediag::loggp {
namespace {

constexpr size_t kMostInExchanges = 64;  // slots of either

bool is_wait_or_message(const Slot& slot) {
  return !slot.is_loop && (slot.kind == trace::EventKind::kWait || (slot.talks() && !slot.receives_too()));
}

int first_tag_of(const Slot& message) { return message.seen.begin()->second.tags.front(); }

// A part of a sequence that is not in an exchange yet.
struct Rest {
  const std::vector<Slot>& slots;
  size_t begin, end;

  void skip_waits() {
    while (begin < end && !slots[begin].talks()) ++begin;
  }
  std::set<int> tags() const {
    std::set<int> all;
    for (size_t k = begin; k < end; ++k) {
      if (slots[k].talks()) all.insert(first_tag_of(slots[k]));
    }
    return all;
  }
  // Begins behind the last message with one of the tags, and the waits behind it. `taken` gets those of the messages
  // before it, too. Whether there was any.
  bool take(std::set<int>& taken) {
    size_t last = begin;
    for (size_t k = begin; k < end; ++k) {
      if (slots[k].talks() && taken.count(first_tag_of(slots[k])) > 0) last = k + 1;
    }
    if (last == begin) return false;
    for (; begin < last; ++begin) {
      if (slots[begin].talks()) taken.insert(first_tag_of(slots[begin]));
    }
    skip_waits();
    return true;
  }
};

// From behind the last event that is neither a message nor a wait, and behind messages whose tags come again after
// others: these are exchanges of something else.
Rest last_exchanges(const std::vector<Slot>& slots, size_t begin, size_t end) {
  Rest rest{slots, end, end};
  std::set<int> behind;
  std::optional<int> next;
  for (; rest.begin > begin && is_wait_or_message(slots[rest.begin - 1]); --rest.begin) {
    const Slot& slot = slots[rest.begin - 1];
    if (!slot.talks()) continue;
    const int tag = first_tag_of(slot);
    if (next != tag && behind.count(tag) > 0) break;
    behind.insert(tag);
    next = tag;
  }
  return rest;
}

}  // namespace

std::vector<std::pair<size_t, size_t>> ends_of_exchanges(const std::vector<Slot>& a, size_t a0, size_t a1,
                                                         const std::vector<Slot>& b, size_t b0, size_t b1) {
  if (a0 == a1 || b0 == b1) return {};
  Rest rest_a = last_exchanges(a, a0, a1), rest_b = last_exchanges(b, b0, b1);
  if (a1 - rest_a.begin > kMostInExchanges || b1 - rest_b.begin > kMostInExchanges) return {};
  rest_a.skip_waits();
  rest_b.skip_waits();
  std::vector<std::pair<size_t, size_t>> ends = {{rest_a.begin, rest_b.begin}};
  bool are_several = false;
  while (rest_a.begin < a1 && rest_b.begin < b1) {
    const int of_a = first_tag_of(a[rest_a.begin]), of_b = first_tag_of(b[rest_b.begin]);
    // What only one of them has stands before what both have, where it does there.
    const bool is_of_both = rest_b.tags().count(of_a) > 0;
    std::set<int> tags = {is_of_both && rest_a.tags().count(of_b) == 0 ? of_b : of_a};
    for (bool is_more = true; is_more;) {
      is_more = rest_a.take(tags);
      is_more = rest_b.take(tags) || is_more;
    }
    ends.emplace_back(rest_a.begin, rest_b.begin);
    are_several = are_several || (is_of_both && (rest_a.begin < a1 || rest_b.begin < b1));
  }
  return are_several ? ends : std::vector<std::pair<size_t, size_t>>{};
}

}  // namespace scalediag::loggp
