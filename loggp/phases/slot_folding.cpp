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

// Makes one loop of several with the same rounds between which collectives stand.
class InterruptionMover {
 public:
  explicit InterruptionMover(int& next_id) : next_id_(next_id) {}

  std::vector<Slot> move(std::vector<Slot> slots) {
    for (Slot& slot : slots) slot.body = move(std::move(slot.body));
    const auto longest = std::max_element(slots.begin(), slots.end(),
                                          [](const Slot& a, const Slot& b) { return rounds_of(a) < rounds_of(b); });
    if (longest == slots.end() || !longest->is_loop) return slots;
    std::vector<Token> round;
    if (!add_tokens(longest->body, round) || round.empty()) return slots;
    // All loops that have the same rounds, wherever the recorder has cut them.
    auto begin = slots.end(), end = slots.begin();
    for (auto slot = slots.begin(); slot != slots.end(); ++slot) {
      std::vector<Token> other;
      if (!slot->is_loop || !add_tokens(slot->body, other) || !is_rotation(other, round)) continue;
      begin = std::min(begin, slot);
      end = slot + 1;
    }
    if (end - begin < 2) return slots;
    // The last rounds may stand behind them, in part in another loop.
    std::vector<Token> all;
    size_t n_rounds = 0, n_until = 0;  // tokens up to the last round, and up to the end of the slot that it is in
    for (auto slot = begin; slot != slots.end(); ++slot) {
      if (!add_tokens(slot, slot + 1, all)) return slots;
      if (slot + 1 < end) continue;
      const size_t until = end_of_rounds(all, round);
      if (slot < end || until > n_until) {
        n_rounds = until;
        n_until = all.size();
        end = std::max(end, slot + 1);
      } else if (all.size() > n_until + round.size()) {
        break;
      }
    }
    if (n_until > n_rounds + round.size()) return slots;  // others than collectives are between them
    const std::vector<Token> behind(all.begin() + static_cast<std::ptrdiff_t>(n_rounds),
                                    all.begin() + static_cast<std::ptrdiff_t>(n_until));
    all.resize(n_rounds);
    return replaced(std::move(slots), begin, end, round, all, behind);
  }

  std::map<int, int> renamed;

 private:
  using Place = std::vector<Slot>::iterator;
  static constexpr size_t kMostTokens = 200'000;
  static constexpr double kMostInterruptions = 0.5;  // of all events

  // An event of a round; it has several in rounds that were folded.
  using Token = const Slot*;
  // By what slots are, not by where they happen to lie in memory.
  struct ById {
    bool operator()(Token a, Token b) const { return a->id < b->id; }
  };
  using Counts = std::map<Token, double, ById>;

  static double rounds_of(const Slot& slot) { return slot.is_loop ? slot.rounds.begin()->second : 0; }

  template <class Iterator> static bool add_tokens(Iterator begin, Iterator end, std::vector<Token>& tokens) {
    for (auto slot = begin; slot != end; ++slot) {
      if (tokens.size() > kMostTokens) return false;
      if (!slot->is_loop) {
        tokens.push_back(&*slot);
        continue;
      }
      for (double round = 0; round < rounds_of(*slot); ++round) {
        if (!add_tokens(slot->body, tokens)) return false;
      }
    }
    return true;
  }
  static bool add_tokens(const std::vector<Slot>& slots, std::vector<Token>& tokens) {
    return add_tokens(slots.begin(), slots.end(), tokens);
  }

  static bool is_same(Token a, Token b) {
    RoundDifference difference;
    return a == b || (alike(*a, *b, difference) && !difference.in_tags && !difference.in_bytes);
  }

  static bool is_rotation(const std::vector<Token>& a, const std::vector<Token>& b) {
    if (a.size() != b.size()) return false;
    for (size_t shift = 0; shift < a.size(); ++shift) {
      size_t k = 0;
      while (k < a.size() && is_same(a[(shift + k) % a.size()], b[k])) ++k;
      if (k == a.size()) return true;
    }
    return false;
  }

  static bool is_round(const std::vector<Token>& all, size_t from, const std::vector<Token>& round) {
    size_t k = 0;
    while (k < round.size() && from + k < all.size() && is_same(all[from + k], round[k])) ++k;
    return k == round.size();
  }

  // The number of events up to the end of the last round, with nothing but collectives between rounds.
  static size_t end_of_rounds(const std::vector<Token>& all, const std::vector<Token>& round) {
    size_t end = 0;
    for (size_t i = 0; i < all.size();) {
      const bool is_whole = is_round(all, i, round);
      if (!is_whole && all[i]->kind != EventKind::kCollective) break;
      i += is_whole ? round.size() : 1;
      if (is_whole) end = i;
    }
    return end;
  }

  // The slots with those from `begin` to `end` as loops: `all` are the events up to the last round, and `behind` those
  // after it.
  std::vector<Slot> replaced(std::vector<Slot> slots, Place begin, Place end, const std::vector<Token>& round,
                             const std::vector<Token>& all, const std::vector<Token>& behind) {
    Counts times;
    for (const auto* tokens : {&all, &behind}) {
      for (const Token token : *tokens) ++times[token];
    }
    // How often an event was where in a round, and in between.
    std::vector<Counts> in_round(round.size());
    std::vector<std::pair<Token, Counts>> between;
    double n_rounds = 0;
    size_t n_between = 0;
    for (size_t i = 0; i < all.size();) {
      if (is_round(all, i, round)) {
        for (size_t k = 0; k < round.size(); ++k) ++in_round[k][all[i + k]];
        ++n_rounds;
        i += round.size();
        continue;
      }
      auto known =
          std::find_if(between.begin(), between.end(), [&](const auto& b) { return is_same(b.first, all[i]); });
      if (known == between.end()) known = between.insert(known, {all[i], {}});
      ++known->second[all[i]];
      ++n_between;
      ++i;
    }
    if (n_between == 0 || static_cast<double>(n_between) > kMostInterruptions * static_cast<double>(all.size())) {
      return slots;
    }
    const RankOfScale where = begin->rounds.begin()->first;
    const auto event = [&](const Counts& parts) {
      Slot made;
      for (const auto& [token, n] : parts) {
        Slot part = *token;
        part.seen.begin()->second.times *= n / times.at(token);
        if (made.seen.empty()) {
          made = part;
          made.id = next_id_++;
        } else {
          add_same(made, part);
        }
        renamed.emplace(token->id, made.id);
      }
      return made;
    };
    std::vector<Slot> loops;
    const auto add_loop = [&](double rounds) -> std::vector<Slot>& {
      loops.emplace_back();
      loops.back().id = next_id_++;
      loops.back().is_loop = true;
      loops.back().rounds[where] = rounds;
      return loops.back().body;
    };
    std::vector<Slot>& body = add_loop(n_rounds);
    for (const auto& parts : in_round) body.push_back(event(parts));
    for (const auto& [first, parts] : between) {
      double n = 0;
      for (const auto& [token, times_there] : parts) n += times_there;
      add_loop(n).push_back(event(parts));
      loops.back().interrupts = true;
    }
    for (const Token token : behind) loops.push_back(event({{token, 1}}));
    const auto at = slots.erase(begin, end);
    slots.insert(at, std::make_move_iterator(loops.begin()), std::make_move_iterator(loops.end()));
    return slots;
  }

  int& next_id_;
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
    if (!first.talks() || first.receives_too() || first.neighbour > 0) return 0;
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

std::vector<Slot> with_interruptions_behind(std::vector<Slot> slots, int& next_id) {
  InterruptionMover mover(next_id);
  std::vector<Slot> done = mover.move(std::move(slots));
  rename_waits(done, mover.renamed);
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
