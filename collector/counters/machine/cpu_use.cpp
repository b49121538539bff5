#include "collector/counters/machine/cpu_use.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "collector/counters/machine/repeated_timing.h"

namespace scalediag::counters {
namespace {

std::optional<CpuUse> read_cpu_use(const std::vector<int>& cpus) {
  std::ifstream file("/proc/stat");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_cpu_use(text.str(), cpus, static_cast<double>(sysconf(_SC_CLK_TCK)));
}

double own_cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

std::optional<CpuUse> parse_cpu_use(const std::string& proc_stat, const std::vector<int>& cpus, double ticks_per_s) {
  std::set<std::string> wanted;
  for (const int cpu : cpus) wanted.insert("cpu" + std::to_string(cpu));
  CpuUse use;
  std::istringstream lines(proc_stat);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (wanted.erase(name) == 0) continue;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft_interrupts = 0, stolen = 0;
    // `user` already includes the time of this system's guests.
    if (!(words >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >> stolen)) {
      return std::nullopt;
    }
    use.busy_s += (user + nice + system + interrupts + soft_interrupts) / ticks_per_s;
    use.stolen_s += stolen / ticks_per_s;
  }
  if (!wanted.empty()) return std::nullopt;
  return use;
}

OthersOnCpus::OthersOnCpus(std::vector<int> cpus)
    : cpus_(std::move(cpus)), begin_(read_cpu_use(cpus_)), begin_s_(monotonic_s()), own_begin_s_(own_cpu_s()) {}

std::optional<OthersOnCpus::Share> OthersOnCpus::since_begin() const {
  const std::optional<CpuUse> now = read_cpu_use(cpus_);
  const double own_s = own_cpu_s() - own_begin_s_;
  const double available_s = (monotonic_s() - begin_s_) * static_cast<double>(cpus_.size());
  if (!begin_ || !now || available_s <= 0) return std::nullopt;
  return Share{std::max(0.0, now->busy_s - begin_->busy_s - own_s) / available_s,
               std::max(0.0, now->stolen_s - begin_->stolen_s) / available_s};
}

}  // namespace scalediag::counters
