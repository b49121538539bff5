#include "loggp/phases/slot_folding.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace scalediag::loggp {
namespace {

using trace::EventKind;

constexpr size_t kLongestRound = 48;
// Shorter rows of messages that differ only in their tags or bytes are different messages, not rounds.
constexpr size_t kShortestTurningRound = 3;
// Along sides of two ranks messages in opposite directions have the same partner, so that they would be taken for
// rounds with different bytes.
constexpr int kFewestRanksOfTurningBytes = 9;

struct RoundDifference {
  bool in_tags = false, in_bytes = false;
};

// Whether two events are the same event in different rounds, but for the difference that is told.
bool alike(const Slot& x, const Slot& y, RoundDifference& difference) {
  if (x.is_loop != y.is_loop) return false;
  if (x.is_loop) {
    RoundDifference inside;
    return x.rounds.begin()->second == y.rounds.begin()->second && x.body.size() == y.body.size() &&
           std::equal(x.body.begin(), x.body.end(), y.body.begin(),
                      [&](const Slot& a, const Slot& b) { return alike(a, b, inside); }) &&
           !inside.in_tags && !inside.in_bytes;
  }
  const SlotValues& a = x.seen.begin()->second;
  const SlotValues& b = y.seen.begin()->second;
  if (x.kind != y.kind || x.routine != y.routine || x.collective != y.collective || x.reason != y.reason ||
      x.ordinal != y.ordinal || x.communicator != y.communicator || a.root != b.root || a.requests != b.requests) {
    return false;
  }
  if (x.kind == EventKind::kExchange) return true;
  if (a.peer != b.peer || x.source != y.source || a.source_bytes != b.source_bytes) return false;
  const bool may_turn = x.talks() && !x.receives_too();
  if ((a.tags != b.tags || a.round_bytes != b.round_bytes) && !may_turn) return false;
  difference.in_tags |= a.tags != b.tags;
  difference.in_bytes |= a.round_bytes != b.round_bytes;
  return true;
}

// Adds the values of later rounds to those of `rounds` earlier ones; a single value is that of all rounds.
template <class T>
void add_rounds(std::vector<T>& values, size_t rounds, const std::vector<T>& later, size_t later_rounds) {
  if (values == later && values.size() == 1) return;
  if (values.size() == 1) values.resize(rounds, values.front());
  if (later.size() == 1) {
    values.insert(values.end(), later_rounds, later.front());
  } else {
    values.insert(values.end(), later.begin(), later.end());
  }
}

// Adds an event's occurrences in later rounds to those of earlier ones.
void add_times(SlotValues& a, const SlotValues& b) {
  const double times = a.times + b.times;
  if (times == 0) return;
  a.bytes = (a.bytes * a.times + b.bytes * b.times) / times;
  a.before_ns = (a.before_ns * a.times + b.before_ns * b.times) / times;
  if (a.instructions && b.instructions) {
    a.instructions = (*a.instructions * a.times + *b.instructions * b.times) / times;
  } else {
    a.instructions.reset();
  }
  a.times = times;
}

void add_same(Slot& into, const Slot& later) {
  into.waits_for.insert(later.waits_for.begin(), later.waits_for.end());
  into.leaves_open.insert(later.leaves_open.begin(), later.leaves_open.end());
  for (size_t i = 0; i < into.body.size(); ++i) add_same(into.body[i], later.body[i]);
  if (!into.is_loop) add_times(into.seen.begin()->second, later.seen.begin()->second);
}

// Adds an event of later rounds to the same event of `rounds` earlier ones; loops inside are the same in all rounds.
void add(Slot& into, const Slot& later, size_t rounds, size_t later_rounds) {
  if (!into.is_loop) {
    SlotValues& a = into.seen.begin()->second;
    const SlotValues& b = later.seen.begin()->second;
    add_rounds(a.tags, rounds, b.tags, later_rounds);
    add_rounds(a.round_bytes, rounds, b.round_bytes, later_rounds);
  }
  add_same(into, later);
}

std::vector<TraceStep> unrolled(const std::vector<TraceStep>& steps, uint64_t most_rounds) {
  std::vector<TraceStep> all;
  for (const TraceStep& step : steps) {
    const bool is_innermost =
        std::none_of(step.body.begin(), step.body.end(), [](const TraceStep& s) { return s.count > 0; });
    if (step.count == 0 || !is_innermost || step.count > most_rounds) {
      all.push_back(step);
      all.back().body = unrolled(step.body, most_rounds);
      continue;
    }
    for (uint64_t round = 0; round < step.count; ++round) {
      for (TraceStep inner : step.body) {
        inner.before.n /= step.count;
        inner.before.total /= step.count;
        all.push_back(std::move(inner));
      }
    }
  }
  return all;
}

class Folder {
 public:
  Folder(int& next_id, bool turns) : next_id_(next_id), turns_(turns) {}

  std::vector<Slot> fold(std::vector<Slot> slots) {
    std::vector<Slot> done;
    for (Slot& slot : slots) {
      if (slot.is_loop) slot.body = fold(std::move(slot.body));
      done.push_back(std::move(slot));
      while (loop_joins_loop(done) || round_before_loop(done) || round_after_loop(done) || two_rounds(done)) {
      }
    }
    return done;
  }

  std::map<int, int> renamed;

 private:
  bool all_alike(const std::vector<Slot>& a, size_t from_a, const std::vector<Slot>& b, size_t from_b, size_t n) const {
    RoundDifference difference;
    for (size_t i = 0; i < n; ++i) {
      if (!alike(a[from_a + i], b[from_b + i], difference)) return false;
    }
    if (difference.in_bytes && where(a[from_a]).first < kFewestRanksOfTurningBytes) return false;
    return (!difference.in_tags && !difference.in_bytes) || (turns_ && n >= kShortestTurningRound);
  }

  static size_t rounds_of(const Slot& loop) { return static_cast<size_t>(loop.rounds.begin()->second); }

  void absorb(Slot& loop, const std::vector<Slot>& later, size_t from, size_t later_rounds) {
    for (size_t i = 0; i < loop.body.size(); ++i) {
      rename(later[from + i], loop.body[i]);
      add(loop.body[i], later[from + i], rounds_of(loop), later_rounds);
    }
    loop.rounds.begin()->second += static_cast<double>(later_rounds);
  }
  void rename(const Slot& from, const Slot& to) {
    renamed[from.id] = to.id;
    for (size_t i = 0; i < from.body.size(); ++i) rename(from.body[i], to.body[i]);
  }

  bool loop_joins_loop(std::vector<Slot>& done) {
    if (done.size() < 2 || !done.back().is_loop || !done[done.size() - 2].is_loop) return false;
    Slot& first = done[done.size() - 2];
    const Slot& second = done.back();
    if (first.body.size() != second.body.size() || !all_alike(first.body, 0, second.body, 0, first.body.size())) {
      return false;
    }
    absorb(first, second.body, 0, rounds_of(second));
    done.pop_back();
    return true;
  }

  bool round_after_loop(std::vector<Slot>& done) {
    for (size_t n = 1; n <= kLongestRound && n < done.size(); ++n) {
      const size_t at = done.size() - 1 - n;
      if (!done[at].is_loop || done[at].body.size() != n || !all_alike(done[at].body, 0, done, at + 1, n)) continue;
      absorb(done[at], done, at + 1, 1);
      done.resize(at + 1);
      return true;
    }
    return false;
  }

  bool round_before_loop(std::vector<Slot>& done) {
    if (!done.back().is_loop) return false;
    const size_t n = done.back().body.size(), last = done.size() - 1;
    if (n > last || !all_alike(done, last - n, done.back().body, 0, n)) return false;
    Slot loop = std::move(done.back());
    make_loop(done, last - n, n, loop);
    return true;
  }

  bool two_rounds(std::vector<Slot>& done) {
    for (size_t n = 1; n <= kLongestRound && 2 * n <= done.size(); ++n) {
      const size_t first = done.size() - 2 * n;
      if (!all_alike(done, first, done, first + n, n)) continue;
      Slot second;
      second.rounds[where(done.back())] = 1;
      second.body.assign(std::make_move_iterator(done.end() - static_cast<std::ptrdiff_t>(n)),
                         std::make_move_iterator(done.end()));
      make_loop(done, first, n, second);
      return true;
    }
    return false;
  }

  // Replaces everything from `first` on by a loop of n slots there and the rounds of `later`.
  void make_loop(std::vector<Slot>& done, size_t first, size_t n, const Slot& later) {
    Slot loop;
    loop.id = next_id_++;
    loop.is_loop = true;
    loop.rounds[later.rounds.begin()->first] = 1;
    const auto begin = done.begin() + static_cast<std::ptrdiff_t>(first);
    loop.body.assign(std::make_move_iterator(begin), std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(n)));
    absorb(loop, later.body, 0, rounds_of(later));
    done.resize(first);
    done.push_back(std::move(loop));
  }

  static RankOfScale where(const Slot& slot) {
    return slot.is_loop ? slot.rounds.begin()->first : slot.seen.begin()->first;
  }

  int& next_id_;
  bool turns_;
};

// Makes one slot of those of rank 0 that talk to each other rank in turn.
class TurnFolder {
 public:
  std::vector<Slot> fold(std::vector<Slot> slots) {
    std::vector<Slot> done;
    for (size_t i = 0; i < slots.size();) {
      Slot& first = slots[i];
      first.body = fold(std::move(first.body));
      const size_t n = are_turns(slots, i);
      for (size_t k = 1; k < n; ++k) {
        renamed[slots[i + k].id] = first.id;
        add_same(first, slots[i + k]);
      }
      if (n > 0) {
        auto& [where, values] = *first.seen.begin();
        values.peer = kEachInTurn;
        first.peer = relations_between(where.first, where.second, kEachInTurn);
      }
      done.push_back(std::move(first));
      i += std::max<size_t>(n, 1);
    }
    return done;
  }

  std::map<int, int> renamed;

 private:
  // How many slots from i on are with each other rank in turn; 0: they are not.
  static size_t are_turns(const std::vector<Slot>& slots, size_t i) {
    const Slot& first = slots[i];
    if (!first.talks() || first.receives_too()) return 0;
    const auto& [where, values] = *first.seen.begin();
    const auto n = static_cast<size_t>(where.first - 1);
    if (where.second != 0 || n < 2 || i + n > slots.size()) return 0;
    std::vector<int> peers;
    for (size_t k = i; k < i + n; ++k) {
      const Slot& slot = slots[k];
      if (slot.is_loop || slot.kind != first.kind || slot.routine != first.routine || slot.ordinal != first.ordinal ||
          slot.communicator != first.communicator) {
        return 0;
      }
      const SlotValues& its = slot.seen.begin()->second;
      if (its.tags != values.tags || its.round_bytes != values.round_bytes) return 0;
      peers.push_back(its.peer);
    }
    const bool is_received = first.kind == EventKind::kRecv || first.kind == EventKind::kIrecv;
    if (is_received) std::sort(peers.begin(), peers.end());
    for (size_t k = 0; k < n; ++k) {
      if (peers[k] != static_cast<int>(k) + 1) return 0;
    }
    return n;
  }
};

}  // namespace

std::vector<Slot> with_turns_as_one(std::vector<Slot> slots) {
  TurnFolder folder;
  std::vector<Slot> done = folder.fold(std::move(slots));
  rename_waits(done, folder.renamed);
  return done;
}

RankTrace with_short_loops_unrolled(RankTrace trace) {
  const core::ProcessGrid plane = process_grid(core::GridKind::kPlaneFalling, static_cast<int>(trace.size));
  trace.steps = unrolled(trace.steps, static_cast<uint64_t>(plane.sides[0]));
  return trace;
}

RankTrace with_pairs_unrolled(RankTrace trace) {
  trace.steps = unrolled(trace.steps, 2);
  return trace;
}

std::vector<Slot> folded(std::vector<Slot> slots, int& next_id, bool turns) {
  Folder folder(next_id, turns);
  std::vector<Slot> done = folder.fold(std::move(slots));
  rename_waits(done, folder.renamed);
  return done;
}

}  // namespace scalediag::loggp
