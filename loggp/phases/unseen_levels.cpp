#include "loggp/phases/unseen_levels.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace scalediag::loggp {
namespace {

using SidePair = std::pair<int, int>;

class LevelMirror {
 public:
  LevelMirror(const std::vector<Slot>& slots, const std::vector<int>& scales, int ranks,
              std::map<int, SlotEquations>& equations)
      : scales_(scales), equations_(equations), ranks_(ranks) {
    if (!equations.empty()) next_id_ = equations.rbegin()->first + 1;
    learn(slots);
    collect_waits(slots);
  }

  void tell(const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) tell(slot.body);
    for (size_t i = 0; i < slots.size();) {
      const size_t end = group_end(slots, i);
      for (const int side : end > i ? unseen_sides(level_step(slots[i])) : std::vector<int>{}) {
        for (size_t k = i; k < end; ++k) {
          equations_.at(slots[k].id).open.push_back(sentence(*level_step(slots[i]), side));
        }
      }
      i = std::max(end, i + 1);
    }
  }

  void mirror(std::vector<Slot>& slots) {
    for (Slot& slot : slots) mirror(slot.body);
    std::vector<Slot> result;
    std::set<std::pair<int, int>> made;  // levels and sides of groups in a row
    for (size_t i = 0; i < slots.size();) {
      const size_t end = group_end(slots, i);
      if (end == i) {
        made.clear();
        result.push_back(std::move(slots[i++]));
        continue;
      }
      const Relation seen = *level_step(slots[i]);
      std::vector<std::pair<int, std::vector<Slot>>> groups;
      groups.emplace_back(place_of_side(seen.side),
                          std::vector<Slot>(slots.begin() + static_cast<std::ptrdiff_t>(i),
                                            slots.begin() + static_cast<std::ptrdiff_t>(end)));
      for (const int side : unseen_sides(seen)) {
        if (made.count({seen.bit, side}) > 0) continue;
        if (auto mirrored = copy(groups.front().second, seen.side, side)) {
          made.insert({seen.bit, side});
          groups.emplace_back(place_of_side(side), std::move(*mirrored));
        }
      }
      std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (auto& [place, group] : groups) {
        for (Slot& slot : group) result.push_back(std::move(slot));
      }
      i = end;
    }
    slots = std::move(result);
  }

 private:
  // The relation of a message between two levels.
  std::optional<Relation> level_step(const Slot& slot) const {
    if (!slot.talks() || slot.receives_too()) return std::nullopt;
    const SlotEquations& e = equations_.at(slot.id);
    if (!e.peer || !e.why_not.empty() || !e.tag.is_constant()) return std::nullopt;
    const Relation& r = vocabulary()[*e.peer];
    return r.kind == RelationKind::kCoarseGive || r.kind == RelationKind::kCoarseTake ? std::optional(r) : std::nullopt;
  }

  // The end of the messages between two levels along one side, and the waits for them, that begin at i; i: there are
  // none.
  size_t group_end(const std::vector<Slot>& slots, size_t i) const {
    const auto first = level_step(slots[i]);
    std::set<int> ids;
    for (; first && i < slots.size(); ++i) {
      const Slot& slot = slots[i];
      if (slot.kind == trace::EventKind::kWait && !slot.is_loop) {
        const auto is_of_group = [&](int id) { return ids.count(id) > 0; };
        if (!std::all_of(slot.waits_for.begin(), slot.waits_for.end(), is_of_group)) break;
        continue;
      }
      const auto next = level_step(slot);
      if (!next || next->grid != first->grid || next->side != first->side || next->bit != first->bit) break;
      ids.insert(slot.id);
    }
    return i;
  }

  // Sides with more ranks than the level, where no measured scale had more.
  std::vector<int> unseen_sides(const std::optional<Relation>& level) const {
    std::vector<int> sides;
    if (!level) return sides;
    const core::ProcessGrid grid = process_grid(level->grid, ranks_);
    const int n = 1 << level->bit;
    for (int side = 0; side < grid.dimensions; ++side) {
      const auto length = [side](const core::ProcessGrid& g) { return g.sides[static_cast<size_t>(side)]; };
      const bool is_seen = std::any_of(scales_.begin(), scales_.end(),
                                       [&](int scale) { return length(process_grid(level->grid, scale)) > n; });
      if (side != level->side && length(grid) > n && !is_seen) sides.push_back(side);
    }
    return sides;
  }

  std::string sentence(const Relation& level, int side) const {
    const std::string of_grid = std::string(" of a ") + name_of(level.grid);
    return "no measured scale has more than " + std::to_string(1 << level.bit) + " ranks along side " +
           std::to_string(side + 1) + of_grid + ", where " + std::to_string(ranks_) + " ranks have; " +
           (tags_of_.count({level.side, side}) > 0
                ? "what is sent there between the levels is taken as along side "
                : "what is sent there between the levels is left out, unlike side ") +
           std::to_string(level.side + 1);
  }

  // The side along which a slot's messages go from neighbour to neighbour.
  std::optional<int> side_of(const Slot& slot) const {
    if (slot.is_loop) return std::nullopt;
    int id = slot.id;
    if (slot.kind == trace::EventKind::kWait) {
      if (slot.waits_for.size() != 1) return std::nullopt;
      id = *slot.waits_for.begin();
    }
    const auto e = equations_.find(id);
    if (e == equations_.end() || !e->second.peer || !e->second.tag.is_constant()) return std::nullopt;
    const Relation& r = vocabulary()[*e->second.peer];
    if (r.kind == RelationKind::kCoarse) return r.side;
    if (r.kind != RelationKind::kOffset) return std::nullopt;
    std::optional<int> along;
    for (int side = 0; side < 3; ++side) {
      if (r.step[static_cast<size_t>(side)] == 0) continue;
      if (along) return std::nullopt;
      along = side;
    }
    return along;
  }

  int tag_of(const Slot& slot) const {
    return slot.kind == trace::EventKind::kWait ? 0 : equations_.at(slot.id).tag.at(1, 0, 0);
  }

  // The first messages in a row along each side, where they are alike but for their tags.
  void learn(const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) learn(slot.body);
    std::map<int, std::pair<size_t, size_t>> runs;  // by side
    for (size_t begin = 0; begin < slots.size();) {
      const auto side = side_of(slots[begin]);
      size_t end = begin + 1;
      while (side && end < slots.size() && side_of(slots[end]) == side) ++end;
      if (side) runs.try_emplace(*side, begin, end);
      begin = end;
    }
    for (const auto& [a, run_a] : runs) {
      for (const auto& [b, run_b] : runs) {
        if (a == b || tags_of_.count({a, b}) > 0 || run_a.second - run_a.first != run_b.second - run_b.first) continue;
        std::map<int, int> tags;
        bool is_alike = true;
        for (size_t k = 0; k < run_a.second - run_a.first; ++k) {
          const Slot& x = slots[run_a.first + k];
          const Slot& y = slots[run_b.first + k];
          is_alike =
              is_alike && x.routine == y.routine && tags.try_emplace(tag_of(x), tag_of(y)).first->second == tag_of(y);
        }
        if (!is_alike) continue;
        tags_of_[{a, b}] = std::move(tags);
        places_.try_emplace(a, run_a.first);
        places_.try_emplace(b, run_b.first);
      }
    }
  }

  int place_of_side(int side) const {
    const auto known = places_.find(side);
    return known == places_.end() ? side : static_cast<int>(known->second);
  }

  // The group along another side; nothing where its tags are not known.
  std::optional<std::vector<Slot>> copy(std::vector<Slot> group, int from, int to) {
    const auto tags = tags_of_.find({from, to});
    if (tags == tags_of_.end()) return std::nullopt;
    std::array<int, 3> order = {0, 1, 2};
    std::swap(order[static_cast<size_t>(from)], order[static_cast<size_t>(to)]);
    std::map<int, int> copied;
    for (Slot& slot : group) {
      SlotEquations e = equations_.at(slot.id);
      if (e.peer) {
        const auto tag = tags->second.find(tag_of(slot));
        const auto peer = along(vocabulary()[*e.peer], to);
        if (tag == tags->second.end() || !peer) return std::nullopt;
        e.peer = peer;
        e.tag = TagHypothesis::constant(tag->second);
        e.bytes = e.bytes.with_sides(order);
      }
      const int id = next_id_++;
      copied[std::exchange(slot.id, id)] = id;
      slot.forget_computation();
      equations_[id] = std::move(e);
    }
    std::set<int> left;
    for (const Slot& slot : group) {
      if (!slot.is_loop && begins_request(slot.kind)) left.insert(slot.id);
    }
    for (Slot& slot : group) await(slot, copied, left);
    // The recorder may have folded a loop from the waits for the group on, which are not in it then.
    for (const Slot& elsewhere : waits_) {
      Slot wait = elsewhere;
      if (left.empty()) break;
      if (!await(wait, copied, left)) continue;
      wait.id = next_id_++;
      equations_[wait.id] = equations_.at(elsewhere.id);
      group.push_back(std::move(wait));
    }
    return group;
  }

  // Makes a wait one for the copies that are left; whether there are any.
  static bool await(Slot& wait, const std::map<int, int>& copied, std::set<int>& left) {
    std::set<int> waits_for;
    for (const int id : wait.waits_for) {
      const auto copy = copied.find(id);
      if (copy != copied.end() && left.erase(copy->second) > 0) waits_for.insert(copy->second);
    }
    wait.waits_for = std::move(waits_for);
    return !wait.waits_for.empty();
  }

  void collect_waits(const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) {
      collect_waits(slot.body);
      if (!slot.is_loop && slot.kind == trace::EventKind::kWait) waits_.push_back(slot);
    }
  }

  static std::optional<size_t> along(Relation wanted, int side) {
    wanted.side = side;
    for (size_t i = 0; i < vocabulary().size(); ++i) {
      const Relation& r = vocabulary()[i];
      if (r.kind == wanted.kind && r.grid == wanted.grid && r.border == wanted.border && r.step == wanted.step &&
          r.side == wanted.side && r.bit == wanted.bit && r.is_last_of_block == wanted.is_last_of_block) {
        return i;
      }
    }
    return std::nullopt;
  }

  const std::vector<int>& scales_;
  std::map<int, SlotEquations>& equations_;
  int ranks_;
  int next_id_ = 0;
  std::map<SidePair, std::map<int, int>> tags_of_;  // tags along the second side by those along the first
  std::vector<Slot> waits_;                         // in the program's order
  std::map<int, size_t> places_;                    // of sides in the program's order
};

}  // namespace

void tell_unseen_levels(const std::vector<Slot>& slots, const std::vector<int>& scales, int target,
                        std::map<int, SlotEquations>& equations) {
  LevelMirror(slots, scales, target, equations).tell(slots);
}

void add_unseen_levels(std::vector<Slot>& slots, const std::vector<int>& scales, int ranks,
                       std::map<int, SlotEquations>& equations) {
  LevelMirror(slots, scales, ranks, equations).mirror(slots);
}

}  // namespace scalediag::loggp
