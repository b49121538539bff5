#include "loggp/phases/messages/communicator_numbers.h"

#include <map>
#include <tuple>

#include "loggp/phases/equations/communicator_relation.h"

namespace scalediag::loggp {

CommunicatorNumbers::CommunicatorNumbers(const std::vector<ScaledCommunicator>& communicators, int ranks) {
  constexpr uint32_t kNoNumber = 0xFFFFFFFF;
  std::map<std::tuple<std::vector<int>, uint64_t, bool>, uint32_t> known = {{{{}, 0, false}, 0}};
  for (const auto& [relation, ordinal, for_exchanges] : communicators) {
    std::vector<uint32_t>& of_ranks = numbers_.emplace_back();
    for (int rank = 0; rank < ranks; ++rank) {
      if (!of_ranks.empty() && of_ranks[static_cast<size_t>(rank)] != kNoNumber) continue;
      const std::vector<int> members = members_by(relation, ranks, rank);
      const auto [number, is_new] =
          known.try_emplace({members, ordinal, for_exchanges}, static_cast<uint32_t>(members_.size()));
      if (is_new) members_.push_back(members);
      if (members.empty()) {
        of_ranks = {number->second};
        break;
      }
      of_ranks.resize(static_cast<size_t>(ranks), kNoNumber);
      for (const int member : members) of_ranks[static_cast<size_t>(member)] = number->second;
    }
  }
}

}  // namespace scalediag::loggp
