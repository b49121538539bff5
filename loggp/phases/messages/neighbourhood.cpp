#include "loggp/phases/messages/neighbourhood.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "core/equations/process_grid.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;
using NeighbourStep = std::array<int, 3>;

// Ranks with two cut sides and more than two neighbours distinguish steps across an edge from those across faces.
constexpr size_t kFewestNeighbours = 5;

struct RowMessage {
  EventKind kind;
  int tag;
  uint64_t communicator;
  int peer;
  auto row() const { return std::tuple(kind, tag, communicator); }
};

size_t number_of_step(const NeighbourStep& step) {
  return static_cast<size_t>(step[0] + 1 + 3 * (step[1] + 1) + 9 * (step[2] + 1));
}

NeighbourStep step_of(size_t number) {
  const int n = static_cast<int>(number);
  return {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
}

// The steps to `peers`, if these are all neighbours of the rank.
std::optional<std::vector<size_t>> steps_to_all(const core::ProcessGrid& grid, int rank,
                                                const std::vector<int>& peers) {
  const NeighbourStep at = grid.coordinates(rank);
  size_t n = 1;
  for (size_t side = 0; side < 3; ++side) {
    n *= 1 + (at[side] > 0 ? 1U : 0U) + (at[side] + 1 < grid.sides[side] ? 1U : 0U);
  }
  if (peers.size() + 1 != n) return std::nullopt;
  std::vector<size_t> steps;
  std::array<bool, 27> is_known = {};
  is_known[number_of_step({0, 0, 0})] = true;
  for (const int peer : peers) {
    if (peer < 0) return std::nullopt;
    NeighbourStep step = grid.coordinates(peer);
    for (size_t side = 0; side < 3; ++side) {
      step[side] -= at[side];
      if (step[side] < -1 || step[side] > 1) return std::nullopt;
    }
    steps.push_back(number_of_step(step));
    if (is_known[steps.back()]) return std::nullopt;
    is_known[steps.back()] = true;
  }
  return steps;
}

// visit(numbers in the list) for all messages in a row that are of one kind, with one tag.
template <class Item, class MessageOf, class Visit>
void each_row(const std::vector<Item>& list, MessageOf message_of, Visit visit) {
  std::map<decltype(std::declval<RowMessage>().row()), std::vector<size_t>> rows;
  const auto end = [&] {
    for (const auto& [row, numbers] : rows) visit(numbers);
    rows.clear();
  };
  for (size_t i = 0; i < list.size(); ++i) {
    const std::optional<RowMessage> message = message_of(list[i]);
    if (message) {
      rows[message->row()].push_back(i);
    } else {
      end();
    }
  }
  end();
}

bool is_one_way(EventKind kind) {
  return kind == EventKind::kSend || kind == EventKind::kRecv || kind == EventKind::kIsend ||
         kind == EventKind::kIrecv || kind == EventKind::kBufferedSend;
}

bool is_receiving(EventKind kind) { return kind == EventKind::kRecv || kind == EventKind::kIrecv; }

struct NeighbourRow {
  int rank = 0;
  bool is_received = false;
  std::vector<int> peers;
};

void add_rows(const RankTrace& trace, const std::vector<TraceStep>& steps, std::vector<NeighbourRow>& rows) {
  const auto message_of = [&](const TraceStep& step) -> std::optional<RowMessage> {
    if (step.count > 0 || !is_one_way(trace.events[step.event].kind)) return std::nullopt;
    const TraceEvent& e = trace.events[step.event];
    return RowMessage{e.kind, e.tag, e.communicator, e.peer};
  };
  for (const TraceStep& step : steps) add_rows(trace, step.body, rows);
  each_row(steps, message_of, [&](const std::vector<size_t>& numbers) {
    NeighbourRow row{static_cast<int>(trace.rank), is_receiving(message_of(steps[numbers[0]])->kind), {}};
    for (const size_t i : numbers) row.peers.push_back(message_of(steps[i])->peer);
    rows.push_back(std::move(row));
  });
}

// Rows of steps to all neighbours, of messages that are sent; nothing: a rank does not send them, or receive them.
std::optional<std::vector<std::vector<size_t>>> rows_in(const core::ProcessGrid& grid,
                                                        const std::vector<NeighbourRow>& rows) {
  const int ranks = grid.sides[0] * grid.sides[1] * grid.sides[2];
  std::vector<bool> sends(static_cast<size_t>(ranks)), receives(sends);
  std::vector<std::vector<size_t>> sent;
  for (const NeighbourRow& row : rows) {
    auto steps = steps_to_all(grid, row.rank, row.peers);
    if (!steps) continue;
    (row.is_received ? receives : sends)[static_cast<size_t>(row.rank)] = true;
    if (!row.is_received) sent.push_back(std::move(*steps));
  }
  const auto all = [](const std::vector<bool>& of) { return std::find(of.begin(), of.end(), false) == of.end(); };
  return all(sends) && all(receives) ? std::optional(std::move(sent)) : std::nullopt;
}

// Places by a key that rises.
template <class Key> std::array<int, 27> ordered_by(Key key) {
  std::array<size_t, 27> steps = {};
  for (size_t i = 0; i < steps.size(); ++i) steps[i] = i;
  std::stable_sort(steps.begin(), steps.end(), [&](size_t a, size_t b) { return key(step_of(a)) < key(step_of(b)); });
  std::array<int, 27> places = {};
  for (size_t i = 0; i < steps.size(); ++i) places[steps[i]] = static_cast<int>(i) + 1;
  return places;
}

// Neighbours by their coordinates, which rise with the rank in rows; and as the first cells beside them come in a loop
// over a rank's own cells, which those on the upper ends do last.
std::array<std::array<int, 27>, 2> orders() {
  return {
      ordered_by([](const NeighbourStep& s) { return std::tuple(s[2], s[1], s[0]); }),
      ordered_by([](const NeighbourStep& s) { return std::tuple(s[2] > 0, s[1] > 0, s[0] > 0, s[2], s[1], s[0]); })};
}

std::array<size_t, 27> open_steps(core::GridKind grid) {
  std::array<size_t, 27> relations = {};
  for (size_t i = 0; i < vocabulary().size(); ++i) {
    const Relation& r = vocabulary()[i];
    const bool is_short = std::all_of(r.step.begin(), r.step.end(), [](int n) { return n >= -1 && n <= 1; });
    if (r.kind != RelationKind::kOffset || r.grid != grid || r.border != Border::kOpen || !is_short) continue;
    relations[number_of_step(r.step)] = i;
  }
  return relations;
}

RelationSet only_relation(size_t relation) {
  RelationSet set;
  set.set(relation);
  return set;
}

// Puts the slots with these numbers into the order of their neighbours.
void sort_places(std::vector<Slot>& slots, const std::vector<size_t>& numbers) {
  std::vector<Slot> sorted;
  for (const size_t i : numbers) sorted.push_back(std::move(slots[i]));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Slot& a, const Slot& b) { return a.neighbour < b.neighbour; });
  for (size_t k = 0; k < numbers.size(); ++k) slots[numbers[k]] = std::move(sorted[k]);
}

bool is_in_row(const Slot& slot) { return !slot.is_loop && is_one_way(slot.kind); }

bool is_same_event(const Slot& a, const Slot& b) {
  if (a.is_loop || b.is_loop || a.kind != b.kind || a.routine != b.routine || a.ordinal != b.ordinal) return false;
  const SlotValues& x = a.seen.begin()->second;
  const SlotValues& y = b.seen.begin()->second;
  return x.peer == y.peer && x.tags == y.tags && x.round_bytes == y.round_bytes && x.requests == y.requests;
}

// Loops that begin in the middle of a row, since what ends a row is alike in several, begin with the next one: n times
// (end, row) and an end are an end and n times (row, end).
void make_rows_whole(std::vector<Slot>& slots) {
  for (Slot& slot : slots) make_rows_whole(slot.body);
  for (size_t i = 1; i < slots.size(); ++i) {
    std::vector<Slot>& body = slots[i].body;
    if (!slots[i].is_loop || !is_in_row(body.front()) || !is_in_row(slots[i - 1])) continue;
    size_t n = 0, until = 0;
    while (n + 1 < body.size() && i + 1 + n < slots.size() && is_same_event(body[n], slots[i + 1 + n])) {
      if (!is_in_row(body[n++]) && is_in_row(body[n])) until = n;
    }
    if (until == 0) continue;
    // The end of the first round waits for requests that were begun before the loop, and now comes before it.
    const auto take_from_before = [](std::set<int>& in_loop, std::set<int>& behind) {
      std::set<int> before;
      std::set_difference(in_loop.begin(), in_loop.end(), behind.begin(), behind.end(),
                          std::inserter(before, before.end()));
      if (before.empty()) return;
      in_loop = std::exchange(behind, std::move(before));
    };
    for (size_t k = 0; k < until; ++k) {
      take_from_before(body[k].waits_for, slots[i + 1 + k].waits_for);
      take_from_before(body[k].leaves_open, slots[i + 1 + k].leaves_open);
    }
    const auto shift = static_cast<std::ptrdiff_t>(until);
    std::rotate(body.begin(), body.begin() + shift, body.end());
    const auto loop = slots.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(loop, loop + 1, loop + 1 + shift);
    i += until;
  }
}

class NeighbourKeeper {
 public:
  explicit NeighbourKeeper(const Neighbourhood& neighbourhood) : neighbourhood_(neighbourhood) {}

  void messages(std::vector<Slot>& slots) {
    const auto message_of = [](const Slot& slot) -> std::optional<RowMessage> {
      if (slot.is_loop || !is_one_way(slot.kind)) return std::nullopt;
      const SlotValues& values = slot.seen.begin()->second;
      return RowMessage{slot.kind, values.tags.front(), slot.ordinal, values.peer};
    };
    for (Slot& slot : slots) messages(slot.body);
    each_row(slots, message_of, [&](const std::vector<size_t>& numbers) {
      const auto [ranks, rank] = slots[numbers[0]].seen.begin()->first;
      std::vector<int> peers;
      for (const size_t i : numbers) peers.push_back(message_of(slots[i])->peer);
      const auto steps = steps_to_all(process_grid(neighbourhood_.grid, ranks), rank, peers);
      if (!steps) return;
      for (size_t k = 0; k < numbers.size(); ++k) {
        Slot& slot = slots[numbers[k]];
        slot.neighbour = neighbourhood_.place[(*steps)[k]];
        slot.peer = only_relation(neighbourhood_.relation[(*steps)[k]]);
        kept_[slot.id] = {slot.neighbour, slot.peer};
      }
      sort_places(slots, numbers);
    });
  }

  void waits(std::vector<Slot>& slots) {
    std::vector<size_t> in_a_row;
    for (size_t i = 0; i < slots.size(); ++i) {
      Slot& slot = slots[i];
      waits(slot.body);
      const auto kept = slot.awaited && slot.waits_for.size() == 1 ? kept_.find(*slot.waits_for.begin()) : kept_.end();
      if (kept == kept_.end()) {
        sort_places(slots, std::exchange(in_a_row, {}));
        continue;
      }
      slot.neighbour = kept->second.first;
      slot.awaited->peer = kept->second.second;
      in_a_row.push_back(i);
    }
    sort_places(slots, in_a_row);
  }

 private:
  const Neighbourhood& neighbourhood_;
  std::map<int, std::pair<int, RelationSet>> kept_;  // by Slot::id: the place and the step of a message
};

}  // namespace

std::optional<Neighbourhood> neighbourhood_of(const std::vector<const std::vector<RankTrace>*>& scales) {
  std::map<int, std::vector<NeighbourRow>> rows;
  for (const auto* traces : scales) {
    if (traces->size() < 2) continue;  // one rank has no neighbours
    for (const RankTrace& trace : *traces) add_rows(trace, trace.steps, rows[static_cast<int>(trace.size)]);
  }
  for (int g = 1; g < core::kGridKinds; ++g) {
    const auto grid = static_cast<core::GridKind>(g);
    const auto possible = orders();
    std::array<size_t, std::tuple_size_v<decltype(orders())>> n_in_order = {};
    size_t n_rows = 0;
    bool is_met = !rows.empty(), is_telling = false;
    for (const auto& [ranks, of_ranks] : rows) {
      const auto sent = is_met ? rows_in(process_grid(grid, ranks), of_ranks) : std::nullopt;
      is_met = sent.has_value();
      for (size_t r = 0; is_met && r < sent->size(); ++r) {
        const std::vector<size_t>& steps = (*sent)[r];
        is_telling |= steps.size() >= kFewestNeighbours && steps.size() + 1 < static_cast<size_t>(ranks);
        ++n_rows;
        for (size_t o = 0; o < possible.size(); ++o) {
          const auto before = [&](size_t a, size_t b) { return possible[o][a] < possible[o][b]; };
          n_in_order[o] += std::is_sorted(steps.begin(), steps.end(), before) ? 1 : 0;
        }
      }
    }
    const auto most = std::max_element(n_in_order.begin(), n_in_order.end());
    if (!is_met || !is_telling || *most * 2 < n_rows) continue;
    return Neighbourhood{grid, possible[static_cast<size_t>(most - n_in_order.begin())], open_steps(grid)};
  }
  return std::nullopt;
}

void keep_neighbours(const Neighbourhood& neighbourhood, std::vector<Slot>& slots) {
  make_rows_whole(slots);
  NeighbourKeeper keeper(neighbourhood);
  keeper.messages(slots);
  keeper.waits(slots);
}

}  // namespace scalediag::loggp
