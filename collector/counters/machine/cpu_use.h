// The use of the measured CPUs by others: the time that other programs and other virtual machines take is missing from
// the machine that is measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace scalediag::counters {

struct CpuUse {
  double busy_s = 0;    // CPU time of all processes on these CPUs since the system started
  double stolen_s = 0;  // that the hypervisor gave to other virtual machines, of these CPUs
};

// Sums the lines "cpu<N> user nice system idle iowait irq softirq steal ..." of /proc/stat over `cpus`. Empty where a
// CPU has no line or the text has another form.
std::optional<CpuUse> parse_cpu_use(const std::string& proc_stat, const std::vector<int>& cpus, double ticks_per_s);

// Watches `cpus` from its construction on. All threads of this process have to run on them meanwhile.
class OthersOnCpus {
 public:
  explicit OthersOnCpus(std::vector<int> cpus);

  struct Share {
    double programs = 0;  // CPU time of other processes / time of all the CPUs
    double stolen = 0;
    double larger() const { return programs > stolen ? programs : stolen; }
  };
  // The share since then; empty where the system does not tell.
  std::optional<Share> since_begin() const;

 private:
  std::vector<int> cpus_;
  std::optional<CpuUse> begin_;
  double begin_s_ = 0;
  double own_begin_s_ = 0;
};

}  // namespace scalediag::counters
