#include "collector/launch/host/host_facts.h"

#include <gtest/gtest.h>

namespace scalediag::launch {
namespace {

TEST(HostFacts, AreThere) {
  const core::Host host = read_host();
  EXPECT_FALSE(host.name.empty());
  EXPECT_EQ(host.kernel.rfind("Linux ", 0), 0u);
  EXPECT_GE(host.cores, 1);
  EXPECT_GT(host.memory_bytes, 0);
}

TEST(HostFacts, SlurmsCompressedListIsSummedUp) {
  EXPECT_EQ(slurm_cpus("8"), 8);
  EXPECT_EQ(slurm_cpus("16(x4),8"), 72);  // 4 * 16 + 8
  EXPECT_EQ(slurm_cpus("many"), 0);
  EXPECT_EQ(slurm_cpus(""), 0);
}

TEST(HostFacts, TimeIsIso8601InUtc) {
  const std::string now = utc_now();
  ASSERT_EQ(now.size(), 20u);
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now[19], 'Z');
}

}  // namespace
}  // namespace scalediag::launch
