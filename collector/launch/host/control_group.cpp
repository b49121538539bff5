#include "collector/launch/host/control_group.h"

#include <fstream>
#include <sstream>

namespace scalediag::launch {
namespace {

// Version 1 has no value for "no limit" of memory: it shows the largest number of pages.
constexpr double kNoMemoryLimit = 0x7fff'ffff'f000'0000;

// A hierarchy that limits a resource: where it is mounted and the group of this process in it.
struct Group {
  std::string mount;
  std::string path;  // "/a/b"
  bool unified = false;
};

void tighten(double& limit, double other) {
  if (other > 0 && (limit == 0 || other < limit)) limit = other;
}

double read_number(const std::string& file) {
  double number = 0;
  std::ifstream stream(file);
  return stream >> number ? number : 0;  // "max" means no limit
}

void read_limits(const Group& group, const std::string& folder, ControlGroupLimits& limits) {
  if (group.unified) {
    double quota = 0;
    double period = 0;
    std::ifstream cpu(folder + "/cpu.max");
    if (cpu >> quota >> period && period > 0) tighten(limits.cores, quota / period);
    tighten(limits.memory_bytes, read_number(folder + "/memory.max"));
    return;
  }
  const double period = read_number(folder + "/cpu.cfs_period_us");
  if (period > 0) tighten(limits.cores, read_number(folder + "/cpu.cfs_quota_us") / period);
  const double memory = read_number(folder + "/memory.limit_in_bytes");
  if (memory < kNoMemoryLimit) tighten(limits.memory_bytes, memory);
}

// A line of /proc/self/cgroup: "4:memory:/a/b", or "0::/a/b" for version 2.
bool parse_group(const std::string& line, const std::string& root, Group& group) {
  const size_t first = line.find(':');
  const size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
  if (second == line.npos) return false;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  group.path = line.substr(second + 1);
  group.unified = controllers.empty();
  const std::string mounts = root + "/sys/fs/cgroup";
  if (group.unified) {
    // Beside version 1, version 2 is mounted in a folder of its own.
    group.mount = std::ifstream(mounts + "/cgroup.controllers") ? mounts : mounts + "/unified";
    return true;
  }
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');) {
    group.mount = mounts + "/" + name;
    if (name == "cpu" || name == "memory") return true;
  }
  return false;
}

}  // namespace

ControlGroupLimits read_control_group(const std::string& root) {
  ControlGroupLimits limits;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    Group group;
    if (!parse_group(line, root, group)) continue;
    std::string path = group.path == "/" ? "" : group.path;
    for (;;) {
      read_limits(group, group.mount + path, limits);
      if (path.empty()) break;
      path.erase(path.rfind('/') == path.npos ? 0 : path.rfind('/'));
    }
  }
  return limits;
}

}  // namespace scalediag::launch
