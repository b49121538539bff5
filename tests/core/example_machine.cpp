#include "tests/core/example_machine.h"

namespace scalediag::core {

Machine example_machine() {
  Machine m;
  m.scalediag_version = "0.1.0";
  m.created = "2024-05-31T12:00:00Z";
  m.elapsed_s = 6.5;
  m.host = {"node1", "Linux 6.1", "Some CPU 9000", 4, 8e9};
  m.pages = "huge";
  m.line_bytes = 64;
  const std::string chase = "pointer chase";
  m.caches = {{"l1", {32768, 0, "hwloc"}, 1, {1e-9, 0.01, chase}, 16384, 33000},
              {"l2", {1048576, 0, "hwloc"}, 1, {4e-9, 0.01, chase}, 524288, 1.1e6},
              {"llc", {33554432, 0, "hwloc"}, 4, {16e-9, 0.02, chase}, 8388608, 0}};
  m.memory_latency_s = {100e-9, 0.05, chase};
  m.memory_working_set_bytes = 134217728;
  m.bandwidth = {{1, {2e10, 0.02, "triad"}, 2.1e10}, {4, {5e10, 0.03, "triad"}, 5.2e10}};
  m.nominal_hz = {2.5e9, 0, "time-stamp counter"};
  m.sustained_hz = {3.5e9, 0.001, "dependent additions"};
  m.sustained_all_cores_hz = {3e9, 0.002, "dependent additions"};
  m.smallest_cpi = {0.25, 0.001, "independent additions"};
  m.latency_curve = {{16384, 1e-9}, {65536, 4e-9}};
  m.warnings = {"the memory latencies of the repeats differ by 12 %"};
  return m;
}

}  // namespace scalediag::core
