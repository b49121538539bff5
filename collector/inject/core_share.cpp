#include "collector/inject/core_share.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace scalediag::inject {
namespace {

// As Open MPI and PRRTE, MPICH and Slurm say it ("4(x2),3" for Slurm: the first nodes' number is as good as any).
int ranks_on_this_node(int size) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_TASKS_PER_NODE"}) {
    const char* text = std::getenv(name);
    const int n = text != nullptr ? std::atoi(text) : 0;
    if (n > 0) return std::min(n, size);
  }
  return size;
}

int cpus_of(pid_t process) {
  cpu_set_t cpus[8];  // 8192
  if (sched_getaffinity(process, sizeof cpus, cpus) != 0) return 0;
  return CPU_COUNT_S(sizeof cpus, cpus);
}

}  // namespace

bool ranks_share_cores(int size) {
  // A rank may be bound to some of the CPUs; who started it has all that the job may use.
  return ranks_on_this_node(size) > std::max({1, cpus_of(0), cpus_of(getppid())});
}

}  // namespace scalediag::inject
