#include "loggp/phases/slot_equations.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "core/equations/process_grid.h"
#include "loggp/phases/equations/value_choice.h"
#include "loggp/phases/equations/value_doubts.h"
#include "loggp/phases/messages/matching_partners.h"
#include "loggp/phases/partner_pairing.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;
using Quantity = ValueChoice::Quantity;

constexpr int kMostTried = 64;  // ranks of the target at which equations are held against each other

std::string rank_text(const RankOfScale& where) {
  return "rank " + std::to_string(where.second) + " of " + std::to_string(where.first);
}

std::vector<ValueSample> byte_samples(const Slot& slot) {
  std::vector<ValueSample> samples;
  for (const auto& [where, values] : slot.seen) {
    if (slot.receives_too() && values.peer == kNobody) continue;
    if (values.round_bytes.size() == 1) {
      samples.push_back({where.first, where.second, values.bytes});
      continue;
    }
    for (size_t k = 0; k < values.round_bytes.size(); ++k) {
      samples.push_back({where.first, where.second, values.round_bytes[k], static_cast<int>(k)});
    }
  }
  return samples;
}

std::vector<ValueSample> round_samples(const Slot& loop) {
  std::vector<ValueSample> samples;
  for (const auto& [where, rounds] : loop.rounds) samples.push_back({where.first, where.second, rounds});
  return samples;
}

class Equations {
 public:
  Equations(const std::vector<Slot>& slots, const std::vector<Absences>& scales, int target)
      : scales_(scales), target_(target), has_square_planes_(core::is_square(target)), choice_(target) {
    for (const Absences& scale : scales) has_square_planes_ = has_square_planes_ && core::is_square(scale.ranks());
    vote(slots);
    made_.grid = static_cast<core::GridKind>(std::max_element(votes_.begin(), votes_.end()) - votes_.begin());
    partners(slots);
    std::map<int, std::optional<size_t>> peers;
    for (const auto& [id, e] : made_.slots) peers[id] = e.peer;
    pair_partners(slots, peers, target);
    std::map<int, SlotPartners> together;
    for (const auto& [id, e] : made_.slots) together[id] = {peers[id], e.source};
    const auto preferred = [this](const RelationSet& set) { return in_order(set); };
    if (scales.size() > 1) without_match_ = match_partners(slots, preferred, target, together);
    for (auto& [id, e] : made_.slots) {
      e.peer = together[id].peer;
      e.source = together[id].source;
      made_.has_coarse_levels |= e.peer && is_coarse(vocabulary()[*e.peer]);
    }
    choice_.decide();
    std::vector<std::vector<bool>> all;
    for (const Absences& scale : scales) all.emplace_back(static_cast<size_t>(scale.ranks()), true);
    settle(slots, all);
  }

  ProgramEquations take() { return std::move(made_); }

 private:
  // Numbers of quantities in choice_, by slot.
  struct Quantities {
    std::optional<size_t> rounds, bytes, source_bytes, root;
  };

  // Counts the slots whose partners can be told in each grid, and by each kind of equation in it: a program has one
  // grid, and mostly one kind.
  void vote(const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) {
      vote(slot.body);
      if (!slot.talks()) continue;
      std::set<core::GridKind> grids;
      std::set<std::pair<core::GridKind, RelationKind>> kinds;
      const RelationSet peers = plain_if_any(slot.peer);
      for (size_t i = 0; i < vocabulary().size(); ++i) {
        if (!peers[i]) continue;
        grids.insert(vocabulary()[i].grid);
        kinds.insert({vocabulary()[i].grid, vocabulary()[i].kind});
      }
      for (const core::GridKind grid : grids) ++votes_[static_cast<size_t>(grid)];
      for (const auto& kind : kinds) ++votes_of_kinds_[kind];
    }
  }

  std::pair<int, int> votes(size_t relation) const {
    const Relation& r = vocabulary()[relation];
    const auto of_kind = votes_of_kinds_.find({r.grid, r.kind});
    return {votes_[static_cast<size_t>(r.grid)], of_kind == votes_of_kinds_.end() ? 0 : of_kind->second};
  }

  // The equations that hold, those of the grid and the kind that most slots can be told in first.
  std::vector<size_t> in_order(const RelationSet& all) const {
    const RelationSet set = plain_if_any(all);
    std::vector<size_t> order;
    for (size_t i = 0; i < vocabulary().size(); ++i) {
      if (set[i]) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) { return votes(a) > votes(b); });
    return order;
  }

  std::optional<size_t> chosen(const RelationSet& all) const {
    const std::vector<size_t> order = in_order(all);
    return order.empty() ? std::nullopt : std::optional(order.front());
  }

  // Of the equations of an MPI_Sendrecv's destination those whose messages come from its source, if there are any: a
  // message that is sent has to be received. Where both are the same rank wherever they were seen, exchanges come
  // before steps; of the two directions of a step the one upwards is taken.
  std::pair<std::optional<size_t>, std::optional<size_t>> chosen_pair(const Slot& slot) const {
    RelationSet paired, symmetric, up;
    for (size_t i = 0; i < vocabulary().size(); ++i) {
      const auto inverse = slot.peer[i] ? inverse_of(i) : std::nullopt;
      if (!inverse || !slot.source[*inverse]) continue;
      paired.set(i);
      symmetric[i] = *inverse == i;
      const std::array<int, 3>& step = vocabulary()[i].step;
      up[i] = std::tuple(step[2], step[1], step[0]) >= std::tuple(0, 0, 0);
    }
    if (paired.none()) return {chosen(slot.peer), chosen(slot.source)};
    const auto votes_for = [&](const RelationSet& set) {
      const auto best = chosen(set);
      return best ? votes(*best) : std::pair(0, 0);
    };
    for (const RelationSet& preferred : {symmetric, up}) {
      const RelationSet kept = paired & preferred;
      if (kept.any() && votes_for(kept) == votes_for(paired)) paired = kept;
    }
    const auto peer = chosen(paired);
    return {peer, inverse_of(*peer)};
  }

  // All ranks or one rank before the sides of a grid, and those of the program's own grid before others.
  std::optional<size_t> chosen(const CommunicatorSet& set) const {
    std::optional<size_t> best;
    const auto is_own = [&](size_t i) { return grid_of_communicator(i) == made_.grid; };
    for (size_t i = 0; i < communicator_relations(); ++i) {
      if (!set[i]) continue;
      if (!best) best = i;
      if (grid_of_communicator(*best) != core::GridKind::kLine && is_own(i) && !is_own(*best)) best = i;
    }
    return best;
  }

  // A scale of which no rank has the loop has it no times, also where its messages would have nobody there.
  std::vector<ValueSample> with_absent_scales(std::vector<ValueSample> rounds) const {
    std::set<int> seen;
    for (const ValueSample& sample : rounds) seen.insert(sample.ranks);
    for (const Absences& scale : scales_) {
      for (int rank = 0; seen.count(scale.ranks()) == 0 && rank < scale.ranks(); ++rank) {
        rounds.push_back({scale.ranks(), rank, 0});
      }
    }
    return rounds;
  }

  // First pass: partners and communicators, and the samples of all quantities.
  void partners(const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) {
      SlotEquations& e = made_.slots[slot.id];
      Quantities& quantities = quantities_[slot.id];
      if (slot.is_loop) {
        quantities.rounds = choice_.add(Quantity::kOther, round_samples(slot), made_.grid);
        if (!choice_.has_candidates(*quantities.rounds)) {
          quantities.rounds = choice_.add(Quantity::kOther, with_absent_scales(round_samples(slot)), made_.grid);
        }
        partners(slot.body);
        continue;
      }
      e.communicator = chosen(slot.communicator);
      if (slot.talks()) {
        e.peer = chosen(slot.peer);
        if (slot.receives_too()) std::tie(e.peer, e.source) = chosen_pair(slot);
      }
      std::vector<ValueSample> bytes = byte_samples(slot), source_bytes, roots;
      for (const auto& [where, values] : slot.seen) {
        const auto sample = [&where = where](double value) { return ValueSample{where.first, where.second, value}; };
        if (slot.receives_too() && values.source != kNobody) source_bytes.push_back(sample(values.source_bytes));
        roots.push_back(sample(values.root));
      }
      if (slot.kind == EventKind::kWait || slot.kind == EventKind::kNotReplayed) continue;
      const core::GridKind own = e.peer ? vocabulary()[*e.peer].grid : core::GridKind::kLine;
      const core::GridKind grid = own == core::GridKind::kLine ? made_.grid : own;
      const Quantity quantity = slot.talks() ? Quantity::kMessage : Quantity::kOther;
      std::array<int, 3> partner = {};
      if (has_square_planes_ && process_grid(own, 1).dimensions == 2) partner = vocabulary()[*e.peer].step;
      const bool is_beside = slot.neighbour > 0 && e.peer;
      if (is_beside) partner = vocabulary()[*e.peer].step;
      if (!bytes.empty()) quantities.bytes = choice_.add(quantity, std::move(bytes), grid, partner, is_beside);
      const auto direction = e.peer && !is_beside ? face_direction(vocabulary()[*e.peer]) : std::nullopt;
      const bool is_sent = slot.kind != EventKind::kRecv && slot.kind != EventKind::kIrecv;
      if (quantities.bytes && direction && is_sent) choice_.set_direction(*quantities.bytes, *direction);
      if (!source_bytes.empty()) quantities.source_bytes = choice_.add(quantity, std::move(source_bytes), grid);
      if (slot.kind == EventKind::kCollective) {
        quantities.root = choice_.add(Quantity::kOther, std::move(roots), core::GridKind::kLine);
      }
    }
  }

  // Second pass: what was decided, and what is not regular.
  void settle(const std::vector<Slot>& slots, const std::vector<std::vector<bool>>& runs) {
    for (const Slot& slot : slots) {
      SlotEquations& e = made_.slots[slot.id];
      if (slot.is_loop) {
        e.rounds = decided(quantities_[slot.id].rounds, "repetitions of the loop", slot, e, round_samples(slot));
        if (slot.interrupts) {
          e.open.push_back(
              "order: it stands between rounds of the loop before it, after others at each scale, and is "
              "taken behind all of them");
        }
        std::vector<std::vector<bool>> inside;
        for (size_t s = 0; s < scales_.size(); ++s) inside.push_back(scales_[s].running(slot, runs[s]));
        settle(slot.body, inside);
        continue;
      }
      leaf(slot, e, runs);
    }
  }

  ValueHypothesis decided(std::optional<size_t> number, const std::string& what, const Slot& slot, SlotEquations& e,
                          const std::vector<ValueSample>& samples) const {
    if (!number) return ValueHypothesis::constant(0);
    const ValueChoice::Decision& decision = choice_[*number];
    if (!decision.taken) {
      const ValueHypothesis regression = regression_hypothesis(samples);
      // The first number that is not that of the first rank says where to look.
      const auto other = std::find_if(samples.begin(), samples.end(),
                                      [&](const ValueSample& s) { return s.value != samples.front().value; });
      const auto text = [&](const ValueSample& s) {
        return std::to_string(static_cast<int64_t>(s.value)) + " on " + rank_text({s.ranks, s.rank});
      };
      e.why_not.push_back("no equation gives its " + what + ": " + text(samples.front()) +
                          (other != samples.end() ? ", " + text(*other) : "") +
                          (slot.is_loop ? "" : ", event " + std::to_string(slot.seen.begin()->second.event)) +
                          "; used instead: " + regression.formula());
      tell(what, empty_at(target_, regression, samples, !slot.is_loop), e);
      return regression;
    }
    const ValueHypothesis& taken = *decision.taken;
    if (decision.other) e.open.push_back(what + ": " + what_others_give(decision, target_));
    if (decision.is_assumed_uneven) {
      e.open.push_back(what + ": blocks are even on all measured scales and not on " + std::to_string(target_) +
                       " ranks; assumed: " + taken.formula() + ", rounded up for the first ranks");
    }
    if (const int prime = new_prime(); prime > 0 && !taken.is_constant()) {
      e.open.push_back(what + ": " + taken.formula() + " is taken; no measured number of ranks is a multiple of " +
                       std::to_string(prime) + ", and nothing says that blocks are even on " + std::to_string(target_));
    }
    // Two scales are as few for faces, whose coefficient and elements both are looked for.
    std::set<int> measured;
    for (const ValueSample& sample : samples) measured.insert(sample.ranks);
    const bool is_face = taken.face || taken.cells;
    if (!decision.other && scales_.size() > 1 && !is_exchange(e) && measured.size() < (is_face ? 3 : 2)) {
      std::string ranks = std::to_string(*measured.begin());
      if (measured.size() > 1) ranks += " and " + std::to_string(*measured.rbegin());
      e.open.push_back(what + ": measured on " + ranks + " ranks only; assumed: " + taken.formula());
    } else if (!decision.other && scales_.size() > 1 && !decision.is_assumed_uneven) {
      tell(what, unconfirmed(taken, samples), e);
    }
    tell(what, empty_at(target_, taken, samples, !slot.is_loop), e);
    return taken;
  }

  static void tell(const std::string& what, const std::string& doubt, SlotEquations& e) {
    if (!doubt.empty()) e.open.push_back(what + ": " + doubt);
  }

  // A prime factor of the target that no measured number of ranks has; 0: there is none.
  int new_prime() const {
    std::set<int> measured;
    for (const Absences& scale : scales_) measured.merge(core::prime_factors(scale.ranks()));
    for (const int prime : core::prime_factors(target_)) {
      if (measured.count(prime) == 0) return prime;
    }
    return 0;
  }

  // Exchanges of bits are one more at each scale: the last of them has been seen there only.
  static bool is_exchange(const SlotEquations& e) {
    return e.peer && (vocabulary()[*e.peer].kind == RelationKind::kExchangeHigh ||
                      vocabulary()[*e.peer].kind == RelationKind::kExchangeLow);
  }

  void leaf(const Slot& slot, SlotEquations& e, const std::vector<std::vector<bool>>& runs) const {
    if (slot.kind == EventKind::kWait) {
      if (slot.is_ambiguous_wait()) {
        e.why_not.push_back("it waits for different messages on different ranks; all of them are waited for");
      }
      return;
    }
    if (slot.kind == EventKind::kNotReplayed) {
      e.why_not.push_back(std::string(text_of(slot.reason)) + " is recorded without its partners; it costs no time");
      return;
    }
    const Quantities& quantities = quantities_.at(slot.id);
    const std::vector<ValueSample> bytes = byte_samples(slot);
    std::vector<ValueSample> source_bytes, roots;
    std::vector<TagSample> tags;
    for (const auto& [where, values] : slot.seen) {
      if (values.source != kNobody) source_bytes.push_back({where.first, where.second, values.source_bytes});
      roots.push_back({where.first, where.second, values.root});
      if (slot.receives_too() && values.peer == kNobody) continue;
      for (size_t k = 0; k < values.tags.size(); ++k) {
        tags.push_back({where.first, where.second, static_cast<int>(k), values.tags[k]});
      }
    }
    const size_t without_bytes = e.why_not.size();
    if (slot.kind == EventKind::kExchange) {
      e.bytes = power_hypothesis(bytes);
      e.why_not.push_back("its bytes for each partner depend on the data; used instead: " + e.bytes.formula() +
                          ", the same for all");
    } else {
      e.bytes = decided(quantities.bytes, "bytes", slot, e, bytes);
    }
    if (slot.receives_too()) e.source_bytes = decided(quantities.source_bytes, "bytes received", slot, e, source_bytes);
    e.unknown_bytes = e.why_not.size() - without_bytes;
    if (slot.kind == EventKind::kCollective) e.root = decided(quantities.root, "root", slot, e, roots);
    if (slot.talks() && !tags.empty()) {
      if (const auto tag = tag_hypothesis(tags)) {
        e.tag = *tag;
      } else {
        e.tag = TagHypothesis::constant(tags.front().tag);
        e.why_not.push_back("no equation gives its tag; used instead: " + std::to_string(tags.front().tag));
      }
    }
    if (slot.talks() && !e.peer) e.why_not.push_back("no equation gives its partner; it is left out");
    if (!e.communicator) e.why_not.push_back("no equation gives its communicator; it is left out");
    absent(slot, e, runs);
    if (const auto other = without_match_.find(slot.id); other != without_match_.end()) {
      e.why_not.push_back("none of the equations that were tried gives a partner on " + std::to_string(target_) +
                          " ranks that " + other->second + " matches; used instead: " + text_of(vocabulary()[*e.peer]));
    }
    undecided(slot, e);
  }

  void absent(const Slot& slot, SlotEquations& e, const std::vector<std::vector<bool>>& runs) const {
    for (size_t s = 0; s < scales_.size(); ++s) {
      const int ranks = scales_[s].ranks();
      std::optional<int> missing;
      if (slot.talks()) {
        missing = scales_[s].unexplained(slot, e.peer, e.source, runs[s]);
      } else {
        for (int r = 0; r < ranks && !missing; ++r) {
          if (runs[s][static_cast<size_t>(r)] && slot.seen.count({ranks, r}) == 0) missing = r;
        }
      }
      if (!missing) continue;
      const auto& [where, values] = *slot.seen.begin();
      const bool is_at_last = slot.seen.rbegin()->first.first == scales_.back().ranks();
      e.why_not.push_back(rank_text(where) + " has it as its event " + std::to_string(values.event) + ", " +
                          rank_text({ranks, *missing}) + " does not" +
                          (e.peer ? ", where " + text_of(vocabulary()[*e.peer]) + " is a rank" : "") +
                          (is_at_last ? "; all ranks of the scaled trace that have such a partner have it"
                                      : "; the scaled trace does not have it"));
      return;
    }
  }

  // Equations of partners and communicators that hold at all measured scales and differ at the target.
  void undecided(const Slot& slot, SlotEquations& e) const {
    const auto differs = [&](const auto& one, const auto& two) {
      const int tried = std::min(target_, kMostTried);
      for (int i = 0; i < tried; ++i) {
        const int rank = static_cast<int>(static_cast<int64_t>(i) * target_ / tried);
        if (one(rank) != two(rank)) return true;
      }
      return false;
    };
    const auto partners = [&](const std::optional<size_t>& taken, const RelationSet& all, const char* what) {
      if (!taken) return;
      RelationSet set = plain_if_any(all);
      if (made_.has_coarse_levels) set |= all & coarse_relations();
      size_t n_others = 0;
      std::optional<size_t> first;
      for (size_t other = 0; other < vocabulary().size(); ++other) {
        const auto by = [&](size_t i) { return [&, i](int rank) { return partner(vocabulary()[i], target_, rank); }; };
        if (other == *taken || !set[other] || !differs(by(*taken), by(other))) continue;
        ++n_others;
        if (!first) first = other;
      }
      if (!first) return;
      e.open.push_back(std::string(what) + ": " + text_of(vocabulary()[*taken]) + " is taken; " +
                       text_of(vocabulary()[*first]) +
                       (n_others > 1 ? ", like " + std::to_string(n_others - 1) + " others," : "") +
                       " meets the measured scales as well");
    };
    partners(e.peer, slot.peer, slot.receives_too() ? "destination" : "partner");
    partners(e.source, slot.source, "source");
    if (!e.communicator || slot.communicator.count() < 2) return;
    for (size_t other = 0; other < communicator_relations(); ++other) {
      const auto by = [&](size_t i) { return [&, i](int rank) { return members_by(i, target_, rank); }; };
      // All ranks are not sides of a grid that the program does not have.
      const bool is_told = made_.grid == core::GridKind::kLine || grid_of_communicator(other) == made_.grid;
      if (other == *e.communicator || !slot.communicator[other] || !is_told) continue;
      if (!differs(by(*e.communicator), by(other))) continue;
      e.open.push_back("communicator: " + text_of_communicator(*e.communicator) + " is taken; " +
                       text_of_communicator(other) + " meets the measured scales as well");
      return;
    }
  }

  const std::vector<Absences>& scales_;
  int target_;
  bool has_square_planes_;
  ValueChoice choice_;
  ProgramEquations made_;
  std::map<int, Quantities> quantities_;
  std::map<int, std::string> without_match_;  // of match_partners()
  std::array<int, core::kGridKinds> votes_ = {};
  std::map<std::pair<core::GridKind, RelationKind>, int> votes_of_kinds_;
};

}  // namespace

ProgramEquations equations_of(const std::vector<Slot>& slots, const std::vector<Absences>& scales, int target) {
  return Equations(slots, scales, target).take();
}

std::string text_of(const Slot& slot, const SlotEquations& e) {
  std::string text = slot.routine;
  if (slot.receives_too()) {
    if (e.peer) text += " to " + text_of(vocabulary()[*e.peer]) + ": " + e.bytes.formula() + " B";
    if (e.source) text += " from " + text_of(vocabulary()[*e.source]) + ": " + e.source_bytes.formula() + " B";
  } else if (e.peer) {
    text += " with " + text_of(vocabulary()[*e.peer]) + ": " + e.bytes.formula() + " B";
  } else if (slot.kind == EventKind::kCollective || slot.kind == EventKind::kExchange) {
    text += " of " + (e.communicator ? text_of_communicator(*e.communicator) : std::string("a communicator")) + ": " +
            e.bytes.formula() + " B";
  }
  return text;
}

}  // namespace scalediag::loggp
