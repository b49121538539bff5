#include "collector/counters/machine/machine_topology.h"

#include <hwloc.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>

namespace scalediag::counters {
namespace {

using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>;

hwloc_obj_t first_cpu_below(hwloc_topology_t topology, hwloc_obj_t core) {
  return hwloc_get_obj_inside_cpuset_by_type(topology, core->cpuset, HWLOC_OBJ_PU, 0);
}

int cores_below(hwloc_topology_t topology, hwloc_obj_t cache) {
  const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE);
  return cores > 0 ? cores : 1;
}

std::vector<core::MachineCache> caches_above(hwloc_topology_t topology, hwloc_obj_t cpu, double& line_bytes) {
  std::vector<core::MachineCache> caches;
  for (hwloc_obj_t object = cpu; object != nullptr; object = object->parent) {
    if (!hwloc_obj_type_is_dcache(object->type) || object->attr->cache.size == 0) continue;
    core::MachineCache cache;
    cache.name = "l" + std::to_string(object->attr->cache.depth);
    cache.size_bytes = {static_cast<double>(object->attr->cache.size), 0, "hwloc"};
    cache.shared_by = cores_below(topology, object);
    if (object->attr->cache.linesize > 0) line_bytes = object->attr->cache.linesize;
    caches.push_back(cache);
  }
  // The last level is named so, since counters refer to it whatever its number; a single level remains the first.
  if (caches.size() > 1) caches.back().name = "llc";
  return caches;
}

hwloc_obj_t last_cache_above(hwloc_obj_t cpu) {
  hwloc_obj_t last = nullptr;
  for (hwloc_obj_t object = cpu; object != nullptr; object = object->parent) {
    if (hwloc_obj_type_is_dcache(object->type)) last = object;
  }
  return last;
}

// hwloc as it starts, without plugins. They look for devices, which nobody here asks for, and those of the system may
// be made for another hwloc than the one in a program that was linked elsewhere. Programs that are started later find
// the environment as it was.
int init_without_plugins(hwloc_topology_t* topology) {
  constexpr const char* kPath = "HWLOC_PLUGINS_PATH";
  const char* value = std::getenv(kPath);
  const std::optional<std::string> before = value == nullptr ? std::nullopt : std::optional<std::string>(value);
  setenv(kPath, "", 1);
  const int status = hwloc_topology_init(topology);
  before ? setenv(kPath, before->c_str(), 1) : unsetenv(kPath);
  return status;
}

}  // namespace

Result<MachineTopology> read_topology() {
  hwloc_topology_t raw = nullptr;
  if (init_without_plugins(&raw) != 0) {
    return Error{ErrorCode::kEnvironment, "hwloc cannot be initialised",
                 "try lstopo, from the package hwloc, which does the same", "hwloc"};
  }
  const Topology topology(raw, &hwloc_topology_destroy);
  // The default flags leave out what the affinity mask or the control group forbids.
  if (hwloc_topology_load(raw) != 0) {
    return Error{ErrorCode::kEnvironment, "hwloc cannot read the machine's topology",
                 "try lstopo, from the package hwloc", "hwloc"};
  }
  MachineTopology result;
  std::set<hwloc_obj_t> last_level;
  // A mask narrower than the topology (taskset) is not hidden by hwloc.
  hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
  if (hwloc_get_cpubind(raw, allowed, HWLOC_CPUBIND_PROCESS) != 0) {
    hwloc_bitmap_copy(allowed, hwloc_topology_get_allowed_cpuset(raw));
  }
  const bool has_cores = hwloc_get_nbobjs_by_type(raw, HWLOC_OBJ_CORE) > 0;
  const hwloc_obj_type_t unit = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  hwloc_obj_t first = nullptr;
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(raw, unit, object)) != nullptr;) {
    hwloc_obj_t cpu = has_cores ? first_cpu_below(raw, object) : object;
    for (; cpu != nullptr; cpu = cpu->next_cousin) {
      if (!hwloc_bitmap_isset(object->cpuset, cpu->os_index)) cpu = nullptr;
      if (cpu == nullptr || hwloc_bitmap_isset(allowed, cpu->os_index)) break;
    }
    if (cpu == nullptr) continue;
    if (first == nullptr) first = cpu;
    result.cpus.push_back(static_cast<int>(cpu->os_index));
    if (hwloc_obj_t cache = last_cache_above(cpu)) last_level.insert(cache);
  }
  hwloc_bitmap_free(allowed);
  if (first == nullptr) {
    return Error{ErrorCode::kEnvironment, "hwloc finds no core that this process may use",
                 "see what the affinity and the control group leave: taskset -cp $$; lstopo", "hwloc"};
  }
  result.caches = caches_above(raw, first, result.line_bytes);
  if (!last_level.empty()) result.last_level_instances = static_cast<int>(last_level.size());
  return result;
}

}  // namespace scalediag::counters
