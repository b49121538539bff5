// The limits that a container, a batch system or systemd sets for this process.
#pragma once

#include <string>

namespace scalediag::launch {

struct ControlGroupLimits {
  double cores = 0;         // CPU time a second; 0: not limited
  double memory_bytes = 0;  // 0: not limited
};

// The tightest limits of the process's control group and of those above it, as far as they are visible, version 1 or 2.
// Inside a container its own group is mounted as the root, while /proc/self/cgroup may have the host's name for it.
// `root` is put before /proc and /sys, for tests.
ControlGroupLimits read_control_group(const std::string& root = "");

}  // namespace scalediag::launch
