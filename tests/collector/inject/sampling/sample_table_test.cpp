#include "collector/inject/sampling/sample_table.h"

#include <gtest/gtest.h>

namespace scalediag::inject {
namespace {

TEST(SampleTable, SumsSamplesOfTheSameKey) {
  SampleTable table;
  const SampleKey key{0, 7, 1, 0x1234};
  table.add(key, {1, 4000, 0});
  table.add(key, {2, 9000, 500});
  ASSERT_EQ(table.entries().size(), 1u);
  EXPECT_EQ(table.entries()[0].value.samples, 3u);
  EXPECT_EQ(table.entries()[0].value.cpu_ns, 13000u);
  EXPECT_EQ(table.entries()[0].value.system_ns, 500u);
}

TEST(SampleTable, EveryPartOfTheKeyCounts) {
  SampleTable table;
  for (uint32_t part = 0; part < 2; ++part) {
    table.add({part, 7, 1, 0x1234}, {1, 1, 0});
    table.add({0, 7 + part, 1, 0x1234}, {1, 1, 0});
    table.add({0, 7, 1 + part, 0x1234}, {1, 1, 0});
    table.add({0, 7, 1, 0x1234 + part}, {1, 1, 0});
  }
  // The four keys with part 0 are one and the same.
  ASSERT_EQ(table.entries().size(), 5u);
  EXPECT_EQ(table.entries()[0].value.samples, 4u);
}

TEST(SampleTable, KeepsEverythingWhileItGrows) {
  SampleTable table;
  constexpr uint64_t kAddresses = 50000;
  for (int round = 0; round < 2; ++round) {
    for (uint64_t a = 0; a < kAddresses; ++a) table.add({0, 0, 0, a * 4}, {1, a, 0});
  }
  ASSERT_EQ(table.entries().size(), kAddresses);
  for (uint64_t a = 0; a < kAddresses; ++a) {
    ASSERT_EQ(table.entries()[a].key.address, a * 4);
    ASSERT_EQ(table.entries()[a].value.cpu_ns, 2 * a);
  }
}

TEST(SampleTable, MarksWhatChangedSinceTheLastLook) {
  SampleTable table;
  table.add({0, 0, 0, 1}, {1, 1, 0});
  table.add({0, 0, 0, 2}, {1, 1, 0});
  table.clear_changes();
  table.add({0, 0, 0, 2}, {1, 1, 0});
  EXPECT_FALSE(table.entries()[0].changed);
  EXPECT_TRUE(table.entries()[1].changed);
}

TEST(SampleTable, IsEmptyAndUsableAfterClear) {
  SampleTable table;
  table.add({0, 0, 0, 1}, {1, 1, 0});
  table.clear();
  EXPECT_TRUE(table.entries().empty());
  table.add({0, 0, 0, 1}, {1, 5, 0});
  ASSERT_EQ(table.entries().size(), 1u);
  EXPECT_EQ(table.entries()[0].value.cpu_ns, 5u);
}

TEST(SampleTable, CountsAreSummedBesideTheSamples) {
  SampleTable table;
  table.set_counts(2);
  const uint64_t first[] = {100, 7};
  const uint64_t second[] = {50, 3};
  table.add({0, 0, 0, 1}, {}, first);
  table.add({0, 0, 0, 2}, {1, 4000, 0});
  table.add({0, 0, 0, 1}, {}, second);
  ASSERT_EQ(table.entries().size(), 2u);
  EXPECT_EQ(table.counts(0)[0], 150u);
  EXPECT_EQ(table.counts(0)[1], 10u);
  EXPECT_EQ(table.counts(1)[0], 0u);
  EXPECT_EQ(table.entries()[0].value.samples, 0u);
  table.clear();
  table.add({0, 0, 0, 3}, {}, first);
  EXPECT_EQ(table.counts(0)[1], 7u);
  EXPECT_EQ(SampleTable().counts(0), nullptr);
}

}  // namespace
}  // namespace scalediag::inject
