#include "collector/merge/core_demand.h"

#include <gtest/gtest.h>

namespace scalediag::merge {
namespace {

std::vector<int> numbers(const std::optional<TooFewCpus>& t) {
  return t ? std::vector{t->ranks, t->threads, t->cpus} : std::vector<int>{};
}

TEST(CoreDemand, RanksThatMayRunEverywhereNeedAsManyCpus) {
  EXPECT_FALSE(find_too_few_cpus({{{{{0, 3}}, 1}, 4}}));
  EXPECT_FALSE(find_too_few_cpus({{{{{0, 3}}, 2}, 2}}));
  EXPECT_EQ(numbers(find_too_few_cpus({{{{{0, 3}}, 1}, 5}})), (std::vector{5, 5, 4}));
  EXPECT_EQ(numbers(find_too_few_cpus({{{{{0, 1}, {4, 4}}, 2}, 2}})), (std::vector{2, 4, 3}));
  EXPECT_FALSE(find_too_few_cpus({}));
}

TEST(CoreDemand, RanksThatAreBoundToOneCpuEachHaveIt) {
  EXPECT_FALSE(find_too_few_cpus({{{{{0, 0}}, 1}, 1}, {{{{1, 1}}, 1}, 1}}));
  // The rank has two busy threads and one CPU, although two others would be free.
  EXPECT_EQ(numbers(find_too_few_cpus({{{{{0, 0}}, 2}, 1}, {{{{0, 3}}, 1}, 1}})), (std::vector{1, 2, 1}));
}

TEST(CoreDemand, OneMakesRoomForAnotherWhereItCan) {
  // The first may run on 0, 1 or 2 and takes 0, which is the only one for the second; the third needs the one that is
  // then taken.
  EXPECT_FALSE(find_too_few_cpus({{{{{0, 2}}, 1}, 1}, {{{{0, 0}}, 1}, 1}, {{{{0, 1}}, 1}, 1}}));
  // Three ranks that may run only on 0 and 1, beside one that may run everywhere and is not one of them.
  EXPECT_EQ(numbers(find_too_few_cpus({{{{{0, 7}}, 1}, 1}, {{{{0, 0}}, 1}, 1}, {{{{0, 1}}, 1}, 2}})),
            (std::vector{3, 3, 2}));
}

}  // namespace
}  // namespace scalediag::merge
