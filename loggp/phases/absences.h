// Ranks that do not have an event, held against the equations of partners at one scale: border ranks have fewer events
// than others, and the equation has to say nobody for them.
#pragma once

#include <optional>
#include <vector>

#include "loggp/phases/slots.h"

namespace scalediag::loggp {

bool is_seen_on(const Slot& slot, const RankOfScale& where);

class Absences {
 public:
  explicit Absences(int ranks);

  // Keeps the equations that say nobody for all ranks that do not have the event, where there are any; a loop that a
  // rank does not have although its events have partners goes round no times there.
  void settle(std::vector<Slot>& slots) const;

  // The first rank without the event for which the equations name a partner. peer, source: of vocabulary().
  std::optional<int> unexplained(const Slot& slot, std::optional<size_t> peer, std::optional<size_t> source,
                                 const std::vector<bool>& runs) const;

  // Those of `peers` that say nobody for all ranks that run the slot's list and do not have the slot.
  RelationSet explaining_absence(const Slot& slot, RelationSet peers, const std::vector<bool>& runs) const;

  // The ranks that run the body of a loop.
  std::vector<bool> running(const Slot& loop, const std::vector<bool>& outside) const;

  int ranks() const { return ranks_; }

 private:
  bool may_be_nobody(const Slot& slot, size_t rank) const;
  void settle(Slot& slot, const std::vector<bool>& outside) const;

  int ranks_;
  std::vector<RelationSet> nobody_;
};

}  // namespace scalediag::loggp
