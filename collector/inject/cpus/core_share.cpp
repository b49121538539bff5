#include "collector/inject/cpus/core_share.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "collector/inject/cpus/cpu_set.h"

namespace scalediag::inject {
namespace {

// The number of ranks on this node, from variables of Open MPI and PRRTE, MPICH and Slurm. Slurm gives a list
// ("4(x2),3"), of which the first number is taken, since the entry of this node is not known.
int ranks_on_this_node(int size) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_TASKS_PER_NODE"}) {
    const char* text = std::getenv(name);
    const int n = text != nullptr ? std::atoi(text) : 0;
    if (n > 0) return std::min(n, size);
  }
  return size;
}

}  // namespace

bool ranks_share_cores(int size) {
  // A rank may be bound to some of the CPUs; its parent process has all that the job may use.
  return ranks_on_this_node(size) > std::max({1, cpus_of(0).count(), cpus_of(getppid()).count()});
}

}  // namespace scalediag::inject
