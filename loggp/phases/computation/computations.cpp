#include "loggp/phases/computation/computations.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "loggp/phases/absences.h"

namespace scalediag::loggp {
namespace {

// Divides what ranks computed before an event of theirs among that event and those before it that they do not have.
class Division {
 public:
  Division(int ranks, const std::map<int, SlotEquations>& equations) : ranks_(ranks), equations_(equations) {}

  void gather(const std::vector<Slot>& slots, const Slot* loop) {
    for (int rank = 0; rank < ranks_; ++rank) gather(slots, loop, {ranks_, rank});
    for (const Slot& slot : slots) {
      if (slot.is_loop) gather(slot.body, &slot);
    }
  }

  // The time before events of ranks that have the one before as well.
  std::map<int, double> undivided() const {
    std::map<int, std::vector<double>> times;
    for (const Group& group : groups_) {
      if (group.slots.size() == 1) times[group.slots.front()].push_back(group.time);
    }
    return means(times);
  }

  // `typical`: what is computed before an event by ranks for which it is known.
  void divide(std::map<int, double> typical, std::map<int, std::vector<ValueSample>>& samples) const {
    std::map<int, std::vector<double>> left_over;
    for (const Group& group : groups_) {
      double known = 0;
      std::optional<int> unknown;
      for (const int slot : group.slots) {
        const auto found = typical.find(slot);
        if (found != typical.end()) known += found->second;
        if (found == typical.end() && (!unknown || slot == group.slots.back())) unknown = slot;
      }
      if (unknown) left_over[*unknown].push_back(std::max(0.0, group.time - known));
    }
    const std::map<int, double> more = means(left_over);
    typical.insert(more.begin(), more.end());
    for (const Group& group : groups_) {
      double sum = 0;
      const auto part = [&](int slot) {
        const auto found = typical.find(slot);
        return found == typical.end() ? 0 : found->second;
      };
      for (const int slot : group.slots) sum += part(slot);
      for (const int slot : group.slots) {
        const double share = sum > 0 ? part(slot) / sum : slot == group.slots.back() ? 1 : 0;
        samples[slot].push_back({ranks_, group.rank, share * group.time});
      }
    }
  }

 private:
  // An event of a rank, the last of these slots, behind others of which it has none.
  struct Group {
    int rank = 0;
    std::vector<int> slots;
    double time = 0;
  };

  static std::map<int, double> means(const std::map<int, std::vector<double>>& times) {
    std::map<int, double> mean;
    for (const auto& [slot, values] : times) {
      double sum = 0;
      for (const double value : values) sum += value;
      mean[slot] = sum / static_cast<double>(values.size());
    }
    return mean;
  }

  // Whether other ranks of this scale have the event, and the rank has nobody for it.
  bool has_nobody(const Slot& slot, int rank) const {
    const auto others = slot.seen.lower_bound({ranks_, 0});
    if (others == slot.seen.end() || others->first.first != ranks_) return false;
    if (slot.kind == trace::EventKind::kWait) return true;
    const SlotEquations& e = equations_.at(slot.id);
    const auto nobody = [&](const std::optional<size_t>& relation) {
      return relation && partner(vocabulary()[*relation], ranks_, rank) == kNobody;
    };
    return slot.talks() && nobody(e.peer) && (!slot.receives_too() || nobody(e.source));
  }

  void gather(const std::vector<Slot>& slots, const Slot* loop, const RankOfScale& where) {
    std::vector<int> absent;
    std::optional<size_t> first;  // of groups_: nothing of the list is before it
    bool goes_on = false;         // there has been something
    for (const Slot& slot : slots) {
      if (slot.is_loop) {
        if (!is_seen_on(slot, where)) continue;
        absent.clear();
        goes_on = true;
        continue;
      }
      const auto seen = slot.seen.find(where);
      if (seen == slot.seen.end()) {
        if (has_nobody(slot, where.second)) absent.push_back(slot.id);
        continue;
      }
      if (!goes_on) first = groups_.size();
      goes_on = true;
      absent.push_back(slot.id);
      groups_.push_back({where.second, std::move(absent), seen->second.before_ns});
      absent.clear();
    }
    // The time before events missing at the end of a round is that before the first event of the next.
    if (loop == nullptr || !first) return;
    const auto rounds = loop->rounds.find(where);
    if (rounds == loop->rounds.end() || rounds->second < 2) return;
    std::vector<int>& of_next = groups_[*first].slots;
    of_next.insert(of_next.begin(), absent.begin(), absent.end());
  }

  int ranks_;
  const std::map<int, SlotEquations>& equations_;
  std::vector<Group> groups_;
};

}  // namespace

void settle_computations(const std::vector<Slot>& slots, const std::vector<int>& scales, core::GridKind grid,
                         std::map<int, SlotEquations>& equations) {
  std::vector<Division> divisions;
  std::vector<std::map<int, double>> undivided;
  for (const int ranks : scales) {
    divisions.emplace_back(ranks, equations);
    divisions.back().gather(slots, nullptr);
    undivided.push_back(divisions.back().undivided());
  }
  std::map<int, std::vector<ValueSample>> samples;
  for (size_t s = 0; s < scales.size(); ++s) {
    // A time that is not known at a scale is that of the nearest one where it is, of two the larger.
    std::vector<size_t> nearest(scales.size());
    for (size_t i = 0; i < scales.size(); ++i) nearest[i] = scales.size() - 1 - i;
    const auto distance = [&](size_t i) { return std::abs(std::log(scales[i]) - std::log(scales[s])); };
    std::stable_sort(nearest.begin(), nearest.end(), [&](size_t a, size_t b) { return distance(a) < distance(b); });
    std::map<int, double> typical;
    for (const size_t i : nearest) typical.insert(undivided[i].begin(), undivided[i].end());
    divisions[s].divide(std::move(typical), samples);
  }
  for (const auto& [slot, times] : samples) equations.at(slot).before_ns = ComputationHypothesis::of(times, grid);
}

}  // namespace scalediag::loggp
