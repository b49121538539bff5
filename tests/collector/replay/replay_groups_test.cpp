// Which ranks are replayed at the same time.
#include "collector/replay/replay_groups.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace scalediag::replay {
namespace {

// Logs of these ranks of 8, in nodes of `node` that send to one another; 0: each has all of its messages.
std::vector<MessageLog> logs_of(const std::vector<uint32_t>& ranks, uint32_t node) {
  std::vector<MessageLog> logs;
  for (const uint32_t rank : ranks) {
    MessageLog log;
    log.identity.rank = rank;
    log.identity.size = 8;
    log.identity.node = node;
    logs.push_back(log);
  }
  return logs;
}

// "0,1 2,3": the ranks of each group.
std::string groups_text(const std::vector<uint32_t>& ranks, uint32_t node, const GroupRequest& request, int cores) {
  const auto groups = replay_groups(logs_of(ranks, node), request, cores);
  if (!groups) return groups.error().message;
  std::string text;
  for (const auto& group : groups.value()) {
    text += text.empty() ? "" : " ";
    for (size_t i = 0; i < group.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(group[i].identity.rank);
  }
  return text;
}

GroupRequest together() {
  GroupRequest request;
  request.together = true;
  return request;
}

TEST(ReplayGroups, AsManyNodesAsThereAreCoresFor) {
  EXPECT_EQ(groups_text({0, 1, 2, 3, 6, 7}, 2, together(), 2), "0,1 2,3 6,7");
  EXPECT_EQ(groups_text({0, 1, 2, 3, 6, 7}, 2, together(), 5), "0,1,2,3 6,7");
}

TEST(ReplayGroups, ARankThatSendsToOthersNeedsThem) {
  EXPECT_NE(groups_text({0, 2, 3}, 2, together(), 2).find("rank 0 cannot be replayed without ranks 0..1:1"),
            std::string::npos);
}

TEST(ReplayGroups, ANodeOfMoreRanksThanCoresSharesThemOnlyIfAsked) {
  GroupRequest request = together();
  EXPECT_NE(groups_text({0, 1, 2, 3}, 4, request, 2).find("4 ranks would share 2 cores"), std::string::npos);
  request.share_cores = true;
  EXPECT_EQ(groups_text({0, 1, 2, 3, 4, 5, 6, 7}, 4, request, 2), "0,1,2,3 4,5,6,7");
}

TEST(ReplayGroups, RanksWithAllOfTheirMessagesAreAloneOrAllTogether) {
  EXPECT_EQ(groups_text({0, 3, 5}, 0, {}, 2), "0 3 5");
  EXPECT_EQ(groups_text({0, 3}, 0, together(), 2), "0,3");
}

}  // namespace
}  // namespace scalediag::replay
