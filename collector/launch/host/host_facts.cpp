#include "collector/launch/host/host_facts.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

#include "collector/launch/host/control_group.h"

namespace scalediag::launch {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    // x86 has "model name", POWER "cpu", s390 and some ARM kernels "Processor".
    for (const char* key : {"model name", "cpu\t", "Processor"}) {
      const size_t colon = line.find(": ");
      if (line.compare(0, std::string(key).size(), key) == 0 && colon != line.npos) return line.substr(colon + 2);
    }
  }
  return "unknown";
}

int cores_of_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails where the machine has more CPUs than the set: then all of them count.
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

int usable_cores(double quota) {
  if (const char* allocation = std::getenv("SLURM_JOB_CPUS_PER_NODE")) {
    if (const int cpus = slurm_cpus(allocation); cpus > 0) return cpus;
  }
  const int cores = cores_of_affinity();
  return quota > 0 ? std::clamp(static_cast<int>(quota), 1, cores) : cores;
}

}  // namespace

int slurm_cpus(const std::string& cpus_per_node) {
  int sum = 0;
  std::istringstream items(cpus_per_node);
  for (std::string item; std::getline(items, item, ',');) {
    int cpus = 0;
    int nodes = 1;
    if (std::sscanf(item.c_str(), "%d(x%d)", &cpus, &nodes) < 1) return 0;
    sum += cpus * nodes;
  }
  return sum;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

core::Host read_host() {
  core::Host host;
  utsname names{};
  if (uname(&names) == 0) {
    host.name = names.nodename;
    host.kernel = std::string(names.sysname) + " " + names.release;
  }
  host.cpu = cpu_model();
  const ControlGroupLimits limits = read_control_group();
  host.cores = usable_cores(limits.cores);
  host.memory_bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (limits.memory_bytes > 0) host.memory_bytes = std::min(host.memory_bytes, limits.memory_bytes);
  return host;
}

}  // namespace scalediag::launch
