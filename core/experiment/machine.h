// The properties of a machine, measured where the application runs, by which counts of instructions and of memory
// accesses are turned into time. machine.schema.json documents the JSON form field by field.
//
// Times are in seconds, sizes in bytes, frequencies in hertz.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/result.h"

namespace scalediag::core {

// A quantity and its reliability.
struct MachineValue {
  double value = 0;   // median of the best round's repeats; 0: not known
  double spread = 0;  // relative: quartile distance of those repeats or distance of the second best round, whichever is
                      // larger; 0 for values that were looked up
  std::string source;  // the method or origin
};

// The spread above which a measured value is called noisy.
constexpr double kNoisySpread = 0.1;

struct MachineCache {
  std::string name;              // "l1", "l2", ..., the last one "llc", as in the names of counters
  MachineValue size_bytes;       // of one instance
  int shared_by = 1;             // cores that share an instance
  MachineValue latency_s;        // of a load that this level serves and the next instruction waits for
  double working_set_bytes = 0;  // that the latency was measured with
  double step_bytes = 0;         // the working set at which latency rises to the next level's; 0: no step was found
};

struct MachineBandwidth {
  int cores = 0;                // the number of cores at work at once, with a thread on each
  MachineValue bytes_per_s;     // all of them together, as STREAM counts: two arrays read, one written
  double best_bytes_per_s = 0;  // of the repeats, which is what STREAM reports
};

struct Machine {
  std::string scalediag_version;
  std::string created;   // UTC, ISO 8601
  double elapsed_s = 0;  // duration of the measurement
  Host host;
  std::string pages;  // those of the memory in which latencies were measured: "huge" or "small"
  double line_bytes = 64;
  std::vector<MachineCache> caches;  // data caches, the smallest first
  MachineValue memory_latency_s;
  double memory_working_set_bytes = 0;
  std::vector<MachineBandwidth> bandwidth;  // by rising number of cores
  MachineValue nominal_hz;
  MachineValue sustained_hz;                             // one core at work
  MachineValue sustained_all_cores_hz;                   // all cores at work: the mean over them
  MachineValue smallest_cpi;                             // cycles per instruction of independent integer additions
  std::vector<std::pair<double, double>> latency_curve;  // (working set in bytes, latency in seconds), rising sets
  std::vector<std::string> warnings;                     // remarks that a reader of the numbers has to know

  // The level that serves hits of this name ("l1", "l2", "llc"), null if the machine has none.
  const MachineCache* cache(const std::string& name) const;
};

// Whether both are the same kind of machine at the same place: name, CPU model and usable cores.
bool same_host(const Host& a, const Host& b);

// The time of an operation on machine `to`, divided by its time on machine `from`; 0 where a value of either is not
// known.
struct TimeRatios {
  double instruction = 0;    // that waits for nothing: smallest CPI / frequency with all cores at work
  double memory_access = 0;  // latency
  double memory_byte = 0;    // of each core, all of them at work: cores / bandwidth
};
TimeRatios time_ratios(const Machine& from, const Machine& to);

// Error: a value is not finite.
Result<std::string> machine_to_text(const Machine& machine);
// `file` is the name in errors. Errors: not JSON, another schema or version, a field is missing or of a wrong type, a
// value that no machine has (often that of another unit: latencies are seconds between 1e-11 and 1e-3, frequencies
// hertz between 1e6 and 1e11, CPI 0.01 to 100, bandwidths 1e6 to 1e15 bytes a second), levels of which a later one is
// not slower or has an earlier one's name.
Result<Machine> parse_machine(const std::string& text, const std::string& file);
// Errors: the file cannot be read; those of parse_machine. The hint names the command that measures.
Result<Machine> read_machine(const std::string& path);
// The file appears whole or not at all. Errors: a value is not finite; the file cannot be written.
Status write_machine(const Machine& machine, const std::string& path);

}  // namespace scalediag::core
