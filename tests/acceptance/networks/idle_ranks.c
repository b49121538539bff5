// Preloaded into ranks on an emulated network. A rank of Open MPI that waits asks its sockets again and again; this lets it
// sleep in the kernel until one has something, for at most 2 ms at a time, or as many us as IDLE_RANKS_US says. Otherwise
// 16 waiting ranks keep two cores busy, and delay messages and computation that on hosts of their own would not be
// delayed.
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long longest_sleep_us = 2000;

static int is_rank;
static __thread int asked_in_vain;

__attribute__((constructor)) static void find_out(void) {
  is_rank = getenv("OMPI_COMM_WORLD_RANK") != NULL;
  if (getenv("IDLE_RANKS_US") != NULL) longest_sleep_us = atol(getenv("IDLE_RANKS_US"));
}

// The first call that finds nothing returns at once, since a program may have asked for it with MPI_Test.
int poll(struct pollfd* sockets, nfds_t n, int timeout_ms) {
  struct timespec longest = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
  if (is_rank && timeout_ms == 0 && asked_in_vain) longest.tv_nsec = longest_sleep_us * 1000;
  const int found = (int)syscall(SYS_ppoll, sockets, n, timeout_ms < 0 ? NULL : &longest, NULL, 0);
  asked_in_vain = found == 0;
  return found;
}
