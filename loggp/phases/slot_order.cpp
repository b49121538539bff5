#include "loggp/phases/slot_order.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace scalediag::loggp {
namespace {

// A message along one side of a grid, or the wait for it.
struct Direction {
  core::GridKind grid = core::GridKind::kLine;
  size_t side = 0;
  bool is_up = false;
};

// A message without its side: a routine in a direction.
using DirectedStep = std::pair<std::string, bool>;

class Orderer {
 public:
  Orderer(std::map<int, SlotEquations>& equations, int target) : equations_(equations), target_(target) {}

  void learn(const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) learn(slot.body);
    each_run(slots, [&](size_t begin, size_t end) {
      if (!is_seen_together(slots, begin, end)) return;
      const std::vector<DirectedStep> order = steps(slots, begin, end);
      std::vector<DirectedStep> sorted = order;
      std::sort(sorted.begin(), sorted.end());
      known_.try_emplace(std::move(sorted), order);
    });
  }

  void apply(std::vector<Slot>& slots) {
    for (Slot& slot : slots) apply(slot.body);
    each_run(slots, [&](size_t begin, size_t end) {
      const Direction along = *direction(slots[begin]);
      if (is_seen_together(slots, begin, end) || process_grid(along.grid, target_).sides[along.side] < 3) return;
      std::vector<DirectedStep> sorted = steps(slots, begin, end);
      std::sort(sorted.begin(), sorted.end());
      const auto found = known_.find(sorted);
      if (found != known_.end()) reorder(slots, begin, end, found->second);
      for (size_t i = begin; i < end; ++i) {
        equations_.at(slots[i].id)
            .open.push_back(std::string("order: no measured rank has neighbours on both ends of side ") +
                            std::to_string(along.side + 1) + " of a " + name_of(along.grid) + "; " +
                            (found != known_.end() ? "taken as along another side" : "taken as ranks were read"));
      }
    });
  }

 private:
  std::optional<Direction> direction(const Slot& slot) const {
    if (slot.is_loop || slot.neighbour > 0) return std::nullopt;
    int id = slot.id;
    if (slot.kind == trace::EventKind::kWait) {
      if (slot.waits_for.size() != 1) return std::nullopt;
      id = *slot.waits_for.begin();
    }
    const auto e = equations_.find(id);
    if (e == equations_.end() || !e->second.peer) return std::nullopt;
    const Relation& r = vocabulary()[*e->second.peer];
    if (r.kind != RelationKind::kOffset) return std::nullopt;
    std::optional<Direction> along;
    for (size_t side = 0; side < 3; ++side) {
      if (r.step[side] == 0) continue;
      if (along) return std::nullopt;
      along = Direction{r.grid, side, r.step[side] > 0};
    }
    return along;
  }

  // Slots in a row along the same side, in both directions.
  template <class Visit>
  void each_run(const std::vector<Slot>& slots, Visit visit) const {
    for (size_t begin = 0; begin < slots.size();) {
      const auto first = direction(slots[begin]);
      size_t end = begin + 1;
      bool has_both = false;
      for (; first && end < slots.size(); ++end) {
        const auto next = direction(slots[end]);
        if (!next || next->grid != first->grid || next->side != first->side) break;
        has_both = has_both || next->is_up != first->is_up;
      }
      if (has_both) visit(begin, end);
      begin = end;
    }
  }

  bool is_seen_together(const std::vector<Slot>& slots, size_t begin, size_t end) const {
    for (size_t i = begin; i < end; ++i) {
      for (size_t j = begin; j < end; ++j) {
        if (direction(slots[i])->is_up == direction(slots[j])->is_up) continue;
        for (const auto& [where, values] : slots[i].seen) {
          if (where.first > 2 && slots[j].seen.count(where) > 0) return true;
        }
      }
    }
    return false;
  }

  std::vector<DirectedStep> steps(const std::vector<Slot>& slots, size_t begin, size_t end) const {
    std::vector<DirectedStep> all;
    for (size_t i = begin; i < end; ++i) all.emplace_back(slots[i].routine, direction(slots[i])->is_up);
    return all;
  }

  void reorder(std::vector<Slot>& slots, size_t begin, size_t end, const std::vector<DirectedStep>& order) const {
    std::vector<Slot> old(std::make_move_iterator(slots.begin() + static_cast<std::ptrdiff_t>(begin)),
                          std::make_move_iterator(slots.begin() + static_cast<std::ptrdiff_t>(end)));
    std::vector<DirectedStep> left;
    for (const Slot& slot : old) left.emplace_back(slot.routine, direction(slot)->is_up);
    std::vector<bool> is_taken(old.size(), false);
    for (size_t i = 0; i < order.size(); ++i) {
      size_t from = 0;
      while (is_taken[from] || left[from] != order[i]) ++from;
      is_taken[from] = true;
      slots[begin + i] = std::move(old[from]);
    }
  }

  std::map<int, SlotEquations>& equations_;
  int target_;
  std::map<std::vector<DirectedStep>, std::vector<DirectedStep>> known_;  // the order of a set of steps, by the set
};

}  // namespace

void order_unseen_pairs(std::vector<Slot>& slots, std::map<int, SlotEquations>& equations, int target) {
  Orderer orderer(equations, target);
  orderer.learn(slots);
  orderer.apply(slots);
}

}  // namespace scalediag::loggp
