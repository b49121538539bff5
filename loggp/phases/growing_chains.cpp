#include "loggp/phases/growing_chains.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace scalediag::loggp {
namespace {

// The factor from the bytes of a message to those of the next one of a chain; nothing: there is none that holds for any
// number of ranks.
std::optional<double> ratio_of(const ValueHypothesis& bytes, const ValueHypothesis& next) {
  if (bytes.formula() == next.formula()) return 1;
  const auto is_product = [](const ValueHypothesis& h) {
    return h.exact && !h.face && !h.cells && h.terms.size() == 1 && h.terms.front().elements == 0;
  };
  if (!is_product(bytes) || !is_product(next) || bytes.terms.front().feature != next.terms.front().feature) {
    return std::nullopt;
  }
  return next.terms.front().coefficient / bytes.terms.front().coefficient;
}

ValueHypothesis times(ValueHypothesis bytes, double factor) {
  if (factor != 1) bytes.terms.front().coefficient *= factor;
  return bytes;
}

class ChainGrower {
 public:
  ChainGrower(ScalingModel& model, int ranks) : model_(model), ranks_(ranks) {
    for (const auto& [id, equations] : model.equations) next_id_ = std::max(next_id_, id + 1);
  }

  void grow(std::vector<Slot>& slots) {
    for (Slot& slot : slots) grow(slot.body);
    for (size_t i = 0; i < slots.size();) {
      std::vector<Group> chain = {group_at(slots, i)};
      if (chain.front().talks.empty()) {
        ++i;
        continue;
      }
      take_bytes_of_next(slots, chain.front());
      for (;;) {
        Group next = next_group(slots, chain.back());
        if (next.talks.empty() || !continues(slots, chain, next)) break;
        chain.push_back(std::move(next));
      }
      // Two sizes have any ratio, which three would confirm.
      if (chain.size() == 2 && !same_value(*ratio_of(bytes_of(slots, chain[0], 0), bytes_of(slots, chain[1], 0)), 1)) {
        chain.pop_back();
      }
      const size_t end = chain.back().talks.back() + 1;
      i = chain.size() < 2 ? end : end + insert(slots, chain);
    }
  }

  // A wait for the last message of a rising chain can be anywhere behind it, as at the beginning of a loop that the
  // recorder has folded from there on. The messages before the last one are no more open there.
  void wait_for_last(std::vector<Slot>& slots) const {
    for (Slot& slot : slots) {
      wait_for_last(slot.body);
      for (const auto& [id, last] : last_) {
        if (slot.waits_for.count(id) > 0) slot.waits_for.insert(last);
      }
    }
  }

 private:
  // Messages in a row with the same exchange, and no others between them.
  struct Group {
    std::vector<size_t> talks;
    size_t relation = 0;
  };

  const Relation* exchange_of(const Slot& slot) const {
    if (!slot.talks()) return nullptr;
    const SlotEquations& e = model_.equations.at(slot.id);
    if (!e.peer || !e.why_not.empty() || (slot.receives_too() && e.source != e.peer)) return nullptr;
    const Relation& relation = vocabulary()[*e.peer];
    const bool is_exchange =
        relation.kind == RelationKind::kExchangeLow || relation.kind == RelationKind::kExchangeHigh;
    return is_exchange ? &relation : nullptr;
  }

  Group group_at(const std::vector<Slot>& slots, size_t i) const {
    Group group;
    if (i >= slots.size() || exchange_of(slots[i]) == nullptr) return group;
    group.relation = *model_.equations.at(slots[i].id).peer;
    for (; i < slots.size() && exchange_of(slots[i]) != nullptr &&
           *model_.equations.at(slots[i].id).peer == group.relation;
         ++i) {
      group.talks.push_back(i);
    }
    return group;
  }

  Group next_group(const std::vector<Slot>& slots, const Group& group) const {
    size_t i = group.talks.back() + 1;
    while (i < slots.size() && !slots[i].is_loop && slots[i].kind == trace::EventKind::kWait) ++i;
    return group_at(slots, i);
  }

  const ValueHypothesis& bytes_of(const std::vector<Slot>& slots, const Group& group, size_t talk) const {
    return model_.equations.at(slots[group.talks[talk]].id).bytes;
  }

  // What the last exchange sends was measured on one number of ranks only, which does not tell what it grows with: as
  // the others of its chain, where that meets it.
  void take_bytes_of_chain(const Slot& last, const ValueHypothesis& bytes) {
    const bool is_met = std::all_of(last.seen.begin(), last.seen.end(), [&](const auto& at) {
      return at.first.first == last.seen.begin()->first.first &&
             same_value(bytes.at(at.first.first, at.first.second), at.second.bytes);
    });
    if (!is_met) return;
    SlotEquations& e = model_.equations.at(last.id);
    e.bytes = bytes;
    if (last.receives_too()) e.source_bytes = bytes;
  }

  // The same for the first exchange of a falling chain, by the two after it.
  void take_bytes_of_next(const std::vector<Slot>& slots, const Group& first) {
    const Group second = next_group(slots, first);
    const Group third = second.talks.empty() ? second : next_group(slots, second);
    if (third.talks.size() != first.talks.size() || second.talks.size() != first.talks.size()) return;
    if (!are_beside(first.relation, second.relation) || !are_beside(second.relation, third.relation)) return;
    for (size_t k = 0; k < first.talks.size(); ++k) {
      const double ratio = ratio_of(bytes_of(slots, second, k), bytes_of(slots, third, k)).value_or(0);
      if (ratio > 0) take_bytes_of_chain(slots[first.talks[k]], times(bytes_of(slots, second, k), 1 / ratio));
    }
  }

  static bool are_beside(size_t a, size_t b) {
    const Relation& first = vocabulary()[a];
    const Relation& second = vocabulary()[b];
    return first.kind == second.kind && first.grid == second.grid && first.side == second.side &&
           std::abs(second.bit - first.bit) == 1;
  }

  // May give what the next group sends another equation, by which its bytes continue those of the chain.
  bool continues(const std::vector<Slot>& slots, const std::vector<Group>& chain, const Group& next) {
    const Relation& first = vocabulary()[chain.back().relation];
    const Relation& second = vocabulary()[next.relation];
    if (!are_beside(chain.back().relation, next.relation)) return false;
    if (chain.size() > 1 && second.bit - first.bit != first.bit - vocabulary()[chain[chain.size() - 2].relation].bit) {
      return false;
    }
    if (chain.back().talks.size() != next.talks.size()) return false;
    for (size_t k = 0; k < next.talks.size(); ++k) {
      const Slot& a = slots[chain.back().talks[k]];
      const Slot& b = slots[next.talks[k]];
      const bool have_tags = model_.equations.at(a.id).tag.is_constant() && model_.equations.at(b.id).tag.is_constant();
      if (a.kind != b.kind || a.routine != b.routine || !have_tags) return false;
    }
    // Of all messages of the chain, since insert() gives all of a group one ratio; nothing: it is not known yet.
    std::optional<double> ratio;
    if (chain.size() > 1) {
      ratio = ratio_of(bytes_of(slots, chain[chain.size() - 2], 0), bytes_of(slots, chain.back(), 0));
    }
    for (size_t k = 0; k < next.talks.size(); ++k) {
      if (chain.size() > 1 && ratio) {
        take_bytes_of_chain(slots[next.talks[k]], times(bytes_of(slots, chain.back(), k), *ratio));
      }
      const Slot& a = slots[chain.back().talks[k]];
      const Slot& b = slots[next.talks[k]];
      const SlotEquations& ea = model_.equations.at(a.id);
      const SlotEquations& eb = model_.equations.at(b.id);
      const auto its_ratio = ratio_of(ea.bytes, eb.bytes);
      if (!its_ratio) return false;
      if (ratio && !same_value(*its_ratio, *ratio)) return false;
      ratio = its_ratio;
      if (a.receives_too() &&
          (ea.source_bytes.formula() != ea.bytes.formula() || eb.source_bytes.formula() != eb.bytes.formula())) {
        return false;
      }
    }
    return true;
  }

  int tag_of(const Slot& slot) const { return model_.equations.at(slot.id).tag.at(1, 0, 0); }

  // Inserts the groups of the bits that are missing behind the largest one; the number of slots that were inserted.
  size_t insert(std::vector<Slot>& slots, const std::vector<Group>& chain) {
    const Relation first = vocabulary()[chain.front().relation], last = vocabulary()[chain.back().relation];
    const int largest = std::max(first.bit, last.bit);
    // The largest bit of a number of ranks: "low" ones are counted from 0 on, "high" ones from 1.
    const auto bits_at = [&](int ranks) {
      const core::ProcessGrid grid = process_grid(last.grid, ranks);
      const int bits = std::bit_width(static_cast<unsigned>(grid.sides[static_cast<size_t>(last.side)])) - 1;
      return last.kind == RelationKind::kExchangeLow ? bits - 1 : bits;
    };
    // A chain that did not reach its end at the largest measured scale has no more elsewhere.
    if (bits_at(model_.scales.back()) > largest) return 0;
    const bool rises = last.bit > first.bit;
    const Group& outer = rises ? chain.back() : chain.front();
    const Group& inner = rises ? chain[chain.size() - 2] : chain[1];
    const double ratio = *ratio_of(bytes_of(slots, inner, 0), bytes_of(slots, outer, 0));
    const int tag_step = tag_of(slots[outer.talks.front()]) - tag_of(slots[inner.talks.front()]);
    // Rising: what follows the last message of the group before, up to the last of this one. Falling: from the first
    // message of this group up to the first of the next.
    const size_t begin = rises ? inner.talks.back() + 1 : outer.talks.front();
    const size_t end = rises ? outer.talks.back() + 1 : inner.talks.front();
    const std::vector<Slot> pattern(slots.begin() + static_cast<std::ptrdiff_t>(begin),
                                    slots.begin() + static_cast<std::ptrdiff_t>(end));
    // Ids of the group before, by those of the pattern and of the group it follows.
    std::map<int, int> before;
    for (size_t k = 0; k < outer.talks.size(); ++k) {
      const int id = slots[outer.talks[k]].id;
      before[id] = id;
      if (rises) before[slots[inner.talks[k]].id] = id;
    }
    // In a falling chain the new first message has the computation that stood before the first one; before that there
    // is as much as before the second.
    std::vector<int> next;
    for (const size_t talk : inner.talks) next.push_back(slots[talk].id);
    size_t inserted = 0;
    const int most = bits_at(ranks_);
    for (int bit = largest + 1; bit <= most; ++bit) {
      std::vector<Slot> group = pattern;
      std::map<int, int> copied;
      for (Slot& slot : group) {
        const int original = slot.id;
        copied[original] = copy(slot, bit - largest, tag_step, ratio);
      }
      for (size_t k = 0; !rises && bit < most && k < outer.talks.size(); ++k) {
        compute_as(group[outer.talks[k] - begin].id, next[k]);
      }
      for (Slot& slot : group) wait_for(slot, rises ? before : copied);
      for (auto& [original, id] : before) {
        if (const auto found = copied.find(original); found != copied.end()) id = found->second;
      }
      for (size_t k = 0; rises && k < outer.talks.size(); ++k) {
        before[slots[inner.talks[k]].id] = before.at(slots[outer.talks[k]].id);
      }
      const size_t at = rises ? end + inserted : begin;
      slots.insert(slots.begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(group.begin()),
                   std::make_move_iterator(group.end()));
      inserted += pattern.size();
    }
    for (size_t k = 0; !rises && inserted > 0 && k < outer.talks.size(); ++k) {
      compute_as(slots[outer.talks[k] + inserted].id, next[k]);
    }
    for (size_t k = 0; rises && k < outer.talks.size(); ++k) {
      const int id = slots[outer.talks[k]].id;
      last_.emplace(id, before.at(id));
    }
    return inserted;
  }

  // Gives a slot the equation of the computation before another one.
  void compute_as(int id, int other) { model_.equations.at(id).before_ns = model_.equations.at(other).before_ns; }

  static void wait_for(Slot& slot, const std::map<int, int>& renamed) {
    std::set<int> ids;
    for (const int id : slot.waits_for) {
      const auto found = renamed.find(id);
      ids.insert(found != renamed.end() ? found->second : id);
    }
    slot.waits_for = std::move(ids);
  }

  // The id of the copy.
  int copy(Slot& slot, int more_bits, int tag_step, double ratio) {
    SlotEquations e = model_.equations.at(slot.id);
    slot.id = next_id_++;
    slot.forget_computation();
    if (e.peer) {
      *e.peer += static_cast<size_t>(more_bits);  // bits follow one another in the vocabulary
      if (e.source) e.source = e.peer;
      e.bytes = times(e.bytes, std::pow(ratio, more_bits));
      if (e.source) e.source_bytes = e.bytes;
      slot.source_tag += more_bits * tag_step;
      e.tag = TagHypothesis::constant(e.tag.at(1, 0, 0) + more_bits * tag_step);
    }
    model_.equations[slot.id] = std::move(e);
    return slot.id;
  }

  ScalingModel& model_;
  int ranks_;
  int next_id_ = 0;
  std::map<int, int> last_;  // by the ids of the last group of a rising chain, those of the last one that was inserted
};

}  // namespace

ScalingModel with_longer_chains(ScalingModel model, int ranks) {
  ChainGrower grower(model, ranks);
  grower.grow(model.slots);
  grower.wait_for_last(model.slots);
  return model;
}

}  // namespace scalediag::loggp
