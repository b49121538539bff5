#include "loggp/phases/messages/communicator_numbers.h"

#include "loggp/phases/equations/communicator_relation.h"
#include "loggp/traces/trace_program.h"

namespace scalediag::loggp {

CommunicatorNumbers::CommunicatorNumbers(const std::vector<ScaledCommunicator>& communicators, int ranks) {
  constexpr uint32_t kNoNumber = 0xFFFFFFFF;
  RunCommunicators known;
  for (const auto& [relation, ordinal, for_exchanges] : communicators) {
    std::vector<uint32_t>& of_ranks = numbers_.emplace_back();
    for (int rank = 0; rank < ranks; ++rank) {
      if (!of_ranks.empty() && of_ranks[static_cast<size_t>(rank)] != kNoNumber) continue;
      const std::vector<int> members = members_by(relation, ranks, rank);
      const uint32_t number = known.number({ordinal, members}, for_exchanges, members_);
      if (members.empty()) {
        of_ranks = {number};
        break;
      }
      of_ranks.resize(static_cast<size_t>(ranks), kNoNumber);
      for (const int member : members) of_ranks[static_cast<size_t>(member)] = number;
    }
  }
}

}  // namespace scalediag::loggp
