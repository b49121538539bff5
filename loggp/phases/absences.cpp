#include "loggp/phases/absences.h"

#include <algorithm>

namespace scalediag::loggp {

using trace::EventKind;

bool is_seen_on(const Slot& slot, const RankOfScale& where) {
  if (!slot.is_loop) return slot.seen.count(where) > 0;
  return std::any_of(slot.body.begin(), slot.body.end(), [&](const Slot& s) { return is_seen_on(s, where); });
}

Absences::Absences(int ranks) : ranks_(ranks) {
  for (int r = 0; r < ranks; ++r) nobody_.push_back(relations_between(ranks, r, kNobody));
}

void Absences::settle(std::vector<Slot>& slots) const {
  for (Slot& slot : slots) settle(slot, std::vector<bool>(nobody_.size(), true));
}

std::optional<int> Absences::unexplained(const Slot& slot, std::optional<size_t> peer, std::optional<size_t> source,
                                         const std::vector<bool>& runs) const {
  for (int r = 0; r < ranks_; ++r) {
    if (!runs[static_cast<size_t>(r)] || slot.seen.count({ranks_, r}) > 0) continue;
    const auto talks = [&](const std::optional<size_t>& relation) {
      return relation && !nobody_[static_cast<size_t>(r)][*relation];
    };
    if (talks(peer) || talks(source)) return r;
  }
  return std::nullopt;
}

RelationSet Absences::explaining_absence(const Slot& slot, RelationSet peers, const std::vector<bool>& runs) const {
  for (size_t r = 0; r < nobody_.size(); ++r) {
    if (runs[r] && slot.seen.count({ranks_, static_cast<int>(r)}) == 0) peers &= nobody_[r];
  }
  return peers;
}

std::vector<bool> Absences::running(const Slot& loop, const std::vector<bool>& outside) const {
  std::vector<bool> runs = outside;
  for (int r = 0; r < ranks_; ++r) {
    const auto found = loop.rounds.find({ranks_, r});
    if (found != loop.rounds.end() && found->second == 0) runs[static_cast<size_t>(r)] = false;
  }
  return runs;
}

bool Absences::may_be_nobody(const Slot& slot, size_t rank) const {
  if (slot.is_loop) {
    return std::all_of(slot.body.begin(), slot.body.end(), [&](const Slot& s) { return may_be_nobody(s, rank); });
  }
  if (slot.kind == EventKind::kWait) return true;
  if (!slot.talks()) return false;
  return (slot.peer & nobody_[rank]).any() && (!slot.receives_too() || (slot.source & nobody_[rank]).any());
}

void Absences::settle(Slot& slot, const std::vector<bool>& outside) const {
  std::vector<bool> runs = outside;
  if (slot.is_loop) {
    for (size_t r = 0; r < nobody_.size(); ++r) {
      const RankOfScale where(ranks_, static_cast<int>(r));
      if (!runs[r] || is_seen_on(slot, where) || may_be_nobody(slot, r)) continue;
      slot.rounds[where] = 0;
      runs[r] = false;
    }
    for (Slot& inner : slot.body) settle(inner, runs);
    return;
  }
  if (!slot.talks()) return;
  const bool both = slot.receives_too();
  const RelationSet peer = explaining_absence(slot, slot.peer, runs);
  const RelationSet source = both ? explaining_absence(slot, slot.source, runs) : slot.source;
  if (peer.none() || (both && source.none())) return;
  slot.peer = peer;
  slot.source = source;
}

}  // namespace scalediag::loggp
