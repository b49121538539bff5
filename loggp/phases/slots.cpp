#include "loggp/phases/slots.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/text/numbers.h"
#include "loggp/phases/exchange_order.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

// The worth of a pair behind another one: of places that agree equally well the one where events follow one another.
constexpr double kNearInARow = 1e-4;
constexpr size_t kMostPairs = 20'000'000;  // of slots in an alignment

// Makes the slots of one rank, and finds out for which slots' requests each wait waits.
class SlotMaker {
 public:
  SlotMaker(const RankTrace& trace, int& next_id)
      : trace_(trace), where_(static_cast<int>(trace.size), static_cast<int>(trace.rank)), next_id_(next_id) {}

  std::vector<Slot> list(const std::vector<TraceStep>& steps, double repeated) {
    std::vector<Slot> slots;
    for (const TraceStep& step : steps) {
      if (step.count == 0) {
        slots.push_back(leaf(step));
        ++number_;
        continue;
      }
      Slot loop;
      loop.id = next_id_++;
      loop.is_loop = true;
      loop.rounds[where_] = static_cast<double>(step.count);
      const uint64_t before = number_;
      loop.body = list(step.body, repeated * static_cast<double>(step.count));
      number_ = before + step.count * (number_ - before);
      slots.push_back(std::move(loop));
    }
    return slots;
  }

  // Follows the requests; loops go round twice, so that requests that one round leaves to the next are seen.
  void follow(std::vector<Slot>& slots, const std::vector<TraceStep>& steps) {
    for (size_t i = 0; i < slots.size(); ++i) {
      Slot& slot = slots[i];
      if (slot.is_loop) {
        follow(slot.body, steps[i].body);
        if (steps[i].count > 1) follow(slot.body, steps[i].body);
        continue;
      }
      const TraceEvent& e = trace_.events[steps[i].event];
      if (e.kind == EventKind::kIsend || e.kind == EventKind::kIrecv) {
        open_.erase(e.request);
        open_.emplace(e.request, Opener{slot.id, {slot.peer, e.kind == EventKind::kIrecv, e.tag, e.bytes}});
      } else if (e.kind == EventKind::kRemote) {  // accesses of a window share a request
        open_.emplace(e.request, Opener{slot.id, {slot.peer, false, e.tag, e.bytes}});
      } else if (e.kind == EventKind::kWait) {
        const bool all = e.requests.empty();
        if (slot.routine == "MPI_Wait" && (all ? open_.size() : e.requests.size()) == 1) {
          const auto found = all ? open_.begin() : open_.find(e.requests.front());
          if (found != open_.end()) slot.awaited = found->second.what;
        }
        if (e.requests.empty()) {
          for (const auto& [request, opener] : open_) slot.waits_for.insert(opener.id);
          open_.clear();
        }
        for (const uint32_t request : e.requests) {
          const auto [first, last] = open_.equal_range(request);
          for (auto found = first; found != last; ++found) slot.waits_for.insert(found->second.id);
          open_.erase(first, last);
        }
        for (const auto& [request, opener] : open_) slot.leaves_open.insert(opener.id);
      }
    }
  }

 private:
  RelationSet relations(int other) {
    const auto [at, is_new] = known_.try_emplace(other);
    if (is_new) at->second = relations_between(where_.first, where_.second, other);
    return at->second;
  }

  Slot leaf(const TraceStep& step) {
    const TraceEvent& e = trace_.events[step.event];
    Slot slot;
    slot.id = next_id_++;
    slot.kind = e.kind;
    slot.routine = trace_.routines[e.routine];
    slot.collective = e.collective;
    slot.reason = e.reason;
    slot.source_tag = e.source_tag;
    const TraceCommunicator& communicator = trace_.communicators[e.communicator];
    slot.ordinal = communicator.ordinal;
    slot.communicator =
        communicator_relations_of(where_.first, where_.second, communicator.members, communicator.ordinal);
    SlotValues values;
    values.bytes = static_cast<double>(e.bytes);
    values.round_bytes = {values.bytes};
    values.source_bytes = static_cast<double>(e.source_bytes);
    values.root = e.root;
    values.times = static_cast<double>(step.before.n);
    values.before_ns = step.before.mean_s() * 1e9;
    if (step.instructions.n > 0) values.instructions = step.instructions.mean();
    values.counted_for = trace_.counted_for;
    values.event = number_;
    values.peer = e.peer;
    values.source = e.source;
    values.tags = {e.tag};
    values.requests = e.requests;
    if (begins_request(e.kind)) values.requests = {e.request};
    if (e.kind == EventKind::kExchange) {
      // All that a rank sends; the partners are not kept.
      for (const auto& [peer, bytes] : e.sent) values.bytes += static_cast<double>(bytes);
    }
    if (slot.talks()) slot.peer = relations(e.peer);
    if (slot.receives_too()) slot.source = relations(e.source);
    slot.seen[where_] = values;
    return slot;
  }

  const RankTrace& trace_;
  RankOfScale where_;
  int& next_id_;
  uint64_t number_ = 0;
  struct Opener {
    int id = 0;
    Slot::Awaited what;
  };
  std::multimap<uint32_t, Opener> open_;  // by request
  std::map<int, RelationSet> known_;
};

class Joiner {
 public:
  Joiner(bool turns, bool in_turn) : turns_(turns), in_turn_(in_turn) {}

  std::vector<Slot> join(std::vector<Slot> a, std::vector<Slot> b) {
    const Alignment alignment = align(a, 0, a.size(), b, 0, b.size());
    std::vector<Slot> result;
    size_t i = 0, j = 0;
    std::pair<int, int> last_pair;  // the place in a row of the last slot of both
    const auto is_wait = [](const Slot& slot) { return !slot.is_loop && slot.kind == EventKind::kWait; };
    const auto take = [&](size_t to_a, size_t to_b) {
      // Messages to all neighbours in their order, those of the next row behind all of the one before it.
      int row_a = 0, row_b = 0;
      auto last_a = last_pair, last_b = last_pair;
      while (i < to_a && j < to_b && a[i].neighbour > 0 && b[j].neighbour > 0) {
        const auto at_a = place_in_row(a[i]), at_b = place_in_row(b[j]);
        const std::pair next_a(row_a + (at_a < last_a ? 1 : 0), at_a), next_b(row_b + (at_b < last_b ? 1 : 0), at_b);
        if (next_a <= next_b) {
          std::tie(row_a, last_a) = next_a;
          result.push_back(std::move(a[i++]));
        } else {
          std::tie(row_b, last_b) = next_b;
          result.push_back(std::move(b[j++]));
        }
      }
      // Waits belong to what is before them.
      for (; i < to_a && is_wait(a[i]); ++i) result.push_back(std::move(a[i]));
      for (; j < to_b && is_wait(b[j]); ++j) result.push_back(std::move(b[j]));
      auto ends = i == to_a || j == to_b ? std::vector<std::pair<size_t, size_t>>{}
                                         : ends_of_exchanges(exchange_events(a, i, to_a), exchange_events(b, j, to_b));
      may_be_in_turn = may_be_in_turn || !ends.empty();
      if (!in_turn_) ends.clear();
      const size_t from_a = i, from_b = j;
      for (const auto& [n_a, n_b] : ends) {
        for (; i < from_a + n_a; ++i) result.push_back(std::move(a[i]));
        for (; j < from_b + n_b; ++j) result.push_back(std::move(b[j]));
      }
      for (; i < to_a; ++i) result.push_back(std::move(a[i]));
      for (; j < to_b; ++j) result.push_back(std::move(b[j]));
    };
    for (const Pair& pair : alignment.pairs) {
      take(pair.a, pair.b);
      last_pair = place_in_row(a[i]);
      if (pair.n_a == 1 && pair.n_b == 1) {
        result.push_back(merged(std::move(a[i]), std::move(b[j])));
      } else {
        Slot& loop = pair.n_a == 1 ? a[i] : b[j];
        std::vector<Slot>& straight = pair.n_a == 1 ? b : a;
        const auto begin = straight.begin() + static_cast<std::ptrdiff_t>(pair.n_a == 1 ? j : i);
        std::vector<Slot> round(std::make_move_iterator(begin),
                                std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(pair.n_a * pair.n_b)));
        for (const Slot& slot : round) {
          for (const auto& [where, values] : slot.seen) loop.rounds[where] = 1;
        }
        loop.body = join(std::move(loop.body), std::move(round));
        result.push_back(std::move(loop));
      }
      i += pair.n_a;
      j += pair.n_b;
    }
    take(a.size(), b.size());
    return result;
  }

  bool may_be_in_turn = false;  // exchanges of which two ranks do different halves, one after another
  size_t too_many_pairs = 0;    // the most of two sequences that were too long; 0: none was
  std::map<int, int> renamed;   // ids of b that are slots of a now

 private:
  struct Pair {
    size_t a, b, n_a, n_b;  // from a on n_a slots with n_b from b on; one of them is 1
  };
  struct Alignment {
    double score = 0;
    std::vector<Pair> pairs;
  };

  static std::vector<ExchangeEvent> exchange_events(const std::vector<Slot>& slots, size_t from, size_t to) {
    std::vector<ExchangeEvent> events;
    for (size_t k = from; k < to; ++k) {
      const Slot& slot = slots[k];
      const bool is_wait = !slot.is_loop && slot.kind == EventKind::kWait;
      if (slot.talks() && !slot.receives_too()) {
        events.push_back({ExchangeEvent::Kind::kMessage, slot.seen.begin()->second.tags.front()});
      } else {
        events.push_back({is_wait ? ExchangeEvent::Kind::kWait : ExchangeEvent::Kind::kOther});
      }
    }
    return events;
  }

  // Of messages to all neighbours: what is received is mostly asked for first.
  static std::pair<int, int> place_in_row(const Slot& slot) {
    if (slot.neighbour == 0) return {};
    const int group = slot.kind == EventKind::kIrecv  ? 0
                      : slot.kind == EventKind::kWait ? 3
                      : slot.kind == EventKind::kRecv ? 2
                                                      : 1;
    return {group, slot.neighbour};
  }

  static double worth(const Slot& x) {
    if (!x.is_loop) return x.talks() ? 4 : x.kind == EventKind::kWait ? 1 : 3;
    double sum = 0;
    for (const Slot& slot : x.body) sum += worth(slot);
    return sum;
  }

  // What slots are compared by again and again: the different tags of all ranks, and bytes of each number of ranks.
  struct Values {
    std::set<std::vector<int>> tags;
    std::set<std::pair<int, double>> bytes;
  };
  const Values& values_of(const Slot& slot) {
    const auto [at, is_new] = values_.try_emplace(slot.id);
    if (is_new) {
      for (const auto& [where, values] : slot.seen) {
        if (!slot.receives_too() || values.peer != kNobody) at->second.tags.insert(values.tags);
        at->second.bytes.insert({where.first, values.bytes});
      }
    }
    return at->second;
  }

  bool same_bytes(const Slot& x, const Slot& y) {
    const auto& ours = values_of(x).bytes;
    const auto& theirs = values_of(y).bytes;
    return std::any_of(theirs.begin(), theirs.end(), [&](const auto& bytes) { return ours.count(bytes) > 0; });
  }

  // Below 1: events in the same direction have many equations in common, those that only happen to have the same
  // partner few.
  static double likeness(const RelationSet& common) {
    return std::min(0.9, 0.05 * static_cast<double>(plain_if_any(common).count()));
  }

  // Where one of them has nobody on a side of MPI_Sendrecv, its tag there says nothing.
  bool same_tag(const Slot& x, const Slot& y) {
    if (x.receives_too()) {
      if (x.receives_somewhere() && y.receives_somewhere() && x.source_tag != y.source_tag) return false;
      if (!x.sends_somewhere() || !y.sends_somewhere()) return true;
    }
    return values_of(x).tags.count(y.seen.begin()->second.tags) > 0;
  }

  double agreement(const Slot& x, const Slot& y) {
    if (x.is_loop != y.is_loop) return 0;
    // Most pairs end here, which are found again sooner than remembered.
    if (x.kind != y.kind || x.collective != y.collective) return 0;
    if (x.talks() && (x.peer & y.peer).none()) return 0;
    const uint64_t both = uint64_t{static_cast<uint32_t>(x.id)} << 32 | static_cast<uint32_t>(y.id);
    if (const auto known = known_.find(both); known != known_.end()) return known->second;
    const double found = x.is_loop ? agreement_of_loops(x, y) : agreement_of_events(x, y);
    known_[both] = found;
    return found;
  }

  double agreement_of_loops(const Slot& x, const Slot& y) {
    const double score = align(x.body, 0, x.body.size(), y.body, 0, y.body.size()).score;
    return score > 0 && x.rounds.begin()->second == y.rounds.begin()->second ? score + 2 : score;
  }

  double agreement_of_events(const Slot& x, const Slot& y) {
    if (x.routine != y.routine || x.reason != y.reason) return 0;
    if (x.kind == EventKind::kWait) {
      if (!x.awaited || !y.awaited) return worth(x);
      const bool same = x.awaited->is_received == y.awaited->is_received &&
                        (x.awaited->tag == y.awaited->tag || turns_) && (x.awaited->peer & y.awaited->peer).any();
      if (!same) return 0;
      return worth(x) + likeness(x.awaited->peer & y.awaited->peer) + (x.awaited->bytes == y.awaited->bytes ? 1 : 0);
    }
    if ((x.communicator & y.communicator).none() || x.ordinal != y.ordinal) return 0;
    if (x.receives_too() && (x.source & y.source).none()) return 0;
    const bool same = same_tag(x, y);
    if (x.talks() && !same && (!turns_ || x.receives_too())) return 0;
    return worth(x) + (same_bytes(x, y) ? 1 : 0) - (same ? 0 : 3) + likeness(x.peer & y.peer);
  }

  // Whether n slots from both on agree one after another, as those that are aligned without any left over do.
  bool may_be_round(const std::vector<Slot>& a, size_t from_a, const std::vector<Slot>& b, size_t from_b, size_t n) {
    for (size_t k = n; k-- > 0;) {
      if (agreement(a[from_a + k], b[from_b + k]) <= 0) return false;
    }
    return true;
  }

  Alignment align(const std::vector<Slot>& a, size_t a0, size_t a1, const std::vector<Slot>& b, size_t b0, size_t b1) {
    const size_t n = a1 - a0, m = b1 - b0;
    Alignment result;
    if (n == 0 || m == 0) return result;
    if ((n + 1) * (m + 1) > kMostPairs) {
      too_many_pairs = std::max(too_many_pairs, (n + 1) * (m + 1));
      return result;
    }
    struct Cell {
      double score = 0;
      uint32_t n_a = 0, n_b = 0;  // the pair that ends here; 0, 0: none, go where the score is
    };
    std::vector<Cell> table((n + 1) * (m + 1));
    const auto cell = [&](size_t i, size_t j) -> Cell& { return table[i * (m + 1) + j]; };
    for (size_t i = 1; i <= n; ++i) {
      for (size_t j = 1; j <= m; ++j) {
        Cell& here = cell(i, j);
        here.score = std::max(cell(i - 1, j).score, cell(i, j - 1).score);
        const auto offer = [&](size_t n_a, size_t n_b, double score) {
          if (score <= 0 || cell(i - n_a, j - n_b).score + score <= here.score) return;
          here = {cell(i - n_a, j - n_b).score + score, static_cast<uint32_t>(n_a), static_cast<uint32_t>(n_b)};
        };
        const Slot& x = a[a0 + i - 1];
        const Slot& y = b[b0 + j - 1];
        const double agrees = agreement(x, y);
        offer(1, 1, agrees > 0 && cell(i - 1, j - 1).n_a > 0 ? agrees + kNearInARow : agrees);
        // A round of a loop's body that stands by itself where it goes round once.
        if (x.is_loop && !y.is_loop && x.body.size() > 1 && j >= x.body.size() &&
            may_be_round(x.body, 0, b, b0 + j - x.body.size(), x.body.size())) {
          const size_t length = x.body.size();
          const Alignment round = align(x.body, 0, length, b, b0 + j - length, b0 + j);
          if (round.pairs.size() == length) offer(1, length, round.score);
        }
        if (y.is_loop && !x.is_loop && y.body.size() > 1 && i >= y.body.size() &&
            may_be_round(a, a0 + i - y.body.size(), y.body, 0, y.body.size())) {
          const size_t length = y.body.size();
          const Alignment round = align(a, a0 + i - length, a0 + i, y.body, 0, length);
          if (round.pairs.size() == length) offer(length, 1, round.score);
        }
      }
    }
    result.score = cell(n, m).score;
    for (size_t i = n, j = m; i > 0 && j > 0;) {
      const Cell& here = cell(i, j);
      if (here.n_a > 0) {
        i -= here.n_a;
        j -= here.n_b;
        result.pairs.push_back({a0 + i, b0 + j, here.n_a, here.n_b});
      } else if (cell(i - 1, j).score >= cell(i, j - 1).score) {
        --i;
      } else {
        --j;
      }
    }
    std::reverse(result.pairs.begin(), result.pairs.end());
    return result;
  }

  Slot merged(Slot a, Slot b) {
    renamed[b.id] = a.id;
    if (a.is_loop) {
      a.rounds.insert(b.rounds.begin(), b.rounds.end());
      a.body = join(std::move(a.body), std::move(b.body));
      return a;
    }
    if (!a.receives_somewhere()) a.source_tag = b.source_tag;
    a.peer &= b.peer;
    a.source &= b.source;
    a.communicator &= b.communicator;
    a.waits_for.insert(b.waits_for.begin(), b.waits_for.end());
    a.leaves_open.insert(b.leaves_open.begin(), b.leaves_open.end());
    if (a.awaited && b.awaited) {
      a.awaited->peer &= b.awaited->peer;
    } else {
      a.awaited.reset();
    }
    a.seen.insert(b.seen.begin(), b.seen.end());
    return a;
  }

  bool turns_, in_turn_;
  std::unordered_map<uint64_t, double> known_;  // agreement by both ids
  std::unordered_map<int, Values> values_;      // by Slot::id
};

}  // namespace

bool Slot::talks() const {
  return !is_loop && (kind == EventKind::kSend || kind == EventKind::kRecv || kind == EventKind::kIsend ||
                      kind == EventKind::kIrecv || kind == EventKind::kBufferedSend || kind == EventKind::kSendrecv ||
                      kind == EventKind::kRemote);
}

bool Slot::sends_somewhere() const {
  return std::any_of(seen.begin(), seen.end(), [](const auto& at) { return at.second.peer != kNobody; });
}

bool Slot::receives_somewhere() const {
  return std::any_of(seen.begin(), seen.end(), [](const auto& at) { return at.second.source != kNobody; });
}

uint64_t Slot::events_at(int ranks) const {
  double events = 0;
  for (auto it = seen.lower_bound({ranks, 0}); it != seen.end() && it->first.first == ranks; ++it) {
    events += it->second.times;
  }
  return static_cast<uint64_t>(events);
}

void Slot::forget_computation() {
  for (auto& [where, values] : seen) {
    values.before_ns = 0;
    if (values.instructions) values.instructions = 0;
  }
}

bool Slot::is_ambiguous_wait() const {
  return routine == "MPI_Wait" && std::any_of(waits_for.begin(), waits_for.end(),
                                              [this](int awaited_id) { return leaves_open.count(awaited_id) > 0; });
}

std::vector<Slot> slots_of(const RankTrace& trace, int& next_id) {
  SlotMaker maker(trace, next_id);
  std::vector<Slot> slots = maker.list(trace.steps, 1);
  maker.follow(slots, trace.steps);
  return slots;
}

void rename_waits(std::vector<Slot>& slots, const std::map<int, int>& renamed) {
  for (Slot& slot : slots) {
    rename_waits(slot.body, renamed);
    for (std::set<int>* ids : {&slot.waits_for, &slot.leaves_open}) {
      std::set<int> named;
      for (int id : *ids) {
        for (auto found = renamed.find(id); found != renamed.end(); found = renamed.find(id)) id = found->second;
        named.insert(id);
      }
      *ids = std::move(named);
    }
  }
}

core::Result<std::vector<Slot>> join(std::vector<Slot> a, std::vector<Slot> b, bool turns, ExchangesInTurn* in_turn) {
  Joiner joiner(turns, in_turn != nullptr && in_turn->are_kept);
  std::vector<Slot> joined = joiner.join(std::move(a), std::move(b));
  if (in_turn != nullptr) in_turn->are_found = in_turn->are_found || joiner.may_be_in_turn;
  if (joiner.too_many_pairs > 0) {
    // Pairs grow with the square of the iterations.
    const double times = std::sqrt(static_cast<double>(joiner.too_many_pairs) / static_cast<double>(kMostPairs));
    return core::Error{core::ErrorCode::kInput,
                       "the traces are too long to be held against each other: iterations differ, so that " +
                           std::to_string(joiner.too_many_pairs) + " pairs of events would be compared, of at most " +
                           std::to_string(kMostPairs),
                       "record a run of at most one in " + core::to_text(std::ceil(times)) + " of the iterations", ""};
  }
  rename_waits(joined, joiner.renamed);
  return joined;
}

}  // namespace scalediag::loggp
