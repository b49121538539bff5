#include "loggp/phases/partner_pairing.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

namespace scalediag::loggp {
namespace {

using trace::EventKind;

bool is_send(const Slot& slot) {
  return slot.kind == EventKind::kSend || slot.kind == EventKind::kIsend || slot.kind == EventKind::kBufferedSend ||
         slot.kind == EventKind::kRemote;
}

// The same steps the other way.
std::optional<size_t> opposite_of(size_t relation) {
  return vocabulary()[relation].kind == RelationKind::kOffset ? inverse_of(relation) : std::nullopt;
}

class Pairing {
 public:
  Pairing(std::map<int, std::optional<size_t>>& partners, int target) : partners_(partners), target_(target) {}

  // Counts whether messages that can go one way only go up or down first: of two in a row in opposite directions.
  void learn(const std::vector<Slot>& slots) {
    std::optional<size_t> before;
    for (const Slot& slot : slots) {
      learn(slot.body);
      if (!slot.talks() || !is_send(slot)) continue;
      const auto peer = is_open(slot) ? std::nullopt : partners_.at(slot.id);
      if (peer && before && opposite_of(*peer) == before) up_first_ += is_up(vocabulary()[*peer].step) ? -1 : 1;
      // The next pair begins behind this one.
      before = peer && before && opposite_of(*peer) == before ? std::nullopt : peer;
    }
  }

  // Counts the directions that messages with a tag would have if the first of a list went down or up: a loop that the
  // recorder has folded from the middle of its body on begins with the second.
  void count_directions(const std::vector<Slot>& slots) {
    Counts n_before;
    for (const Slot& slot : slots) {
      count_directions(slot.body);
      if (!slot.talks() || !is_send(slot) || !is_open(slot)) continue;
      const auto [down, up] = both_ways(slot);
      directions_[{down, channel_of(slot)}] += next_is_up(down, n_before) ? 1 : -1;
    }
  }

  void apply(const std::vector<Slot>& slots) {
    Counts n_before;
    std::map<Channel, size_t> sent;  // partners
    for (const Slot& slot : slots) {
      apply(slot.body);
      if (!slot.talks() || !is_send(slot)) continue;
      auto& peer = partners_.at(slot.id);
      if (!peer) continue;
      if (is_open(slot)) {
        const auto [down, up] = both_ways(slot);
        const bool is_next_up = next_is_up(down, n_before);
        const int direction = directions_[{down, channel_of(slot)}];
        peer = direction != 0 ? (direction > 0 ? up : down) : (is_next_up ? up : down);
      }
      sent[channel_of(slot)] = *peer;
    }
    for (const Slot& slot : slots) {
      if (!slot.talks() || is_send(slot) || slot.receives_too() || !is_open(slot)) continue;
      const auto found = sent.find(channel_of(slot));
      const auto from = found != sent.end() ? opposite_of(found->second) : std::nullopt;
      if (from && slot.peer[*from]) partners_.at(slot.id) = from;
    }
  }

 private:
  static bool is_up(const std::array<int, 3>& step) {
    return step[2] != 0 ? step[2] > 0 : step[1] != 0 ? step[1] > 0 : step[0] > 0;
  }
  using Counts = std::map<std::pair<core::GridKind, std::array<int, 3>>, int>;
  bool next_is_up(size_t down, Counts& n_before) const {
    const int number = n_before[{vocabulary()[down].grid, vocabulary()[down].step}]++;
    return (number % 2 == 0) == (up_first_ > 0);
  }
  // The relations down and up of a message that may be either.
  std::pair<size_t, size_t> both_ways(const Slot& slot) const {
    const size_t peer = *partners_.at(slot.id), other = *opposite_of(peer);
    return is_up(vocabulary()[peer].step) ? std::pair(other, peer) : std::pair(peer, other);
  }
  // The tag of messages; the trace::Remote of accesses, which are apart.
  using Channel = std::pair<bool, int>;
  static Channel channel_of(const Slot& slot) {
    return {slot.kind == EventKind::kRemote, slot.seen.begin()->second.tags.front()};
  }

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
  std::map<std::pair<size_t, Channel>, int> directions_;  // by the relation down; above 0: up
};

// Messages of one rank in a row with rank XOR 1, 2, 4, ... up to all bits, or the other way round, one send and one
// receive with each.
class ButterflyFinder {
 public:
  void next(Slot& slot) {
    if (!slot.talks()) {
      if (slot.is_loop || slot.kind != EventKind::kWait) end();
      return;
    }
    const auto& [where, values] = *slot.seen.begin();
    const int mask = values.peer >= 0 ? values.peer ^ where.second : 0;
    const bool is_bit = mask > 0 && (mask & (mask - 1)) == 0 && (!slot.receives_too() || values.source == values.peer);
    if (!is_bit) {
      end();
      return;
    }
    if (groups_.empty() || groups_.back().mask != mask) {
      if (!is_in_order(mask)) end();
      groups_.push_back({mask, {}, 0, 0});
    }
    Group& group = groups_.back();
    group.slots.push_back(&slot);
    const bool is_received = slot.kind == EventKind::kRecv || slot.kind == EventKind::kIrecv;
    group.sent += is_received ? 0 : 1;
    group.received += is_received || slot.receives_too() ? 1 : 0;
  }

  // Keeps only exchanges for messages that are such a row.
  void end() {
    const bool is_whole = groups_.size() >= kFewest &&
                          1 << groups_.size() == groups_[0].slots[0]->seen.begin()->first.first &&
                          std::all_of(groups_.begin(), groups_.end(),
                                      [](const Group& group) { return group.sent == 1 && group.received == 1; });
    for (const Group& group : is_whole ? groups_ : std::vector<Group>{}) {
      for (Slot* slot : group.slots) {
        slot->peer &= exchanges_of_ranks();
        if (slot->receives_too()) slot->source &= exchanges_of_ranks();
      }
    }
    groups_.clear();
  }

 private:
  // Two can be shifts along both sides of 2 x 2 ranks just as well.
  static constexpr size_t kFewest = 3;
  struct Group {
    int mask = 0;
    std::vector<Slot*> slots;
    int sent = 0, received = 0;
  };

  bool is_in_order(int next) const {
    if (groups_.empty()) return true;
    const int last = groups_.back().mask;
    if (next != 2 * last && last != 2 * next) return false;
    return groups_.size() < 2 || (next > last) == (last > groups_[groups_.size() - 2].mask);
  }

  std::vector<Group> groups_;
};

}  // namespace

void keep_exchanges_of_butterflies(std::vector<Slot>& slots) {
  ButterflyFinder finder;
  for (Slot& slot : slots) {
    keep_exchanges_of_butterflies(slot.body);
    finder.next(slot);
  }
  finder.end();
}

void pair_partners(const std::vector<Slot>& slots, std::map<int, std::optional<size_t>>& partners, int target) {
  Pairing pairing(partners, target);
  pairing.learn(slots);
  pairing.count_directions(slots);
  pairing.apply(slots);
}

}  // namespace scalediag::loggp
