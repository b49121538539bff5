#include "collector/launch/host/control_group.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/core/temporary_folder.h"

namespace scalediag::launch {
namespace {

class ControlGroup : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  std::string root() const { return folder_.file("root"); }
  core::TemporaryFolder folder_;
};

TEST_F(ControlGroup, WithoutOneNothingIsLimited) {
  const ControlGroupLimits limits = read_control_group(root());
  EXPECT_EQ(limits.cores, 0);
  EXPECT_EQ(limits.memory_bytes, 0);
}

TEST_F(ControlGroup, TheTightestOfAllAboveCounts) {
  // A job's step: its own group has no limit of cores, the job's has 1.5 and the slice's 8.
  write("/proc/self/cgroup", "0::/slice/job/step");
  write("/sys/fs/cgroup/cgroup.controllers", "cpu memory");
  write("/sys/fs/cgroup/slice/cpu.max", "800000 100000");
  write("/sys/fs/cgroup/slice/job/cpu.max", "150000 100000");
  write("/sys/fs/cgroup/slice/job/step/cpu.max", "max 100000");
  write("/sys/fs/cgroup/slice/job/memory.max", "max");
  write("/sys/fs/cgroup/slice/job/step/memory.max", "1000000");
  const ControlGroupLimits limits = read_control_group(root());
  EXPECT_DOUBLE_EQ(limits.cores, 1.5);
  EXPECT_DOUBLE_EQ(limits.memory_bytes, 1e6);
}

TEST_F(ControlGroup, InAContainerTheMountIsItsOwnGroup) {
  // The path is the host's and does not exist below the mount.
  write("/proc/self/cgroup", "0::/docker/0123");
  write("/sys/fs/cgroup/cgroup.controllers", "cpu memory");
  write("/sys/fs/cgroup/cpu.max", "200000 100000");
  write("/sys/fs/cgroup/memory.max", "536870912");
  const ControlGroupLimits limits = read_control_group(root());
  EXPECT_DOUBLE_EQ(limits.cores, 2);
  EXPECT_DOUBLE_EQ(limits.memory_bytes, 536870912);
}

TEST_F(ControlGroup, VersionOneHasAFolderAController) {
  write("/proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n3:freezer:/a\n0::/");
  write("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "50000");
  write("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000000");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  ControlGroupLimits limits = read_control_group(root());
  EXPECT_DOUBLE_EQ(limits.cores, 0.5);
  EXPECT_DOUBLE_EQ(limits.memory_bytes, 1e6);
  // Version 1 has these values without a limit.
  write("/proc/self/cgroup", "5:cpu,cpuacct:/\n4:memory:/");
  limits = read_control_group(root());
  EXPECT_EQ(limits.cores, 0);
  EXPECT_EQ(limits.memory_bytes, 0);
}

TEST_F(ControlGroup, LinesOfAnotherFormAreLeftOut) {
  write("/proc/self/cgroup", "nonsense\n:\n::\n7:name=systemd:/x");
  EXPECT_EQ(read_control_group(root()).cores, 0);
}

}  // namespace
}  // namespace scalediag::launch
