// A sequence of events that is folded while it grows: repetitions become loops.
//
// After each event the end of the sequence is compared with the items before it. If the last items repeat the items
// before them, both become a loop of two rounds; if they repeat the body of the loop before them, it gets one more
// round. Loops are items themselves, so that nested loops are found. Times before events are no part of the comparison:
// those of the occurrences are merged. A prefix hash makes each comparison one of two numbers, whatever its length; its
// result is verified before anything is merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace scalediag::pmpi {

// Computations before the occurrences of an event, in ns or in instructions.
struct Durations {
  uint64_t n = 0;
  uint64_t total = 0;
  uint64_t least = 0;
  uint64_t most = 0;
  double squares = 0;  // sum of

  static Durations of(uint64_t value) {
    return {1, value, value, value, static_cast<double>(value) * static_cast<double>(value)};
  }
  void merge(const Durations& other);
  double deviation() const;
};

struct TraceItem {
  static constexpr uint32_t kLoop = 0xFFFFFFFF;

  uint32_t event = kLoop;
  uint64_t hash = 0;
  Durations before = {};             // events
  Durations instructions = {};       // events: of those occurrences that were counted
  uint64_t count = 0;                // loops
  uint64_t body_hash = 0;            // loops
  std::vector<TraceItem> body = {};  // loops
};

class TraceSequence {
 public:
  // Repetitions of longer bodies are not found.
  static constexpr size_t kLongestBody = 4096;

  TraceSequence();

  // `event` is the number of the event's definition. May throw std::bad_alloc; the sequence is then unusable.
  void append(uint32_t event, uint64_t ns_before, std::optional<uint64_t> instructions_before = {});

  const std::vector<TraceItem>& items() const { return items_; }
  // Removes and returns the oldest `n` items, which will not be folded any more.
  std::vector<TraceItem> take_oldest(size_t n);

 private:
  static constexpr uint32_t kNone = 0xFFFFFFFF;
  static constexpr int kTried = 64;  // number of occurrences of the last item that are looked at

  void push(TraceItem item);
  void pop();
  bool go_round();
  bool make_loop();
  uint64_t range_hash(size_t begin, size_t end) const;
  // The last item that equals `item`; kNone: there is none.
  uint32_t& latest(const TraceItem& item);

  std::vector<TraceItem> items_;
  std::vector<uint64_t> prefix_ = {0};   // hash of all items before each
  std::vector<uint32_t> previous_ = {};  // for each item the one before it with the same hash
  std::vector<uint32_t> loops_ = {};     // the items that are loops
  std::vector<uint64_t> powers_;
  std::vector<uint32_t> latest_events_ = {};             // by event: nearly all items are events, and this is fast
  std::unordered_map<uint64_t, uint32_t> latest_loops_;  // by hash
};

}  // namespace scalediag::pmpi
