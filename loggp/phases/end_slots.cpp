#include "loggp/phases/end_slots.h"

#include <map>
#include <set>
#include <utility>

namespace scalediag::loggp {
namespace {

using trace::EventKind;

// By scale, whether each rank runs the slots.
using Running = std::vector<std::vector<bool>>;

// The equations of the ranks that are first and last along a side.
struct Ends {
  size_t first, last;  // of vocabulary()
};

std::vector<Ends> make_ends() {
  std::vector<Ends> all;
  const std::vector<Relation>& relations = vocabulary();
  for (size_t i = 0; i < relations.size(); ++i) {
    const Relation& r = relations[i];
    if (r.kind != RelationKind::kOffsetAtEnd || r.at_last) continue;
    for (size_t k = 0; k < relations.size(); ++k) {
      const Relation& other = relations[k];
      if (other.kind == r.kind && other.grid == r.grid && other.border == r.border && other.step == r.step &&
          other.side == r.side && !other.at_first) {
        all.push_back({i, k});
      }
    }
  }
  return all;
}

RelationSet make_offsets() {
  RelationSet offsets;
  for (size_t i = 0; i < vocabulary().size(); ++i) {
    const RelationKind kind = vocabulary()[i].kind;
    offsets[i] = kind == RelationKind::kOffset || kind == RelationKind::kOffsetAtEnd;
  }
  return offsets;
}

// Nothing of a row of slots is after a collective in one rank and before it in another.
bool ends_row(const Slot& slot) { return slot.is_loop || (!slot.talks() && slot.kind != EventKind::kWait); }

bool are_alike(const Slot& a, const Slot& b) {
  return a.kind == b.kind && a.routine == b.routine && a.ordinal == b.ordinal &&
         a.seen.begin()->second.tags == b.seen.begin()->second.tags && (a.communicator & b.communicator).any();
}

class Separation {
 public:
  explicit Separation(const std::vector<Absences>& scales) : scales_(scales) {}

  void apply(std::vector<Slot>& slots, const Running& runs) const {
    for (Slot& slot : slots) {
      if (!slot.is_loop) continue;
      Running inside;
      for (size_t s = 0; s < scales_.size(); ++s) inside.push_back(scales_[s].running(slot, runs[s]));
      apply(slot.body, inside);
    }
    std::vector<bool> is_explained;
    for (const Slot& slot : slots) is_explained.push_back(!slot.talks() || explained(slot, slot.peer, runs).any());
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i].talks() || slots[i].receives_too()) continue;
      for (size_t k = i + 1; k < slots.size() && !ends_row(slots[k]); ++k) {
        if ((is_explained[i] && is_explained[k]) || !slots[k].talks() || !are_alike(slots[i], slots[k])) continue;
        if (!separate(slots, i, k, runs)) continue;
        is_explained[i] = is_explained[k] = true;
        break;
      }
    }
  }

 private:
  // Those of `peers` that say nobody for the ranks that do not have the slot.
  RelationSet explained(const Slot& slot, RelationSet peers, const Running& runs) const {
    for (size_t s = 0; s < scales_.size(); ++s) peers = scales_[s].explaining_absence(slot, peers, runs[s]);
    return peers;
  }

  // What a rank has of the two slots, in order.
  static std::vector<SlotValues> values_of(const Slot& first, const Slot& second, const RankOfScale& where) {
    std::vector<SlotValues> values;
    for (const Slot* slot : {&first, &second}) {
      if (const auto seen = slot->seen.find(where); seen != slot->seen.end()) values.push_back(seen->second);
    }
    return values;
  }

  bool meets(const Ends& ends, const Slot& first, const Slot& second, const Running& runs) const {
    bool has_first = false, has_last = false;
    for (size_t s = 0; s < scales_.size(); ++s) {
      for (int rank = 0; rank < scales_[s].ranks(); ++rank) {
        if (!runs[s][static_cast<size_t>(rank)]) continue;
        std::vector<int> expected, peers;
        const int of_first = partner(vocabulary()[ends.first], scales_[s].ranks(), rank);
        const int of_last = partner(vocabulary()[ends.last], scales_[s].ranks(), rank);
        if (of_first != kNobody) expected.push_back(of_first);
        if (of_last != kNobody) expected.push_back(of_last);
        has_first |= of_first != kNobody;
        has_last |= of_last != kNobody;
        for (const SlotValues& values : values_of(first, second, {scales_[s].ranks(), rank})) {
          peers.push_back(values.peer);
        }
        if (peers != expected) return false;
      }
    }
    return has_first && has_last;
  }

  bool separate(std::vector<Slot>& slots, size_t i, size_t k, const Running& runs) const {
    static const std::vector<Ends> all_ends = make_ends();
    static const RelationSet offsets = make_offsets();
    for (const Ends& ends : all_ends) {
      if (!meets(ends, slots[i], slots[k], runs)) continue;
      const auto wait_for = [&](int id) -> Slot* {
        for (Slot& slot : slots) {
          if (!slot.is_loop && slot.kind == EventKind::kWait && slot.waits_for == std::set<int>{id}) return &slot;
        }
        return nullptr;
      };
      Slot* first_wait = wait_for(slots[i].id);
      Slot* second_wait = wait_for(slots[k].id);
      if (first_wait != nullptr && second_wait != nullptr) divide(*first_wait, *second_wait, ends);
      divide(slots[i], slots[k], ends);
      for (Slot* slot : {&slots[i], &slots[k]}) {
        RelationSet peers = offsets;
        for (const auto& [where, values] : slot->seen) {
          peers &= relations_between(where.first, where.second, values.peer);
        }
        slot->peer = explained(*slot, peers, runs);
      }
      return true;
    }
    return false;
  }

  // A rank that has only one of two slots has the first where it is first along the side, else the second.
  static void divide(Slot& first, Slot& second, const Ends& ends) {
    std::map<RankOfScale, SlotValues> of_first, of_second;
    const auto all = [&](const Slot& slot) {
      for (const auto& [where, unused] : slot.seen) {
        const std::vector<SlotValues> values = values_of(first, second, where);
        const bool is_first = partner(vocabulary()[ends.first], where.first, where.second) != kNobody;
        if (values.size() == 2 || is_first) of_first.insert_or_assign(where, values.front());
        if (values.size() == 2 || !is_first) of_second.insert_or_assign(where, values.back());
      }
    };
    all(first);
    all(second);
    if (of_first.empty() || of_second.empty()) return;  // waits that are not one for each message
    first.seen = std::move(of_first);
    second.seen = std::move(of_second);
  }

  const std::vector<Absences>& scales_;
};

}  // namespace

void separate_ends(std::vector<Slot>& slots, const std::vector<Absences>& scales) {
  Running all;
  for (const Absences& scale : scales) all.emplace_back(static_cast<size_t>(scale.ranks()), true);
  Separation(scales).apply(slots, all);
}

}  // namespace scalediag::loggp
