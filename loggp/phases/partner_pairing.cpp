#include "loggp/phases/partner_pairing.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

namespace scalediag::loggp {
namespace {

using trace::EventKind;

bool is_send(const Slot& slot) {
  return slot.kind == EventKind::kSend || slot.kind == EventKind::kIsend || slot.kind == EventKind::kBufferedSend;
}

// The same steps the other way.
std::optional<size_t> opposite_of(size_t relation) {
  Relation wanted = vocabulary()[relation];
  if (wanted.kind != RelationKind::kOffset) return std::nullopt;
  for (int& step : wanted.step) step = -step;
  for (size_t i = 0; i < vocabulary().size(); ++i) {
    const Relation& r = vocabulary()[i];
    if (r.kind == wanted.kind && r.grid == wanted.grid && r.border == wanted.border && r.step == wanted.step) return i;
  }
  return std::nullopt;
}

class Pairing {
 public:
  Pairing(std::map<int, std::optional<size_t>>& partners, int target) : partners_(partners), target_(target) {}

  // Counts whether messages that can go one way only go up or down first.
  void learn(const std::vector<Slot>& slots) {
    std::set<std::array<int, 3>> seen;
    for (const Slot& slot : slots) {
      learn(slot.body);
      if (!slot.talks() || !is_send(slot) || is_open(slot)) continue;
      const auto& peer = partners_.at(slot.id);
      const auto other = peer ? opposite_of(*peer) : std::nullopt;
      if (!other) continue;
      const std::array<int, 3> step = vocabulary()[*peer].step;
      if (seen.count(vocabulary()[*other].step) > 0) up_first_ += is_up(step) ? -1 : 1;
      seen.insert(step);
    }
  }

  void apply(const std::vector<Slot>& slots) {
    std::map<std::pair<GridKind, std::array<int, 3>>, int> n_before;
    std::map<int, size_t> sent;  // partners by tag
    for (const Slot& slot : slots) {
      apply(slot.body);
      if (!slot.talks() || !is_send(slot)) continue;
      auto& peer = partners_.at(slot.id);
      if (!peer) continue;
      if (is_open(slot)) {
        const size_t other = *opposite_of(*peer);
        const auto [down, up] = is_up(vocabulary()[*peer].step) ? std::pair(other, *peer) : std::pair(*peer, other);
        const int number = n_before[{vocabulary()[down].grid, vocabulary()[down].step}]++;
        peer = (number % 2 == 0) == (up_first_ > 0) ? up : down;
      }
      sent[tag_of(slot)] = *peer;
    }
    for (const Slot& slot : slots) {
      if (!slot.talks() || is_send(slot) || slot.receives_too() || !is_open(slot)) continue;
      const auto found = sent.find(tag_of(slot));
      const auto from = found != sent.end() ? opposite_of(found->second) : std::nullopt;
      if (from && slot.peer[*from]) partners_.at(slot.id) = from;
    }
  }

 private:
  static bool is_up(const std::array<int, 3>& step) {
    return step[2] != 0 ? step[2] > 0 : step[1] != 0 ? step[1] > 0 : step[0] > 0;
  }
  static int tag_of(const Slot& slot) { return slot.seen.begin()->second.tags.front(); }

  // Either way holds at all measured scales, and is somebody else at the target.
  bool is_open(const Slot& slot) const {
    const auto& peer = partners_.at(slot.id);
    const auto other = peer ? opposite_of(*peer) : std::nullopt;
    if (!other || !slot.peer[*other]) return false;
    return partner(vocabulary()[*peer], target_, 0) != partner(vocabulary()[*other], target_, 0);
  }

  std::map<int, std::optional<size_t>>& partners_;
  int target_;
  int up_first_ = 0;
};

}  // namespace

void pair_partners(const std::vector<Slot>& slots, std::map<int, std::optional<size_t>>& partners, int target) {
  Pairing pairing(partners, target);
  pairing.learn(slots);
  pairing.apply(slots);
}

}  // namespace scalediag::loggp
