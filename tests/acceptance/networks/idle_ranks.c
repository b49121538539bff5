// Preloaded into ranks on an emulated network. A rank of Open MPI that waits asks its sockets again and again; this lets it
// sleep in the kernel until one has something, for at most 2 ms at a time. Otherwise 16 waiting ranks keep two cores
// busy, and delay messages and computation that on hosts of their own would not be delayed.
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kLongestSleepMs = 2 };

static int is_rank;
static __thread int asked_in_vain;

__attribute__((constructor)) static void find_out(void) { is_rank = getenv("OMPI_COMM_WORLD_RANK") != NULL; }

// The first call that finds nothing returns at once, since a program may have asked for it with MPI_Test.
int poll(struct pollfd* sockets, nfds_t n, int timeout_ms) {
  if (is_rank && timeout_ms == 0 && asked_in_vain) timeout_ms = kLongestSleepMs;
  const int found = (int)syscall(SYS_poll, sockets, n, timeout_ms);
  asked_in_vain = found == 0;
  return found;
}
