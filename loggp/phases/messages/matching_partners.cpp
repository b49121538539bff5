#include "loggp/phases/messages/matching_partners.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace scalediag::loggp {
namespace {

using trace::EventKind;

constexpr int kMostProbed = 2048;           // ranks of the target
constexpr size_t kMostEquationsTried = 24;  // equations of a slot that are tried
constexpr size_t kMostCombinations = 4096;  // of the equations of a group

bool is_received(const Slot& slot) { return slot.kind == EventKind::kRecv || slot.kind == EventKind::kIrecv; }

// One side of a slot's messages: those that it sends, or those that it receives.
struct End {
  const Slot* slot = nullptr;
  bool is_sent = false;
  std::optional<size_t>* chosen = nullptr;  // the equation of the partner, in the caller's SlotPartners
  bool is_matched = true;                   // every message of it had its other side where it was measured

  const RelationSet& possible() const { return is_sent || !slot->receives_too() ? slot->peer : slot->source; }
};

class Matcher {
 public:
  Matcher(const PreferredRelations& preferred, int target, std::map<int, SlotPartners>& partners)
      : preferred_(preferred), target_(target), partners_(partners) {
    const int probed = std::min(target, kMostProbed);
    for (int i = 0; i < probed; ++i) probes_.push_back(static_cast<int>(static_cast<int64_t>(i) * target / probed));
    if (probes_.back() != target - 1) probes_.push_back(target - 1);
  }

  void list(const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) list(slot.body);
    std::map<Message, std::pair<std::vector<size_t>, std::vector<size_t>>> messages;
    const size_t first = ends_.size();
    for (const Slot& slot : slots) add(slot, messages);
    groups_.resize(ends_.size());
    std::iota(groups_.begin() + static_cast<std::ptrdiff_t>(first), groups_.end(), first);
    for (const auto& [message, ends] : messages) {
      const auto& [sent, received] = ends;
      for (size_t k = 0; sent.size() == received.size() && k < sent.size(); ++k) {
        groups_[group_of(received[k])] = group_of(sent[k]);
      }
      if (sent.size() == received.size()) continue;
      for (const size_t end : sent) ends_[end].is_matched = false;
      for (const size_t end : received) ends_[end].is_matched = false;
    }
  }

  std::map<int, std::string> match() {
    std::map<size_t, std::vector<End*>> groups;
    for (size_t i = 0; i < ends_.size(); ++i) groups[group_of(i)].push_back(&ends_[i]);
    std::map<int, std::string> without;
    for (auto& [number, group] : groups) {
      const bool is_known = std::all_of(group.begin(), group.end(),
                                        [](const End* end) { return end->is_matched && end->chosen->has_value(); });
      if (!is_known || is_balanced(group) || find(group)) continue;
      for (const End* end : group) without[end->slot->id] = others(group, *end);
    }
    return without;
  }

 private:
  // Number of ranks, from, to, tag, Slot::ordinal.
  using Message = std::tuple<int, int, int, int, uint64_t>;

  void add(const Slot& slot, std::map<Message, std::pair<std::vector<size_t>, std::vector<size_t>>>& messages) {
    if (!slot.talks() || slot.kind == EventKind::kRemote) return;
    SlotPartners& chosen = partners_[slot.id];
    std::optional<size_t> sent, received;
    if (!is_received(slot)) {
      sent = ends_.size();
      ends_.push_back({&slot, true, &chosen.peer});
    }
    if (is_received(slot) || slot.receives_too()) {
      received = ends_.size();
      ends_.push_back({&slot, false, slot.receives_too() ? &chosen.source : &chosen.peer});
    }
    for (const auto& [where, values] : slot.seen) {
      const auto [ranks, rank] = where;
      for (const int to : sent ? ranks_of(values.peer, where) : std::vector<int>{}) {
        messages[{ranks, rank, to, values.tags.front(), slot.ordinal}].first.push_back(*sent);
      }
      const int tag = slot.receives_too() ? slot.source_tag : values.tags.front();
      const int source = slot.receives_too() ? values.source : values.peer;
      for (const int from : received ? ranks_of(source, where) : std::vector<int>{}) {
        messages[{ranks, from, rank, tag, slot.ordinal}].second.push_back(*received);
      }
    }
  }

  // The ranks that a partner stands for: none, one, or each other rank.
  static std::vector<int> ranks_of(int peer, const RankOfScale& where) {
    if (peer == kNobody) return {};
    if (peer != kEachInTurn) return {peer};
    std::vector<int> others;
    for (int other = 0; other < where.first; ++other) {
      if (other != where.second) others.push_back(other);
    }
    return others;
  }

  size_t group_of(size_t end) {
    while (groups_[end] != end) end = groups_[end] = groups_[groups_[end]];
    return end;
  }

  int partner_of(const End& end, int rank) const { return partner(vocabulary()[**end.chosen], target_, rank); }

  // Whether as many messages are sent from the one to the other as are received there.
  bool is_balanced(const std::vector<End*>& group, int from, int to) const {
    int64_t balance = 0;
    for (const End* end : group) {
      const int meant = end->is_sent ? partner_of(*end, from) : partner_of(*end, to);
      const bool is_meant = meant == (end->is_sent ? to : from) || (meant == kEachInTurn && from != to);
      balance += is_meant ? (end->is_sent ? 1 : -1) : 0;
    }
    return balance == 0;
  }

  bool is_balanced(const std::vector<End*>& group) const {
    const size_t step = 1 + group.size() * group.size() / 256;  // large groups are probed at fewer ranks
    for (size_t i = 0; i < probes_.size(); i += step) {
      for (const End* end : group) {
        const int rank = probes_[i], other = partner_of(*end, rank);
        const bool is_each = other == kEachInTurn;
        for (const int one : is_each ? probes_ : ranks_of(other, {target_, rank})) {
          if (is_each && one == rank) continue;
          if (!is_balanced(group, end->is_sent ? rank : one, end->is_sent ? one : rank)) return false;
        }
      }
    }
    return true;
  }

  // Equations that differ at the target, in the order of preference.
  std::vector<size_t> candidates(const RelationSet& possible) const {
    std::vector<size_t> different;
    std::set<std::vector<int>> known;
    for (const size_t relation : preferred_(possible)) {
      std::vector<int> partners;
      for (const int rank : probes_) partners.push_back(partner(vocabulary()[relation], target_, rank));
      if (different.size() < kMostEquationsTried && known.insert(std::move(partners)).second)
        different.push_back(relation);
    }
    return different;
  }

  // Takes the first equations that match, those in the front of all orders before others. False, and nothing is
  // changed: there are none.
  bool find(const std::vector<End*>& group) {
    std::vector<std::vector<size_t>> of_ends;
    std::vector<std::optional<size_t>> before;
    size_t most = 0;
    for (const End* end : group) {
      before.push_back(*end->chosen);
      of_ends.push_back(candidates(end->possible()));
      if (of_ends.back().empty()) return false;
      most += of_ends.back().size() - 1;
    }
    tried_ = 0;
    for (size_t sum = 0; sum <= most && tried_ < kMostCombinations; ++sum) {
      if (find(group, of_ends, 0, sum)) return true;
    }
    for (size_t i = 0; i < group.size(); ++i) *group[i]->chosen = before[i];
    return false;
  }

  // Those whose places in the orders of `end` and all after it add up to `sum`.
  bool find(const std::vector<End*>& group, const std::vector<std::vector<size_t>>& of_ends, size_t end, size_t sum) {
    if (end == group.size()) return sum == 0 && ++tried_ <= kMostCombinations && is_balanced(group);
    const bool is_last = end + 1 == group.size();
    for (size_t place = is_last ? sum : 0; place <= sum && place < of_ends[end].size(); ++place) {
      *group[end]->chosen = of_ends[end][place];
      if (find(group, of_ends, end + 1, sum - place)) return true;
      if (tried_ > kMostCombinations) return false;
    }
    return false;
  }

  // The routines on the other side of a group's messages.
  static std::string others(const std::vector<End*>& group, const End& end) {
    std::set<std::string> routines;
    for (const End* other : group) {
      if (other->is_sent != end.is_sent) routines.insert(other->slot->routine);
    }
    std::string text;
    for (const std::string& routine : routines) text += (text.empty() ? "" : ", ") + routine;
    return text;
  }

  const PreferredRelations& preferred_;
  int target_;
  std::map<int, SlotPartners>& partners_;
  std::vector<int> probes_;  // ranks of the target
  std::vector<End> ends_;
  std::vector<size_t> groups_;  // by end: one of its group, which is itself for one of them
  size_t tried_ = 0;
};

}  // namespace

std::map<int, std::string> match_partners(const std::vector<Slot>& slots, const PreferredRelations& preferred,
                                          int target, std::map<int, SlotPartners>& partners) {
  Matcher matcher(preferred, target, partners);
  matcher.list(slots);
  return matcher.match();
}

}  // namespace scalediag::loggp
