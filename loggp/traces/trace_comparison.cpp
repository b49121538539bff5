#include "loggp/traces/trace_comparison.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace scalediag::loggp {
namespace {

using trace::EventKind;

struct EventNumber {
  uint32_t whole = 0, but_for_bytes = 0;
};

// Numbers of events that are the same in all traces that are compared.
class EventNumbers {
 public:
  EventNumber number_of(const RankTrace& trace, const TraceEvent& e) {
    TraceEvent without = e;
    without.bytes = without.source_bytes = 0;
    for (auto* parts : {&without.sent, &without.received}) {
      for (auto& [peer, bytes] : *parts) bytes = 0;
    }
    return {whole_number_of(trace, e), whole_number_of(trace, without)};
  }

 private:
  uint32_t whole_number_of(const RankTrace& trace, const TraceEvent& e) {
    const auto make_number = [](auto& table, auto key) {
      return static_cast<uint64_t>(table.try_emplace(std::move(key), table.size()).first->second);
    };
    const TraceCommunicator& communicator = trace.communicators[e.communicator];
    std::vector<uint64_t> members(communicator.members.begin(), communicator.members.end());
    std::vector<uint64_t> key = {static_cast<uint64_t>(e.kind),
                                 make_number(routines_, trace.routines[e.routine]),
                                 make_number(communicators_, std::pair(std::move(members), communicator.ordinal)),
                                 static_cast<uint64_t>(e.peer + 1),
                                 static_cast<uint64_t>(e.tag),
                                 e.bytes,
                                 static_cast<uint64_t>(e.source + 1),
                                 static_cast<uint64_t>(e.source_tag),
                                 e.source_bytes,
                                 e.request,
                                 static_cast<uint64_t>(e.collective),
                                 static_cast<uint64_t>(e.root),
                                 static_cast<uint64_t>(e.reason)};
    for (const auto* parts : {&e.sent, &e.received}) {
      key.push_back(parts->size());
      for (const auto& [peer, bytes] : *parts) {
        key.push_back(static_cast<uint64_t>(peer));
        key.push_back(bytes);
      }
    }
    key.insert(key.end(), e.requests.begin(), e.requests.end());
    return static_cast<uint32_t>(make_number(events_, std::move(key)));
  }

  std::map<std::string, size_t> routines_;
  std::map<std::pair<std::vector<uint64_t>, uint64_t>, size_t> communicators_;
  std::map<std::vector<uint64_t>, size_t> events_;
};

// A rank's events in order, one at a time: loops are not unfolded in memory.
class EventStream {
 public:
  EventStream(const RankTrace& trace, const std::vector<EventNumber>& numbers) : trace_(trace), numbers_(numbers) {
    frames_.push_back({&trace.steps, 0, 1});
  }

  struct Item {
    uint32_t number = 0, number_but_for_bytes = 0, event = 0;
  };
  // The event `ahead` places on; nothing behind the last.
  const Item* peek(size_t ahead) {
    while (window_.size() - first_ <= ahead) {
      const std::optional<uint32_t> event = advance();
      if (!event) return nullptr;
      window_.push_back({numbers_[*event].whole, numbers_[*event].but_for_bytes, *event});
    }
    return &window_[first_ + ahead];
  }
  void skip(size_t n) {
    first_ += n;
    constexpr size_t kKept = 1 << 16;
    if (first_ < kKept) return;
    window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  const RankTrace& trace() const { return trace_; }

 private:
  struct Frame {
    const std::vector<TraceStep>* steps;
    size_t at;
    uint64_t rounds_left;
  };
  std::optional<uint32_t> advance() {
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.at == frame.steps->size()) {
        frame.at = 0;
        if (--frame.rounds_left == 0) frames_.pop_back();
        continue;
      }
      const TraceStep& step = (*frame.steps)[frame.at++];
      if (step.count == 0) return step.event;
      if (!step.body.empty()) frames_.push_back({&step.body, 0, step.count});
    }
    return std::nullopt;
  }

  const RankTrace& trace_;
  const std::vector<EventNumber>& numbers_;
  std::vector<Frame> frames_;
  std::vector<Item> window_;
  size_t first_ = 0;
};

// What of an event has to be the same.
using Number = uint32_t EventStream::Item::*;

bool same_from(EventStream& a, size_t in_a, EventStream& b, size_t in_b, size_t n, Number number) {
  for (size_t i = 0; i < n; ++i) {
    const auto* x = a.peek(in_a + i);
    const auto* y = b.peek(in_b + i);
    if (x == nullptr && y == nullptr) return true;
    if (x == nullptr || y == nullptr || x->*number != y->*number) return false;
  }
  return true;
}

// A hash of the next events, as far as they tell a place from others; nothing behind the last event.
constexpr size_t kInARow = 4;
std::optional<uint64_t> passage_at(EventStream& stream, size_t ahead, Number number) {
  if (stream.peek(ahead) == nullptr) return std::nullopt;
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < kInARow; ++i) {
    const auto* item = stream.peek(ahead + i);
    hash = (hash ^ (item != nullptr ? item->*number : UINT32_MAX)) * 1099511628211u;
  }
  return hash;
}

// The nearest place where both go on alike, as the events to leave out of each; of places equally near, the one with
// fewer left out of A. Nothing: there is none within reach.
std::optional<std::pair<size_t, size_t>> next_agreement(EventStream& a, EventStream& b, Number number) {
  using Skip = std::pair<size_t, size_t>;
  constexpr size_t kReach = 128;
  // One event too many, or one that differs between others that do not.
  if (a.peek(0) != nullptr && b.peek(1) != nullptr && same_from(a, 0, b, 1, kInARow, number)) return Skip(0, 1);
  if (a.peek(1) != nullptr && b.peek(0) != nullptr && same_from(a, 1, b, 0, kInARow, number)) return Skip(1, 0);
  if (a.peek(1) != nullptr && b.peek(1) != nullptr && same_from(a, 1, b, 1, 1, number)) return Skip(1, 1);
  std::unordered_map<uint64_t, size_t> in_b;  // the first place of each passage
  for (size_t i = 0; i <= kReach; ++i) {
    const auto passage = passage_at(b, i, number);
    if (!passage) break;
    in_b.try_emplace(*passage, i);
  }
  std::optional<Skip> best;
  for (size_t i = 0; i <= kReach && (!best || i < best->first + best->second); ++i) {
    const auto passage = passage_at(a, i, number);
    if (!passage) break;
    const auto found = in_b.find(*passage);
    if (found != in_b.end() && (!best || i + found->second < best->first + best->second)) best = {i, found->second};
  }
  return best;
}

// Where no identical events follow within reach, those that are alike but for their bytes keep the two together. At
// least one event is left out of one of them.
std::pair<size_t, size_t> events_to_skip(EventStream& a, EventStream& b) {
  if (const auto whole = next_agreement(a, b, &EventStream::Item::number)) return *whole;
  const Number but_for_bytes = &EventStream::Item::number_but_for_bytes;
  if (a.peek(0) == nullptr || b.peek(0) == nullptr || same_from(a, 0, b, 0, 1, but_for_bytes)) return {1, 1};
  return next_agreement(a, b, but_for_bytes).value_or(std::pair<size_t, size_t>(1, 1));
}

// Of the next n_a and n_b events those of A that are in B in the same order but for their bytes, as many as there can
// be: the longest common subsequence.
std::vector<uint32_t> alike_but_for_bytes(EventStream& a, size_t n_a, EventStream& b, size_t n_b) {
  std::vector<std::vector<uint32_t>> longest(n_a + 1, std::vector<uint32_t>(n_b + 1, 0));
  const auto are_alike = [&](size_t i, size_t j) {
    const auto* x = a.peek(i);
    const auto* y = b.peek(j);
    return x != nullptr && y != nullptr && x->number_but_for_bytes == y->number_but_for_bytes;
  };
  for (size_t i = n_a; i-- > 0;) {
    for (size_t j = n_b; j-- > 0;) {
      longest[i][j] = are_alike(i, j) ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  std::vector<uint32_t> events;
  for (size_t i = 0, j = 0; i < n_a && j < n_b;) {
    if (are_alike(i, j)) {
      events.push_back(a.peek(i)->event);
      ++i, ++j;
    } else {
      ++(longest[i + 1][j] >= longest[i][j + 1] ? i : j);
    }
  }
  return events;
}

class Comparer {
 public:
  void rank(const RankTrace& a, const RankTrace& b) {
    const std::vector<EventNumber> numbers_a = numbers_of(a), numbers_b = numbers_of(b);
    EventStream left(a, numbers_a), right(b, numbers_b);
    EventCounts counts;
    const auto count = [&](EventStream& stream, size_t n, uint64_t EventCounts::*side) {
      for (size_t i = 0; i < n; ++i) {
        const auto* item = stream.peek(0);
        if (item == nullptr) return;
        ++(counts.*side);
        ++(operation(stream.trace(), item->event).*side);
        stream.skip(1);
      }
    };
    for (;;) {
      const auto* x = left.peek(0);
      const auto* y = right.peek(0);
      if (x == nullptr && y == nullptr) break;
      if (x != nullptr && y != nullptr && x->number == y->number) {
        ++counts.identical;
        ++operation(a, x->event).identical;
        count(left, 1, &EventCounts::a);
        count(right, 1, &EventCounts::b);
        continue;
      }
      if (!result.first_difference) {
        TraceDifference difference;
        difference.rank = a.rank;
        difference.event = counts.a;
        if (x != nullptr) {
          difference.a = a.events[x->event];
          difference.a_routine = a.routines[difference.a->routine];
        }
        if (y != nullptr) {
          difference.b = b.events[y->event];
          difference.b_routine = b.routines[difference.b->routine];
        }
        result.first_difference = std::move(difference);
      }
      const auto [in_a, in_b] = events_to_skip(left, right);
      for (const uint32_t event : alike_but_for_bytes(left, in_a, right, in_b)) {
        ++counts.but_for_bytes;
        ++operation(a, event).but_for_bytes;
      }
      count(left, in_a, &EventCounts::a);
      count(right, in_b, &EventCounts::b);
    }
    result.all.a += counts.a;
    result.all.b += counts.b;
    result.all.identical += counts.identical;
    result.all.but_for_bytes += counts.but_for_bytes;
    result.ranks.push_back(counts);
  }

  TraceComparison result;

 private:
  std::vector<EventNumber> numbers_of(const RankTrace& trace) {
    std::vector<EventNumber> numbers;
    for (const TraceEvent& event : trace.events) numbers.push_back(events_.number_of(trace, event));
    return numbers;
  }
  EventCounts& operation(const RankTrace& trace, uint32_t event) {
    return result.operations[trace.routines[trace.events[event].routine]];
  }
  EventNumbers events_;
};

}  // namespace

Result<TraceComparison> compare_traces(const std::vector<RankTrace>& a, const std::vector<RankTrace>& b) {
  if (a.size() != b.size()) {
    return Error{
        ErrorCode::kInput,
        "the traces are of runs with " + std::to_string(a.size()) + " and with " + std::to_string(b.size()) + " ranks",
        "choose runs of the same number of ranks with --np"};
  }
  Comparer comparer;
  for (size_t r = 0; r < a.size(); ++r) comparer.rank(a[r], b[r]);
  return std::move(comparer.result);
}

}  // namespace scalediag::loggp
